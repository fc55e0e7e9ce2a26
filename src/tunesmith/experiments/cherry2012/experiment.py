"""Running the comparison of batch tuners: rows to stages, as many at once as there are threads, to a table."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tunesmith.errors import ConfigError
from tunesmith.execution import Executor
from tunesmith.experiments.cherry2012.collect import SETS, Collector, Trial, curve
from tunesmith.experiments.cherry2012.medium import medium_facts, medium_stage
from tunesmith.experiments.cherry2012.rows import FEATURES, ONE_TABLE, START, TunerRow
from tunesmith.experiments.cherry2012.table import BatchTable
from tunesmith.experiments.comparison import RUN, SCORES, WEIGHTS, TuningComparison
from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.experiments.foundations import foundations
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import Place, Stage, in_order, is_done
from tunesmith.experiments.tuning_work import METRIC, judge, outcome, recipe_settings
from tunesmith.experiments.variations import Variation, sub_sampled
from tunesmith.features.names import template_of
from tunesmith.jobs.decoded import Decoded
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import TuningJob
from tunesmith.signature import Signature
from tunesmith.training.start import start_weights
from tunesmith.tuning.sources.sub_samples import KEPT
from tunesmith.weights import Weights

_ON_WORDS = ("lattice-mira",)  # recipes that count n-grams of the words as they are


class BatchTuning(TuningComparison[TunerRow, BatchTable]):
    """The experiment in a folder.

    samples: sub-samples of dev that rows of the table are repeated on; `repeated` names the rows, without it they
        are those of the tuners that say so.
    """

    name = "cherry2012"

    def __init__(
        self,
        folder: Path,
        data: CorpusFiles | None,
        settings: ExperimentSettings,
        *,
        samples: int = 4,
        repeated: Sequence[str] | None = None,
        budget: float | None = None,
        threads: int = 1,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(folder, data, settings, budget=budget, threads=threads, executor=executor)
        self.samples, self.repeated = samples, repeated
        self.data, self.model = foundations(self.laboratory)
        self.medium = None if settings.phrases is None else medium_stage(self.laboratory, self.model)
        self._made: dict[str, Trial] = {}
        self._collector = Collector(self.laboratory.metric, settings.kind)

    def trials(self, row: TunerRow) -> list[Trial]:
        """Return all trials of a row: each setting on the whole tuning set, and sub-samples if it is repeated."""
        again = not row.sweep and (row.repeated if self.repeated is None else row.name in self.repeated)
        variations = sub_sampled(self.samples if again else 0, self.settings.seed)
        return [self._trial(row, settings, each) for settings in row.settings for each in variations]

    def stages(self, rows: Sequence[TunerRow]) -> list[Stage]:
        """Return all stages of these rows: first what every row has, then the sub-samples one after the other."""
        every = [trial for row in rows for trial in self.trials(row)]
        every.sort(key=lambda trial: trial.variation.sample or 0)
        return in_order([self.model, *(trial.scored for trial in every)])

    def models(self, rows: Sequence[TunerRow]) -> list[Stage]:
        """Return the stages that make the models of these rows."""
        return list(dict.fromkeys(map(self._model, rows)))

    def checked(self, rows: Sequence[TunerRow]) -> Sequence[TunerRow]:
        """Refuse recipes that cannot work, or not with these data."""
        for row in rows:
            for settings in row.settings:
                self._recipe(row, settings).open()
            if row.recipe in _ON_WORDS and not self.laboratory.corpus_is_lower_case:
                raise ConfigError(
                    f"{row.tuner} counts n-grams of the words as they are and the data has upper case; lower-case "
                    "it, or choose other tuners with --tuners"
                )
        return rows

    def _trial(self, row: TunerRow, settings: tuple[str, ...], variation: Variation) -> Trial:
        name = "/".join([row.name, *settings, variation.name])
        if name not in self._made:
            tuned = self._tuned(row, settings, variation, name)
            self._made[name] = Trial(row, settings, variation, tuned, self._scored(row, tuned, name))
        return self._made[name]

    def _model(self, row: TunerRow) -> Stage:
        """Return the stage that makes the model of a row."""
        return self.model if self.medium is None or row.features in ONE_TABLE else self.medium

    def _features(self, row: TunerRow) -> str:
        return FEATURES[self.settings.kind][row.features]

    def _recipe(self, row: TunerRow, settings: Sequence[str]) -> RecipeSpec:
        scale = self.settings.scale
        return RecipeSpec(
            name=row.recipe,
            plain=row.plain,
            settings=tuple(settings),
            rounds=scale.dev_rounds,
            k=scale.k,
            metric=METRIC["metric"],
            metric_settings={} if row.recipe in _ON_WORDS else METRIC["metric_settings"],
        )

    def _tuned(self, row: TunerRow, settings: Sequence[str], variation: Variation, name: str) -> Stage:
        scale, features, recipe = self.settings.scale, self._features(row), self._recipe(row, settings)
        made = self._model(row)

        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            model = laboratory.featured(features, made.name)
            chosen = variation.sentences(len(laboratory.sentences("dev").lines))
            dev = msgspec.structs.replace(laboratory.decoded("dev", features, made.name), sentences=chosen)
            start = dict(start_weights(model.system, model.table, START).items())
            job = TuningJob(data=Decoded(dev), recipe=recipe, start=start, seed=variation.seed)
            tuner = self._fit(place, name, job)
            minutes = sum(each.seconds for each in tuner.history_) / 60
            found = {name for name, value in tuner.weights_.items() if value}
            templates = Counter(template_of(name) for name in found)
            return {
                **outcome(tuner, len(chosen)),
                "minutes": minutes,
                "templates": dict(sorted(templates.items())),
            }

        used = {
            "recipe": recipe_settings(recipe.open()),
            "features": features,
            "sample": variation.sample,
            "seed": variation.seed,
            "start": START,
        }
        return Stage(name, used, run, (made,), resumable=True, cost=scale.dev_rounds + 1)

    def _scored(self, row: TunerRow, tuned: Stage, name: str) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            decoder = laboratory.featured(self._features(row), self._model(row).name).decoder()
            decoder.set_weights(Weights.read(place.of(tuned) / RUN / WEIGHTS))
            given = {each: laboratory.sentences(each) for each in SETS}
            return dict(judge(place, decoder, given, laboratory.metric, threads=laboratory.threads))

        return Stage(f"{name}{SCORES}", {"sets": list(SETS)}, run, (tuned,), cost=len(SETS) / 3)

    def table(self, rows: Sequence[TunerRow]) -> BatchTable:
        """Return the table of the tunings that are scored; a row has as many repetitions as are done."""
        place = Place(self.folder, self.folder)
        done = {row.name: trials for row in rows if (trials := self._done(row))}
        table_rows = {row.name: done[row.name] for row in rows if not row.sweep and row.name in done}
        results, pairs, base = self._collector.results(place, table_rows)
        curves = {row.name: curve(place, done[row.name]) for row in rows if row.sweep and row.name in done}
        return BatchTable(
            results, base, curves, pairs, self._facts(place), self.pair, self.settings.kind, self.signature()
        )

    def _done(self, row: TunerRow) -> list[Trial]:
        return [trial for trial in self.trials(row) if is_done(self.folder, trial.scored)]

    @property
    def pair(self) -> str:
        return f"{self.laboratory.corpus.source}-{self.laboratory.corpus.target}"

    def _facts(self, place: Place) -> dict[str, Any]:
        scale = self.settings.scale
        facts: dict[str, Any] = {}
        if is_done(self.folder, self.model):
            facts |= self._data_facts(place, self.data, "dev, devtest, test", ("dev", *SETS))
            facts["rules"] = place.result(self.model)["rules"]
        if self.medium is not None and is_done(self.folder, self.medium):
            facts |= medium_facts(place.result(self.medium))
        facts["tuning"] = f"{scale.dev_rounds} rounds, {scale.k}-best lists, start weights {START}"
        facts["repetitions"] = "all of dev" + (
            f" and {self.samples} sub-samples, each sentence kept with chance {KEPT}" if self.samples else ""
        )
        return facts

    def signature(self) -> Signature:
        scale, chosen = self.settings.scale, self.settings.extraction
        extraction = {name: value for name, value in dataclasses.asdict(chosen).items() if value is not None}
        model = {} if self.settings.phrases is None else {"model": self.settings.phrases.settings()}
        return self._signed(
            START, rounds=scale.dev_rounds, k=scale.k, samples=self.samples, extraction=extraction, **model
        )
