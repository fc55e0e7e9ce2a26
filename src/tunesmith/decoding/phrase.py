"""The phrase-based decoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.options import StackOptions
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
    state_features: other features across phrases, by name: `distortion`, `reordering`, `target_bigrams`.
    weights: by name, or by the numbers of `index`; without any, all are 0.
    """

    kind: ClassVar[str] = "phrase"

    def __init__(
        self,
        table: RuleTable,
        features: FeatureMatrix,
        language_models: Mapping[str, NgramModel],
        weights: Weights | ArrayLike | None = None,
        options: StackOptions | None = None,
        *,
        state_features: Sequence[str] = PLACES,
    ) -> None:
        reordering = None
        if "reordering" in state_features and table.reordering is not None:
            reordering = np.ascontiguousarray(table.reordering).reshape(-1), table.reordering_columns
        super().__init__(
            table, features, language_models, weights, options or StackOptions(), state_features, reordering
        )
