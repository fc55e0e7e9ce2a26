"""Online OSCAR: steps per second against the dimension, the number of groups, and the printed algorithm.

Times are CPU time of one thread. `--real MODEL`: also 30 million steps on ranked pairs of 100-best lists of the
zh-en training data, decoded with MODEL (a directory of `tunesmith train` with the feature template id).
`--pairs`: how many pairs to make differences of (2.5 million are those of 50,000 sentences). `--picture`: draw it.
"""

from __future__ import annotations

import argparse
import functools
import time
from pathlib import Path
from typing import Any

import measure
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tunesmith import _core
from tunesmith.search import CandidateSet
from tunesmith.tuning.losses.differences import Differences

ENTRIES, DENSE = 15, 8
L1, L2D = 1e-10, 0.015  # Liu et al. (2013)
ONE_BLOCK = 1 << 30  # a capacity that makes the list of groups one sorted array


def pairs_of(columns: NDArray[np.int64], values: NDArray[np.float64], dimension: int) -> Differences:
    """Pairs from rows of columns (which may repeat: the first counts) and values; dense features besides."""
    random = np.random.default_rng(2)
    order = np.argsort(columns, axis=1, kind="stable")
    columns, values = np.take_along_axis(columns, order, 1), np.take_along_axis(values, order, 1)
    first = np.ones(columns.shape, dtype=np.bool_)
    first[:, 1:] = columns[:, 1:] != columns[:, :-1]
    occurring, places = np.unique(columns[first], return_inverse=True)
    dense = 0.3 * random.normal(size=(len(columns), DENSE))
    dense[:, 0] += 0.3
    return Differences(
        np.append(0, first.sum(axis=1).cumsum()),
        places.reshape(-1).astype(np.uint32),
        values[first].astype(np.float32),
        dense,
        occurring + DENSE,
        np.arange(DENSE),
        dimension + DENSE,
        dimension,
    )


def rule_like(pairs: int, dimension: int) -> Differences:
    """Counts of ±1 on rules of which some are frequent and most are rare."""
    random = np.random.default_rng(1)
    columns = np.minimum((dimension * random.random((pairs, ENTRIES)) ** 3).astype(np.int64), dimension - 1)
    return pairs_of(columns, random.choice([-1.0, 1.0], columns.shape, p=[0.47, 0.53]), dimension)


def run(learner: Any, data: Differences, orders: list[NDArray[np.uint32]]) -> dict[str, Any]:
    """CPU time a step, and what the steps were like."""
    before = learner.counts()
    begin = time.process_time()
    for order in orders:
        learner.run(data.native, order)
    seconds = time.process_time() - begin
    steps, violated, skipped, groups = (now - then for now, then in zip(learner.counts(), before, strict=True))
    return {
        "steps": steps,
        "steps_per_second": round(steps / seconds),
        "microseconds_a_step": round(1e6 * seconds / steps, 2),
        "violated": round(violated / steps, 3),
        "skipped": round(skipped / steps, 3),
        "mean_groups": round(groups / steps, 1),
    }


def by_dimension(dimension: int, pairs: int, passes: int) -> dict[str, Any]:
    """The published constants at this dimension; memory is that of the learner alone."""
    data = rule_like(pairs, dimension)
    _ = data.native
    before = measure.memory_kilobytes("VmRSS")
    size = len(data.penalised)
    learner = _core.OnlineOscar(np.zeros(size), np.zeros(DENSE), L1, L2D / dimension, dimension)
    orders = [_core.shuffled(pairs, 1, number) for number in range(passes)]
    run(learner, data, orders[:1])
    found = run(learner, data, orders[1:])
    memory = round((measure.memory_kilobytes("VmRSS") - before) / 1024, 1)
    return {"d": dimension, "occurring": size, "l1": L1, "l2d": L2D, **found, "learner_mb": memory}


def many_groups(groups: int, pairs: int = 20_000) -> tuple[Differences, NDArray[np.float64]]:
    """Pairs that touch weights of which no two are equal, each its own group."""
    random = np.random.default_rng(1)
    columns = random.integers(0, groups, (pairs, ENTRIES))
    data = pairs_of(columns, random.normal(size=columns.shape), groups)
    return data, random.normal(size=len(data.penalised))


def by_groups(groups: int, capacity: int, steps: int, *, literal: bool = False) -> dict[str, Any]:
    """Late steps (small ones), so that the number of groups stays what it is."""
    data, start = many_groups(groups)
    arguments = (start, np.zeros(DENSE), L1, L2D / groups, groups, 1.0, 1e6, True)
    order = _core.shuffled(len(data), 1, 0)
    if literal:
        return run(_core.LiteralOscar(*arguments), data, [order[:steps]])
    learner = _core.OnlineOscar(*arguments, capacity)
    warm = steps if capacity == ONE_BLOCK else 5000  # the capacity follows the number of groups every 4096 steps
    run(learner, data, [order[:warm]])
    return run(learner, data, [order[warm : warm + steps]])


def against_literal(active: int) -> dict[str, Any]:
    """The same steps by the printed algorithm in C++."""
    fast, slow = by_groups(active, 0, 10_000), by_groups(active, 0, 200, literal=True)
    ratio = slow["microseconds_a_step"] / fast["microseconds_a_step"]
    return {"active": active, "l2d": L2D, "ours": fast, "literal": slow, "times_faster": round(ratio, 1)}


