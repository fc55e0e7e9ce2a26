"""Stages of rows: tuning, choice on devtest, and scores on test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tunesmith.experiments.foundations import foundations
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.liu2013 import work
from tunesmith.experiments.liu2013.row import BY_PART, LeftOut, Row
from tunesmith.experiments.stages import Place, Stage
from tunesmith.experiments.tuning_work import recipe_settings
from tunesmith.tuning.runs.pools import saved_pool

FINAL = ("devtest", "test")


@dataclass(frozen=True)
class RowStages:
    """The stages of a row whose results the table shows, one of each for every repetition.

    tuned: where the weights come from.
    scored: devtest and test. counted: active and reused features. choice: of the sweep, None where there is a
        single setting.
    """

    row: Row
    tuned: tuple[Stage, ...]
    scored: tuple[Stage, ...]
    counted: tuple[Stage, ...]
    choice: Stage | None = None

    @property
    def all(self) -> tuple[Stage, ...]:
        """All stages of the row."""
        return (*self.tuned, *self.scored, *self.counted)


class Graph:
    """The stages of all rows of an experiment.

    start: the row whose weights grouping starts from, unless a row names another.
    lists: by what is left out in them, the row whose decodings of the training data are shared by sweeps and by
    rows that decode none.
    """

    def __init__(self, laboratory: Laboratory, rows: Sequence[Row], start: str, lists: dict[LeftOut, str]) -> None:
        self.laboratory = laboratory
        self._rows = {row.name: row for row in rows}
        self._start, self._lists = start, lists
        self._made: dict[str, RowStages] = {}
        self._decoded: dict[LeftOut, Stage] = {}
        self._sizes = self._sentences()
        self.data, self.model = foundations(laboratory)

    def _sentences(self) -> dict[str, int]:
        """Return numbers of sentences of dev and of decoded training data, for time estimates."""
        laboratory, scale = self.laboratory, self.laboratory.settings.scale
        if laboratory.data is None:
            options = laboratory.settings.phrasebook
            dev, train = options.eval_sentences, options.pairs
        else:
            dev, train = len(laboratory.data.evaluation("dev").lines), len(laboratory.data.bitext())
        return {"dev": dev, "train": min(train, scale.train_sentences or train)}

    def train_check(self) -> Stage:
        """Return the stage that compares translation of training data with and without leave-one-out."""
        start = self.row(self._start).tuned[0]

        def run(place: Place) -> dict[str, Any]:
            return work.score_train(place, self.laboratory, work.weights_of(place, start))

        scale = self.laboratory.settings.scale
        used = {"k": scale.k, "train_sentences": scale.train_sentences, "seed": self.laboratory.settings.seed}
        return Stage("train-scores", used, run, (self.model, start), cost=1000)

    def row(self, name: str) -> RowStages:
        if name not in self._made:
            self._made[name] = self._make(self._rows[name])
        return self._made[name]

    def lists(self, left_out: LeftOut) -> Stage:
        """Return the run whose lists of the training data are shared: the first setting of its row."""
        if left_out not in self._decoded:
            row = self._rows[self._lists[left_out]]
            self._decoded[left_out] = self._tuned(row, row.swept(1)[0], f"{row.name}/lists")
        return self._decoded[left_out]

    def _make(self, row: Row) -> RowStages:
        scale = self.laboratory.settings.scale
        swept = row.swept(1 if row.chance else scale.sweep)
        for settings in swept:  # reports wrong names and values before any work
            work.recipe_of(row, settings, self.laboratory, 1).open()
        if row.chance:
            tuned = tuple(
                self._tried(row, swept[0], f"{row.name}/seed{at}", at) for at in range(1, scale.seeds + 1)
            )
            return self._finished(row, tuned, None)
        if len(swept) == 1 and row.rounds == 1:
            if row.kind == "once":
                return self._finished(row, (self.lists(row.left_out),), None)
            make = self._tried if row.kind == "groups" else self._tuned
            return self._finished(row, (make(row, swept[0], f"{row.name}/tune"),), None)
        tried = []
        for at, settings in enumerate(swept, 1):
            tuned_at = self._tried(row, settings, f"{row.name}/try{at}")
            tried.append((tuned_at, self._scored(row, tuned_at, f"{row.name}/devtest{at}", ("devtest",))))
        needs = tuple(stage for pair in tried for stage in pair)
        choice = Stage(f"{row.name}/choice", {}, lambda place: work.choose(place, tried), needs)
        return self._finished(row, (self._chosen(row, swept, [stage for stage, _ in tried], choice),), choice)

    def _tried(self, row: Row, settings: Sequence[str], name: str, seed: int = 0) -> Stage:
        """Return the stage of one setting, on existing lists for rows with training data."""
        if row.data == "dev":
            return self._tuned(row, settings, name)
        lists, start = self.lists(row.left_out), self._start_of(row)
        seed += self.laboratory.settings.seed
        used = self._settings(row, settings, 1, seed)
        alone = row.kind == "tune"  # no dev in it: its start, tuned on dev, would often be the best round on dev
        used |= {"taken": "last"} if alone else {}

        def run(place: Place) -> dict[str, Any]:
            found = work.tune(place, self.laboratory, row, settings, rounds=1, seed=seed,
                              start=work.weights_of(place, start),
                              lists=saved_pool(work.run_of(place, lists), "train"),
                              groups=work.groups_of(place, lists))  # fmt: skip
            return {**found, "taken": found["rounds"]} if alone else found

        inner = self.laboratory.settings.scale.inner_rounds
        cost = self._sizes["dev"] * (inner + 1) + self._sizes["train"] / 5
        return Stage(name, used, run, (start, lists), resumable=True, cost=cost)

    def _start_of(self, row: Row) -> Stage:
        return self.row(row.start or self._start).tuned[0]

    def _tuned(self, row: Row, settings: Sequence[str], name: str) -> Stage:
        """Return the stage of a recipe with its own decoding."""
        scale = self.laboratory.settings.scale
        rounds = scale.dev_rounds if row.data == "dev" else row.rounds if row.kind == "once" else scale.rounds
        seed = self.laboratory.settings.seed
        start = self._start_of(row) if row.kind in ("oscar", "once") else None

        def run(place: Place) -> dict[str, Any]:
            weights = None if start is None else work.weights_of(place, start)
            return work.tune(place, self.laboratory, row, settings, rounds=rounds, seed=seed, start=weights)

        needs = (self.model,) if start is None else (self.model, start)
        used = self._settings(row, settings, rounds, seed)
        return Stage(name, used, run, needs, resumable=True, cost=self._cost(row, rounds))

    def _cost(self, row: Row, rounds: int) -> float:
        scale = self.laboratory.settings.scale
        inner = scale.inner_rounds if row.kind in ("oscar", "once") else 1
        train = self._sizes["train"] if row.data != "dev" else 0
        train *= scale.rounds if row.kind == "once" else 1
        return rounds * (train + inner * self._sizes["dev"]) + self._sizes["dev"]

    def _settings(self, row: Row, settings: Sequence[str], rounds: int, seed: int) -> dict[str, Any]:
        """Return what a run depends on in addition to earlier stages."""
        scale = self.laboratory.settings.scale
        recipe = recipe_settings(work.recipe_of(row, settings, self.laboratory, rounds).open())
        used = {"recipe": recipe, "features": row.templates, "data": row.data, "seed": seed}
        if row.data != "dev":
            used |= {"train_sentences": scale.train_sentences, "leave_one_out": row.left_out == "pair"}
        if row.left_out in BY_PART:
            used |= {"left_out": row.left_out, "decoded": self.laboratory.decoded_once}
        return used | ({"grouping": row.grouping} if row.grouping else {})

    def _chosen(self, row: Row, swept: Sequence[Sequence[str]], tried: Sequence[Stage], choice: Stage) -> Stage:
        """Return the run with the chosen setting.

        A row that decodes training data does so with this setting alone.
        """
        if row.data == "dev" or row.kind in ("groups", "once"):
            decoding = (self.lists(row.left_out),) if row.kind == "once" else ()

            def copy(place: Place) -> dict[str, Any]:
                found = place.result(tried[int(place.result(choice)["chosen"])])
                minutes = found["minutes"]
                for stage in decoding:
                    minutes += place.result(stage)["minutes"]
                    if row.rounds == 1:  # and the first setting, which is not to be counted twice
                        minutes -= place.result(tried[0])["minutes"]
                return {**found, "minutes": minutes}

            return Stage(f"{row.name}/chosen", {}, copy, (choice, *tried, *decoding))
        rounds, seed = self.laboratory.settings.scale.rounds, self.laboratory.settings.seed
        own_lists = self._lists.get(row.left_out) == row.name  # so the first setting has been run already
        shared = self.lists(row.left_out) if own_lists else None
        start = self._start_of(row) if row.kind == "oscar" else None

        def run(place: Place) -> dict[str, Any]:
            chosen = int(place.result(choice)["chosen"])
            if chosen == 0 and shared is not None:
                return place.result(shared)
            weights = None if start is None else work.weights_of(place, start)
            return work.tune(place, self.laboratory, row, swept[chosen], rounds=rounds, seed=seed, start=weights)

        used = self._settings(row, swept[0], rounds, seed)  # the others are settings of the stages it needs
        needs = (choice, *tried, *(() if shared is None else (shared,)), *((start,) if row.start else ()))
        return Stage(f"{row.name}/chosen", used, run, needs, resumable=True, cost=self._cost(row, rounds))

    def _finished(self, row: Row, tuned: tuple[Stage, ...], choice: Stage | None) -> RowStages:
        """Return the stages of scores and counts of every weight vector."""
        ends = [""] if len(tuned) == 1 else [str(at) for at in range(1, len(tuned) + 1)]
        scored = tuple(
            self._scored(row, stage, f"{row.name}/scores{end}", FINAL)
            for stage, end in zip(tuned, ends, strict=True)
        )
        counted = tuple(
            self._counted(row, stage, f"{row.name}/features{end}") for stage, end in zip(tuned, ends, strict=True)
        )
        return RowStages(row, tuned, scored, counted, choice)

    def _scored(self, row: Row, tuned: Stage, name: str, sets: Sequence[str]) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            weights = work.weights_of(place, tuned)
            return work.score(place, self.laboratory, weights, features=row.weighted, sets=sets)

        return Stage(name, {"sets": list(sets)}, run, (tuned,), cost=self._sizes["dev"] * len(sets))

    def _counted(self, row: Row, tuned: Stage, name: str) -> Stage:
        def run(place: Place) -> dict[str, Any]:
            return work.count(place, self.laboratory, work.run_of(place, tuned), features=row.weighted,
                              groups=row.kind != "tune")  # fmt: skip

        k = self.laboratory.settings.scale.reused_k
        return Stage(name, {"k": k}, run, (tuned,), cost=3 * self._sizes["dev"])
