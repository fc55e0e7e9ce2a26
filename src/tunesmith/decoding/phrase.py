"""The phrase-based decoder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.options import SearchOptions, StackOptions
from tunesmith.errors import ConfigError
from tunesmith.features import FeatureMatrix
from tunesmith.grammar import RuleTable
from tunesmith.lm import NgramModel
from tunesmith.weights import Weights

PLACES = ("distortion",)
"""Features across phrases that every phrase-based model has unless it says otherwise."""


class PhraseDecoder(Decoder):
    """Phrase-based translation (Koehn et al. 2003): stacks of hypotheses, cube pruning, future costs.

    table: phrase pairs, with reordering probabilities if `reordering` is among the features.
    features: compiled from the same table; its index gets the features of the search.
    language_models: by the names of their features.
    state_features: other features across phrases, by name: `distortion`, `reordering`, `target_bigrams`,
        `source_triggers`.
    weights: by name, or by the numbers of `index`; without any, all are 0.
    """

    kind: ClassVar[str] = "phrase"
    options_type: ClassVar[type[SearchOptions]] = StackOptions

    def __init__(
        self,
        table: RuleTable,
        features: FeatureMatrix,
        language_models: Mapping[str, NgramModel],
        weights: Weights | ArrayLike | None = None,
        options: SearchOptions | None = None,
        *,
        state_features: Sequence[str] = PLACES,
    ) -> None:
        reordering = None
        if "reordering" in state_features and table.reordering is not None:
            values = np.ascontiguousarray(table.reordering).reshape(-1)
            reordering = values, table.reordering_columns, table.reordering_model == "hier"
        super().__init__(table, features, language_models, weights, options, state_features, reordering)

    def force(self, phrases: Iterable[tuple[str, str]]) -> None:
        """From now on translate these source words so, wherever they stand: (source, target), words with blanks.

        Where several fit, the longest does, from left to right. A pair that is not in the table counts as one
        unknown word. Replaces what was forced before.
        """
        pairs = [(source.split(), target.split()) for source, target in phrases]
        for pair in pairs:
            for word in (*pair[0], *pair[1]):
                if not _is_text(word):
                    raise ConfigError(f"a forced phrase has {word!r}, which is not UTF-8 text")
        try:
            self._native.set_forced(pairs)
        except ValueError as error:
            raise ConfigError(str(error)) from None


def _is_text(word: str) -> bool:
    """Bytes of a command line that are not UTF-8 come as halves of surrogate pairs."""
    return not any("\ud800" <= character <= "\udfff" for character in word)