def real(model: Path, sentences: int, steps: int, dimension: int) -> dict[str, Any]:
    """Many steps on pairs of real lists, with the start of a tuned model."""
    from training_pairs import training_pairs

    begin = time.process_time()
    data, start = training_pairs(model, sentences)
    decoding = time.process_time() - begin
    return {
        "sentences": sentences,
        "decoding_seconds": round(decoding),
        **real_steps(data, start, steps, dimension),
        "by_strength": [
            real_against_literal(data, start, dimension, l2d, literal_steps)
            for l2d, literal_steps in ((0.015, 50_000), (0.0015, 20_000), (0.00015, 5_000), (0.000015, 1_000))
        ],
    }


def real_against_literal(
    data: Differences, start: NDArray[np.float64], dimension: int, l2d: float, literal_steps: int
) -> dict[str, Any]:
    """The second pass, and the first steps of the third one by the printed algorithm, from the same weights."""
    strength = (L1, l2d / dimension, dimension)
    learner = _core.OnlineOscar(start[data.penalised], start[data.unpenalised], *strength)
    orders = [_core.shuffled(len(data), 1, number) for number in range(3)]
    run(learner, data, orders[:1])
    fast = run(learner, data, orders[1:2])
    weights = learner.penalised()
    literal = _core.LiteralOscar(weights, learner.dense(), *strength, 1.0, 2.0 * len(data))
    slow = run(literal, data, [orders[2][:literal_steps]])
    learner.run(data.native, orders[2][:literal_steps])
    ratio = slow["microseconds_a_step"] / fast["microseconds_a_step"]
    return {
        "l2d": l2d,
        "active": int(np.count_nonzero(weights)),
        "ours": fast,
        "literal": slow,
        "times_faster": round(ratio, 1),
        "largest_difference": float(np.abs(learner.penalised() - literal.penalised()).max()),
    }


def real_steps(data: Differences, start: NDArray[np.float64], steps: int, dimension: int) -> dict[str, Any]:
    """The run itself."""
    learner = _core.OnlineOscar(start[data.penalised], start[data.unpenalised], L1, L2D / dimension, dimension)
    passes = -(-steps // len(data))
    begin = time.process_time()
    found = run(learner, data, [_core.shuffled(len(data), 1, number) for number in range(passes)])
    return {
        "pairs": len(data),
        "entries_a_pair": round(len(data.ids) / len(data), 1),
        "occurring": len(data.penalised),
        "d": dimension,
        "l1": L1,
        "l2d": L2D,
        **found,
        "cpu_seconds": round(time.process_time() - begin, 1),
        "groups": learner.groups,
        "active": int(np.count_nonzero(learner.penalised())),
    }


def making(pairs: int) -> dict[str, Any]:
    """Differences of pairs of candidates with 30 of 500,000 features, half of them those of the whole list."""
    random = np.random.default_rng(1)
    lists, length, shared, own = max(1, pairs // 50), 20, 15, 15
    columns = np.empty((lists, length, shared + own), dtype=np.int64)
    columns[:, :, :shared] = random.integers(0, 500_000, (lists, 1, shared))
    columns[:, :, shared:] = random.integers(0, 500_000, (lists, length, own))
    offsets = np.arange(0, columns.size + 1, shared + own)
    rows = sparse.csr_matrix((np.ones(columns.size), columns.reshape(-1), offsets), (lists * length, 500_000))
    rows.sum_duplicates()
    candidates = CandidateSet.from_matrix(rows, np.arange(0, lists * length + 1, length))
    first = np.repeat(np.arange(lists) * length, 50)
    better, worse = (first + random.integers(0, length, len(first)) for _ in range(2))
    del rows, columns
    _ = candidates.native
    before = measure.memory_kilobytes("VmRSS")
    begin = time.process_time()
    found = Differences.from_pairs(candidates, better, worse, np.arange(500_000))
    seconds = time.process_time() - begin
    return {
        "pairs": len(found),
        "entries_a_pair": round(len(found.ids) / len(found), 1),
        "cpu_seconds": round(seconds, 2),
        "result_mb": round((found.ids.nbytes + found.values.nbytes + found.offsets.nbytes) / 2**20),
        "peak_mb": round((measure.memory_kilobytes("VmHWM") - before) / 1024),
    }


def main() -> None:
    """One JSON line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--real", type=Path, metavar="MODEL")
    parser.add_argument("--sentences", type=int, default=2000)
    parser.add_argument("--steps", type=int, default=30_000_000)
    parser.add_argument("--pairs", type=int, default=250_000)
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args()
    fields: dict[str, Any] = {
        "by_dimension": [
            measure.in_child(functools.partial(by_dimension, 10**power, 50_000, 5)) for power in range(4, 9)
        ],
        "by_groups": [
            {
                "groups": groups,
                "l2d": L2D,
                "blocks": by_groups(groups, 0, 10_000),
                "one_sorted_array": by_groups(groups, ONE_BLOCK, max(20, 2_000_000 // groups // 10)),
            }
            for groups in (10**2, 10**3, 10**4, 10**5)
        ],
        "against_literal": [against_literal(active) for active in (500, 10_000)],
    }
    fields["differences"] = measure.in_child(functools.partial(making, options.pairs))
    if options.real is not None:
        fields["real"] = real(options.real, options.sentences, options.steps, 500_000)
    measure.report("oscar", fields)
    if options.picture is not None:
        from oscar_picture import draw

        draw(fields, options.picture)


if __name__ == "__main__":
    main()
