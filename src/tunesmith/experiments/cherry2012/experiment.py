"""Running the comparison of batch tuners: rows to stages, as many at once as there are threads, to a table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.experiments.cherry2012.rows import FEATURES, START, TunerRow
from tunesmith.experiments.cherry2012.table import BatchTable, CurvePoint, TunerResult
from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.experiments.foundations import foundations, refuse_other_data, write_about
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.parallel import raise_failures, run_at_once, shared_out
from tunesmith.experiments.repetitions import judged, mean
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import Place, PlannedStage, Stage, StageObserver, in_order, is_done, planned
from tunesmith.experiments.tuning_work import TuningNotes, judge, outcome, read_statistics, recipe_settings
from tunesmith.experiments.variations import Variation, sub_sampled
from tunesmith.io import make_folder
from tunesmith.io.folders import alone
from tunesmith.io.inside import inside
from tunesmith.metrics.base import Floats
from tunesmith.signature import Signature
from tunesmith.training.start import start_weights
from tunesmith.tuning import KBestSource, Recipe, Tuner, recipes
from tunesmith.tuning.sources.sub_samples import KEPT
from tunesmith.weights import Weights

NAME = "cherry2012"
RUN, WEIGHTS = "run", "weights.tsv"
SETS = ("devtest", "test")
_SCORES = "-scores"


@dataclass(frozen=True)
class Trial:
    """One tuning, and how its weights do on devtest and test."""

    row: TunerRow
    settings: tuple[str, ...]
    variation: Variation
    tuned: Stage
    scored: Stage


class BatchTuning:
    """The experiment in a folder.   data: files of a corpus, None for the built-in phrasebook.

    samples: sub-samples of dev that rows of the table are repeated on; `repeated` names the rows, all without it.
    """

    def __init__(
        self,
        folder: Path,
        data: CorpusFiles | None,
        settings: ExperimentSettings,
        *,
        samples: int = 4,
        repeated: Sequence[str] | None = None,
        threads: int = 1,
    ) -> None:
        self.folder, self.settings, self.threads = inside(folder), settings, threads
        self.samples, self.repeated = samples, repeated
        self.laboratory = Laboratory(self.folder, data, settings, threads)
        self.data, self.model = foundations(self.laboratory)
        self._made: dict[str, Trial] = {}

    def trials(self, row: TunerRow) -> list[Trial]:
        """All of a row: for every setting the whole tuning set, and the sub-samples where the row is repeated."""
        again = not row.sweep and (self.repeated is None or row.name in self.repeated)
        variations = sub_sampled(self.samples if again else 0, self.settings.seed)
        return [self._trial(row, settings, each) for settings in row.settings for each in variations]

    def stages(self, rows: Sequence[TunerRow]) -> list[Stage]:
        """All that these rows need: first what every row has, then the sub-samples one after the other."""
        every = [trial for row in rows for trial in self.trials(row)]
        every.sort(key=lambda trial: trial.variation.sample or 0)
        return in_order([self.model, *(trial.scored for trial in every)])

    def plan(self, rows: Sequence[TunerRow]) -> list[PlannedStage]:
        """What `run` would do, and what of it is done; nothing is written."""
        refuse_other_data(self.folder, NAME)
        return planned(self.folder, self.stages(rows))

    def run(self, rows: Sequence[TunerRow], observer: StageObserver | None = None) -> BatchTable:
        """Run what is not done; the table is written again whenever a tuning is scored.

        Killed at any time, the same call resumes. A tuning that fails is named at the end, the others are done.
        """
        if not rows:
            raise ConfigError("no row to run")
        for row in rows:  # what cannot work is refused before anything is done
            for settings in row.settings:
                self._recipe(row, settings)
        refuse_other_data(self.folder, NAME)
        make_folder(self.folder)
        with alone(self.folder):
            write_about(self.folder, NAME, self.settings)
            raise_failures(run_at_once(self.folder, [self.model], observer))
            stages = self.stages(rows)
            jobs = sum(not is_done(self.folder, stage) and stage.resumable for stage in stages)
            workers, self.laboratory.threads = shared_out(self.threads, jobs)

            def publish(stage: Stage) -> None:
                if stage.name.endswith(_SCORES):
                    self.table(rows).write(self.folder)

            failed = run_at_once(self.folder, stages, observer, workers=workers, after=publish)
            table = self.table(rows)
            table.write(self.folder)
            raise_failures(failed, f"The others are done; the table is in {self.folder / 'table.md'}")
        return table

    def _trial(self, row: TunerRow, settings: tuple[str, ...], variation: Variation) -> Trial:
        name = "/".join([row.name, *settings, variation.name])
        if name not in self._made:
            tuned = self._tuned(row, settings, variation, name)
            self._made[name] = Trial(row, settings, variation, tuned, self._scored(row, tuned, name))
        return self._made[name]

    def _features(self, row: TunerRow) -> str:
        return FEATURES[self.settings.kind][row.features]

    def _recipe(self, row: TunerRow, settings: Sequence[str]) -> Recipe:
        recipe = recipes.get(row.recipe, plain=row.plain).with_settings(settings)
        scale = self.settings.scale
        plan = recipe.plan.with_rounds(scale.dev_rounds)
        return dataclasses.replace(recipe, metric=self.laboratory.metric, plan=plan, k=scale.k)

    def _tuned(self, row: TunerRow, settings: Sequence[str], variation: Variation, name: str) -> Stage:
        scale = self.settings.scale

        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            model = laboratory.featured(self._features(row)).with_own_names(threads=laboratory.threads)
            source: KBestSource = variation.of(laboratory.source("dev", model.list_decoder()))
            tuner = Tuner.from_recipe(self._recipe(row, settings), seed=variation.seed).fit(
                source,
                start=start_weights(model.system, model.table, START),
                output=place.folder / RUN,
                threads=laboratory.threads,
                observer=TuningNotes(place, name),
            )
            minutes = sum(each.seconds for each in tuner.history_) / 60
            return {**outcome(tuner, source.sentences), "minutes": minutes}

        used = {
            "recipe": recipe_settings(self._recipe(row, settings)),
            "features": self._features(row),
            "sample": variation.sample,
            "seed": variation.seed,
            "start": START,
        }
        return Stage(name, used, run, (self.model,), resumable=True, cost=scale.dev_rounds + 1)

    def _scored(self, row: TunerRow, tuned: Stage, name: str) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            decoder = laboratory.featured(self._features(row)).decoder()
            decoder.set_weights(Weights.read(place.of(tuned) / RUN / WEIGHTS))
            given = {each: laboratory.sentences(each) for each in SETS}
            return dict(judge(place, decoder, given, laboratory.metric, threads=laboratory.threads))

        return Stage(f"{name}{_SCORES}", {"sets": list(SETS)}, run, (tuned,), cost=len(SETS) / 3)

    def table(self, rows: Sequence[TunerRow]) -> BatchTable:
        """The table of the tunings that are scored; a row has as many repetitions as are done."""
        place, metric = Place(self.folder, self.folder), self.laboratory.metric
        done = {row.name: self._done(row) for row in rows}
        table_rows = [row for row in rows if not row.sweep and done[row.name]]
        statistics = {
            row.name: {each: self._statistics(place, done[row.name], each) for each in SETS} for row in table_rows
        }
        devtest = {
            row.name: mean([place.result(trial.scored)["devtest"] for trial in done[row.name]])
            for row in table_rows
        }
        base = max(devtest, key=lambda name: devtest[name], default=None)
        results = []
        for row in table_rows:
            tuned = [place.result(trial.tuned) for trial in done[row.name]]
            against = None if base is None or row.name == base else statistics[base]
            scores = {
                each: judged(metric, statistics[row.name][each], None if against is None else against[each])
                for each in SETS
            }
            results.append(
                TunerResult(
                    row,
                    tuple(trial.variation.name for trial in done[row.name]),
                    tuple(each["tune"] for each in tuned),
                    scores["devtest"],
                    scores["test"],
                    active=mean([each["active"] for each in tuned]),
                    minutes=mean([each["minutes"] for each in tuned]),
                    signature=tuned[0]["signature"],
                )
            )
        curves = {row.name: self._curve(place, done[row.name]) for row in rows if row.sweep and done[row.name]}
        return BatchTable(results, base, curves, self._facts(place), self.pair, self.signature())

    def _done(self, row: TunerRow) -> list[Trial]:
        return [trial for trial in self.trials(row) if is_done(self.folder, trial.scored)]

    @staticmethod
    def _statistics(place: Place, trials: Sequence[Trial], name: str) -> dict[str, Floats]:
        return {trial.variation.name: read_statistics(place.of(trial.scored), name) for trial in trials}

    @staticmethod
    def _curve(place: Place, trials: Sequence[Trial]) -> list[CurvePoint]:
        return [
            CurvePoint(trial.row, trial.settings[-1].partition("=")[2],
                       {"tune": place.result(trial.tuned)["tune"], **place.result(trial.scored)})
            for trial in trials
        ]  # fmt: skip

    @property
    def pair(self) -> str:
        return f"{self.laboratory.corpus.source}-{self.laboratory.corpus.target}"

    def _facts(self, place: Place) -> dict[str, Any]:
        scale, facts = self.settings.scale, {}
        if is_done(self.folder, self.model):
            data = place.result(self.data)
            found = self.laboratory.data
            facts["data"] = "phrasebook" if found is None else found.folder.resolve().name
            facts["training pairs"] = data["train"]
            facts["sentences in dev, devtest, test"] = ", ".join(str(data[name]) for name in ("dev", *SETS))
            facts["rules"] = place.result(self.model)["rules"]
        facts["tuning"] = f"{scale.dev_rounds} rounds, {scale.k}-best lists, start weights {START}"
        facts["repetitions"] = "all of dev" + (
            f" and {self.samples} sub-samples, each sentence kept with chance {KEPT}" if self.samples else ""
        )
        return facts

    def signature(self) -> Signature:
        data, scale, chosen = self.laboratory.data, self.settings.scale, self.settings.extraction
        extraction = {name: value for name, value in dataclasses.asdict(chosen).items() if value is not None}
        model = {} if self.settings.phrases is None else {"model": self.settings.phrases.settings()}
        return Signature(
            f"experiment {NAME}",
            {
                "data": "phrasebook" if data is None else data.digest,
                "rounds": scale.dev_rounds,
                "k": scale.k,
                "samples": self.samples,
                "extraction": extraction,
                **model,
                "order": self.settings.order,
                "start": START,
                "metric": "BLEU[case=lc]",
                "seed": self.settings.seed,
            },
        )
