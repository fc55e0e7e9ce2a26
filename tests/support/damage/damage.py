"""Files damaged in every way that a seed and their length allow, and what a reader may raise for them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from tunesmith.errors import TunesmithError

LONGEST_MESSAGE = 1000


def cut_off(data: bytes, most: int = 10**9) -> Iterator[bytes]:
    """The data ending after every byte, or at `most` places spread over it."""
    step = max(1, len(data) // most)
    for size in range(0, len(data), step):
        yield data[:size]


def bits_flipped(data: bytes, count: int, seed: int = 1) -> Iterator[bytes]:
    """The data with one to three bits changed."""
    draw = random.Random(seed)
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(draw.choice((1, 1, 1, 2, 3))):
            changed[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        yield bytes(changed)


def refused(read: Callable[[], Any], *names: str) -> bool:
    """Whether reading raises our error: one line that is short and names one of the files. Never another one."""
    try:
        read()
    except TunesmithError as error:
        text = str(error)
        assert "\n" not in text, text
        assert len(text) < LONGEST_MESSAGE, text
        assert any(name in text for name in names), text
        return True
    return False
