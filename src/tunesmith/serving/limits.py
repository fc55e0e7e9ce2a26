"""Limits of requests."""

from __future__ import annotations

from dataclasses import dataclass, fields

from tunesmith.checks import above, at_least


@dataclass(frozen=True)
class Limits:
    """Limits of a request and of the queue.

    words: of a sentence.
    sentences: of a request. size: bytes of a request. seconds: from the request to its answer. waiting: sentences
        waiting for the decoder; further requests are refused until there is room.
    """

    words: int = 500
    sentences: int = 1000
    size: int = 4_000_000
    seconds: float = 60.0
    waiting: int = 10_000

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.name != "seconds":
                at_least(1, **{field.name: getattr(self, field.name)})
        above(0, seconds=self.seconds)
