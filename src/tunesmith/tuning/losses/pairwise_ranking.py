"""Pairwise ranking (PRO)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import above, at_least, finite, given, one_of, within
from tunesmith.metrics.base import Metric
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.losses.base import Loss, NothingToLearnError, losses
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.losses.pair_columns import NarrowPairs
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import Listed
from tunesmith.tuning.pools.gains import corpus_gains, lengths_of, sentence_gains
from tunesmith.tuning.sums.lists import RankedTerms
from tunesmith.tuning.sums.objective import Distributed


@losses.register("pairwise_ranking")
@dataclass(frozen=True)
class PairwiseRanking(Loss[Listed, "WeighedPairs"]):
    """Hopkins and May (2011): pairs of candidates sampled as in their Figure 4, then classified.

    The objective is the mean loss of a pair. Both signs of a pair have the same loss (there is no bias), so each
    is counted once.

    pairs: pairs drawn per sentence (Γ).   keep: pairs kept per sentence (Ξ).
    min_gain: pairs closer in gain than this are dropped (the step in α).
    accept: which of the drawn pairs are kept: `largest` gain first as published, or at `random`.
        Largest first prefers pairs with "monsters" (Nakov et al. 2013), very long and very bad candidates.
    max_gain, max_length_difference: pairs farther apart than this, in gain or in words, are dropped.
    outliers: candidates more than this many standard deviations from the mean of their list, in gain or in
        length, take no part. These three are the filters of Nakov et al.; None, the default, is no filter: what
        is filtered is never ranked, so a model that prefers monsters does not learn it (monsters.md).
    brevity: words by which references count as longer in sentence BLEU, against short output (Nakov et al. 2012).
    gain: what pairs are compared by: the metric of the `sentence`, or what a candidate adds to the metric of the
        `corpus`, to which long sentences add more (`brevity` is not for that). Each pair then counts by its gain.
    classifier: `logistic` (maximum entropy) or `hinge`, its corner rounded over `smoothing` so that it has a
    gradient.
    """

    pool: ClassVar[type] = Listed

    pairs: int = 5000
    keep: int = 50
    min_gain: float = 0.05
    accept: Literal["random", "largest"] = "random"
    max_gain: float | None = None
    max_length_difference: float | None = None
    outliers: float | None = None
    brevity: float = 0.5
    gain: Literal["sentence", "corpus"] = "sentence"
    classifier: Literal["logistic", "hinge"] = "logistic"
    smoothing: float = 0.1

    def __post_init__(self) -> None:
        within(1, 2**32 - 1, pairs=self.pairs, keep=self.keep)
        at_least(0, min_gain=self.min_gain, brevity=self.brevity, smoothing=self.smoothing)
        finite(min_gain=self.min_gain, brevity=self.brevity, smoothing=self.smoothing)
        above(
            0,
            **given(
                max_gain=self.max_gain,
                max_length_difference=self.max_length_difference,
                outliers=self.outliers,
            ),
        )
        one_of(("random", "largest"), accept=self.accept)
        one_of(("sentence", "corpus"), gain=self.gain)
        one_of(("logistic", "hinge"), classifier=self.classifier)

    @classmethod
    def plain(cls) -> PairwiseRanking:
        """Return the published algorithm: largest gains first, no guards, plain BLEU+1."""
        return cls(accept="largest", brevity=0.0)

    @property
    def objective(self) -> type[WeighedPairs]:
        """Protocol of the objective; pairs have one weight each if gains are sentence gains."""
        return RankedPairs if self.gain == "sentence" else WeighedPairs

    def prepare(self, pool: Listed, metric: Metric, seed: int) -> WeighedPairs:
        """Sample this round's pairs; the objective then depends on the weights alone."""
        candidates = pool.candidates
        of_corpus = self.gain == "corpus"
        gains = corpus_gains(candidates, metric) if of_corpus else sentence_gains(candidates, metric, self.brevity)
        better, worse = _core.sample_pairs(
            candidates.offsets,
            gains,
            lengths_of(candidates, metric),
            self.pairs,
            self.keep,
            self.min_gain,
            self.accept == "largest",
            _or_infinity(self.max_gain),
            _or_infinity(self.max_length_difference),
            _or_infinity(self.outliers),
            seed,
        )
        if len(better) == 0:
            raise NothingToLearnError(
                f"no two candidates of a sentence differ by more than {self.min_gain} in {self.gain} "
                f"{metric.label}: there is nothing to rank. Give longer lists, or lower min_gain."
            )
        weights = gains[better] - gains[worse] if of_corpus else None
        return self.objective(candidates, better, worse, self.classifier, self.smoothing, weights)


