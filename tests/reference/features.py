"""Feature templates in plain Python: one rule at a time, by definition. Twins of cpp/features."""

from __future__ import annotations

import bisect
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tunesmith.corpus.vocab import Vocabulary
from tunesmith.grammar import Rule, RuleTable

ESCAPES = {"%": "%25", "_": "%5F", "|": "%7C", "=": "%3D"}


def is_gap(symbol: str) -> bool:
    return symbol in ("[X,1]", "[X,2]")


def spelled(symbol: str) -> str:
    return symbol if is_gap(symbol) else "".join(ESCAPES.get(character, character) for character in symbol)


def joined(symbols: Sequence[str]) -> str:
    return "_".join(spelled(symbol) for symbol in symbols)


def words_of(side: Sequence[str]) -> int:
    return sum(not is_gap(symbol) for symbol in side)


def size(side: Sequence[str]) -> str:
    words = words_of(side)
    return str(words) if words == len(side) else f"{words}+{len(side) - words}"


def most_frequent(vocabulary: Vocabulary, top: int) -> set[str]:
    """By falling count, then by id; the three special words are none."""
    counts = vocabulary.counts.tolist()
    ids = sorted(range(3, len(vocabulary)), key=lambda id: (-counts[id], id))
    return {vocabulary.word(id) for id in ids[:top]}


def default(rule: Rule, score_names: Sequence[str]) -> Iterator[tuple[str, float]]:
    for name, score in zip(score_names, rule.scores, strict=True):
        yield f"translation:{name}", max(math.log(score), -100.0) if score > 0 else -100.0
    yield "word_penalty", -float(words_of(rule.target))
    yield "rule_penalty", 1.0


def counts(rule: Rule) -> Iterator[tuple[str, float]]:
    yield "log_count", math.log(rule.occurrences) if rule.occurrences else 0.0
    yield "singleton", float(rule.occurrences == 1)


def identity(rule: Rule) -> Iterator[tuple[str, float]]:
    yield f"id:{joined(rule.source)}|{joined(rule.target)}", 1.0


def dimensions(rule: Rule) -> Iterator[tuple[str, float]]:
    yield f"source_dimension:{size(rule.source)}", 1.0
    yield f"target_dimension:{size(rule.target)}", 1.0
    yield f"rule_shape:{size(rule.source)}_{size(rule.target)}", 1.0


def word_pair(
    rule: Rule, table: RuleTable, top: int, frequent: Sequence[set[str]] | None = None
) -> Iterator[tuple[str, float]]:
    """`frequent`: the words of both sides, where the caller has them already."""
    source_links = Counter(s for s, _ in rule.links)
    target_links = Counter(t for _, t in rule.links)
    pairs = [(s, t) for s, t in rule.links if source_links[s] == target_links[t] == 1]
    vocabularies = (table.source_vocabulary, table.target_vocabulary)
    chosen = frequent or [most_frequent(words, top) for words in vocabularies]

    def called(word: str, side: int) -> str:
        return spelled(word) if top == 0 or word in chosen[side] else "|other|"

    for s, t in pairs:
        yield f"word_pair:{called(rule.source[s], 0)}_{called(rule.target[t], 1)}", 1.0
    for s, word in enumerate(rule.source):
        if not is_gap(word) and s not in {pair[0] for pair in pairs}:
            yield f"word_pair:{called(word, 0)}_|not-1-1|", 1.0
    for t, word in enumerate(rule.target):
        if not is_gap(word) and t not in {pair[1] for pair in pairs}:
            yield f"word_pair:|not-1-1|_{called(word, 1)}", 1.0


def target_unaligned(
    rule: Rule, table: RuleTable, top: int, frequent: set[str] | None = None
) -> Iterator[tuple[str, float]]:
    chosen = frequent or most_frequent(table.target_vocabulary, top)
    linked = {t for _, t in rule.links}
    for t, word in enumerate(rule.target):
        if not is_gap(word) and t not in linked and (top == 0 or word in chosen):
            yield f"target_unaligned:{spelled(word)}", 1.0


def count_bin(rule: Rule, bounds: Sequence[int] | None) -> Iterator[tuple[str, float]]:
    if rule.occurrences == 0:
        return
    if bounds is None:
        yield f"count_bin:{rule.occurrences}", 1.0
        return
    at = bisect.bisect_left(bounds, rule.occurrences)
    yield f"count_bin:{bounds[at] if at < len(bounds) else 'inf'}", 1.0


def length_bin(rule: Rule, longest: int) -> Iterator[tuple[str, float]]:
    source, target = (min(words_of(side), longest) for side in (rule.source, rule.target))
    yield f"length_bin:source_{source}", 1.0
    yield f"length_bin:target_{target}", 1.0
    yield f"length_bin:{source}_{target}", 1.0


def lexical_rule(rule: Rule, more_than: int) -> Iterator[tuple[str, float]]:
    if more_than == 0 or rule.occurrences > more_than:
        yield f"lexical_rule:{joined(rule.source)}|{joined(rule.target)}", 1.0


def lexical_alignment(rule: Rule, more_than: int) -> Iterator[tuple[str, float]]:
    if more_than and rule.occurrences <= more_than:
        return
    for left, right in linked_parts(rule):
        source, target = [rule.source[s] for s in left], [rule.target[t] for t in right]
        yield f"lexical_alignment:{joined(source)}|{joined(target)}", 1.0


def linked_parts(rule: Rule) -> Iterator[tuple[list[int], list[int]]]:
    """Positions of each connected part of the links, grown from a link until no other link touches it."""
    left = set(rule.links)
    while left:
        part = {left.pop()}
        while touching := {(s, t) for s, t in left if any(s == a or t == b for a, b in part)}:
            part |= touching
            left -= touching
        yield sorted({s for s, _ in part}), sorted({t for _, t in part})


def classed(symbols: Sequence[str], classes: Mapping[str, str]) -> list[str]:
    """Classes instead of words; `classes` has one for every word."""
    return [symbol if is_gap(symbol) else classes[symbol] for symbol in symbols]


def class_rule(rule: Rule, source: Mapping[str, str], target: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    yield f"class_rule:{joined(classed(rule.source, source))}|{joined(classed(rule.target, target))}", 1.0


def target_class(rule: Rule, target: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    for word in rule.target:
        if not is_gap(word):
            yield f"target_class:{spelled(target[word])}", 1.0


def class_alignment(
    rule: Rule, source: Mapping[str, str], target: Mapping[str, str]
) -> Iterator[tuple[str, float]]:
    for left, right in linked_parts(rule):
        words = [rule.source[s] for s in left], [rule.target[t] for t in right]
        yield f"class_alignment:{joined(classed(words[0], source))}|{joined(classed(words[1], target))}", 1.0


def unlinked(rule: Rule) -> list[str]:
    """Source words without a link."""
    linked = {s for s, _ in rule.links}
    return [word for s, word in enumerate(rule.source) if not is_gap(word) and s not in linked]


def source_class_deletion(rule: Rule, source: Mapping[str, str]) -> Iterator[tuple[str, float]]:
    for word in unlinked(rule):
        yield f"source_class_deletion:{spelled(source[word])}", 1.0


def source_deletion(rule: Rule) -> Iterator[tuple[str, float]]:
    for word in unlinked(rule):
        yield f"source_deletion:{spelled(word)}", 1.0


def summed(fired: Iterator[tuple[str, float]]) -> dict[str, float]:
    """Features fired several times add up; those that are zero are none."""
    total: dict[str, float] = {}
    for name, value in fired:
        total[name] = total.get(name, 0.0) + value
    return {name: value for name, value in total.items() if value != 0}
