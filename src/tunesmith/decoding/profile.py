"""Time profile of decoding."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DecodingProfile:
    """Seconds summed over all threads, and the number of scored edges.

    features: of each feature across rules, by its name, extrapolated from a sample of edges.
    target_sides: making lists of target sides of a source side on first use: local scores, estimates.
        rest_of_search: matching, queues, recombination.
    lists: graphs, n-best lists, words.
    """

    features: dict[str, float]
    target_sides: float
    rest_of_search: float
    lists: float
    edges: int

    @classmethod
    def of(
        cls, names: list[str], search: float, target_sides: float, seconds: list[float], lists: float, edges: int
    ) -> DecodingProfile:
        """Return the profile of the core's times.   search: all of it; seconds: of the features of these names."""
        rest = max(0.0, search - target_sides - sum(seconds))
        return cls(dict(zip(names, seconds, strict=True)), target_sides, rest, lists, edges)
