"""BLEU of expected counts, and its slopes in words and matches of each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunesmith.metrics.base import WordNgrams
from tunesmith.tuning.objectives import Floats

SHARPNESS = 100.0
"""Sharpness of the smooth brevity penalty around the length ratio 1."""


@dataclass(frozen=True, eq=False)
class ExpectedBleu:
    """Corpus BLEU of the expected words and matches of sentences, as a share of 1, and its slopes.

    Expected counts stand for counts (Pauls et al. 2009, Rosti et al. 2011). To first order around any point this
    is linear BLEU (Tromble et al. 2008), with the slopes as values of a word and a match. Matches are not clipped.
    1 is added to every count, the brevity penalty is smooth, and the closest of several reference lengths is
    approximated by clipping to the range from the shortest to the longest.

    order: the longest n-gram.
    shortest, longest: words of the references that count, by sentence. counted: sentences that have translations.
    """

    order: int
    shortest: Floats
    longest: Floats
    counted: Floats

    @classmethod
    def of(
        cls,
        ngrams: WordNgrams,
        references: Sequence[Sequence[Sequence[int]]],
        counted: Sequence[bool],
        brevity: float = 0.0,
    ) -> ExpectedBleu:
        """Compute reference lengths.   brevity: words added to them."""
        lengths = [[len(text) for text in each] for each in references]
        mean = [sum(each) / len(each) for each in lengths]
        by_rule = {
            "closest": ([min(each) for each in lengths], [max(each) for each in lengths]),
            "shortest": ([min(each) for each in lengths],) * 2,
            "average": (mean, mean),
        }
        shortest, longest = (np.array(each, np.float64) for each in by_rule[ngrams.reference_length])
        return cls(ngrams.order, shortest + brevity, longest + brevity, np.array(counted, np.float64))

    def value_and_worth(self, counts: Floats) -> tuple[float, Floats]:
        """Compute BLEU, and by sentence the slopes in words and in the matches of each order.

        counts: by sentence expected words, and matches of each order.
        """
        words, orders = counts[:, 0], np.arange(self.order)
        totals = np.maximum(words[:, None] - orders, 0.0).sum(axis=0) + 1.0
        matches = counts[:, 1:].sum(axis=0) + 1.0
        length = words.sum() + 1.0
        wanted = np.clip(words, self.shortest, self.longest)
        ratio = (wanted * self.counted).sum() + 1.0
        ratio /= length
        excess = SHARPNESS * (ratio - 1.0)
        shortage = np.logaddexp(0.0, excess) / SHARPNESS
        bleu = float(np.exp((np.log(matches) - np.log(totals)).mean() - shortage))
        share = bleu / self.order
        steep = bleu / (1.0 + np.exp(-np.minimum(np.maximum(excess, -700.0), 700.0)))
        worth = np.empty_like(counts)
        worth[:, 1:] = share / matches
        worth[:, 0] = -((words[:, None] > orders) * (share / totals)).sum(axis=1) + steep * ratio / length
        inside = (words > self.shortest) & (words < self.longest) & (self.counted > 0)
        worth[inside, 0] -= steep / length
        return bleu, worth
