"""One rule of a table."""

from __future__ import annotations

from dataclasses import dataclass

GAPS = ("[X,1]", "[X,2]")
Link = tuple[int, int]


@dataclass(frozen=True)
class Rule:
    """A rule with all its data in the table. Gaps are written `[X,1]` and `[X,2]`.

    links: between words, as (source position, target position).
    scores: in the order of the table's names. joint, source_count, target_count: counts, fractional for
        hierarchical rules by default. occurrences, pairs: number of occurrences, and of sentence pairs with the
        rule.
    labels: of these sentence pairs.
    significance: -log p, if the table has it and the rule was extracted. reordering: natural logarithms, in the
        order of the table's `reordering_columns`.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    links: tuple[Link, ...]
    scores: tuple[float, ...]
    joint: float
    source_count: float
    target_count: float
    occurrences: int
    pairs: int
    labels: tuple[str, ...] = ()
    significance: float | None = None
    reordering: tuple[float, ...] = ()

    def __str__(self) -> str:
        links = " ".join(f"{s}-{t}" for s, t in self.links)
        scores = " ".join(f"{score:.6g}" for score in self.scores)
        counts = f"{self.target_count:.6g} {self.source_count:.6g} {self.joint:.6g}"
        return " ||| ".join((" ".join(self.source), " ".join(self.target), scores, links, counts))
