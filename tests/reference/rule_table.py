"""A rule table from a corpus, slowly: counts in exact fractions, then the definitions of the scores."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from reference.extraction import Link, Occurrence

Side = tuple[int, ...]
Pair = tuple[Sequence[int], Sequence[int], set[Link]]
NULL = -1


@dataclass
class Entry:
    joint: Fraction = Fraction(0)
    occurrences: int = 0
    pairs: set[int] = field(default_factory=set)
    alignments: Counter[tuple[Link, ...]] = field(default_factory=Counter)


def collect(
    pairs: Sequence[Pair], rules_of: Callable[[Pair], list[list[Occurrence]]]
) -> dict[tuple[Side, Side], Entry]:
    """Every rule of the corpus; the rules of one inner list share a count of 1."""
    table: dict[tuple[Side, Side], Entry] = defaultdict(Entry)
    for number, pair in enumerate(pairs):
        for shared in rules_of(pair):
            for f, e, links in shared:
                entry = table[f, e]
                share = Fraction(1, len(shared))
                entry.joint += share
                entry.occurrences += 1
                entry.pairs.add(number)
                entry.alignments[links] += share  # type: ignore[assignment]
    return dict(table)


def best_alignment(alignments: Counter[tuple[Link, ...]], size: int, *, by_target: bool) -> tuple[Link, ...]:
    """The most frequent; on ties the greatest as a list of sorted sets, one per target (or source) word."""

    def sets(links: tuple[Link, ...]) -> list[list[int]]:
        end = 1 if by_target else 0
        return [sorted(link[1 - end] for link in links if link[end] == at) for at in range(size)]

    return max(alignments, key=lambda links: (alignments[links], sets(links)))


def word_probabilities(pairs: Sequence[Pair]) -> tuple[dict[tuple[int, int], float], dict[tuple[int, int], float]]:
    """p(target word | source word) and p(source word | target word), keys (given, word)."""
    both: Counter[tuple[int, int]] = Counter()
    for f, e, links in pairs:
        both.update((f[s], e[t]) for s, t in links)
        both.update((f[s], NULL) for s in range(len(f)) if all(link[0] != s for link in links))
        both.update((NULL, e[t]) for t in range(len(e)) if all(link[1] != t for link in links))
    of_source, of_target = Counter[int](), Counter[int]()
    for (s, t), count in both.items():
        of_source[s] += count
        of_target[t] += count
    forward = {(s, t): count / of_source[s] for (s, t), count in both.items()}
    backward = {(t, s): count / of_target[t] for (s, t), count in both.items()}
    return forward, backward


def lexical_weight(
    given: Side, words: Side, links: Sequence[Link], probability: dict[tuple[int, int], float]
) -> float:
    """Koehn et al. 2003; links as (given position, word position)."""
    weight = 1.0
    for at, word in enumerate(words):
        if word < 0:
            continue
        linked = [probability[given[g], word] for g, w in links if w == at]
        weight *= sum(linked) / len(linked) if linked else probability[NULL, word]
    return weight
