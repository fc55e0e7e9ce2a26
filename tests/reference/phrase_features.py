"""Sparse features between phrases of Green et al. (2014), phrase by phrase: twins of cpp/features/search."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

from reference.exhaustive_phrase import HOLDS, orientation
from reference.features import classed, joined, spelled
from tunesmith.grammar import RuleTable

Phrases = Sequence[tuple[int, int, int]]
UNKNOWN = "<unk>"


def signed_distortion(phrases: Phrases) -> Counter[str]:
    """The components of Eq. 4: the begin of the first phrase, then end - begin."""
    fired: Counter[str] = Counter()
    last = None
    for _, begin, end in phrases:
        component = begin if last is None else last - begin
        fired[str(component)] += 1
        if component:
            fired["positive" if component > 0 else "negative"] += 1
        last = end
    return fired


def class_boundary(phrases: Phrases, table: RuleTable, classes: Mapping[str, str]) -> Counter[str]:
    """Classes of the last word of a phrase and the first of the next one; `classes` has one of `<unk>`."""
    names = ["<s>"]
    for rule, _, _ in phrases:
        words = table[rule].target if rule < len(table) else [UNKNOWN]
        names += [classes[words[0]], classes[words[-1]]]
    names.append("</s>")
    pairs = zip(names[::2], names[1::2], strict=True)
    return Counter(f"{spelled(left)}_{spelled(right)}" for left, right in pairs)


def in_domain(phrases: Phrases, table: RuleTable, label: str) -> tuple[Counter[str], Counter[str]]:
    """Rules of a domain, and neighbours that both are; a word that passes through is of every domain."""
    inside = [rule >= len(table) or label in table[rule].labels for rule, _, _ in phrases]
    both = [first and second for first, second in itertools.pairwise(inside)]

    def counted(fired: Sequence[bool], name: str) -> Counter[str]:
        return +Counter({name: sum(fired), f"{name}:{label}": sum(fired)})

    return counted(inside, "in_domain"), counted(both, "adjacent_in_domain")


def rule_orientation(
    phrases: Phrases,
    table: RuleTable,
    names: Sequence[str],
    *,
    more_than: int = 0,
    classes: tuple[Mapping[str, str], Mapping[str, str]] | None = None,
) -> Counter[str]:
    """Details that fire: of each phrase towards the one in front of it, of that one towards the phrase.

    classes: of both sides, for strings of classes, which have no filter by count; `<unk>` has one.
    """

    def string(rule: int) -> str | None:
        if classes is None:
            if rule >= len(table) or (more_than and table[rule].occurrences <= more_than):
                return None
            return f"{joined(table[rule].source)}|{joined(table[rule].target)}"
        if rule >= len(table):
            sides = [[UNKNOWN], [UNKNOWN]]
        else:
            sides = [list(table[rule].source), list(table[rule].target)]
        return "|".join(joined(classed(side, known)) for side, known in zip(sides, classes, strict=True))

    fired: Counter[str] = Counter()
    before: str | None = "<s>"
    span = (0, 0)
    for rule, begin, end in phrases:
        found = orientation(span, (begin, end))
        for name in names:
            if found in HOLDS[name]:
                fired.update(
                    f"{direction}-{name}|{of}"
                    for direction, of in (("previous", string(rule)), ("next", before))
                    if of is not None
                )
        before, span = string(rule), (begin, end)
    return fired