MANY_FEATURES = 20_000
"""From this number on, fits store the differences of pairs; with fewer it costs more than it saves."""


class WeighedPairs(Distributed):
    """Pairs (better, worse) of candidates and the mean loss of ranking them.

    weights: how much each pair counts, above 0; all the same without them.
    """

    _whole: tuple[WeighedPairs, NDArray[np.bool_]] | None = None  # what this is a part of, and which pairs of it

    def __init__(
        self,
        candidates: CandidateSet,
        better: NDArray[np.int64],
        worse: NDArray[np.int64],
        classifier: str = "logistic",
        smoothing: float = 0.1,
        weights: Floats | None = None,
    ) -> None:
        self.candidates, self.better, self.worse, self.weights = candidates, better, worse, weights
        self._settings = (classifier, smoothing)
        kind = getattr(_core.PairLossKind, classifier)
        counts = np.empty(0) if weights is None else weights
        self._native = _core.PairLoss(candidates.native, better, worse, counts, kind, smoothing)
        self.columns = candidates.columns
        self._narrow: NarrowPairs | None = None

    def __len__(self) -> int:
        return len(self.better)

    @property
    def share(self) -> float:
        return self._native.share

    def terms(self) -> RankedTerms:
        classifier, smoothing = self._settings
        described = (self.candidates, self.better, self.worse, self.weights,
                     {"classifier": classifier, "smoothing": smoothing})  # fmt: skip
        lists = self.candidates
        return RankedTerms(self._native, lists.native, lists.sentences, self.columns, described)

    def value_and_slopes(self, scores: Floats) -> tuple[float, Floats]:
        """Return the sum over pairs, each as often as it counts."""
        value, slopes = self._native.value_and_slopes(scores)
        return value, slopes

    def of_sentences(self, chosen: NDArray[np.bool_]) -> WeighedPairs:
        kept = chosen[self.candidates.sentence_of[self.better]]
        weights = None if self.weights is None else self.weights[kept]
        found = type(self)(self.candidates, self.better[kept], self.worse[kept], *self._settings, weights)
        if self._whole is None:
            found._whole = (self, kept)
        return found

    def narrowed(self, *, threads: int = 1) -> NarrowPairs | None:
        """Return the loss over the features that differ in a pair, with stored differences."""
        if self.columns < MANY_FEATURES:
            return None
        whole, kept = self._whole or (self, np.ones(len(self), dtype=bool))
        weights = np.ones(len(whole)) if whole.weights is None else whole.weights
        narrow = whole._stored(threads).weighed(np.where(kept, weights, 0.0))
        narrow.add = self.add
        return narrow

    def _stored(self, threads: int) -> NarrowPairs:
        """Differences of all pairs, made once."""
        if self._narrow is None:
            self._narrow = NarrowPairs.of(self.candidates, self.better, self.worse, self._settings, threads)
        return self._narrow

    def mean_squares(self, *, threads: int = 1) -> Floats:
        """Return the mean square of the difference of a pair, by column.

        Four times the largest curvature of `logistic`; for any classifier it shows the scale of a feature.
        """
        squares: Floats = self._native.mean_squares(self.columns, threads)
        return squares

    def still_columns(self) -> NDArray[np.int64]:
        return self.candidates.zero_columns(np.union1d(self.better, self.worse))


class RankedPairs(WeighedPairs):
    """Pairs that count alike."""

    def pairs(self, penalised_columns: NDArray[np.int64], *, threads: int = 1) -> Differences:
        return Differences.from_pairs(self.candidates, self.better, self.worse, penalised_columns, threads=threads)


def _or_infinity(value: float | None) -> float:
    return math.inf if value is None else value
