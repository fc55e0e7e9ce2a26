"""Decoding: from source sentences to translations, k-best lists and search graphs."""

from tunesmith.decoding.candidate_arrays import CandidateArrays
from tunesmith.decoding.candidates import ListDecoder, fired_features
from tunesmith.decoding.hiero import HieroDecoder
from tunesmith.decoding.jackknife import JackknifeDecoder
from tunesmith.decoding.model import TranslationModel, load_decoder
from tunesmith.decoding.options import DecoderOptions
from tunesmith.decoding.translation import Decoding, Step, Translation

__all__ = [
    "CandidateArrays",
    "DecoderOptions",
    "Decoding",
    "HieroDecoder",
    "JackknifeDecoder",
    "ListDecoder",
    "Step",
    "Translation",
    "TranslationModel",
    "fired_features",
    "load_decoder",
]
