"""Decoding: from source sentences to translations, n-best lists and search graphs."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.decoding.candidate_arrays import CandidateArrays
    from tunesmith.decoding.candidates import ListDecoder, fired_features
    from tunesmith.decoding.decoder import Decoder
    from tunesmith.decoding.held_out import HeldOutDecoder
    from tunesmith.decoding.hiero import HieroDecoder
    from tunesmith.decoding.left_to_right import LeftToRightDecoder
    from tunesmith.decoding.model import TranslationModel, load_decoder
    from tunesmith.decoding.options import DecoderOptions, LeftToRightOptions, SearchOptions, StackOptions
    from tunesmith.decoding.phrase import PhraseDecoder
    from tunesmith.decoding.profile import DecodingProfile
    from tunesmith.decoding.translation import Decoding, RuleApplication, Translation

__all__ = [
    "CandidateArrays",
    "Decoder",
    "DecoderOptions",
    "Decoding",
    "DecodingProfile",
    "HeldOutDecoder",
    "HieroDecoder",
    "LeftToRightDecoder",
    "LeftToRightOptions",
    "ListDecoder",
    "PhraseDecoder",
    "RuleApplication",
    "SearchOptions",
    "StackOptions",
    "Translation",
    "TranslationModel",
    "fired_features",
    "load_decoder",
]

__getattr__ = names_of(__name__, {"JackknifeDecoder": "HeldOutDecoder"})
