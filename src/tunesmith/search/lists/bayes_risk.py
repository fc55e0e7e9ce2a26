"""Minimum Bayes risk: the candidate of each list that agrees best with the others (Kumar and Byrne 2004)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import finite
from tunesmith.corpus.given_text import GivenLines, lines_of
from tunesmith.corpus.subwords import check_subwords, join_sources
from tunesmith.errors import ConfigError
from tunesmith.metrics import Metric
from tunesmith.metrics.base import metric_of
from tunesmith.search.given_lists import GivenCandidates, candidates_of
from tunesmith.search.lists.pieces import join_candidates

Floats = NDArray[np.float64]
_AT_ONCE = 200_000  # pairs with statistics in memory at a time


@dataclass(frozen=True)
class BayesRisk:
    """Settings of minimum Bayes risk.

    metric: gain of a candidate with another as reference, a metric or its name; for BLEU the sentence version
        BLEU+1.
    scale: sharpens (above 1) or flattens the distribution exp(scale × score) over a list; 0 makes it uniform.
    subwords: kind of pieces of the candidates (`bpe`, `sentencepiece`, `none`), None for detection by marks.
        Pieces are joined to words before comparison.
    """

    metric: Metric
    scale: float = 1.0
    subwords: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "metric", metric_of(self.metric))
        finite(scale=self.scale)
        check_subwords(self.subwords)

    def expected_gains(
        self,
        candidates: GivenCandidates,
        scores: Floats | None = None,
        *,
        sources: GivenLines | None = None,
        threads: int = 1,
    ) -> Floats:
        """Compute Σ_j p_j · gain(i, j) for every candidate i, over the distinct texts j of its list.

        Kumar and Byrne (2004), equation 3, with a gain instead of a loss; n² comparisons for n distinct texts.
        scores: one for each candidate; default: scores of the lists.

        sources: for a metric that needs them.
        """
        read = candidates_of(candidates)
        candidates = read.candidates
        known = read.sources if sources is None else lines_of(sources, "sources")
        if known is not None and len(known) < candidates.sentences:
            raise ConfigError(f"{len(known)} source sentences for lists of {candidates.sentences}")
        if known is not None and self.metric.needs_source:
            known = join_sources(known, self.subwords)
        scores = candidates.model_scores if scores is None else np.asarray(scores, dtype=np.float64)
        if scores is None:
            raise ConfigError("these lists have no scores; give a score for each candidate")
        if scores.shape != (len(candidates),):
            raise ConfigError(f"scores of shape {scores.shape} for {len(candidates)} candidates")
        candidates = join_candidates(candidates, self.subwords)
        gains = np.zeros(len(candidates))
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            if numbers:
                own = slice(numbers.start, numbers.stop)
                gains[own] = self._of_list(
                    [candidates.text(at) for at in numbers],
                    scores[own],
                    None if known is None else known[sentence],
                    threads,
                )
        return gains

    def _of_list(self, texts: list[str], scores: Floats, source: str | None, threads: int) -> Floats:
        number: dict[str, int] = {}
        place = np.array([number.setdefault(text, len(number)) for text in texts])
        different = list(number)
        likeliest = scores.max() if self.scale >= 0 else scores.min()
        with np.errstate(over="ignore"):  # exp(-inf) = 0 is intended
            mass = np.exp(self.scale * (scores - likeliest))
        probability = np.bincount(place, weights=mass / mass.sum(), minlength=len(different))
        prepared = self.metric.prepare_for(
            [[text] for text in different], None if source is None else [source] * len(different)
        )
        size = len(different)
        expected = np.empty(size)
        step = max(_AT_ONCE // size, 1)
        for begin in range(0, size, step):
            some = different[begin : begin + step]
            pairs = [text for text in some for _ in range(size)]
            rows = prepared.statistics(pairs, np.tile(np.arange(size), len(some)), threads=threads)
            gains = self.metric.sentence_gains(rows).reshape(len(some), size)
            # Row by row, so that sums do not depend on the number of rows.
            expected[begin : begin + step] = (gains * probability).sum(axis=1)
        of_texts: Floats = expected[place]
        return of_texts
