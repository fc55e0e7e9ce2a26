"""The proximity operator of OSCAR compared with skglm, scikit-learn and argsort + scipy, all with the same result.

CPU time of one thread, medians over rounds; a ratio is the median of the ratios in the same round. The tools take
turns, and every call gets another vector: a processor that sees one vector again and again learns its branches by
heart. Strengths: the published ones with d = 500,000 (at least), and ones that pool every fourth weight or so with
its neighbour. Peers give values only, so ours are timed without groups (`dense`: `Oscar.prox`; `sparse`:
`prox_oscar`, which checks the indices too), and `with_groups` apart.
"""

from __future__ import annotations

import argparse
import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measure
import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.tuning import prox_oscar
from tunesmith.tuning.regularizers import Oscar

for package in ("scipy", "sklearn", "skglm"):
    measure.needs(package)
from scipy.optimize import isotonic_regression  # noqa: E402
from sklearn.isotonic import isotonic_regression as sklearn_isotonic  # noqa: E402

Floats = NDArray[np.float64]
SIZES = (500, 5_000, 10_000, 50_000, 100_000, 1_000_000)


def sorted_then(regress: Callable[[Floats], Floats], w: Floats, penalties: Floats) -> Floats:
    """The operator from NumPy's sort and the isotonic regression of another library."""
    sizes = np.abs(w)
    order = np.argsort(-sizes)
    values = np.empty_like(w)
    values[order] = np.maximum(regress(sizes[order] - penalties), 0.0)
    return np.copysign(values, w)


def by_scipy(values: Floats) -> Floats:
    """Non-increasing regression."""
    fitted: Floats = isotonic_regression(values, increasing=False).x
    return fitted


def by_sklearn(values: Floats) -> Floats:
    """Likewise."""
    fitted: Floats = sklearn_isotonic(values, increasing=False)
    return fitted


def vectors(size: int, kind: str) -> list[Floats]:
    """Different normal vectors; nearly sorted: 1 % of the numbers stand in a wrong place; tied: two decimals."""
    random = np.random.default_rng(size)
    found = []
    for _ in range(max(5, 100_000 // size)):
        w = random.normal(size=size)
        if kind == "nearly sorted":
            w = w[np.argsort(-np.abs(w))]
            some = random.choice(size, size=max(2, size // 100), replace=False)
            w[some] = w[random.permutation(some)]
        elif kind == "tied":
            w = np.round(w, 2)
        found.append(w)
    return found


def rounds(tools: dict[str, Callable[[Floats], object]], inputs: list[Floats], repeat: int) -> dict[str, Floats]:
    """CPU microseconds of a call, in each round."""
    spent: dict[str, list[float]] = {name: [] for name in tools}
    random = np.random.default_rng(1)
    for _ in range(repeat):
        # In another order each time: what a tool finds in the caches depends on who was there before.
        for name in random.permutation(list(tools)).tolist():
            tool = tools[name]
            begin = time.process_time()
            for w in inputs:
                tool(w)
            spent[name].append(1e6 * (time.process_time() - begin) / len(inputs))
    return {name: np.array(each) for name, each in spent.items()}


def compare(size: int, kind: str, published: bool) -> dict[str, Any]:
    """One row: times and ratios at one size."""
    from skglm.penalties import SLOPE
    from skglm.utils.jit_compilation import compiled_clone

    d, l1, l2 = (max(size, 500_000), 1e-10, 3e-8) if published else (size, 1e-3, 0.5 / size)
    l1 = 2.0 if kind == "dying" else l1
    penalties: Floats = l1 + l2 * (d - 1.0 - np.arange(size, dtype=np.float64))
    ours, slope, indices = Oscar(l1, l2, dimension=d), compiled_clone(SLOPE(penalties)), np.arange(size)
    inputs = vectors(size, kind)
    tools: dict[str, Callable[[Floats], object]] = {
        "dense": lambda w: ours.prox(w, 1.0),
        "sparse": lambda w: prox_oscar(indices, w, d, l1, l2, 1.0),
        "with_groups": lambda w: prox_oscar(indices, w, d, l1, l2, 1.0).groups,
        "sort": _core.magnitude_ranks,
        "argsort": lambda w: np.argsort(-np.abs(w)),
        "scipy": lambda w: sorted_then(by_scipy, w, penalties),
        "sklearn": lambda w: sorted_then(by_sklearn, w, penalties),
        "skglm": lambda w: slope.prox_vec(w, 1.0),
    }
    difference = max(
        float(np.abs(ours.prox(w, 1.0) - sorted_then(by_scipy, w, penalties)).max()) for w in inputs[:5]
    )
    point = prox_oscar(indices, inputs[0], d, l1, l2, 1.0)
    spent = rounds(tools, inputs, 15 if size < 1_000_000 else 5)
    return {
        "u": size,
        "input": kind,
        "strengths": "published" if published else "pooling",
        "groups": len(point.weights),
        "zeros": int(np.count_nonzero(point.groups < 0)),
        "microseconds": {name: round(float(np.median(each)), 1) for name, each in spent.items()},
        "times_faster": {
            our: {
                peer: round(float(np.median(spent[peer] / spent[our])), 2)
                for peer in ("skglm", "sklearn", "scipy")
            }
            for our in ("dense", "sparse")
        },
        "difference_from_scipy": difference,
    }


def one_call(tool: str, size: int) -> dict[str, Any]:
    """For memory: a call in its own process."""
    w = vectors(size, "random")[0]
    penalties: Floats = 1e-10 + 3e-8 * (size - 1.0 - np.arange(size, dtype=np.float64))
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
    before = measure.memory_kilobytes("VmRSS")
    if tool == "tunesmith":
        Oscar(1e-10, 3e-8).prox(w, 1.0)
    else:
        sorted_then(by_scipy, w, penalties)
    return {"call_mb": round((measure.memory_kilobytes("VmHWM") - before) / 1024, 1)}


def main() -> None:
    """Every size, order and strength; one line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    sizes = parser.parse_args().sizes
    rows = [
        compare(size, kind, published)
        for size in sizes
        for kind, published in (
            ("random", True),
            ("random", False),
            ("nearly sorted", True),
            ("nearly sorted", False),
            ("tied", True),
            ("dying", True),
        )
    ]
    memory = {
        tool: measure.in_child(functools.partial(one_call, tool, 1_000_000))["call_mb"]
        for tool in (("tunesmith", "scipy") if 1_000_000 in sizes else ())
    }
    measure.report("prox_oscar", {"rows": rows, "mb_at_1_million": memory})


if __name__ == "__main__":
    main()
