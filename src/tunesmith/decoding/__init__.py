"""Decoding: from source sentences to translations, k-best lists and search graphs."""

from tunesmith.decoding.candidates import CandidateArrays
from tunesmith.decoding.hiero import HieroDecoder
from tunesmith.decoding.options import DecoderOptions
from tunesmith.decoding.system import load_decoder
from tunesmith.decoding.translation import Decoding, Step, Translation

__all__ = ["CandidateArrays", "DecoderOptions", "Decoding", "HieroDecoder", "Step", "Translation", "load_decoder"]
