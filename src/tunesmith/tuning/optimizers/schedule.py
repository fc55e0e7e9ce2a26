"""How long an online learner goes over the pairs, with which steps, and which weights are its result."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.optimizers.base import Progress, quiet

Iterate = Literal["last", "average", "last_pass"]


@dataclass(frozen=True)
class Schedule:
    """Passes over the pairs with steps rate / (delay + t), and which weights are returned.

    iterate: `last` weights, their `average` over all steps, or over those of the `last_pass`.
    learn_dense: whether weights without penalty take part, or keep their start.
    shuffle: every pass in an order of its own that depends on (seed, pass), or as the pairs stand.
    progress: called after each pass.
    """

    passes: int = 20
    rate: float = 1.0
    delay: float = 0.0
    iterate: Iterate = "last"
    learn_dense: bool = True
    shuffle: bool = True
    seed: int = 1
    progress: Progress = field(default=quiet, compare=False)

    def __post_init__(self) -> None:
        if self.passes < 1:
            raise ConfigError(f"passes = {self.passes}: at least 1 was expected")
        if not 0 < self.rate < math.inf:
            raise ConfigError(f"rate = {self.rate}: a number above 0 was expected")
        if not 0 <= self.delay < math.inf:
            raise ConfigError(f"delay = {self.delay}: a number of steps of at least 0 was expected")
        if self.iterate not in get_args(Iterate):
            raise ConfigError(f"iterate = {self.iterate!r}: {' or '.join(get_args(Iterate))} was expected")
        if not 0 <= self.seed < 2**64:
            raise ConfigError(f"seed = {self.seed}: a number of at least 0 was expected")

    def orders(self, pairs: int) -> Iterator[NDArray[np.uint32]]:
        """The order of the pairs in each pass."""
        for number in range(self.passes):
            if self.shuffle:
                yield _core.shuffled(pairs, self.seed, number)
            else:
                yield np.arange(pairs, dtype=np.uint32)

    @property
    def first_averaged(self) -> int | None:
        """The pass from which on weights are averaged; None for the last weights."""
        return {"last": None, "average": 0, "last_pass": self.passes - 1}[self.iterate]
