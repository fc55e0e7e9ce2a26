"""Orientations of rules towards their neighbours, phrase by phrase: twin of rule_orientation.cpp."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from reference.exhaustive_phrase import HOLDS, orientation
from reference.features import classed, joined
from tunesmith.grammar import RuleTable

UNKNOWN = "<unk>"


def rule_orientation(
    phrases: Sequence[tuple[int, int, int]],
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
