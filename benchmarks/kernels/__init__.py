"""Kernels of the benchmarks, for `before_after.py`."""

from kernels import corpora, lists, models, tuners
from kernels.common import KERNELS, PREPARE, Measured, bench

__all__ = ["KERNELS", "PREPARE", "Measured", "bench", "corpora", "lists", "models", "tuners"]
