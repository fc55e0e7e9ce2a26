"""Protocols of pools: all translations of the sentences of a data set that a run has seen, as lists or graphs.

Losses, steps, checkpoints and safeguards work on pools. A protocol below states what a loss needs of a pool, and
is compared with the pool of the source before any work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Metric, Prepared
from tunesmith.metrics.base import SentenceBleu
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.objectives import Expectation, Updates
from tunesmith.tuning.projection import Projection

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
References = Sequence[Sequence[str]]
HOPES = {
    "model+gain": _core.Hope.model_and_gain,
    "gain": _core.Hope.gain,
    "exact": _core.Hope.model_and_gain,  # for search graphs, by comparing all derivations; lists always do
}
FEARS = {"model-gain": _core.Fear.model_without_gain, "model": _core.Fear.model}


@dataclass(frozen=True, eq=False)
class Best:
    """The best translation under weights of each non-empty sentence.

    sentences: their numbers.
    statistics: a row for each. words: their lengths, None if unknown. texts: reads them, None if there are none.
    """

    sentences: Integers
    statistics: NDArray[Any]
    words: Integers | None = None
    texts: Callable[[], list[str]] | None = None

    @property
    def totals(self) -> Floats:
        """Sum of the statistics."""
        found: Floats = self.statistics.sum(axis=0, dtype=np.float64)
        return found

    def score(self, metric: Metric) -> float:
        """Return the metric of the summed statistics."""
        return float(metric.score(self.totals))

    def error(self, metric: Metric) -> float:
        """Return the score with the sign that makes smaller values better."""
        return -self.score(metric) if metric.higher_is_better else self.score(metric)

    def length_ratio(self, metric: Metric, references: References | None) -> float | None:
        """Return the length ratio of translations and references, by the metric, or else by mean lengths.

        None if unknown.
        """
        known = metric.details(self.totals).get("length_ratio")
        if known is not None or self.words is None or references is None:
            return known
        of = [references[at] for at in self.sentences.tolist()]
        lengths = [[len(text.split()) for text in each if text.strip()] for each in of]
        expected = sum(sum(each) / len(each) for each in lengths if each)
        return float(self.words.sum() / expected) if expected else None


@runtime_checkable
class Pool(Protocol):
    """Operations of every pool.

    A pool is immutable: methods that modify return a new pool. There may be more weights than columns: features
    added later by other data.
    """

    @property
    def features(self) -> FeatureIndex:
        """Names of the features; there may be more names than columns."""

    @property
    def columns(self) -> int:
        """Number of features that its translations may have."""

    @property
    def sentences(self) -> int:
        """Number of sentences, sentences without translations included."""

    def __len__(self) -> int:
        """Return the number of translations."""

    def best(self, weights: Floats, *, threads: int = 1) -> Best:
        """Return the best translations under these weights; ties by position."""

    def measured(self, metric: Prepared | None, *, source: str, first: int, threads: int = 1) -> Pool:
        """Return the pool with statistics; ConfigError if it has none and there is no metric.

        source: name of its data, for messages.
        first: number of the metric's sentence for the first sentence of the pool.
        """

    def spread(self, places: Sequence[int], sentences: int) -> Pool:
        """Return the translations as those of sentences at `places` among more sentences; the others have none."""

    @staticmethod
    def joined(parts: Iterable[Any]) -> Pool:
        """Join pools of this class, of consecutive sentences."""

    @staticmethod
    def write(parts: Iterable[Any], folder: Path) -> None:
        """Write pools of consecutive sentences to a folder, part by part."""

    def merged(self, newer: Any, folder: Path | None = None, *, threads: int = 1) -> Pool:
        """Merge with a newer pool of these sentences (or None), without duplicates."""

    def new_since(self, earlier: Any) -> int:
        """Count its translations that are not in an earlier pool (or None), which was merged into it."""

    def save(self, folder: Path) -> None:
        """Write it to a folder, all or nothing."""

    def release(self) -> None:
        """Release memory of mapped files."""

    def check(self, metric: Metric) -> dict[str, str]:
        """Refuse unusable translations (FormatError); returns notes for the user, by kind."""

    def check_choice(self, metric: Metric) -> dict[str, str]:
        """Refuse a pool in which weights have no effect; returns notes by kind."""


@runtime_checkable
class Keeping(Pool, Protocol):
    """A pool whose translations are replaced by newer ones, except those that an optimizer visited."""

    def keeping(self, visits: Floats) -> Pool:
        """Return a pool that keeps these translations when newer ones are merged.

        visits: `Visiting.visited` of an objective.
        """


@runtime_checkable
class Divisible(Pool, Protocol):
    """A pool that can be restricted to some sentences."""

    def only(self, sentences: Sequence[int]) -> Pool:
        """Return the pool restricted to these sentences, ascending; the others become empty."""


@runtime_checkable
class Projectable(Pool, Protocol):
    """A pool whose features can be projected to groups."""

    def project(self, groups: Projection) -> Pool:
        """Return the pool with groups in place of features."""

    def zero_columns(self) -> Integers:
        """Return features that no translation has."""

    def support(self, groups: Projection | None = None, *, threads: int = 1) -> Integers:
        """Count for every feature, or group, the sentences where a translation has it."""


@runtime_checkable
class Envelopes(Pool, Protocol):
    """A pool that follows its best translations along a line (Och 2003)."""

    def envelope(self, weights: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        """Return steps along `direction` at which the best translations change, and the statistics between them.

        Steps are ascending; statistics are sums over all sentences, one row more than steps.
        """


@dataclass(frozen=True)
class PseudoCorpus:
    """Decayed statistics of earlier sentences, to which the BLEU of a sentence is added (Chiang et al. 2008).

    decay: factor after each sentence.
    start: every count of the empty pseudo-corpus. by_length: multiply BLEU inside it by the reference length.
    """

    decay: float
    start: float
    by_length: bool


@runtime_checkable
class HopesAndFears(Pool, Protocol):
    """A pool that finds hope and fear translations (Chiang et al. 2008)."""

    def updates(self, metric: Metric, hope: str, fear: str, corpus: PseudoCorpus, gain_scale: float) -> Updates:
        """Return updates with this hope and fear (of HOPES and FEARS).

        corpus: for metrics like BLEU. gain_scale: factor of gains of other metrics.
        """


@runtime_checkable
class Sums(Pool, Protocol):
    """A pool that computes expectations over its translations."""

    def expectation(
        self,
        metric: Metric,
        *,
        scale: float,
        entropy: float,
        brevity: float,
        sentence_bleu: SentenceBleu,
        by_length: bool = False,
    ) -> Expectation:
        """Return the expected gain, with probabilities in proportion to exp(scale · score).

        entropy: weight of the entropy of a sentence. brevity, sentence_bleu: as in `Metric.sentence_gains`.
        by_length: gains times the reference length.
        """


@runtime_checkable
class Listed(Projectable, Protocol):
    """A pool of n-best lists."""

    @property
    def candidates(self) -> CandidateSet:
        """All candidates."""


@runtime_checkable
class ListEnvelopes(Listed, Envelopes, Protocol):
    """Lists that can be searched along many lines at once."""

    @property
    def distinct(self) -> _core.DistinctStatistics:
        """Statistics of the candidates, equal rows of a sentence once."""
