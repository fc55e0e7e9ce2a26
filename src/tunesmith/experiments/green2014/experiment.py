"""Running the comparison of feature sets: rows to stages, as many at once as there are threads, to tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tunesmith.corpus.text_files import TextFiles, labelled
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.errors import ConfigError, FormatError
from tunesmith.evaluation.variance import reference_variance
from tunesmith.execution import Executor
from tunesmith.experiments.comparison import RUN, SCORES, WEIGHTS, TuningComparison
from tunesmith.experiments.corpus import CorpusFiles, EvaluationSet
from tunesmith.experiments.foundations import foundations
from tunesmith.experiments.green2014.model import DomainFiles, classes_stage, labels_stage, model_stage
from tunesmith.experiments.green2014.results import SETS, row_result
from tunesmith.experiments.green2014.rows import (
    BASE,
    DENSE,
    IN_DOMAIN,
    LEXICAL,
    MORE_THAN,
    RICH,
    SHARES_ROUNDS,
    START,
    FeatureRow,
    chosen_rows,
)
from tunesmith.experiments.green2014.table import FeatureTable
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import Place, Stage, in_order, is_done
from tunesmith.experiments.tuning_work import METRIC, judge, outcome, read_statistics, recipe_settings
from tunesmith.features.names import template_of
from tunesmith.io import read_lines
from tunesmith.jobs.decoded import Decoded, DecodedText
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import TuningJob
from tunesmith.signature import Signature
from tunesmith.training.start import start_weights
from tunesmith.weights import Weights


class ExtendedFeatures(TuningComparison[FeatureRow, FeatureTable]):
    """The experiment in a folder.

    Weights are learnt on dev, the epoch is chosen on devtest, test is looked at once. classes: of each side.

    more_than: rules of lexicalised templates occur more often.
    """

    name = "green2014"

    def __init__(
        self,
        folder: Path,
        data: CorpusFiles | None,
        settings: ExperimentSettings,
        *,
        classes: int = 64,
        more_than: int = MORE_THAN,
        budget: float | None = None,
        threads: int = 1,
        executor: Executor | None = None,
    ) -> None:
        super().__init__(folder, data, settings, budget=budget, threads=threads, executor=executor)
        self.classes, self.more_than = classes, more_than
        self.domains = DomainFiles.find(data)
        self.data, _ = foundations(self.laboratory)
        self.clustered = classes_stage(self.laboratory, self.data, classes)
        self.labels = None if self.domains is None else labels_stage(self.laboratory, self.data, self.domains)
        self.model = model_stage(self.laboratory, self.data, self.clustered, self.labels)
        self._made: dict[str, tuple[Stage, Stage]] = {}

    def possible(self, rows: Sequence[FeatureRow]) -> list[FeatureRow]:
        """Return rows that these data allow: domains need labels, one reference against several needs several."""
        return [row for row in rows if self.domains is not None or not row.domains]

    def stages(self, rows: Sequence[FeatureRow]) -> list[Stage]:
        return in_order([self.model, *(self._row_stages(row)[1] for row in self.possible(rows))])

    def models(self, rows: Sequence[FeatureRow]) -> list[Stage]:
        """Return the stage that makes the model of all rows."""
        return [self.model]

    def checked(self, rows: Sequence[FeatureRow]) -> Sequence[FeatureRow]:
        """Return the possible rows; refuses recipes that cannot work."""
        chosen = self.possible(rows)
        if not chosen:
            raise ConfigError("no row to run: ext-filt-dom needs labels of domains, see green2014.md")
        for row in chosen:
            self._recipe(row).open()
        return chosen

    def _row_stages(self, row: FeatureRow) -> tuple[Stage, Stage]:
        if row.name not in self._made:
            tuned = self._tuned(row)
            self._made[row.name] = (tuned, self._scored(row, tuned))
        return self._made[row.name]

    def _features(self, row: FeatureRow) -> str:
        found = row.templates(self.more_than)
        if row.domains and self.domains is not None:
            names, copied = "/".join(self.domains.names), "/".join(LEXICAL)
            default = f"default={self.domains.default}"
            found += f",domains:names={names},templates={copied},{default}"
            found += "".join(f",{name}:{default}" for name in IN_DOMAIN)
        return found

    def _recipe(self, row: FeatureRow) -> RecipeSpec:
        scale = self.settings.scale
        rounds, inner = scale.dev_rounds, None
        if row.learns_on_training_data:
            rounds, inner = min(SHARES_ROUNDS, scale.dev_rounds), scale.inner_rounds
        return RecipeSpec(
            name=row.recipe, settings=row.settings, regularizer=row.regularizer, rounds=rounds,
            k=scale.k, inner_rounds=inner, **METRIC,
        )  # fmt: skip

    def _text(self, row: FeatureRow, decoder: DecoderSpec, name: str) -> DecodedText:
        corpus = self.laboratory.corpus
        references = tuple(map(str, corpus.references(name)))
        if name == "dev" and row.references is not None:
            references = references[: row.references]
        labels = self.domains.label_file(name) if row.domains and self.domains is not None else None
        return DecodedText(decoder, TextFiles(str(corpus.side(name, corpus.source)), references, labels=labels))

    def _data(self, row: FeatureRow, features: str, decoder: DecoderSpec) -> Decoded:
        """Return what a row learns on, and what chooses the epoch; shares tune on dev and have that choose too."""
        dev = self._text(row, decoder, "dev")
        if row.learns_on_training_data:
            return Decoded(dev, self.laboratory.train_left_out(features, by_part=True))
        return Decoded(self._text(row, decoder, "devtest"), dev)

    def _tuned(self, row: FeatureRow) -> Stage:
        features, recipe, seed = self._features(row), self._recipe(row), self.settings.seed
        before = self._row_stages(chosen_rows([row.start])[0])[0] if row.start else None

        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            model, decoder = laboratory.featured(features), laboratory.decoder(features)
            start: str | dict[str, float] = dict(start_weights(model.system, model.table, START).items())
            if before is not None:
                start = str(place.of(before) / RUN / WEIGHTS)
            job = TuningJob(data=self._data(row, features, decoder), recipe=recipe, start=start, seed=seed)
            tuner = self._fit(place, row.name, job)
            templates = Counter(template_of(name) for name, value in tuner.weights_.items() if value)
            return {
                **outcome(tuner, len(laboratory.sentences("dev").lines)),
                "minutes": sum(each.seconds for each in tuner.history_) / 60,
                "templates": dict(sorted(templates.items())),
            }

        used = {
            "recipe": recipe_settings(recipe.open()),
            "features": features,
            "references": row.references,
            "domains": self.domains.digest() if row.domains and self.domains is not None else None,
            "seed": seed,
            "start": row.start or START,
        }
        if row.learns_on_training_data:
            used["train_sentences"] = self.laboratory.decoded_once
        needs = (self.model,) if before is None else (self.model, before)
        return Stage(row.name, used, run, needs, resumable=True, cost=self.settings.scale.dev_rounds + 1)

    def _scored(self, row: FeatureRow, tuned: Stage) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            laboratory = self.laboratory
            decoder = laboratory.featured(self._features(row)).with_own_names().decoder()
            decoder.set_weights(Weights.read(place.of(tuned) / RUN / WEIGHTS))
            given = {name: self._sentences(row, name) for name in SETS}
            return dict(judge(place, decoder, given, laboratory.metric, threads=laboratory.threads))

        return Stage(f"{row.name}{SCORES}", {"sets": list(SETS)}, run, (tuned,), cost=1)

    def _sentences(self, row: FeatureRow, name: str) -> EvaluationSet:
        found = self.laboratory.sentences(name)
        if not row.domains or self.domains is None:
            return found
        return EvaluationSet(labelled(found.lines, self.domains.labels(name)), found.references)

    def table(self, rows: Sequence[FeatureRow]) -> FeatureTable:
        """Return the tables of the rows that are scored."""
        place = Place(self.folder, self.folder)
        done = [row for row in self.possible(rows) if is_done(self.folder, self._row_stages(row)[1])]
        statistics = {
            row.name: {name: read_statistics(place.of(self._row_stages(row)[1]), name) for name in SETS}
            for row in done
        }
        labels = {} if self.domains is None else {name: self.domains.labels(name) for name in SETS}
        results = []
        for row in done:
            bases = [BASE, DENSE, RICH, row.dense, row.with_all_references]
            bases += [each.name for each in done if each.is_dense]  # to compare the best by dev of each set
            tuned = place.result(self._row_stages(row)[0])
            results.append(
                row_result(row, tuned, statistics, list(dict.fromkeys(bases)), labels, self.laboratory.metric)
            )
        return FeatureTable(results, self._facts(place, done), self._clusterings(place), self._selections(place),
                            self._variance(place, done), self.signature())  # fmt: skip

    def _clusterings(self, place: Place) -> dict[str, Any]:
        return place.result(self.clustered)["sides"] if is_done(self.folder, self.clustered) else {}

    def _selections(self, place: Place) -> dict[str, Any]:
        done = self.labels is not None and is_done(self.folder, self.labels)
        return place.result(self.labels)["domains"] if done and self.labels is not None else {}

    def _variance(self, place: Place, done: Sequence[FeatureRow]) -> dict[str, dict[str, float]]:
        """Return Figure 1: reference variance of DENSE and EXT on devtest, if it has several references."""
        dense = [row for row in done if row.name == DENSE]
        if not dense:
            return {}
        output = read_lines(place.of(self._row_stages(dense[0])[1]) / "devtest.out")
        references = self.laboratory.sentences("devtest").references
        found = {}
        try:
            for name, extensions in (("BLEU+1", False), ("with extensions", True)):
                variance = reference_variance(output, references, extensions=extensions, lowercase=True)
                found[name] = {"mean": variance.mean, "deviation": variance.deviation}
        except FormatError:  # one reference each
            return {}
        return found

    def _facts(self, place: Place, done: Sequence[FeatureRow]) -> dict[str, Any]:
        scale, found = self.settings.scale, self.laboratory.data
        facts: dict[str, Any] = {"data": "phrasebook" if found is None else found.name}
        if is_done(self.folder, self.model):
            facts |= self._data_facts(place, self.data, "tune, dev, test", SETS)
            facts["rules"] = place.result(self.model)["rules"]
        facts["classes of each side"] = self.classes
        facts["lexicalised rules"] = f"seen more than {self.more_than} times"
        if any(row.learns_on_training_data for row in done):
            facts["training sentences for shares"] = self.laboratory.decoded_once or "all"
        facts["tuning"] = f"{scale.dev_rounds} epochs, {scale.k}-best lists, start weights {START}"
        return facts

    def signature(self) -> Signature:
        scale = self.settings.scale
        return self._signed(
            START,
            domains="none" if self.domains is None else self.domains.digest(),
            epochs=scale.dev_rounds,
            k=scale.k,
            classes=self.classes,
            more_than=self.more_than,
        )
