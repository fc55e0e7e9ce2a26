"""`features.dat` and `scores.dat` of Moses' tuning tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import FormatError, core_errors
from tunesmith.io import StrPath, display_name, iter_blocks
from tunesmith.search.lists.candidates import CandidateSet, compact
from tunesmith.search.lists.plain import PlainMatrix


def read_moses_run(features: StrPath, scores: StrPath | None = None) -> CandidateSet:
    """Read a run: features, and statistics of these candidates.

    The files have no words. Statistics of BLEU are converted to those of `Bleu`: lengths, then matches, then
    n-grams per order.
    """
    return read_moses_blocks(display_name(features), iter_blocks(features), scores)


def read_moses_blocks(name: str, blocks: Iterable[bytes], scores: StrPath | None = None) -> CandidateSet:
    """Read a run from the bytes of features.dat; `name` is for messages."""
    reader = _read(name, blocks, scores=False)
    part = reader.take()
    offsets = part.offsets()
    stated = part.stated()
    return CandidateSet(
        PlainMatrix(part.columns, *part.matrix(), stated=stated),
        offsets,
        features=reader.features(),
        statistics=None if scores is None else _read_statistics(scores, offsets, name),
    )


def _read(name: str, blocks: Iterable[bytes], *, scores: bool) -> _core.MosesBlockReader:
    reader = _core.MosesBlockReader(scores)
    with core_errors(name):
        for block in blocks:
            reader.add(block)
        reader.finish()
    return reader


def _read_statistics(path: StrPath, there: NDArray[np.int64], features_name: str) -> NDArray[Any]:
    name = display_name(path)
    reader = _read(name, iter_blocks(path), scores=True)
    here = reader.take().offsets()
    if not np.array_equal(here, there):
        if len(here) != len(there):
            raise FormatError(f"has {len(here) - 1} sentences, {features_name} has {len(there) - 1}", path=name)
        sentence = int(np.flatnonzero(np.diff(here) != np.diff(there))[0])
        sizes = [int(offsets[sentence + 1] - offsets[sentence]) for offsets in (here, there)]
        raise FormatError(
            f"sentence {sentence} has {sizes[0]} candidates, in {features_name} it has {sizes[1]}", path=name
        )
    width = max(reader.width, 1)
    rows = compact(reader.statistics().reshape(-1, width))
    if reader.metric == "BLEU" and width >= 3 and width % 2 == 1:
        return bleu_statistics(rows)
    return rows


def bleu_statistics(rows: NDArray[Any]) -> NDArray[Any]:
    """Reorder Moses' rows (matches and n-grams of each order in turn, then the reference length)."""
    matches, ngrams, reference = rows[:, 0:-1:2], rows[:, 1:-1:2], rows[:, -1:]
    return np.ascontiguousarray(np.hstack([ngrams[:, :1], reference, matches, ngrams]))
