"""Running the experiment: rows to stages, as many at once as there are threads, to a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.execution import Executor
from tunesmith.experiments.comparison import RUN, SCORES, WEIGHTS, TuningComparison
from tunesmith.experiments.corpus import CorpusFiles, EvaluationSet
from tunesmith.experiments.foundations import foundations
from tunesmith.experiments.repetitions import mean
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import Place, Stage, in_order, is_done
from tunesmith.experiments.tuning_work import METRIC, judge, outcome, recipe_settings
from tunesmith.experiments.watanabe2007 import models
from tunesmith.experiments.watanabe2007.findings import judge_findings
from tunesmith.experiments.watanabe2007.results import (
    CLOSED,
    METRICS,
    OPEN,
    Comparison,
    RowResult,
    with_correction,
)
from tunesmith.experiments.watanabe2007.rows import DOCUMENT, SEARCHES, Row, row_of
from tunesmith.experiments.watanabe2007.scoring import nist_of, statistics_of
from tunesmith.experiments.watanabe2007.table import OnlineTable
from tunesmith.jobs.decoded import Decoded, DecodedText
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import TuningJob
from tunesmith.signature import Signature
from tunesmith.training.start import DEFAULT_START, start_weights
from tunesmith.weights import Weights


@dataclass(frozen=True)
class Trial:
    """One tuning of a row, and how its weights do.   fold: that it was tuned on, None for all of dev."""

    row: Row
    fold: int | None
    tuned: Stage
    scored: Stage


class OnlineTraining(TuningComparison[Row, OnlineTable]):
    """The experiment in a folder."""

    name = "watanabe2007"

    def __init__(
        self,
        folder: Path,
        data: CorpusFiles | None,
        settings: ExperimentSettings,
        *,
        budget: float | None = None,
        threads: int = 1,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(folder, data, settings, budget=budget, threads=threads, executor=executor)
        self.data, _ = foundations(self.laboratory)
        self.classes = models.class_stage(self.laboratory, self.data)
        self.pooled = models.pooled_stage(self.laboratory, self.data)
        first, second = SEARCHES
        made = models.model_stage(self.laboratory, first, self.data, self.classes, None)
        other = models.model_stage(self.laboratory, second, self.data, self.classes, made)
        self.searches = {first: made, second: other}
        self._made: dict[str, Trial] = {}
        self._comparison = Comparison()

    def trials(self, row: Row) -> list[Trial]:
        return [self._trial(row, number) for number in (range(models.FOLDS) if row.folds else (None,))]

    def stages(self, rows: Sequence[Row]) -> list[Stage]:
        """Return all stages of these rows."""
        return in_order([trial.scored for row in rows for trial in self.trials(row)])

    def models(self, rows: Sequence[Row]) -> list[Stage]:
        """Return the stages that make the models of these rows."""
        return [self.searches[search] for search in dict.fromkeys(row.search for row in rows)]

    def _trial(self, row: Row, number: int | None) -> Trial:
        name = row.name if number is None else f"{row.name}/fold-{number + 1}"
        if name not in self._made:
            tuned = self._tuned(row, number, f"{name}/tuned" if number is None else name)
            self._made[name] = Trial(row, number, tuned, self._scored(row, number, tuned, name))
        return self._made[name]

    def _recipe(self, row: Row) -> RecipeSpec:
        scale = self.settings.scale
        return RecipeSpec(
            name=row.recipe,
            settings=row.settings,
            rounds=row.rounds or scale.dev_rounds,
            k=scale.reused_k if row.online else scale.k,
            group=row.grouped,
            inner_rounds=scale.inner_rounds if row.grouped else None,
            **METRIC,
        )

    def _text(self, place: Place, row: Row, number: int | None) -> DecodedText:
        """Return the text that a row is tuned on."""
        stage = self.searches[row.search].name
        if number is None:
            return self.laboratory.decoded("dev", row.features, stage)
        result = place.result(self.pooled)
        files = models.pooled_files(place.of(self.pooled), result)
        return DecodedText(
            self.laboratory.decoder(row.features, stage), files, models.fold(result["lines"], number)
        )

    def _tuned(self, row: Row, number: int | None, name: str) -> Stage:
        recipe, made = self._recipe(row), self.searches[row.search]
        before = self._trial(row_of(row.start), number).tuned if row.start else None

        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            model = laboratory.featured(row.features, made.name)
            text = self._text(place, row, number)
            sentences = len(text.sentences or laboratory.sentences("dev").lines)
            train = None
            if row.learns_on_training_data:
                train = laboratory.train_left_out(row.features, by_part=True, stage=made.name)
            start: str | dict[str, float] = dict(start_weights(model.system, model.table, DEFAULT_START).items())
            if before is not None:
                start = str(place.of(before) / RUN / WEIGHTS)
            job = TuningJob(data=Decoded(text, train), recipe=recipe, start=start, seed=self.settings.seed)
            tuner = self._fit(place, name, job)
            minutes = sum(each.seconds for each in tuner.history_) / 60
            return {**outcome(tuner, sentences), "minutes": minutes}

        used = {
            "recipe": recipe_settings(recipe.open()),
            "features": row.features,
            "fold": number,
            "document": DOCUMENT,
            "seed": self.settings.seed,
            "start": row.start or DEFAULT_START,
        }
        needs = [made] if number is None else [made, self.pooled]
        if before is not None:
            needs.append(before)
        cost = (row.rounds or self.settings.scale.dev_rounds) + 1
        if row.learns_on_training_data:
            used["train_sentences"] = self.laboratory.decoded_once
        return Stage(name, used, run, tuple(needs), resumable=True, cost=cost)

    def _scored(self, row: Row, number: int | None, tuned: Stage, name: str) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            decoder = laboratory.featured(row.features, self.searches[row.search].name).decoder()
            decoder.set_weights(Weights.read(place.of(tuned) / RUN / WEIGHTS))
            given = self._evaluated(place, number)
            scores = dict(judge(place, decoder, given, METRICS["BLEU"], threads=laboratory.threads))
            return {"BLEU": scores, "NIST": nist_of(place, given, laboratory.threads)}

        needs = (tuned,) if number is None else (tuned, self.pooled)
        return Stage(f"{name}{SCORES}", {"metrics": list(METRICS)}, run, needs, cost=1)

    def _evaluated(self, place: Place, number: int | None) -> dict[str, EvaluationSet]:
        if number is None:
            return {name: self.laboratory.sentences(name) for name in (CLOSED[False], OPEN[False])}
        result = place.result(self.pooled)
        text = models.pooled_files(place.of(self.pooled), result).read()
        whole = EvaluationSet(list(text.lines), list(text.references))
        names = (CLOSED[True], OPEN[True])
        folds = [models.fold(result["lines"], (number + at) % models.FOLDS) for at in range(models.FOLDS)]
        return {name: models.part_of(whole, of) for name, of in zip(names, folds, strict=True)}

    def table(self, rows: Sequence[Row]) -> OnlineTable:
        """Return the table of the rows that are scored; those tuned on folds when all folds are."""
        place = Place(self.folder, self.folder)
        done = [row for row in rows if all(is_done(self.folder, trial.scored) for trial in self.trials(row))]
        for row in done:
            if row.name not in self._comparison.statistics:
                self._comparison.statistics[row.name] = statistics_of(
                    row, [place.of(trial.scored) for trial in self.trials(row)]
                )
        results = with_correction([self._result(place, row) for row in done])
        findings = judge_findings({each.row.name: each for each in results}, self._comparison)
        return OnlineTable(results, findings, self._facts(place), self.signature())

    def _result(self, place: Place, row: Row) -> RowResult:
        tuned = [place.result(trial.tuned) for trial in self.trials(row)]
        return RowResult(
            row,
            self._comparison.scores(row),
            active=mean([each["active"] for each in tuned]),
            rounds=mean([each["rounds"] for each in tuned]),
            minutes=mean([each["minutes"] for each in tuned]),
            signature=tuned[0]["signature"],
        )

    def _facts(self, place: Place) -> dict[str, Any]:
        scale = self.settings.scale
        facts: dict[str, Any] = {}
        if is_done(self.folder, self.data):
            facts |= self._data_facts(place, self.data, "dev, devtest, test", models.SETS)
        for search, stage in self.searches.items():
            if is_done(self.folder, stage):
                facts[f"rules, {search}"] = place.result(stage)["rules"]
        facts["tuning"] = (
            f"{scale.dev_rounds} epochs or rounds; lists of {scale.reused_k} online, {scale.k} in batches; "
            f"documents of {DOCUMENT} lines; start weights {DEFAULT_START}"
        )
        facts["training sentences for shares"] = self.laboratory.decoded_once or "all"
        return facts

    def signature(self) -> Signature:
        scale = self.settings.scale
        return self._signed(
            DEFAULT_START,
            rounds=scale.dev_rounds,
            k=scale.k,
            online_k=scale.reused_k,
            train_sentences=self.laboratory.decoded_once or "all",
            document=DOCUMENT,
            classes=models.CLASSES,
        )
