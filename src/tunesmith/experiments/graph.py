"""From rows to stages: what is tuned from what, tried on devtest, and scored on test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tunesmith.corpus.phrasebook import generate
from tunesmith.experiments import work
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.reused import count_features
from tunesmith.experiments.rows import Row
from tunesmith.experiments.stages import Place, Stage

FINAL = ("devtest", "test")


@dataclass(frozen=True)
class RowStages:
    """The stages of a row whose results the table shows, one of each for every repetition.

    tuned: where the weights come from.   scored: devtest and test.   counted: active and reused features.
    choice: of the sweep, None where there is a single setting.
    """

    row: Row
    tuned: tuple[Stage, ...]
    scored: tuple[Stage, ...]
    counted: tuple[Stage, ...]
    choice: Stage | None = None

    @property
    def last(self) -> tuple[Stage, ...]:
        """With these done, the row is."""
        return (*self.scored, *self.counted)


class Graph:
    """The stages of all rows of an experiment; start: the row whose weights grouping starts from."""

    def __init__(self, laboratory: Laboratory, rows: Sequence[Row], start: str) -> None:
        self.laboratory = laboratory
        self._rows = {row.name: row for row in rows}
        self._start = start
        self._made: dict[str, RowStages] = {}
        self._sizes = self._sentences()
        settings = laboratory.settings
        data: dict[str, Any] = {"seed": settings.seed}
        if laboratory.data is None:
            data["phrasebook"] = asdict(settings.phrasebook)
        else:
            data |= {"digest": laboratory.data.digest, "source": laboratory.data.source,
                     "target": laboratory.data.target}  # fmt: skip
        self.data = Stage("data", data, self._write_data, cost=100)
        model = {"extraction": asdict(settings.extraction), "order": settings.order}
        self.model = Stage("model", model, laboratory.train_model, (self.data,), resumable=True, cost=3000)

    def _sentences(self) -> dict[str, int]:
        """About how many sentences each set has, for estimates."""
        laboratory, scale = self.laboratory, self.laboratory.settings.scale
        if laboratory.data is None:
            options = laboratory.settings.phrasebook
            dev, train = options.eval_sentences, options.pairs
        else:
            dev, train = len(laboratory.data.evaluation("dev").lines), len(laboratory.data.bitext())
        return {"dev": dev, "train": min(train, scale.train_sentences or train)}

    def _write_data(self, place: Place) -> dict[str, Any]:
        """The phrasebook; files that are there already are only counted."""
        if self.laboratory.data is None:
            generate(self.laboratory.settings.phrasebook).write(place.folder)
        corpus = self.laboratory.corpus
        sizes = {name: len(corpus.evaluation(name).lines) for name in ("dev", "devtest", "test")}
        return {"digest": corpus.digest, "train": len(corpus.bitext()), **sizes}

    def row(self, name: str) -> RowStages:
        """The stages of a row."""
        if name not in self._made:
            self._made[name] = self._make(self._rows[name])
        return self._made[name]

    def _make(self, row: Row) -> RowStages:
        swept = row.swept(self.laboratory.settings.scale.sweep)
        for settings in swept:  # names and values are wrong now or never
            work.recipe_of(row, settings, self.laboratory, 1)
        if len(swept) == 1:
            tuned = self._tuned(row, swept[0], f"{row.name}/tune")
            return self._finished(row, (tuned,), None)
        tried = []
        for at, settings in enumerate(swept, 1):
            tuned = self._tuned(row, settings, f"{row.name}/try{at}")
            tried.append((tuned, self._scored(row, tuned, f"{row.name}/devtest{at}", ("devtest",))))
        choice = self._choice(row, tried)
        return self._finished(row, tuple(stage for stage, _ in tried), choice)

    def _tuned(self, row: Row, settings: Sequence[str], name: str, seed: int = 0) -> Stage:
        """A recipe run with decodings of its own."""
        scale = self.laboratory.settings.scale
        rounds = scale.dev_rounds if row.data == "dev" else scale.rounds
        used = self.laboratory.settings.seed + seed
        told = {"recipe": row.recipe, "plain": row.plain, "settings": list(settings), "features": row.features,
                "data": row.data, "rounds": rounds, "k": scale.k, "seed": used}  # fmt: skip
        if row.data != "dev":
            told["train_sentences"] = scale.train_sentences
        sentences = self._sizes["dev"] + (self._sizes["train"] if row.data != "dev" else 0)

        def run(place: Place) -> dict[str, Any]:
            return work.tune(place, self.laboratory, row, settings, rounds=rounds, seed=used)

        return Stage(name, told, run, (self.model,), resumable=True, cost=sentences * (rounds + 1))

    def _scored(self, row: Row, tuned: Stage, name: str, sets: Sequence[str]) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            weights = work.weights_of(place, tuned)
            return work.score(place, self.laboratory, weights, ids=row.has_ids, sets=sets)

        return Stage(name, {"sets": list(sets)}, run, (tuned,), cost=self._sizes["dev"] * len(sets))

    def _choice(self, row: Row, tried: Sequence[tuple[Stage, Stage]]) -> Stage:
        needs = tuple(stage for pair in tried for stage in pair)
        return Stage(f"{row.name}/choice", {}, lambda place: work.choose(place, tried), needs)

    def _finished(self, row: Row, tuned: tuple[Stage, ...], choice: Stage | None) -> RowStages:
        """Scores and counts of the weights, after a choice those of the chosen ones."""
        if choice is not None:
            return self._of_choice(row, tuned, choice)
        scored = tuple(
            self._scored(row, stage, f"{row.name}/scores{at or ''}", FINAL) for at, stage in enumerate(tuned)
        )
        counted = tuple(
            self._counted(row, stage, f"{row.name}/features{at or ''}") for at, stage in enumerate(tuned)
        )
        return RowStages(row, tuned, scored, counted)

    def _of_choice(self, row: Row, tried: tuple[Stage, ...], choice: Stage) -> RowStages:
        def chosen(place: Place) -> Stage:
            return tried[int(place.result(choice)["chosen"])]

        def copy(place: Place) -> dict[str, Any]:
            return {**place.result(chosen(place)), "stage": chosen(place).name}

        def score(place: Place) -> dict[str, Any]:
            weights = work.weights_of(place, chosen(place))
            return work.score(place, self.laboratory, weights, ids=row.has_ids, sets=FINAL)

        def count(place: Place) -> dict[str, Any]:
            return count_features(place, self.laboratory, work.weights_of(place, chosen(place)), ids=row.has_ids)

        tuned = Stage(f"{row.name}/chosen", {}, copy, (choice, *tried))
        k = self.laboratory.settings.scale.reused_k
        dev = self._sizes["dev"]
        return RowStages(
            row,
            (tuned,),
            (Stage(f"{row.name}/scores", {"sets": list(FINAL)}, score, (choice, *tried), cost=2 * dev),),
            (Stage(f"{row.name}/features", {"k": k}, count, (choice, *tried), cost=3 * dev),),
            choice,
        )

    def _counted(self, row: Row, tuned: Stage, name: str) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            return count_features(place, self.laboratory, work.weights_of(place, tuned), ids=row.has_ids)

        k = self.laboratory.settings.scale.reused_k
        return Stage(name, {"k": k}, run, (tuned,), cost=3 * self._sizes["dev"])
