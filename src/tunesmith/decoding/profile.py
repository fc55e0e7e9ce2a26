"""Where the time of decoding goes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DecodingProfile:
    """Seconds of all threads together, and how many edges they scored.

    features: of each feature across rules, by its name; a part of the edges is timed and stands for all.
    target_sides: lists of the target sides of a source side, made when it is first met: local scores, estimates.
    rest_of_search: matching, queues, recombination.   lists: graphs, k-best lists, words.
    """

    features: dict[str, float]
    target_sides: float
    rest_of_search: float
    lists: float
    edges: int
