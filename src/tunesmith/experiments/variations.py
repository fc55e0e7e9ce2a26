"""Repetitions of one tuning: on sub-samples of the tuning set, or with other seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.tuning.sources.sub_samples import sub_sample

FULL = "full"


@dataclass(frozen=True)
class Variation:
    """How one repetition differs from the others.

    name: of its folder: `full`, `sample-3`, `seed-2`.   sample: number of the sub-sample, None for the whole set.
    """

    name: str
    seed: int
    sample: int | None = None

    def of(self, source: Any) -> Any:
        """What it sees of a source: all, or the sentences of its sub-sample."""
        return source if self.sample is None else source.subset(sub_sample(source.sentences, self.sample))


def sub_sampled(count: int, seed: int) -> tuple[Variation, ...]:
    """The whole set and so many fixed sub-samples (Cherry and Foster 2012, section 4.3)."""
    if count < 0:
        raise ConfigError(f"{count} sub-samples: a number of at least 0 was expected")
    return (Variation(FULL, seed), *(Variation(f"sample-{at}", seed, at) for at in range(1, count + 1)))


def seeded(count: int, first: int) -> tuple[Variation, ...]:
    """So many seeds, from the first one on (Clark et al. 2011)."""
    if count < 1:
        raise ConfigError(f"{count} seeds: a number of at least 1 was expected")
    return tuple(Variation(f"seed-{seed}", seed) for seed in range(first, first + count))
