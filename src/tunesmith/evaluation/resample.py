"""Random choices of sentences, and sums of statistics over them.

Choices depend only on the number of sentences and the seed. So all systems and metrics see the same choices, as
paired tests require, and nothing is stored: choices are drawn again for each system, block by block, and memory
does not grow with their number.

Sums are made by `einsum`, which adds in a fixed order, and not by a matrix product, whose order of additions
(hence the last bits, for statistics that are not whole numbers) may depend on the number of BLAS threads.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from tunesmith.metrics.base import Floats

_BLOCK = 1 << 20  # cells of a block of choices; results do not depend on it
_BOOTSTRAP, _RANDOMIZATION = 0, 1  # random streams of one seed


def bootstrap_sums(rows: Floats, samples: int, seed: int) -> Floats:
    """Compute statistics (samples × width) of corpora of equal size, drawn with replacement."""
    return _weighted_sums(rows, _bootstrap_counts(len(rows), samples, seed), samples)


def swap_sums(rows: Floats, trials: int, seed: int) -> Floats:
    """Compute statistics (trials × width) summed over the sentences that a fair coin chooses."""
    return _weighted_sums(rows, _coins(len(rows), trials, seed), trials)


def _weighted_sums(rows: Floats, blocks: Iterator[NDArray[np.generic]], size: int) -> Floats:
    columns = np.ascontiguousarray(np.asarray(rows, dtype=np.float64).T)
    sums = np.empty((size, len(columns)))
    at = 0
    for block in blocks:
        weights = block.astype(np.float64)
        np.einsum("sn,wn->sw", weights, columns, out=sums[at : at + len(block)])
        at += len(block)
    return sums


def _bootstrap_counts(n: int, samples: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield blocks of rows of counts of each sentence's draws."""
    generator = np.random.default_rng([_BOOTSTRAP, seed])
    for size in _block_sizes(n, samples):
        drawn = generator.integers(n, size=(size, n))
        drawn += n * np.arange(size)[:, np.newaxis]
        yield np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n)


def _coins(n: int, trials: int, seed: int) -> Iterator[NDArray[np.uint8]]:
    """Yield blocks of rows of 0 and 1, each with probability 1/2."""
    generator = np.random.default_rng([_RANDOMIZATION, seed])
    length = -(-n // 8)
    for size in _block_sizes(n, trials):
        octets = np.frombuffer(generator.bytes(size * length), dtype=np.uint8)
        yield np.unpackbits(octets.reshape(size, length), axis=1, count=n)


def _block_sizes(n: int, total: int) -> Iterator[int]:
    step = max(1, _BLOCK // n)
    for at in range(0, total, step):
        yield min(step, total - at)
