"""Twin of cpp/corpus/vocab: the same vocabulary with collections.Counter and a dict, slow and obvious."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

SPECIAL = ["<unk>", "<s>", "</s>"]


def build(lines: Iterable[str], limit: int | None = None, min_count: int = 1) -> tuple[list[str], list[int]]:
    """Words and their counts in the order of the ids."""
    counted = Counter(word for line in lines for word in line.split())
    ordinary = [word for word in counted if word not in SPECIAL and counted[word] >= min_count]
    ordinary.sort(key=lambda word: (-counted[word], word))  # str compares by code points
    words = SPECIAL + ordinary[:limit]
    counts = [counted[word] for word in words]
    counts[0] = counted.total() - sum(counts[1:])
    return words, counts


def encode(words: list[str], lines: Iterable[str]) -> tuple[list[int], list[int]]:
    """Ids of all words, and where each line begins."""
    id_of = {word: at for at, word in enumerate(words)}
    ids: list[int] = []
    offsets = [0]
    for line in lines:
        ids += [id_of.get(word, 0) for word in line.split()]
        offsets.append(len(ids))
    return ids, offsets
