"""Pools of n-best lists."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics import Metric, Prepared
from tunesmith.metrics.base import SentenceBleu
from tunesmith.search.lists.candidate_writer import CandidateWriter
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.merging import concatenate, merge, spread
from tunesmith.search.lists.support import sentence_support
from tunesmith.tuning.growth import resized
from tunesmith.tuning.objectives import Expectation, Floats, Updates
from tunesmith.tuning.pools.base import FEARS, HOPES, Best, Integers, PseudoCorpus
from tunesmith.tuning.pools.expectation import ExpectedGainOfLists
from tunesmith.tuning.pools.gains import kernel_statistics, sentence_gains, shortest_references, statistics_of
from tunesmith.tuning.pools.list_checks import check_choice, check_values
from tunesmith.tuning.projection import Projection


class ListPool:
    """A pool of n-best lists of all sentences."""

    candidates: CandidateSet

    def __init__(self, candidates: CandidateSet) -> None:
        self.candidates = candidates
        self.features, self.columns = candidates.features, candidates.columns
        self.sentences = candidates.sentences

    def __len__(self) -> int:
        return len(self.candidates)

    def __repr__(self) -> str:
        return f"ListPool of {len(self)} candidates for {self.sentences} sentences, {self.columns} features"

    def best(self, weights: Floats, *, threads: int = 1) -> Best:
        """Return the candidate of highest score of each list; ties by position."""
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

    def measured(self, metric: Prepared | None, *, source: str, first: int, threads: int = 1) -> ListPool:
        """Return the pool with statistics; existing statistics stay."""
        if self.candidates.statistics is not None:
            return self
        if metric is None:
            raise ConfigError(f"the candidates of {source} have no statistics and there are no references")
        return ListPool(self.candidates.with_statistics(metric, first=first, threads=threads))

    def spread(self, places: Sequence[int], sentences: int) -> ListPool:
        return ListPool(spread(self.candidates, places, sentences))

    def only(self, sentences: Sequence[int]) -> ListPool:
        lists, wanted = self.candidates, np.asarray(sentences, dtype=np.int64)
        sizes = np.zeros(self.sentences, dtype=np.int64)
        sizes[wanted] = np.diff(lists.offsets)[wanted]
        ranges = [np.arange(*lists.offsets[at : at + 2]) for at in wanted.tolist()]
        rows = np.concatenate([np.empty(0, np.int64), *ranges])
        return ListPool(lists.take(rows, np.concatenate([[0], np.cumsum(sizes)])))

    @staticmethod
    def joined(parts: Iterable[ListPool]) -> ListPool:
        sets = [part.candidates for part in parts]
        return ListPool(sets[0] if len(sets) == 1 else concatenate(sets))

    @staticmethod
    def write(parts: Iterable[ListPool], folder: Path) -> None:
        """Write lists in parts, so that they are never all in memory."""
        with CandidateWriter(folder) as writer:
            for part in parts:
                writer.append(part.candidates)

    def merged(self, newer: ListPool | None, folder: Path | None = None, *, threads: int = 1) -> ListPool:
        """Merge to distinct candidates, earlier ones first."""
        sets = [self.candidates] if newer is None else [self.candidates, newer.candidates]
        return ListPool(merge(sets, folder=folder, threads=threads))

    def new_since(self, earlier: ListPool | None) -> int:
        """Count new candidates as difference of sizes: merged lists keep all earlier candidates."""
        return len(self) - (0 if earlier is None else len(earlier))

    def save(self, folder: Path) -> None:
        self.candidates.save(folder)

    def release(self) -> None:
        """Release memory of lists in files, and of data computed from them."""
        self.__dict__.pop("distinct", None)
        self.candidates.release()

    def check(self, metric: Metric) -> dict[str, str]:
        return check_values(self.candidates, metric)

    def check_choice(self, metric: Metric) -> dict[str, str]:
        return check_choice(self.candidates, metric)

    def project(self, groups: Projection) -> ListPool:
        return ListPool(self.candidates.project(groups.resized(self.columns).matrix))

    def zero_columns(self) -> Integers:
        return self.candidates.zero_columns()

    def support(self, groups: Projection | None = None, *, threads: int = 1) -> Integers:
        if groups is None:
            return sentence_support(self.candidates, threads=threads)
        return sentence_support(self.candidates, groups.groups, groups.size, threads=threads)

    @cached_property
    def distinct(self) -> _core.DistinctStatistics:
        return _core.DistinctStatistics(self.candidates.offsets, kernel_statistics(self.candidates))

    def envelope(self, weights: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        scores = self.candidates.scores(weights, threads=threads)
        slopes = self.candidates.scores(direction, threads=threads)
        return self.distinct.envelope(scores, slopes)

    def updates(self, metric: Metric, hope: str, fear: str, corpus: PseudoCorpus, gain_scale: float) -> Updates:
        lists = self.candidates
        statistics_of(lists, metric)
        choices = (lists.native, HOPES[hope], FEARS[fear])
        if metric.bleu_smoothing is None:
            return _core.HopeFear(*choices, gain_scale * sentence_gains(lists, metric))
        return _core.HopeFear(*choices, self.distinct, corpus.decay, corpus.start, corpus.by_length)

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
        gains = sentence_gains(self.candidates, metric, brevity, sentence_bleu)
        if by_length:
            gains *= shortest_references(self.candidates, metric)
        return ExpectedGainOfLists(self.candidates, gains, scale, entropy)
