"""Pools of n-best lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Metric, Prepared
from tunesmith.search.candidate_writer import CandidateWriter
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.merging import concatenate, merge, spread
from tunesmith.search.support import sentence_support
from tunesmith.tuning.growth import resized
from tunesmith.tuning.losses.base import kernel_statistics, statistics_of
from tunesmith.tuning.losses.expected_gain import ExpectedGain, ExpectedGainOfLists
from tunesmith.tuning.losses.gains import sentence_gains
from tunesmith.tuning.losses.hope_fear import FEARS, HOPES, HopeFear
from tunesmith.tuning.pools.base import Best, Expectation, Floats, Integers, Updates
from tunesmith.tuning.pools.list_checks import check_choice, check_values
from tunesmith.tuning.projection import Projection


class ListPool:
    """The candidates of all sentences, one by one."""

    def __init__(self, candidates: CandidateSet) -> None:
        self._candidates = candidates

    @property
    def candidates(self) -> CandidateSet:
        """All of them."""
        return self._candidates

    @property
    def features(self) -> FeatureIndex:
        """Names of the features."""
        return self.candidates.features

    @property
    def columns(self) -> int:
        """The number of features."""
        return self.candidates.columns

    @property
    def sentences(self) -> int:
        """The number of lists, empty ones included."""
        return self.candidates.sentences

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        return f"ListPool of {len(self)} candidates for {self.sentences} sentences, {self.columns} features"

    def best(self, weights: Floats, *, threads: int = 1) -> Best:
        """The candidate of highest score of each list, the first of several."""
        lists = self.candidates
        if lists.statistics is None:
            raise ConfigError("these candidates have no statistics of a metric: use with_statistics(…)")
        chosen = _core.best_candidates(lists.native, resized(weights, self.columns), threads)
        sentences = np.flatnonzero(chosen >= 0)
        at = chosen[sentences]
        if (words := lists.words) is None:
            return Best(sentences, lists.statistics[at])
        lengths = words.offsets[at + 1] - words.offsets[at]
        return Best(sentences, lists.statistics[at], lengths, lambda: [words.text(each) for each in at.tolist()])

    def measured(self, metric: Prepared | None, *, first: int, threads: int = 1) -> ListPool:
        """With statistics of the metric, unless they came with the lists."""
        if self.candidates.statistics is not None:
            return self
        if metric is None:
            raise ConfigError("the candidates carry no statistics and there are no references")
        return ListPool(self.candidates.with_statistics(metric, first=first, threads=threads))

    def spread(self, places: Sequence[int], sentences: int) -> ListPool:
        """The lists as those of some among more sentences; the others have none."""
        return ListPool(spread(self.candidates, places, sentences))

    @staticmethod
    def joined(parts: Iterable[ListPool]) -> ListPool:
        """Lists of consecutive sentences as one set."""
        sets = [part.candidates for part in parts]
        return ListPool(sets[0] if len(sets) == 1 else concatenate(sets))

    @staticmethod
    def write(parts: Iterable[ListPool], folder: Path) -> None:
        """Write lists of consecutive sentences to a folder as one set; they are never all in memory."""
        with CandidateWriter(folder) as writer:
            for part in parts:
                writer.append(part.candidates)

    def merged(self, newer: ListPool | None, folder: Path | None = None, *, threads: int = 1) -> ListPool:
        """All different candidates, the earlier ones first."""
        sets = [self.candidates] if newer is None else [self.candidates, newer.candidates]
        return ListPool(merge(sets, folder=folder, threads=threads))

    def save(self, folder: Path) -> None:
        """Write the lists to a folder."""
        self.candidates.save(folder)

    def release(self) -> None:
        """Give back the memory of lists that lie in files, and what was computed from them."""
        self.__dict__.pop("distinct", None)
        self.candidates.release()

    def check(self, metric: Metric) -> dict[str, str]:
        """Lists that are not all empty, numbers that are finite."""
        return check_values(self.candidates, metric)

    def check_choice(self, metric: Metric) -> dict[str, str]:
        """Weights can change the choice, and the choice the metric."""
        return check_choice(self.candidates, metric)

    def project(self, groups: Projection) -> ListPool:
        """The lists with groups for features."""
        return ListPool(self.candidates.project(groups.resized(self.columns).matrix))

    def zero_columns(self) -> Integers:
        """Features that no candidate has."""
        return self.candidates.zero_columns()

    def support(self, groups: Projection | None = None, *, threads: int = 1) -> Integers:
        """For every feature, or group, the number of lists that have it."""
        if groups is None:
            return sentence_support(self.candidates, threads=threads)
        return sentence_support(self.candidates, groups.groups, groups.size, threads=threads)

    @cached_property
    def distinct(self) -> _core.DistinctStatistics:
        """Statistics of the candidates, equal rows of a sentence once."""
        return _core.DistinctStatistics(self.candidates.offsets, kernel_statistics(self.candidates))

    def envelope(self, weights: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        """Steps along `direction` at which the best candidates change; their statistics in between."""
        scores = self.candidates.scores(weights, threads=threads)
        slopes = self.candidates.scores(direction, threads=threads)
        return self.distinct.envelope(scores, slopes)

    def updates(self, metric: Metric, settings: HopeFear) -> Updates:
        """Hope and fear updates, in a pseudo-corpus where the metric is like BLEU."""
        lists = self.candidates
        statistics_of(lists, metric)
        choices = (lists.native, HOPES[settings.hope], FEARS[settings.fear])
        if metric.bleu_smoothing is None:
            return _core.HopeFear(*choices, settings.gain_scale * sentence_gains(lists, metric))
        by_length = settings.scale == "reference"
        return _core.HopeFear(*choices, self.distinct, settings.decay, settings.start, by_length)

    def expectation(self, metric: Metric, settings: ExpectedGain) -> Expectation:
        """The expected gain of a candidate drawn from the model."""
        gains = sentence_gains(self.candidates, metric, settings.brevity, settings.sentence_bleu)
        return ExpectedGainOfLists(self.candidates, gains, settings.scale, settings.entropy)
