"""The upper envelope of all derivations of a graph, one by one: slow and plain."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def all_derivations(arrays: dict[str, Any]) -> list[tuple[list[int], list[int]]]:
    """Edges in pre-order and words of every derivation of the goal, by the order of its edges."""
    offsets, tails = arrays["tail_offsets"], arrays["tails"]
    starts, symbols = arrays["symbol_offsets"], arrays["symbols"]
    found: list[list[tuple[list[int], list[int]]]] = []
    for begin, end in itertools.pairwise(arrays["node_edges"]):
        here = []
        for edge in range(begin, end):
            below = [found[tail] for tail in tails[offsets[edge] : offsets[edge + 1]]]
            for parts in itertools.product(*below):
                words: list[int] = []
                for symbol in symbols[starts[edge] : starts[edge + 1]]:
                    words += [int(symbol)] if symbol >= 0 else parts[-1 - symbol][1]
                here.append(([edge, *itertools.chain.from_iterable(edges for edges, _ in parts)], words))
        found.append(here)
    return found[-1]


def envelope(heights: Floats, slopes: Floats) -> tuple[list[float], list[int]]:
    """Steps at which the highest of some lines changes, and the highest before, between and after them."""
    at = int(np.lexsort((-heights, slopes))[0])  # far to the left the flattest is the highest
    steps: list[float] = []
    best = [at]
    while True:
        steeper = np.flatnonzero(slopes > slopes[at])
        if not len(steeper):
            return steps, best
        crossings = (heights[at] - heights[steeper]) / (slopes[steeper] - slopes[at])
        nearest = crossings.min()
        meeting = steeper[crossings <= nearest]
        at = int(meeting[np.argmax(slopes[meeting])])
        steps.append(float(nearest))
        best.append(at)
