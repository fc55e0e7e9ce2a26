"""Hierarchical translation by looking at every derivation; no pruning, no recombination."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

Symbols = tuple[str, ...]
GAPS = ("[X,1]", "[X,2]")


@dataclass(frozen=True)
class Grammar:
    """rules: (source side, target side) → number; gaps are [X,1] and [X,2].   local: the score of every rule.

    The numbers after the rules are unknown word, glue, begin and end.
    """

    rules: Mapping[tuple[Symbols, Symbols], int]
    local: Sequence[float]
    max_span: int


@dataclass(frozen=True)
class Tree:
    """A rule over source words [begin, end), with what covers its gaps, in the order of their numbers."""

    rule: int
    begin: int
    end: int
    parts: tuple[Tree, ...] = ()


@dataclass(frozen=True)
class Derivation:
    """words: the translation.   rules: numbers, each before those of its parts.   score: sum of local scores.

    trees: the parts that glue puts one after another.
    """

    words: Symbols
    rules: tuple[int, ...]
    score: float
    trees: tuple[Tree, ...] = ()


def derivations(grammar: Grammar, sentence: Sequence[str]) -> Iterator[Derivation]:
    """All derivations of whole sentences: <s>, parts one after another, </s>."""
    unknown, glue, begin, end = range(len(grammar.rules), len(grammar.rules) + 4)
    del unknown
    local = grammar.local
    for prefix in _prefixes(grammar, sentence, len(sentence), glue, begin):
        yield Derivation(prefix.words, (end, *prefix.rules), local[end] + prefix.score, prefix.trees)


def _prefixes(grammar: Grammar, sentence: Sequence[str], end: int, glue: int, begin: int) -> Iterator[Derivation]:
    if end == 0:
        yield Derivation((), (begin,), grammar.local[begin])
    for middle in range(end):
        parts = list(_spans(grammar, sentence, middle, end))
        if not parts:
            continue
        for prefix in _prefixes(grammar, sentence, middle, glue, begin):
            for part in parts:
                yield Derivation(
                    prefix.words + part.words,
                    (glue, *prefix.rules, *part.rules),
                    grammar.local[glue] + prefix.score + part.score,
                    prefix.trees + part.trees,
                )


def _spans(grammar: Grammar, sentence: Sequence[str], begin: int, end: int) -> Iterator[Derivation]:
    """Derivations of X over [begin, end)."""
    if end - begin > grammar.max_span:
        return
    if end - begin == 1 and not any(source == (sentence[begin],) for source, _ in grammar.rules):
        unknown = len(grammar.rules)
        tree = Tree(unknown, begin, end)
        yield Derivation((sentence[begin],), (unknown,), grammar.local[unknown], (tree,))
    for (source, target), number in grammar.rules.items():
        for gaps in _matches(source, sentence, begin, end):
            if any(gap == (begin, end) for gap in gaps):
                continue
            for found in _applied(grammar, sentence, target, number, gaps):
                yield replace(found, trees=(Tree(number, begin, end, found.trees),))


def _applied(
    grammar: Grammar, sentence: Sequence[str], target: Symbols, number: int, gaps: list[tuple[int, int]]
) -> Iterator[Derivation]:
    """All translations of a rule whose gaps lie there; `trees` are those of the gaps."""
    choices: list[tuple[Derivation, ...]] = [()]
    for gap in gaps:
        choices = [(*chosen, part) for chosen in choices for part in _spans(grammar, sentence, *gap)]
    for parts in choices:
        words: Symbols = ()
        for symbol in target:
            words += parts[GAPS.index(symbol)].words if symbol in GAPS else (symbol,)
        rules = (number, *(rule for part in parts for rule in part.rules))
        score = grammar.local[number] + sum(part.score for part in parts)
        yield Derivation(words, rules, score, tuple(tree for part in parts for tree in part.trees))


def _matches(source: Symbols, sentence: Sequence[str], begin: int, end: int) -> Iterator[list[tuple[int, int]]]:
    """Where the gaps of a source side lie if it covers exactly [begin, end)."""
    if not source:
        if begin == end:
            yield []
        return
    if source[0] in GAPS:
        for middle in range(begin + 1, end + 1):
            for rest in _matches(source[1:], sentence, middle, end):
                yield [(begin, middle), *rest]
    elif begin < end and sentence[begin] == source[0]:
        yield from _matches(source[1:], sentence, begin + 1, end)


def ranked(
    grammar: Grammar, sentence: Sequence[str], score_words: Callable[[Symbols], float]
) -> list[tuple[float, Derivation]]:
    """All derivations with their full scores, best first."""
    all_of_them = [(found.score + score_words(found.words), found) for found in derivations(grammar, sentence)]
    return sorted(all_of_them, key=lambda entry: -entry[0])
