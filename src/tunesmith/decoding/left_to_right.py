"""The hierarchical decoder that generates the target from left to right."""

from __future__ import annotations

from typing import ClassVar

from tunesmith.decoding.decoder import Decoder, decoders
from tunesmith.decoding.options import LeftToRightOptions, SearchOptions


@decoders.register("left-to-right")
class LeftToRightDecoder(Decoder):
    """Hierarchical translation from left to right (Watanabe et al. 2006, 2007; Siahbani et al. 2013).

    table: hierarchical rules in target normalised form: the target side is words, then gaps.
    """

    search: ClassVar[str] = "left-to-right"
    kind: ClassVar[str] = "hiero"
    appends: ClassVar[bool] = True
    options_type: ClassVar[type[SearchOptions]] = LeftToRightOptions
