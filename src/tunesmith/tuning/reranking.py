"""The best candidate of every list, by weights or by agreement with the others: `tunesmith rerank` in Python."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.given_text import GivenLines, lines_of
from tunesmith.corpus.subwords import join_sources
from tunesmith.errors import ConfigError
from tunesmith.metrics import Metric
from tunesmith.metrics.base import metric_of
from tunesmith.search.given_lists import GivenCandidates, candidates_of
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.pieces import PieceJoiner
from tunesmith.tuning.pools.base import Floats
from tunesmith.tuning.pools.gains import best_of_each
from tunesmith.tuning.sources.base import Start, named, numbers_of
from tunesmith.weights import Weights

NO_WEIGHT = (
    "no feature has a weight, as where tuning found none that are better than the first candidate of each list. "
    "Give other weights, or none to choose by the scores that came with the lists"
)
"""Why weights that are all 0 are refused."""


def rerank(
    candidates: GivenCandidates,
    weights: Start | None = None,
    *,
    mbr: Metric | str | None = None,
    scale: float = 1.0,
    sources: GivenLines | None = None,
    subwords: str | None = None,
    threads: int = 1,
) -> list[str]:
    """Return the best candidate of every list as text, empty for a sentence without candidates.

    candidates: a set, a file of any dialect, records.
    weights: by name or number, or a file; without any, the scores that came with the lists.
    mbr: a metric for minimum Bayes risk over these scores, or its name. scale: sharpens the distribution of
        minimum Bayes risk.
    sources: for a metric that looks at them. subwords: the pieces that candidates are in, which are joined to
        words; None for what their marks show.
    """
    joiner = PieceJoiner(subwords)
    read = candidates_of(candidates)
    lists = joiner.joined(read.candidates)
    known = read.sources if sources is None else lines_of(sources, "sources")
    if known is not None and mbr is not None and metric_of(mbr).needs_source:
        known = join_sources(known, subwords)
    chosen = chosen_candidates(lists, weights, mbr=mbr, scale=scale, sources=known, threads=threads)
    return [lists.text(at) if at >= 0 else "" for at in chosen.tolist()]


def chosen_candidates(
    lists: CandidateSet,
    weights: Start | None,
    *,
    mbr: Metric | str | None = None,
    scale: float = 1.0,
    sources: GivenLines | None = None,
    threads: int = 1,
) -> NDArray[np.int64]:
    """Return the number of the best candidate of every sentence, -1 for one without candidates; see `rerank`.

    lists: of words, pieces are joined before.
    """
    scores = _scores(lists, weights, threads)
    if mbr is not None:
        scores = BayesRisk(metric_of(mbr), scale, "none").expected_gains(
            lists, scores, sources=sources, threads=threads
        )
    best = best_of_each(scores, lists.offsets)
    chosen = np.full(lists.sentences, -1, dtype=np.int64)
    chosen[lists.sentence_of[best]] = best
    return chosen


def _scores(lists: CandidateSet, weights: Start | None, threads: int) -> Floats:
    if weights is None:
        if lists.model_scores is None:
            raise ConfigError("these lists have no scores; give weights")
        return lists.model_scores
    if not named(weights):
        return lists.scores(numbers_of(weights, "weights"), threads=threads)
    by_name = Weights.of(weights)
    vector, _ = lists.features.vector(by_name)
    if len(lists) and not vector.any():
        if not by_name.array.any():
            raise ConfigError(f"these weights cannot be used: {NO_WEIGHT}")
        raise ConfigError("no feature of these lists has a weight; are the weights of another system?")
    return lists.scores(vector, threads=threads)
