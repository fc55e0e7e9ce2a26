"""How fast sentences are decoded, from the last batches."""

from __future__ import annotations

from collections.abc import Sequence

_KEPT = 0.9
"""Weight of the batches before the last one."""
_SHORT = 2.0
"""Work of a sentence in addition to its words."""


def work_of(sentences: Sequence[str]) -> float:
    """Return the work of some sentences: about in proportion to the time that they take."""
    return sum(_SHORT + sentence.count(" ") for sentence in sentences)


class Pace:
    """Seconds for each unit of work: a mean over the last batches. Until the first one is added it is a guess."""

    def __init__(self) -> None:
        self._work, self._seconds = 1.0, 0.001
        self.known = False

    def add(self, work: float, seconds: float) -> None:
        """Add a batch."""
        kept = _KEPT if self.known else 0.0
        self._work, self._seconds = kept * self._work + work, kept * self._seconds + seconds
        self.known = True

    def seconds(self, work: float) -> float:
        """Return the seconds that an amount of work takes."""
        return work * self._seconds / self._work
