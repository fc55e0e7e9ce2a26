"""The hierarchical decoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from numpy.typing import ArrayLike

from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.options import DecoderOptions, SearchOptions
from tunesmith.features import FeatureMatrix
from tunesmith.grammar import RuleTable
from tunesmith.lm import NgramModel
from tunesmith.weights import Weights


class HieroDecoder(Decoder):
    """Hierarchical phrase-based translation (Chiang 2007) with a rule table, language models and weights.

    table: hierarchical rules.   features: compiled from the same table; its index gets the features of the search.
    language_models: by the names of their features.   state_features: other features across rules, by name.
    weights: by name, or by the numbers of `index`; without any, all are 0.
    """

    kind: ClassVar[str] = "hiero"
    options_type: ClassVar[type[SearchOptions]] = DecoderOptions

    def __init__(
        self,
        table: RuleTable,
        features: FeatureMatrix,
        language_models: Mapping[str, NgramModel],
        weights: Weights | ArrayLike | None = None,
        options: SearchOptions | None = None,
        *,
        state_features: Sequence[str] = (),
    ) -> None:
        super().__init__(table, features, language_models, weights, options, state_features)
