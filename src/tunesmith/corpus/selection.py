"""Sentences that resemble an in-domain text, chosen by feature decay (Biçici and Yuret, 2011)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from tunesmith.checks import at_least, within
from tunesmith.corpus.given_text import GivenLines, line_stream
from tunesmith.errors import FormatError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 10_000  # lines handed to the core, and sentences chosen, at once


@dataclass(frozen=True)
class Covered:
    """Different n-grams of the in-domain text, of one length: all, those of candidates, those of chosen ones."""

    words: int
    in_domain: int
    candidates: int
    chosen: int


@dataclass(frozen=True, eq=False)
class Selection:
    """Chosen sentences, the best first.

    lines: their numbers, from 0.   scores: when they were chosen.   candidates: how many sentences there were.
    covered: by length of the n-grams.
    """

    lines: NDArray[np.int64]
    scores: NDArray[np.float64]
    candidates: int
    covered: tuple[Covered, ...]

    def __len__(self) -> int:
        return len(self.lines)

    def rows(self) -> Iterator[str]:
        """Yield `line<TAB>score` of every chosen sentence in the order of choice; lines are numbered from 1."""
        for line, score in zip(self.lines.tolist(), self.scores.tolist(), strict=True):
            yield f"{line + 1}\t{score!r}"

    def labels(self, chosen: str, other: str) -> list[str]:
        """Return a label for every candidate: `chosen` or `other`."""
        labels = [other] * self.candidates
        for line in self.lines.tolist():
            labels[line] = chosen
        return labels

    def as_dict(self) -> dict[str, object]:
        return {
            "candidates": self.candidates,
            "chosen": len(self),
            "coverage": [
                {"words": each.words, "in_domain": each.in_domain, "candidates": each.candidates,
                 "chosen": each.chosen}
                for each in self.covered
            ],
        }  # fmt: skip


@dataclass(frozen=True)
class FeatureDecay:
    """Feature decay selection: Biçici and Yuret (2011), with the settings of Green et al. (2014).

    The features are the n-grams of the in-domain text U. One that occurs c times in U begins with the value
    ln(|U| / c), |U| in tokens, which is divided by 1 + its occurrences in the sentences chosen so far. The score
    of a sentence is the sum of the values of its n-grams, divided by its length; the highest is chosen next, the
    first line among equal ones. Sentences without an n-gram of U are never chosen.

    order: most words of an n-gram (Biçici and Yuret: 2).
    """

    order: int = 5

    def __post_init__(self) -> None:
        within(1, 255, order=self.order)

    def select(
        self,
        in_domain: GivenLines,
        candidates: GivenLines,
        sentences: int,
        progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> Selection:
        """Return the best `sentences` candidates for this text; fewer where no other has an n-gram of it."""
        import numpy as np

        from tunesmith import _core

        at_least(1, sentences=sentences)
        native = _core.FeatureDecay(self.order)
        for batch in _batches(line_stream(in_domain, "in_domain")):
            native.add_in_domain(batch)
        if native.in_domain_tokens == 0:
            raise FormatError("the in-domain text has no word")
        for batch in _batches(line_stream(candidates, "candidates")):
            native.add(batch)
        parts = []
        done, total = 0, min(sentences, len(native))
        while done < total:
            parts.append(native.select(min(_BATCH, total - done)))
            if not len(parts[-1][0]):
                break
            done += len(parts[-1][0])
            progress(done, total)
        return Selection(
            np.concatenate([np.empty(0, dtype=np.int64), *(lines for lines, _ in parts)]),
            np.concatenate([np.empty(0), *(scores for _, scores in parts)]),
            len(native),
            tuple(
                Covered(words, *counts)
                for words, counts in enumerate(zip(*(each.tolist() for each in native.coverage()), strict=True), 1)
            ),
        )


def _batches(lines: Iterator[str]) -> Iterator[Sequence[str]]:
    while batch := list(islice(lines, _BATCH)):
        yield batch
