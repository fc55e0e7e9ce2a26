"""Phrase-based translation by looking at every derivation; no pruning, no recombination, no future costs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

Symbols = tuple[str, ...]
Span = tuple[int, int]


@dataclass(frozen=True)
class PhraseTable:
    """rules: (source side, target side) → number; those after them are unknown word, glue, begin and end.

    limit: of distortion, None for no limit.   walls: nothing after such a word before all in front of it.
    """

    rules: Mapping[tuple[Symbols, Symbols], int]
    max_length: int
    limit: int | None
    walls: frozenset[str] = frozenset()

    @property
    def unknown(self) -> int:
        """The rule of words that pass through."""
        return len(self.rules)


@dataclass(frozen=True)
class Derivation:
    """words: the translation.   phrases: (rule, begin, end) in the order of the translation."""

    words: Symbols
    phrases: tuple[tuple[int, int, int], ...]


def derivations(table: PhraseTable, sentence: Sequence[str]) -> Iterator[Derivation]:
    """All derivations of the whole sentence."""
    yield from _continued(table, sentence, frozenset(), 0, Derivation((), ()))


def _continued(
    table: PhraseTable, sentence: Sequence[str], covered: frozenset[int], last_end: int, begun: Derivation
) -> Iterator[Derivation]:
    if len(covered) == len(sentence):
        yield begun
        return
    for begin in range(len(sentence)):
        for end in range(begin + 1, min(len(sentence), begin + table.max_length) + 1):
            new = covered | set(range(begin, end))
            if len(new) != len(covered) + end - begin or not _allowed(
                table, sentence, covered, last_end, (begin, end)
            ):
                continue
            for number, target in _options(table, tuple(sentence[begin:end])):
                longer = Derivation(begun.words + target, (*begun.phrases, (number, begin, end)))
                yield from _continued(table, sentence, new, end, longer)


def _options(table: PhraseTable, source: Symbols) -> Iterator[tuple[int, Symbols]]:
    found = [(number, target) for (side, target), number in table.rules.items() if side == source]
    if not found and len(source) == 1:
        found = [(table.unknown, source)]
    yield from found


def _allowed(
    table: PhraseTable, sentence: Sequence[str], covered: frozenset[int], last_end: int, span: Span
) -> bool:
    """A jump is within the limit; who leaves the first gap can come back to it, and sees no wall on the way."""
    gap = next(at for at in range(len(sentence)) if at not in covered)
    begin, end = span
    if begin == gap:
        return True
    if table.limit is not None and (abs(begin - last_end) > table.limit or end - gap > table.limit):
        return False
    return not any(sentence[at] in table.walls or sentence[at + 1] in table.walls for at in range(gap, end - 1))


def distortion(phrases: Sequence[tuple[int, int, int]]) -> float:
    """Minus the words jumped over."""
    ends = [0, *(end for _, _, end in phrases)]
    return -float(sum(abs(begin - before) for (_, begin, _), before in zip(phrases, ends, strict=False)))


def orientation(before: Span, span: Span) -> str:
    """Orientation of a phrase after another one; the first phrase follows (0, 0)."""
    if span[0] == before[1]:
        return "monotone"
    if span[1] == before[0]:
        return "swap"
    return "discontinuous-left" if span[0] < before[1] else "discontinuous-right"


HOLDS = {
    "monotone": {"monotone"},
    "swap": {"swap"},
    "discontinuous": {"discontinuous-left", "discontinuous-right"},
    "discontinuous-left": {"discontinuous-left"},
    "discontinuous-right": {"discontinuous-right"},
    "non-monotone": {"swap", "discontinuous-left", "discontinuous-right"},
}


def block_orientations(before: Span, span: Span, covered: set[int]) -> dict[str, str]:
    """Towards the block in front, whose words are translated, and of it towards the block that follows."""
    right = span[0] >= before[1]
    between = set(range(before[1], span[0]) if right else range(span[1], before[0]))
    joined, apart = ("monotone", "discontinuous-right") if right else ("swap", "discontinuous-left")
    return {
        "previous": joined if between <= covered else apart,
        "next": joined if not between & covered else apart,
    }


def hierarchical_orientations(spans: Sequence[Span], at: int) -> dict[str, str]:
    """Galley and Manning (2008, section 2): of phrase `at` > 0 towards what is in front, and of that towards it.

    previous: is there a block that ends with the phrase in front, and lies next to this one in the source? A block
    is some phrases that follow one another in the translation and cover words that follow one another.
    next: is there a block that begins with this phrase, and lies next to the phrase in front?
    """
    own, before = spans[at], spans[at - 1]
    return {
        "previous": _beside([_block(spans[first:at]) for first in range(at)], [own], before, own),
        "next": _beside([before], [_block(spans[at:last]) for last in range(at + 1, len(spans) + 1)], before, own),
    }


def _beside(front: Sequence[Span | None], behind: Sequence[Span | None], before: Span, own: Span) -> str:
    pairs = [(one, other) for one in front if one for other in behind if other]
    if any(one[1] == other[0] for one, other in pairs):
        return "monotone"
    if any(other[1] == one[0] for one, other in pairs):
        return "swap"
    return "discontinuous-right" if own[0] >= before[1] else "discontinuous-left"


def _block(spans: Sequence[Span]) -> Span | None:
    """The words that these phrases cover, if they follow one another."""
    covered = {word for begin, end in spans for word in range(begin, end)}
    whole = (min(covered), max(covered) + 1)
    return whole if len(covered) == whole[1] - whole[0] else None


def reordering(
    phrases: Sequence[tuple[int, int, int]],
    columns: Sequence[str],
    values: Sequence[Sequence[float]],
    *,
    blocks: bool = False,
) -> list[float]:
    """The sum of every column: `previous-…` of each phrase, `next-…` of the one in front of it."""
    sums = [0.0] * len(columns)
    before: tuple[int | None, Span] = (None, (0, 0))
    covered: set[int] = set()
    for rule, begin, end in phrases:
        found = dict.fromkeys(("previous", "next"), orientation(before[1], (begin, end)))
        if blocks:
            found = block_orientations(before[1], (begin, end), covered)
        for at, column in enumerate(columns):
            direction, name = column.split("-", 1)
            chosen = rule if direction == "previous" else before[0]
            if found[direction] in HOLDS[name] and chosen is not None and chosen < len(values):
                sums[at] += values[chosen][at]
        before = (rule, (begin, end))
        covered |= set(range(begin, end))
    return sums


def ranked(
    table: PhraseTable, sentence: Sequence[str], score: Callable[[Derivation], float]
) -> list[tuple[float, Derivation]]:
    """All derivations with their scores, best first."""
    return sorted(((score(one), one) for one in derivations(table, sentence)), key=lambda entry: -entry[0])
