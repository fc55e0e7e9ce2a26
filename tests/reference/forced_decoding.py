"""Forced decoding by looking at every segmentation of both sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

Words = tuple[str, ...]
Step = tuple[int, int, int]


def derivations(
    rules: Mapping[tuple[Words, Words], int], source: Sequence[str], target: Sequence[str], limit: int | None
) -> Iterator[tuple[Step, ...]]:
    """All derivations of the target: (rule, begin, end) in its order.

    rules: (source side, target side) → number.   limit: of distortion, None for no limit.
    """
    yield from _continued(rules, tuple(source), tuple(target), limit, frozenset(), ())


def _continued(
    rules: Mapping[tuple[Words, Words], int],
    source: Words,
    left: Words,
    limit: int | None,
    covered: frozenset[int],
    steps: tuple[Step, ...],
) -> Iterator[tuple[Step, ...]]:
    if not left:
        if len(covered) == len(source):
            yield steps
        return
    if len(covered) == len(source):
        return
    last_end = steps[-1][2] if steps else 0
    gap = min(set(range(len(source))) - covered)
    for (side, words), number in rules.items():
        if left[: len(words)] != words:
            continue
        for begin in range(len(source) - len(side) + 1):
            end = begin + len(side)
            if source[begin:end] != side or covered & set(range(begin, end)):
                continue
            far = limit is not None and (abs(begin - last_end) > limit or end - gap > limit)
            if begin != gap and far:
                continue
            new = covered | set(range(begin, end))
            yield from _continued(rules, source, left[len(words) :], limit, new, (*steps, (number, begin, end)))


def jumped(steps: Sequence[Step]) -> int:
    """Source words that the derivation jumps over."""
    ends = [0, *(end for _, _, end in steps)]
    return sum(abs(begin - before) for (_, begin, _), before in zip(steps, ends, strict=False))
