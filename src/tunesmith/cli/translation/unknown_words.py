"""The alarm of `translate` for text that is not of the kind that the model was trained on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tunesmith.cli.console import warn

if TYPE_CHECKING:
    from tunesmith.corpus.vocab import Vocabulary

SHARE = 0.3
_ENOUGH = 1000
_PUNCTUATION = ".,;:!?\"'()[]{}…。，、；：！？“”‘’«»„"


class UnknownWords:
    """Counts source words that the model does not know, and warns once of more than 30 %, with the likely cause.

    raw: whether lines come without processing, so that case and tokens may be what is wrong.
    """

    def __init__(self, known: Vocabulary, *, raw: bool) -> None:
        self._known, self._raw = known, raw
        self.words = self.unknown = self._lower = self._attached = 0
        self._told = False

    def count(self, lines: Iterable[str]) -> None:
        if self._told:
            return
        for word in (word for line in lines for word in line.split()):
            self.words += 1
            if word in self._known:
                continue
            self.unknown += 1
            self._lower += word.lower() in self._known
            bare = word.strip(_PUNCTUATION)
            self._attached += bare != word and (bare in self._known or bare.lower() in self._known)
        if self.words >= _ENOUGH:
            self.report()

    def report(self) -> None:
        if self._told or self.unknown <= SHARE * self.words:
            return
        self._told = True
        warn(
            f"{self.unknown} of {self.words} source words ({100 * self.unknown / self.words:.0f} %) are unknown "
            f"to the model and stay as they are; {self.cause()}"
        )

    def cause(self) -> str:
        """Return the likely cause, and the way out."""
        if not self._raw:
            return "is the text in the source language of the model?"
        reasons = []
        if self._attached * 5 >= self.unknown:
            reasons.append("tokenise it")
        if self._lower * 5 >= self.unknown:
            reasons.append("lower-case it")
        if reasons:
            return (
                f"the text is not like that of training: {' and '.join(reasons)} as it was (tunesmith tokenize), "
                "or train with --tokenize and --lowercase, and translate does it"
            )
        return "is it in the source language of the model, tokenised and cased like the training text?"
