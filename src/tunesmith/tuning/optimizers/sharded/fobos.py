"""Online OSCAR in shards: gradients of mini-batches are added up, and one proximal step follows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from tunesmith.checks import above, at_least
from tunesmith.tuning.losses.differences import Ranked
from tunesmith.tuning.optimizers.base import Floats, Problem, optimizers
from tunesmith.tuning.optimizers.sharded.base import Sharded, ShardedLearner
from tunesmith.tuning.regularizers.base import Ordered
from tunesmith.tuning.sums.terms import Asked


@optimizers.register("sharded-fobos")
@dataclass(frozen=True)
class ShardedFobos(ShardedLearner):
    """Proximal steps on mini-batches whose gradients come from all shards.

    In a step each shard gives the gradient of its next `batch` pairs at the same weights. What is mixed are
    gradients: the one proximal step (Liu et al. 2013, Algorithm 3) follows where they are added up, so weights
    become equal and 0 exactly as they would in one place. Averages of weights would destroy both.

    passes: over all pairs; mini-batches come in another order in each.
    dual_averaging: weights are the proximal point of all gradients so far (Xiao 2010): from the start, a step of
        rate · √t with their mean (in the units of `OscarProblem`), t from 1. The penalty then counts as much as in
        the whole problem. Otherwise each step begins at the last weights (Duchi and Singer 2009) and is rate / √t:
        its penalty is small, so few weights are 0 or equal.
    """

    batch: int = 256
    passes: int = 5
    rate: float = 4.0
    dual_averaging: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        at_least(1, batch=self.batch, passes=self.passes)
        above(0, rate=self.rate)

    def learn(
        self, sharded: Sharded, point: Floats, problem: Problem[Ranked, Ordered]
    ) -> tuple[Floats, dict[str, float]]:
        """Return the weights after the last step."""
        oscar, steps = sharded.problem, 0
        start, total = point, np.zeros_like(point)
        batches = max(-(-size // self.batch) for size in sharded.sizes)
        for number in range(self.passes):
            orders = [
                np.random.default_rng((problem.seed, number, shard)).permutation(-(-size // self.batch))
                for shard, size in enumerate(sharded.sizes)
            ]
            for at in range(batches):
                asked, pairs = [], 0
                weights = oscar.weights(point)
                for order, most in zip(orders, sharded.sizes, strict=True):
                    begin = int(order[at]) * self.batch if at < len(order) else most
                    end = min(begin + self.batch, most)
                    pairs += end - begin
                    asked.append(Asked("violated pairs", {"w": weights}, {"begin": begin, "end": end}))
                answers = list(sharded.parts.ask_each(asked, threads=problem.threads))
                gradient = -oscar.slopes(sharded.parts.added(answers, threads=problem.threads).vector) / pairs
                steps, total = steps + 1, total + gradient
                if self.dual_averaging:
                    size = self.rate * math.sqrt(steps)
                    point = oscar.prox(start - size * total / steps, size)
                else:
                    size = self.rate / math.sqrt(steps)
                    point = oscar.prox(point - size * gradient, size)
            problem.progress(number + 1, self.passes, "passes")
        return point, {"steps": float(steps)}
