"""Repetitions of one tuning: on sub-samples of the tuning set, or with other seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tunesmith.checks import at_least
from tunesmith.tuning.sources.sub_samples import sub_sample

FULL = "full"


@dataclass(frozen=True)
class Variation:
    """Difference of one repetition from the others.

    name: of its folder: `full`, `sample-3`, `seed-2`.   sample: number of the sub-sample, None for the whole set.
    """

    name: str
    seed: int
    sample: int | None = None

    def of(self, source: Any) -> Any:
        """Restrict a source to the sentences of its sub-sample."""
        return source if self.sample is None else source.subset(self.sentences(source.sentences))

    def sentences(self, size: int) -> tuple[int, ...]:
        """Return the sentences it uses."""
        return tuple(range(size) if self.sample is None else sub_sample(size, self.sample).tolist())


def sub_sampled(count: int, seed: int) -> tuple[Variation, ...]:
    """Return the whole set and fixed sub-samples (Cherry and Foster 2012, section 4.3)."""
    at_least(0, stability=count)
    return (Variation(FULL, seed), *(Variation(f"sample-{at}", seed, at) for at in range(1, count + 1)))


def seeded(count: int, first: int) -> tuple[Variation, ...]:
    """Return variations by seed, from the first one on (Clark et al. 2011)."""
    at_least(1, seeds=count)
    return tuple(Variation(f"seed-{seed}", seed) for seed in range(first, first + count))
