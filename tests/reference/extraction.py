"""Rules of a sentence pair straight from the definitions: every span against every span, every set of gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, product
from math import comb, log

Span = tuple[int, int]
Phrase = tuple[Span, Span]
Link = tuple[int, int]
Occurrence = tuple[tuple[int, ...], tuple[int, ...], tuple[Link, ...]]


def spans(length: int, limit: int) -> list[Span]:
    return [(i, j) for i in range(length) for j in range(i + 1, min(length, i + limit) + 1)]


def inside(at: int, span: Span) -> bool:
    return span[0] <= at < span[1]


def consistent_phrases(
    source: Sequence[int], target: Sequence[int], links: set[Link], limit: int, tight: bool
) -> list[Phrase]:
    """All pairs of spans that share a link and of which no word is linked to the outside."""
    found = []
    for f, e in product(spans(len(source), limit), spans(len(target), limit)):
        if not any(inside(s, f) and inside(t, e) for s, t in links):
            continue
        if any(inside(s, f) != inside(t, e) for s, t in links):
            continue
        ends = [(0, f[0]), (0, f[1] - 1), (1, e[0]), (1, e[1] - 1)]
        if tight and not all(any(link[side] == at for link in links) for side, at in ends):
            continue
        found.append((f, e))
    return found


def phrase_rules(
    source: Sequence[int], target: Sequence[int], links: set[Link], max_length: int, tight: bool
) -> list[Occurrence]:
    phrases = consistent_phrases(source, target, links, max_length, tight)
    return [make_rule(source, target, links, phrase, ()) for phrase in phrases]


def hiero_rules(
    source: Sequence[int],
    target: Sequence[int],
    links: set[Link],
    *,
    max_span: int,
    max_symbols: int,
    max_gaps: int,
    min_gap: int,
    adjacent: bool,
    aligned: bool,
    tight: bool,
    normal_form: bool,
) -> list[list[Occurrence]]:
    """The rules of every initial phrase; those of one phrase share its count."""
    phrases = consistent_phrases(source, target, links, max_span, tight)
    shared = []
    for whole in phrases:
        rules = []
        for gaps in sets_of_gaps(phrases, whole, max_gaps, min_gap):
            f, e, a = rule = make_rule(source, target, links, whole, gaps)
            source_words = [symbol for symbol in f if symbol >= 0]
            target_words = [symbol for symbol in e if symbol >= 0]
            neighbours = any(x < 0 and y < 0 for x, y in pairwise(f))
            words_first = all(e[at] < 0 for at in range(len(target_words), len(e)))
            if (
                len(f) <= max_symbols
                and source_words
                and target_words
                and (adjacent or not neighbours)
                and (a or not aligned)
                and (words_first or not normal_form)
            ):
                rules.append(rule)
        shared.append(rules)
    return shared


def sets_of_gaps(phrases: list[Phrase], whole: Phrase, most: int, smallest: int) -> Iterator[tuple[Phrase, ...]]:
    parts = [
        part
        for part in phrases
        if part[0][1] - part[0][0] >= smallest
        and all(whole[side][0] <= part[side][0] and part[side][1] <= whole[side][1] for side in (0, 1))
    ]
    for size in range(most + 1):
        for gaps in combinations(parts, size):
            if all(disjoint(a[side], b[side]) for a, b in combinations(gaps, 2) for side in (0, 1)):
                yield gaps


def disjoint(a: Span, b: Span) -> bool:
    return a[1] <= b[0] or b[1] <= a[0]


def make_rule(
    source: Sequence[int], target: Sequence[int], links: set[Link], whole: Phrase, gaps: tuple[Phrase, ...]
) -> Occurrence:
    in_order = sorted(gaps)
    f, f_place = side(source, whole[0], [gap[0] for gap in in_order])
    e, e_place = side(target, whole[1], [gap[1] for gap in in_order])
    kept = sorted((f_place[s], e_place[t]) for s, t in links if s in f_place and t in e_place)
    return f, e, tuple(kept)


def side(words: Sequence[int], whole: Span, gaps: list[Span]) -> tuple[tuple[int, ...], dict[int, int]]:
    """Symbols of one side, and the place of every word that is left."""
    symbols: list[int] = []
    place = {}
    at = whole[0]
    while at < whole[1]:
        gap = next((number for number, span in enumerate(gaps) if span[0] == at), None)
        if gap is None:
            place[at] = len(symbols)
            symbols.append(words[at])
            at += 1
        else:
            symbols.append(-1 - gap)
            at = gaps[gap][1]
    return tuple(symbols), place


def fisher_minus_log_p(both: int, source: int, target: int, pairs: int) -> float:
    """The sum of hypergeometric probabilities in whole numbers."""
    ways = sum(comb(source, k) * comb(pairs - source, target - k) for k in range(both, min(source, target) + 1))
    return log(comb(pairs, target)) - log(ways)
