"""Formats of candidate lists, one file each."""

from tunesmith.search.dialects.base import BadLines, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.cdec import CdecDialect
from tunesmith.search.dialects.ctranslate2 import CTranslate2Dialect
from tunesmith.search.dialects.detect import detect_dialect, make_dialect
from tunesmith.search.dialects.fairseq import FairseqDialect
from tunesmith.search.dialects.flat import FlatDialect
from tunesmith.search.dialects.huggingface import HuggingFaceDialect
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.joshua import JoshuaDialect
from tunesmith.search.dialects.json_lines import JsonDialect
from tunesmith.search.dialects.marian import MarianDialect
from tunesmith.search.dialects.moses import MosesDialect
from tunesmith.search.dialects.moses_dat import MosesDatDialect
from tunesmith.search.dialects.openai import OpenAIDialect
from tunesmith.search.dialects.sockeye import SockeyeDialect
from tunesmith.search.dialects.travatar import TravatarDialect

__all__ = [
    "BadLines",
    "CTranslate2Dialect",
    "CdecDialect",
    "Detection",
    "Dialect",
    "FairseqDialect",
    "FlatDialect",
    "HuggingFaceDialect",
    "JoshuaDialect",
    "JsonDialect",
    "ListFile",
    "ListInput",
    "MarianDialect",
    "MosesDatDialect",
    "MosesDialect",
    "OpenAIDialect",
    "SockeyeDialect",
    "TravatarDialect",
    "detect_dialect",
    "dialects",
    "make_dialect",
]
