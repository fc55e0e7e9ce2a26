"""Active features, and those of them that also fire in lists of the test set (Liu et al. 2013, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.decoding import ListDecoder
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.stages import Place
from tunesmith.weights import Weights

_LINES = 32  # whose lists are in memory at once


def count_features(
    place: Place, laboratory: Laboratory, weights: Path, *, ids: bool, groups: NDArray[np.int64] | None = None
) -> dict[str, Any]:
    """How many weights are not 0, and how many of their features fire in the lists of test.

    groups: the group of each feature, -1 for none; then groups are counted, and fire where a member does.
    """
    decoder = laboratory.decoder(ids=ids)
    decoder.decoder.set_weights(Weights.read(weights))
    vector = decoder.weights
    fired = fired_columns(decoder, laboratory.sentences("test").lines, laboratory.settings.scale.reused_k,
                          len(vector), laboratory.threads)  # fmt: skip
    active = vector != 0
    if groups is None:
        return {"active": int(active.sum()), "reused": int((active & fired).sum())}
    members = np.flatnonzero(active[: len(groups)] & (groups >= 0))
    used = members[fired[members]]
    return {
        "active": len(np.unique(groups[members])),
        "reused": len(np.unique(groups[used])),
        "active_features": len(members),
        "reused_features": len(used),
    }


def fired_columns(
    decoder: ListDecoder, lines: Sequence[str], k: int, columns: int, threads: int
) -> NDArray[np.bool_]:
    """Which features some candidate of the k best of these lines has."""
    fired = np.zeros(columns, dtype=bool)
    for begin in range(0, len(lines), _LINES):
        rows = decoder.k_best(lines[begin : begin + _LINES], k, threads=threads).rows()
        fired[np.unique(rows.indices[rows.data != 0])] = True
    return fired
