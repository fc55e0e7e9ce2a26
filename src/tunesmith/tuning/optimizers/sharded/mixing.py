"""Parameter mixing: every shard learns for itself, and the weights are averaged. It loses groups and zeros."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.checks import above, at_least
from tunesmith.tuning.losses.differences import Ranked
from tunesmith.tuning.optimizers.base import Floats, Problem
from tunesmith.tuning.optimizers.sharded.base import Sharded, ShardedLearner
from tunesmith.tuning.regularizers.base import Ordered
from tunesmith.tuning.sums.terms import Asked


@dataclass(frozen=True)
class ParameterMixing(ShardedLearner):
    """Iterative parameter mixing (McDonald et al. 2010) of online OSCAR (Liu et al. 2013, Algorithm 2).

    Each shard makes a pass from the same weights, and their weights are averaged. What is equal in one shard is
    not equal in the next, so the average has few equal weights and few that are 0. A shard does not change weights
    of features that it does not have. For comparison, hence without a name among the optimizers.

    passes: over all pairs.   rate: steps of a shard are rate / t, t from 1.
    """

    passes: int = 5
    rate: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(1, passes=self.passes)
        above(0, rate=self.rate)

    def learn(
        self, sharded: Sharded, point: Floats, problem: Problem[Ranked, Ordered]
    ) -> tuple[Floats, dict[str, float]]:
        """Return the average after the last pass."""
        oscar, parts, violated = sharded.problem, sharded.parts, 0.0
        strengths = {"l1": oscar.l1, "l2": oscar.l2, "dimension": oscar.dimension, "rate": self.rate}
        weights = oscar.weights(point)
        for number in range(self.passes):
            asked = [
                Asked("online pass", {"w": weights}, {
                    **strengths, "delay": number * size, "seed": problem.seed + shard, "number": number,
                })
                for shard, size in enumerate(sharded.sizes)
            ]  # fmt: skip
            added = parts.added(list(parts.ask_each(asked, threads=problem.threads)), threads=problem.threads)
            weights = weights + added.vector / len(parts)
            violated = float(added.numbers[0])
            problem.progress(number + 1, self.passes, "passes")
        dense = oscar.root.T @ weights[oscar.size :]
        point[: oscar.size], point[oscar.size :] = weights[: oscar.size], dense
        return point, {"violated": violated / len(oscar.differences)}
