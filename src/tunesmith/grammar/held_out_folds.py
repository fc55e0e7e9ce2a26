"""Counts that held-out folds contributed to a rule table, from the counts of each sentence pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import FormatError
from tunesmith.io import StrPath

Arrays = Mapping[str, NDArray[Any]]
KINDS = {"rules": "rule", "sides": "side", "targets": "target"}
"""Arrays of numbers, and the prefix of their arrays of offsets and counts."""

_MOST = 2.0**40  # of a count


def check_offsets(arrays: Arrays, folder: StrPath) -> None:
    """Raise FormatError unless the entries of the sentence pairs follow each other."""
    for name, kind in {**KINDS, "made": "made"}.items():
        offsets, end = arrays[f"{kind}_offsets"], len(arrays[name])
        rises = len(offsets) and offsets[0] == 0 and offsets[-1] == end and np.all(np.diff(offsets) >= 0)
        if len(offsets) != len(arrays["lines"]) + 1 or not rises:
            raise FormatError(
                f"{kind}_offsets must rise from 0 to the number of {name}, {end}, in as many steps as there are "
                f"sentence pairs, {len(arrays['lines'])}",
                path=str(folder),
            )
        if name in KINDS and len(arrays[f"{kind}_counts"]) != end:
            raise FormatError(
                f"leave-one-out counts of {name}: there must be a count for every entry", path=str(folder)
            )
        counts = arrays[f"{kind}_counts"] if name in KINDS else np.zeros(0)
        if len(counts) and not (counts.min() > 0 and counts.max() < _MOST):  # also catches NaN
            raise FormatError(
                f"leave-one-out counts of {name}: counts must be more than 0 and less than 2^40", path=str(folder)
            )


def entries_of_folds(arrays: Arrays, folds: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Sum leave-one-out counts of sentence pairs to an entry for each held-out fold.

    folds: fold of each pair, from 0. Sums are exact: the counts of all folds add up to the counts of the table, so
    that rules of a single fold are recognised.
    """
    number = int(folds.max(initial=-1)) + 1
    found: dict[str, NDArray[Any]] = {}
    for name, kind in KINDS.items():
        offsets, ids = arrays[f"{kind}_offsets"], arrays[name]
        fold = np.repeat(folds, np.diff(offsets))
        order = np.lexsort((ids, fold))
        fold, ids = fold[order], ids[order]
        first = np.flatnonzero(np.diff(fold, prepend=-1) | np.diff(ids.astype(np.int64), prepend=-1))
        units = np.rint(arrays[f"{kind}_counts"] * _core.COUNT_UNIT).astype(np.int64)[order]
        sums = np.add.reduceat(units, first) if len(first) else units
        found[f"{kind}_offsets"] = np.searchsorted(fold[first], np.arange(number + 1))
        found[name] = ids[first]
        found[f"{kind}_counts"] = sums / _core.COUNT_UNIT
    return {**arrays, **found, **made_alone(arrays, folds)}


def made_alone(arrays: Arrays, folds: NDArray[np.int64]) -> dict[str, NDArray[Any]]:
    """Return the rules made for single words that occur in rules of one fold only."""
    number = int(folds.max(initial=-1)) + 1
    fold, rules = np.repeat(folds, np.diff(arrays["made_offsets"])), arrays["made"]
    uses = np.unique(np.stack([fold, rules.astype(np.int64)]), axis=1)
    _, place, folds_of_rule = np.unique(uses[1], return_inverse=True, return_counts=True)
    fold, rule = uses[:, folds_of_rule[place] == 1]
    return {"made_offsets": np.searchsorted(fold, np.arange(number + 1)), "made": rule.astype(np.uint32)}
