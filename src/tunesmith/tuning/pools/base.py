"""What a pool is: the translations known so far of the sentences of a data set, whatever holds them.

Losses, steps, checkpoints and safeguards speak of pools. What a loss needs of one is said by a protocol below, and
compared with the pool of the source before any work.
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
    "exact": _core.Hope.model_and_gain,  # of search graphs by comparing all derivations; lists always do
}
FEARS = {"model-gain": _core.Fear.model_without_gain, "model": _core.Fear.model}


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

    def error(self, metric: Metric) -> float:
        """The score with the sign that makes smaller values better."""
        return -self.score(metric) if metric.higher_is_better else self.score(metric)

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

    def measured(self, metric: Prepared | None, *, source: str, first: int, threads: int = 1) -> Pool:
        """The pool with statistics; ConfigError where it has none and there is no metric to give them.

        source: the name of its data, for messages.   first: which of the metric's sentences the first one here is.
        """

    def spread(self, places: Sequence[int], sentences: int) -> Pool:
        """Return the translations as those of sentences at `places` among more sentences; the others have none."""

    @staticmethod
    def joined(parts: Iterable[Any]) -> Pool:
        """Pools of this class, of consecutive sentences, as one."""

    @staticmethod
    def write(parts: Iterable[Any], folder: Path) -> None:
        """Write the same to a folder, part by part."""

    def merged(self, newer: Any, folder: Path | None = None, *, threads: int = 1) -> Pool:
        """Its translations and those of a newer pool of the same sentences (or None), each once."""

    def new_since(self, earlier: Any) -> int:
        """How many of its translations an earlier pool (or None) that is merged in it does not have."""

    def save(self, folder: Path) -> None:
        """Write it to a folder, all or nothing."""

    def release(self) -> None:
        """Give back the memory of what lies in files."""

    def check(self, metric: Metric) -> dict[str, str]:
        """Refuse translations that cannot be used (FormatError); notes by kind on what a user should know."""

    def check_choice(self, metric: Metric) -> dict[str, str]:
        """Refuse a pool in which weights change nothing; notes by kind."""


@runtime_checkable
class Keeping(Pool, Protocol):
    """A pool whose translations are replaced by newer ones, but for those that an optimizer met."""

    def keeping(self, visits: Floats) -> Pool:
        """Return the pool that keeps these, `Visiting.visited` of an objective, when newer ones are merged."""


@runtime_checkable
class Divisible(Pool, Protocol):
    """A pool that can be restricted to some sentences."""

    def only(self, sentences: Sequence[int]) -> Pool:
        """The pool with translations of these sentences alone, whose numbers rise; the others have none."""


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


@dataclass(frozen=True)
class PseudoCorpus:
    """Decayed statistics of earlier sentences, to which the BLEU of a sentence is added (Chiang et al. 2008).

    decay: what is left of it after each sentence.   start: every count of the empty one.
    by_length: BLEU inside of it is multiplied by the reference length.
    """

    decay: float
    start: float
    by_length: bool


@runtime_checkable
class HopesAndFears(Pool, Protocol):
    """A pool that finds hope and fear translations (Chiang et al. 2008)."""

    def updates(self, metric: Metric, hope: str, fear: str, corpus: PseudoCorpus, gain_scale: float) -> Updates:
        """Return what makes passes of updates with this hope and fear (of HOPES and FEARS).

        corpus: for metrics that are like BLEU.   gain_scale: what gains of other metrics are multiplied by.
        """


@runtime_checkable
class Sums(Pool, Protocol):
    """A pool that sums over its translations, each with its probability."""

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

        entropy: how much the entropy of a sentence is worth.
        brevity, sentence_bleu: as in `Metric.sentence_gains`.   by_length: gains times the reference length.
        """


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
