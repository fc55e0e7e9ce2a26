"""Word classes the slow way: every sum from the text, every move by computing the objective again."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

Classes = Mapping[str, int]
NONE = -1
_ROUNDING = 1e-7
BLOCK = 256


def t(count: int) -> float:
    return count * math.log(count) if count else 0.0


def total(counts: Counter[object]) -> float:
    return math.fsum(t(count) for count in counts.values())


def objective(lines: Sequence[Sequence[str]], classes: Classes, kind: str) -> float:
    """The part of the log-likelihood that depends on classes; words without one have no part in it."""
    own: Counter[object] = Counter()
    before: Counter[object] = Counter()
    after: Counter[object] = Counter()
    pairs: Counter[object] = Counter()
    followed: Counter[object] = Counter()
    for line in lines:
        for word, left, right in zip(line, ["<s>", *line], [*line[1:], "</s>"], strict=False):
            name = classes[word]
            if name == NONE:
                continue
            own[name] += 1
            before[left, name] += 1
            after[right, name] += 1
            if right != "</s>":
                followed[name] += 1
            if left == "<s>" or classes[left] != NONE:
                pairs["<s>" if left == "<s>" else classes[left], name] += 1
    if kind == "one-sided":
        return total(before) - total(own)
    if kind == "bidirectional":
        return total(before) + total(after) - 2 * total(own)
    return total(pairs) - total(followed) - total(own)


def by_count(lines: Sequence[Sequence[str]]) -> list[str]:
    """Words by falling count, equal ones by their bytes."""
    counts = Counter(word for line in lines for word in line)
    return sorted(counts, key=lambda word: (-counts[word], word.encode()))


def make_pass(
    lines: Sequence[Sequence[str]],
    classes: dict[str, int],
    class_count: int,
    kind: str,
    fixed: frozenset[str] = frozenset(),
) -> int:
    """One pass of exchange in blocks; how many words moved."""
    words = by_count(lines)
    moves = 0
    for begin in range(0, len(words), BLOCK):
        block = [word for word in words[begin : begin + BLOCK] if word not in fixed]
        wanted = {word: _best(lines, classes, class_count, kind, word) for word in block}
        for word in block:
            if wanted[word] == classes[word]:
                continue
            moved = {**classes, word: wanted[word]}
            if (
                classes[word] == NONE
                or objective(lines, moved, kind) > objective(lines, classes, kind) + _ROUNDING
            ):
                classes[word] = wanted[word]
                moves += 1
    return moves


def _best(lines: Sequence[Sequence[str]], classes: Classes, class_count: int, kind: str, word: str) -> int:
    values = [objective(lines, {**classes, word: name}, kind) for name in range(class_count)]
    good = [name for name, value in enumerate(values) if value >= max(values) - _ROUNDING]
    return classes[word] if classes[word] in good else good[0]


def perplexities(lines: Sequence[Sequence[str]], classes: Mapping[str, str]) -> tuple[float, float, float]:
    """One-sided, two-sided and bidirectional, from products of relative frequencies, word by word."""
    named = [[word if word in classes else "<unk>" for word in line] for line in lines]
    label = {word: classes.get(word, "?") for line in named for word in line}
    words = Counter(word for line in named for word in line)
    members = Counter(label[word] for line in named for word in line)
    contexts: dict[str, list[tuple[object, str]]] = {
        "one": [(left, word) for line in named for left, word in zip(["<s>", *line], line, strict=False)],
        "two": [
            ("<s>" if left is None else (label[left],), word)
            for line in named
            for left, word in zip([None, *line], line, strict=False)
        ],
        "back": [(right, word) for line in named for word, right in zip(line, [*line[1:], "</s>"], strict=False)],
    }
    logs = {}
    for name, events in contexts.items():
        histories = Counter(context for context, _ in events)
        joint = Counter((context, label[word]) for context, word in events)
        logs[name] = math.fsum(
            math.log(joint[context, label[word]] / histories[context] * words[word] / members[label[word]])
            for context, word in events
        )
    tokens = sum(words.values())
    return (
        math.exp(-logs["one"] / tokens),
        math.exp(-logs["two"] / tokens),
        math.exp(-(logs["one"] + logs["back"]) / (2 * tokens)),
    )
