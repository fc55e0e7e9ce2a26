"""The hierarchical decoder."""

from __future__ import annotations

from typing import ClassVar

from tunesmith.decoding.decoder import Decoder, decoders
from tunesmith.decoding.options import DecoderOptions, SearchOptions


@decoders.register("hiero")
class HieroDecoder(Decoder):
    """Hierarchical phrase-based translation (Chiang 2007) with a table of hierarchical rules."""

    search: ClassVar[str] = "hiero"
    kind: ClassVar[str] = "hiero"
    options_type: ClassVar[type[SearchOptions]] = DecoderOptions
