"""The phrase-based decoder."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from tunesmith.decoding.decoder import Decoder, decoders
from tunesmith.decoding.options import SearchOptions, StackOptions
from tunesmith.decoding.weighting import change
from tunesmith.errors import ConfigError


@decoders.register("phrase")
class PhraseDecoder(Decoder):
    """Phrase-based translation (Koehn et al. 2003): stacks of hypotheses, cube pruning, future costs.

    table: phrase pairs, with reordering probabilities if `reordering` is among the features.
    state_features: such as `distortion` and `reordering`; see `Decoder`.
    """

    search: ClassVar[str] = "phrase"
    kind: ClassVar[str] = "phrase"
    appends: ClassVar[bool] = True
    options_type: ClassVar[type[SearchOptions]] = StackOptions
    usual_features: ClassVar[tuple[str, ...]] = ("distortion",)

    def force(self, phrases: Iterable[tuple[str, str]]) -> None:
        """Force translations of source words wherever they occur.

        phrases: (source, target), words separated by spaces. The longest match wins, from left to right. A pair
        that is not in the table counts as one unknown word. Replaces earlier forced phrases.
        """
        pairs = [(source.split(), target.split()) for source, target in phrases]
        for pair in pairs:
            for word in (*pair[0], *pair[1]):
                if not _is_text(word):
                    raise ConfigError(f"a forced phrase has {word!r}, which is not UTF-8 text")
        change(self._native.set_forced, pairs)


def _is_text(word: str) -> bool:
    """Return whether a word is valid text; invalid UTF-8 of a command line becomes halves of surrogate pairs."""
    return not any("\ud800" <= character <= "\udfff" for character in word)
