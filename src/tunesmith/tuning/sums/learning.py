"""What learners that work in shards ask of the pairs of one: a gradient of some, a proximal point, a pass."""

from __future__ import annotations

import numpy as np

from tunesmith import _core
from tunesmith.tuning.sums.pairs import PairTerms, sum_over_pairs
from tunesmith.tuning.sums.terms import Answer, Asked


@sum_over_pairs("violated pairs")
def violated_pairs(pairs: PairTerms, asked: Asked, a_block: int, threads: int) -> Answer:
    """Return number and sum of differences of pairs `begin` to `end` whose margin at `w` is below 1."""
    begin, end = (min(int(asked.numbers[name]), len(pairs)) for name in ("begin", "end"))
    some = PairTerms(pairs.some(begin, end), pairs.penalised)
    violated = (some.margins(asked.vectors["w"], threads) < 1).astype(np.float64)
    return Answer(np.array([violated.sum()]), some.combine(violated, a_block, threads))


@sum_over_pairs("nearest to a centre")
def nearest_to_a_centre(pairs: PairTerms, asked: Asked, a_block: int, threads: int) -> Answer:
    """Return the minimum of Σ hinge + ½ · strength · ‖w - centre‖², by passes of dual coordinate descent.

    Dense features are measured in the units of `root` (see `OscarProblem`). Begins at the `multipliers` α of the
    pairs; ends when the mean of what is left to gain is below `tolerance`, or after `passes`. The answer is Σ α ·
    difference, the multipliers, and the sum of them.
    """
    numbers, alphas = asked.numbers, np.array(asked.own["multipliers"])
    dense = np.linalg.solve(asked.own["root"], pairs.arrays.dense.T).T if pairs.native.dense_columns else None
    even = pairs if dense is None else PairTerms(
        pairs.arrays._replace(dense=np.ascontiguousarray(dense)), pairs.penalised
    )  # fmt: skip
    point = asked.vectors["centre"] + even.combine(alphas, a_block, threads) / numbers["strength"]
    penalised, free = even.divided(point)
    for number in range(int(numbers["passes"])):
        short = 1.0 - even.native.margins(penalised, free, threads)
        if float(np.mean(np.maximum(0.0, short) - alphas * short)) <= numbers["tolerance"]:
            break
        order = _core.shuffled(len(pairs), int(numbers["seed"]), number)
        even.native.descend_to_centre(order, numbers["strength"], alphas, penalised, free)
    sums = np.array([alphas.sum()])
    return Answer(sums, even.combine(alphas, a_block, threads), {"multipliers": alphas})


@sum_over_pairs("online pass")
def online_pass(pairs: PairTerms, asked: Asked, a_block: int, threads: int) -> Answer:
    """Return what a pass of online OSCAR (Liu et al. 2013, Algorithm 2) over the pairs adds to the weights `w`."""
    numbers = asked.numbers
    penalised, free = pairs.divided(asked.vectors["w"])
    strengths = (numbers["l1"], numbers["l2"], int(numbers["dimension"]))
    learner = _core.OnlineOscar(penalised, free, *strengths, numbers["rate"], numbers["delay"], True)
    learner.run(pairs.native, _core.shuffled(len(pairs), int(numbers["seed"]), int(numbers["number"])))
    after = np.concatenate([learner.penalised(), learner.dense()])
    return Answer(np.array([float(learner.counts()[1])]), after - asked.vectors["w"])
