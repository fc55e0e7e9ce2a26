"""Consensus between shards that each solve their own problem (ADMM), with the proximal point of OSCAR."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunesmith.checks import above, at_least
from tunesmith.tuning.losses.differences import Ranked
from tunesmith.tuning.optimizers.base import Floats, Problem, optimizers
from tunesmith.tuning.optimizers.sharded.base import Sharded, ShardedLearner
from tunesmith.tuning.regularizers.base import Ordered
from tunesmith.tuning.sums.terms import Asked, Integers


@optimizers.register("consensus")
@dataclass(frozen=True)
class Consensus(ShardedLearner):
    """Alternating directions for a consensus (Boyd et al. 2011, section 7.1).

    Shard s solves min hinge_s(x) + ½ρ‖x - z + u_s‖² exactly enough; then z is the proximal point of OSCAR / (ρS)
    at the mean of x + u. It converges to the minimum of Eq. 2, and z has exact groups in every round.

    With x_s = z - u_s + v_s, v_s = Σ α_i x_i / (ρN) over the pairs of the shard, the next u_s is v_s plus what z
    has moved: all that a shard has to remember are the multipliers α of its pairs, which travel to it and back.

    rho: ρ, changed by half or double where the residuals differ by more than ten times (section 3.4.1 there).
    tolerance: ends when the objective is within this share of the lower bound that the multipliers give.
    rounds, passes: the most rounds, and passes of a shard over its pairs in each.
    """

    rho: float = 1e-3
    tolerance: float = 1e-2
    rounds: int = 300
    passes: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        above(0, rho=self.rho)
        at_least(0, tolerance=self.tolerance)
        at_least(1, rounds=self.rounds, passes=self.passes)

    def learn(
        self, sharded: Sharded, point: Floats, problem: Problem[Ranked, Ordered]
    ) -> tuple[Floats, dict[str, float]]:
        """Return the best consensus point."""
        oscar, parts, threads = sharded.problem, sharded.parts, problem.threads
        pairs, size, count = len(oscar.differences), oscar.size, len(parts)
        rho, moved = self.rho, np.zeros_like(point)
        alphas = [np.zeros(each) for each in sharded.sizes]
        sums = [np.zeros(len(each)) for each in parts.part_columns]  # Σ α_i x_i of each shard
        best, objective, bound, number = point, oscar.objective(point), 0.0, 0
        while number < self.rounds and objective - bound > self.tolerance * objective:
            number += 1
            numbers = {
                "strength": rho * pairs, "passes": self.passes, "seed": problem.seed + number,
                # The shards need to be no better than the whole is to be.
                "tolerance": 0.1 * max(self.tolerance * objective, 1e-12),
            }  # fmt: skip
            asked = []
            for columns, alpha, total in zip(parts.part_columns, alphas, sums, strict=True):
                centre = point - moved
                centre[columns] -= total / (rho * pairs)
                own = {"multipliers": alpha, "root": oscar.root}
                asked.append(Asked("nearest to a centre", {"centre": centre}, numbers, own))
            answers = list(parts.ask_each(asked, threads=threads))
            alphas = [np.array(answer.own["multipliers"]) for answer in answers]
            changes = [
                (answer.vector - before) / (rho * pairs) for answer, before in zip(answers, sums, strict=True)
            ]
            sums = [answer.vector for answer in answers]
            added = parts.added(answers, threads=threads)
            new = oscar.prox(point + added.vector / (rho * pairs * count), 1.0 / (rho * count))
            dual = rho * math.sqrt(count) * float(np.linalg.norm(new - point))
            primal = rho * _apart(parts.part_columns, point - new - moved, changes)
            moved, point = point - new, new
            value = oscar.objective(point)
            if value < objective:
                best, objective = point, value
            natural = np.concatenate([added.vector[:size], oscar.root @ added.vector[size:]])
            bound = max(bound, oscar.dual_value(added._replace(vector=natural), point))
            problem.progress(number, self.rounds, "rounds")
            factor = 2.0 if primal > 10 * dual else 0.5 if dual > 10 * primal else 1.0
            rho, moved = rho * factor, moved / factor
        return best, {"rounds": float(number), "gap": objective - bound, "rho": rho}


def _apart(columns: Sequence[Integers], change: Floats, of_shards: Sequence[Floats]) -> float:
    """Return the norm of x - z over all shards: u changes by `change` in all columns and by more in its own."""
    square = len(columns) * float(change @ change)
    for each, more in zip(columns, of_shards, strict=True):
        square += float(more @ (more + 2 * change[each]))
    return math.sqrt(max(square, 0.0))
