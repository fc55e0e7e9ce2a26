"""What a pool is: the translations known so far of the sentences of a data set, whatever holds them.

Losses, steps, checkpoints and safeguards speak of pools. What a loss needs of one is said by a protocol below, and
compared with the pool of the source before any work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Metric, Prepared
from tunesmith.search.candidates import CandidateSet

if TYPE_CHECKING:
    from tunesmith.tuning.losses.expected_gain import ExpectedGain
    from tunesmith.tuning.losses.hope_fear import HopeFear
    from tunesmith.tuning.projection import Projection

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
References = Sequence[Sequence[str]]


@dataclass(frozen=True, eq=False)
class Best:
    """The translation that weights prefer, of each sentence that has any.

    sentences: which these are.   statistics: a row for each.
    words: how many each has, None where the pool does not know.   texts: reads them, None where there are none.
    """

    sentences: Integers
    statistics: NDArray[Any]
    words: Integers | None = None
    texts: Callable[[], list[str]] | None = None

    @property
    def totals(self) -> Floats:
        """The statistics of all of them together."""
        found: Floats = self.statistics.sum(axis=0, dtype=np.float64)
        return found

    def score(self, metric: Metric) -> float:
        """The metric of all of them together."""
        return float(metric.score(self.totals))

    def length_ratio(self, metric: Metric, references: References | None) -> float | None:
        """Words over words of the references, by the metric, or else by their mean length; None if not known."""
        known = metric.details(self.totals).get("length_ratio")
        if known is not None or self.words is None or references is None:
            return known
        of = [references[at] for at in self.sentences.tolist()]
        lengths = [[len(text.split()) for text in each if text.strip()] for each in of]
        expected = sum(sum(each) / len(each) for each in lengths if each)
        return float(self.words.sum() / expected) if expected else None


@runtime_checkable
class Pool(Protocol):
    """What every pool offers. A pool does not change: what looks like a change gives a new one.

    Weights may be more than there are columns: features that other data has made known since.
    """

    @property
    def features(self) -> FeatureIndex:
        """Names of the features; there may be more of them than columns."""

    @property
    def columns(self) -> int:
        """The number of features that its translations may have."""

    @property
    def sentences(self) -> int:
        """The number of sentences, those without a translation included."""

    def __len__(self) -> int:
        """How many translations it holds."""

    def best(self, weights: Floats, *, threads: int = 1) -> Best:
        """What these weights prefer; of several the first."""

    def measured(self, metric: Prepared | None, *, first: int, threads: int = 1) -> Pool:
        """The pool with statistics; ConfigError where it has none and there is no metric to give them.

        first: which of the metric's sentences the first one here is.
        """

    def spread(self, places: Sequence[int], sentences: int) -> Pool:
        """The same translations as those of some among more sentences."""

    @staticmethod
    def joined(parts: Iterable[Any]) -> Pool:
        """Pools of this class, of consecutive sentences, as one."""

    @staticmethod
    def write(parts: Iterable[Any], folder: Path) -> None:
        """Write the same to a folder, part by part."""

    def merged(self, newer: Any, folder: Path | None = None, *, threads: int = 1) -> Pool:
        """Its translations and those of a newer pool of the same sentences (or None), each once."""

    def save(self, folder: Path) -> None:
        """Write it to a folder, all or nothing."""

    def release(self) -> None:
        """Give back the memory of what lies in files."""

    def check(self, metric: Metric) -> dict[str, str]:
        """Refuse translations that cannot be used (FormatError); notes by kind on what a user should know."""

    def check_choice(self, metric: Metric) -> dict[str, str]:
        """Refuse a pool in which weights change nothing; notes by kind."""


@runtime_checkable
class Projectable(Pool, Protocol):
    """A pool that can be seen by groups of features."""

    def project(self, groups: Projection) -> Pool:
        """The pool with groups for features."""

    def zero_columns(self) -> Integers:
        """Features that no translation has."""

    def support(self, groups: Projection | None = None, *, threads: int = 1) -> Integers:
        """For every feature, or group, the number of sentences where a translation has it."""


@runtime_checkable
class Envelopes(Pool, Protocol):
    """A pool that follows its best translations along a line (Och 2003)."""

    def envelope(self, weights: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        """Steps along `direction` at which the best translations change, ascending; their statistics in between.

        One row more than steps: the sums over all sentences.
        """


class Updates(Protocol):
    """Hope and fear updates of a pool, sentence by sentence.

    background: the statistics of the pseudo-corpus, changed by every update; empty where gains do not need it.
    """

    def background(self) -> Floats:
        """Of the empty pseudo-corpus."""

    def run_pass(
        self,
        weights: Floats,
        drift: Floats,
        background: Floats,
        steps: int,
        order: NDArray[np.uint32],
        step_cap: float,
        lower: Floats,
        upper: Floats,
    ) -> tuple[int, int, float]:
        """One pass over the sentences of `order`, which changes the first three arrays.

        Gives the steps made so far, the number of updates, and the sum of the losses met. lower and upper: bounds
        of the weights, or empty.
        """


@runtime_checkable
class HopesAndFears(Pool, Protocol):
    """A pool that finds hope and fear translations (Chiang et al. 2008)."""

    def updates(self, metric: Metric, settings: HopeFear) -> Updates:
        """Return what runs the updates of these settings."""


class Expectation(Protocol):
    """The expected gain of a translation drawn from the model: an objective."""

    @property
    def columns(self) -> int:
        """Number of the weights."""

    @property
    def sentences(self) -> int:
        """The number of sentences an order is made of."""

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """-E[gain] - entropy · H(p), mean over sentences."""

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """The same, and its gradient."""

    def descend(self, w: Floats, order: NDArray[np.uint32], rate: float, l2: float, steps: int) -> int:
        """Gradient steps on single sentences, which change `w`; the steps made so far."""


@runtime_checkable
class Sums(Pool, Protocol):
    """A pool that sums over its translations, each with its probability."""

    def expectation(self, metric: Metric, settings: ExpectedGain) -> Expectation:
        """Return the expectation of these settings."""


@runtime_checkable
class Listed(Projectable, Protocol):
    """A pool whose translations can be taken one by one."""

    @property
    def candidates(self) -> CandidateSet:
        """All of them."""


@runtime_checkable
class ListEnvelopes(Listed, Envelopes, Protocol):
    """Lists that are searched along many lines at once."""

    @property
    def distinct(self) -> _core.DistinctStatistics:
        """Statistics of the candidates, equal rows of a sentence once."""
