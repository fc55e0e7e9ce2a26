"""What other penalties make of the lists that `tunesmith tune --recipe shares` learns from, and of its groups.

    python benchmarks/shares_penalties.py tune -m model --recipe shares --train … --dev … --rounds 2 -o run

runs the command in this process until the lists of the last round are there (cross-fitted folds). Then the same
pairs are fitted with OSCAR, L1, elastic net and L2, by FISTA, strong penalties first, each from the solution
before it. What each fit learns is tuned on dev in the rest of the round: as shares of one group (as the recipe has
it), as groups of equal weight (ties), or as five groups by rank. It prints a JSON line for each, and writes the
weights to RUN/penalties/NAME.tsv. No test set is looked at.

Penalised are the features that fire in three or more training sentences, d of them: the others count for nothing.
Dense features have no penalty, and are measured in units of their curvature.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does before numpy is loaded

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
from measure import report
from numpy.typing import NDArray

from tunesmith.cli.entry import run
from tunesmith.evaluation.partitions import adjusted_rand_index
from tunesmith.search.lists.support import sentence_support
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.groups.learning import LearningProblem
from tunesmith.tuning.groups.partitions import Ranks, Shares, Ties
from tunesmith.tuning.groups.steps import Group
from tunesmith.tuning.loop import loop
from tunesmith.tuning.optimizers import Fista
from tunesmith.tuning.optimizers.base import OptimizerState, Problem
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.regularizers import L1, L2, ElasticNet, Oscar

Floats = NDArray[np.float64]

PENALTIES: dict[str, list[tuple[str, Any]]] = {
    "OSCAR": [(f"λ2·d {s:g}", Oscar(0.0, l2d=s)) for s in (3e-5, 1e-5)],
    "L1": [("1e-05", L1(1e-5))],
    "elastic net": [("1e-05, 1e-4", ElasticNet(1e-5, 1e-4))],
    "L2": [("1e-4", L2(1e-4))],
}
SEEDED = ("OSCAR", "L2")  # fitted on pairs of another seed too
PARTITIONS = {"shares": Shares(bins=1), "ties": Ties(), "ranks": Ranks(bins=5)}
ITERATIONS = 300
DENSE = 0.15
"""Dense features in units of curvature would need far shorter steps than all others."""


@dataclass
class Narrow:
    """The objective over the features that count: penalised ones as they are, dense ones in units of curvature."""

    objective: Any
    places: NDArray[np.int64]  # of the features that count, in the weights of the objective
    units: Floats

    @property
    def columns(self) -> int:
        return len(self.places)

    def value_and_grad(self, point: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        whole = np.zeros(self.objective.columns)
        whole[self.places] = point * self.units
        value, slopes = self.objective.value_and_grad(whole, threads=threads)
        return value, slopes[self.places] * self.units


@dataclass
class Fits:
    """Pairs of the training lists, which features count, and how a point of theirs becomes weights."""

    narrow: Narrow
    numbers: NDArray[np.int64]
    penalised: NDArray[np.bool_]
    columns: int

    @classmethod
    def of(cls, learning: LearningProblem, objective: Any) -> Fits:
        stored = objective.narrowed(threads=1)
        counts = ~learning.rare[stored.numbers]
        numbers, places = stored.numbers[counts], np.flatnonzero(counts)
        penalised = learning.grouped[numbers]
        curvature = stored.mean_squares(threads=1)[places] / 4
        units = np.where(penalised | (curvature <= 0), 1.0, DENSE / np.sqrt(np.maximum(curvature, 1e-300)))
        return cls(Narrow(stored, places, units), numbers, penalised, len(learning.grouped))

    def fitted(self, penalty: Any, start: Floats) -> tuple[Floats, Floats, dict[str, float]]:
        """The point, the weights of all features, what it took."""
        began = time.process_time()
        problem: Problem[Any, Any] = Problem(self.narrow, penalty, Limits.penalising(self.penalised))
        state = Fista(tol=0, iterations=ITERATIONS).run(problem, start)
        weights = np.zeros(self.columns)
        weights[self.numbers] = state.weights * self.narrow.units
        return state.weights, weights, {**state.details, "cpu_seconds": time.process_time() - began}


def groups_of(weights: Floats) -> int:
    return len(np.unique(weights[weights != 0]))


def learn_again(plan: Any, context: Any, position: Any, folder: Path) -> None:
    """Fit every penalty on the lists of this round, and tune every partition on dev."""
    steps, state = plan.steps(position.state.round), position.state
    group, rest = steps[position.done], steps[position.done + 1 :]
    pool = context.pool(state, "train")
    dense = np.array(state.weights)
    dense[pool.columns :] = 0.0
    dense[: pool.columns][group.grouping.grouped(pool.features, pool.columns)] = 0.0
    state = replace(state, weights=dense)
    loss = group.grouping.learner.loss
    support = sentence_support(pool.candidates)
    learning = LearningProblem.on(group.grouping, pool, dense, context, support)
    fits = [
        Fits.of(learning, loss.prepare(pool, context.metric, context.seed_of(state, name)))
        for name in (group.name, "another seed")
    ]
    d = int(fits[0].penalised.sum())
    report("shares_penalties", {"pairs": len(fits[0].narrow.objective._weights), "d": d})
    folder.mkdir(exist_ok=True)
    for penalty, strengths in PENALTIES.items():
        points = [np.zeros(each.narrow.columns) for each in fits]
        for strength, regularizer in strengths:
            found = []
            for at, each in enumerate(fits[: 2 if penalty in SEEDED else 1]):
                points[at], weights, took = each.fitted(regularizer, points[at])
                found.append((weights, took))
            weights, took = found[0]
            sparse = [np.where(learning.grouped, each, 0.0) for each, _ in found]
            fields = {"penalty": penalty, "strength": strength, **{k: round(v, 3) for k, v in took.items()},
                      "active": int(np.count_nonzero(sparse[0])), "groups": groups_of(sparse[0])}  # fmt: skip
            if len(sparse) == 2:
                both = np.flatnonzero((sparse[0] != 0) & (sparse[1] != 0))
                fields["in_both"] = len(both)
                fields["rand_index"] = round(adjusted_rand_index(*(each[both] for each in sparse)), 3)
                fields["correlation"] = round(float(np.corrcoef(sparse[0], sparse[1])[0, 1]), 3)
            report("shares_penalties", fields)
            for partition, made in PARTITIONS.items():
                if partition != "shares" and strength != strengths[0][0]:
                    continue
                if partition == "ties" and penalty != "OSCAR":
                    continue  # no two weights are equal
                grouping = replace(group.grouping, partition=made)
                tuned = tune_groups(replace(group, grouping=grouping), rest, state, context, weights)
                name = f"{penalty}-{strength}-{partition}".replace(" ", "").replace(",", "-").replace("λ2·d", "")
                tuned_weights = context.features_of(tuned).weights(tuned.weights)
                tuned_weights.write(folder / f"{name}.tsv")
                report("shares_penalties", {
                    "name": name, "dev": round(float(tuned.numbers["score"]), 2),
                    "active": int(np.count_nonzero(tuned.weights)),
                    "groups": int(tuned.projection.size),
                    "bytes": (folder / f"{name}.tsv").stat().st_size})  # fmt: skip


def tune_groups(group: Group, rest: Any, state: Any, context: Any, weights: Floats) -> Any:
    """Run the rest of the round with these weights in place of what the recipe's optimizer finds."""

    def given(state: Any, *_: Any) -> tuple[Any, OptimizerState]:
        return state, OptimizerState(weights, 0.0, finished=True)

    with mock.patch("tunesmith.tuning.groups.steps.run_optimizer", given):
        state = group.run(state, context)
    assert isinstance(state.projection, Projection)
    for step in rest:
        state = step.run(state, context)
    return state


def main() -> None:
    step = loop._step
    folder = Path(sys.argv[sys.argv.index("-o") + 1])
    rounds = int(sys.argv[sys.argv.index("--rounds") + 1])

    def caught(plan: Any, context: Any, saving: Any, position: Any, observer: Any) -> Any:
        at = plan.steps(position.state.round)[position.done]
        if position.state.round == rounds and at.name == "group":
            disk, context.disk = context.disk, None
            context.begin_step(lambda state: state)  # nothing of this goes to the run
            learn_again(plan, context, position, folder / "penalties")
            context.disk = disk
        return step(plan, context, saving, position, observer)

    with mock.patch.object(loop, "_step", caught):
        run()


if __name__ == "__main__":
    main()
