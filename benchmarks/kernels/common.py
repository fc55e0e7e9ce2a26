"""What kernels are made of: their registry, times, digests, data."""

from __future__ import annotations

import hashlib
import importlib
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Measured = dict[str, Any]
KERNELS: dict[str, Callable[[Path], Measured]] = {}
PREPARE: list[Callable[[Path], None]] = []


def kernel(work: Callable[[Path], Measured]) -> Callable[[Path], Measured]:
    """Register a kernel by the name of its function."""
    KERNELS[work.__name__] = work
    return work


def prepares(work: Callable[[Path], None]) -> Callable[[Path], None]:
    """Register what makes inputs of kernels."""
    PREPARE.append(work)
    return work


def bench(name: str) -> Any:
    """Import a module of the tree's benchmarks."""
    return importlib.import_module(name)


def digest(*values: object) -> str:
    """Return a digest of arrays, texts and numbers."""
    found = hashlib.blake2b(digest_size=8)
    for value in values:
        found.update(value.tobytes() if isinstance(value, np.ndarray) else repr(value).encode())
    return found.hexdigest()


def cpu(work: Callable[[], Any], repeat: int = 1) -> tuple[float, Any]:
    """Median CPU seconds of this process over `repeat` calls, and the last result."""
    seconds, result = [], None
    for _ in range(repeat):
        start = time.process_time()
        result = work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds), result


def shared() -> Path:
    folder: Path = bench("measure").SHARED
    return folder


def text(name: str, most: int | None = None) -> list[str]:
    """Lines of a file of the shared data."""
    from tunesmith.io import read_lines

    return list(read_lines(shared() / "data" / name))[:most]


def pairs(most: int) -> tuple[Any, Any]:
    """The first pairs of multi30k with the recorded alignment."""
    from tunesmith.alignment import WordAlignments
    from tunesmith.corpus.bitext import Bitext

    bitext, links = bench("speed_extract").multi30k()
    few = Bitext(bitext.source[:most], bitext.target[:most])
    return few, WordAlignments.from_links(links[at] for at in range(len(few)))
