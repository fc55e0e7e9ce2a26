"""The hierarchical decoder."""

from __future__ import annotations

from typing import ClassVar

from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.options import DecoderOptions, SearchOptions


class HieroDecoder(Decoder):
    """Hierarchical phrase-based translation (Chiang 2007) with a rule table, language models and weights.

    table: hierarchical rules.   features: compiled from the same table; its index gets the features of the search.
    language_models: by the names of their features.   state_features: other features across rules, by name.
    weights: by name, or by the numbers of `index`; without any, all are 0.
    """

    kind: ClassVar[str] = "hiero"
    options_type: ClassVar[type[SearchOptions]] = DecoderOptions
