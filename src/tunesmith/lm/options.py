"""Settings of the estimation."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from numbers import Integral

from tunesmith.checks import at_least, given, one_of, within
from tunesmith.errors import ConfigError

MAX_ORDER = 9
LEAST_MEMORY = 100 * 2**20
SPECIAL_WORDS = ("error", "skip", "unknown")
_MOST = 2**63  # what the core can hold
_UNITS = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40}


@dataclass(frozen=True)
class LmOptions:
    """How a model is estimated.

    order: length of the longest n-grams, 1 to 9.
    prune: n-grams that occur at most this often are left out, one threshold for each order from 1 on; the last one
        is for all higher orders. They must not fall, and the first must be 0 (`vocab_limit` limits words).
    vocab_limit: the most frequent words that are kept; all others become `<unk>`. None keeps all.
    fallback: discounts for the counts 1, 2 and 3+ of an order whose own cannot be estimated; None: an error then.
    special: what `<s>`, `</s>` or `<unk>` as a word of the text is: an "error", to "skip", or an "unknown" word.
    memory: bytes that the process may use; beyond it data goes to disk. Below `LEAST_MEMORY` it cannot be kept:
        interpreter, batches and tables of words need about as much.
    temporary: folder for that data; None is the system's.
    """

    order: int = 5
    prune: tuple[int, ...] = (0,)
    vocab_limit: int | None = None
    fallback: tuple[float, float, float] | None = (0.5, 1.0, 1.5)
    special: str = "error"
    memory: int = 4 * 2**30
    temporary: str | None = None

    def __post_init__(self) -> None:
        numbers = {"order": self.order, "vocab_limit": self.vocab_limit or 0, "memory": self.memory}
        for name, value in [*numbers.items(), *(("a pruning threshold", each) for each in self.prune)]:
            if not isinstance(value, Integral):
                raise ConfigError(f"{name} must be a whole number, got {value!r}")
            if value >= _MOST:
                raise ConfigError(f"{name} must be below 2**63, got {value}")
        within(1, MAX_ORDER, order=self.order)
        if not self.prune or len(self.prune) > self.order:
            raise ConfigError(
                f"prune needs 1 to {self.order} thresholds, one for each order, got {len(self.prune)}"
            )
        if self.prune[0] != 0:
            raise ConfigError(
                f"the first pruning threshold must be 0, got {self.prune[0]}: words are not pruned. "
                "To drop rare words use vocab_limit"
            )
        if list(self.prune) != sorted(self.prune):
            raise ConfigError(
                f"pruning thresholds must not fall, but are {' '.join(map(str, self.prune))}: "
                "an n-gram cannot be kept without its parts"
            )
        at_least(0, **given(vocab_limit=self.vocab_limit))
        if self.fallback is not None and not (
            len(self.fallback) == 3
            and all(math.isfinite(d) and 0 < d <= i for i, d in enumerate(self.fallback, 1))
        ):
            raise ConfigError(
                "fallback must be three discounts in (0, 1], (0, 2] and (0, 3], "
                f"got {', '.join(map(str, self.fallback))}"
            )
        one_of(SPECIAL_WORDS, special=self.special)
        at_least(1, memory=self.memory)

    def thresholds(self) -> list[int]:
        return [*self.prune, *[self.prune[-1]] * (self.order - len(self.prune))]


def parse_size(text: str) -> int:
    """Return bytes from `4G`, `500M`, `64K` or a plain number; units are powers of 1024."""
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    size = 0.0 if found is None else float(found[1]) * _UNITS[found[2].upper()]
    if not 1 <= size < _MOST:
        raise ConfigError(f"{text!r} is not a size; write it as 500M or 4G")
    return int(size)
