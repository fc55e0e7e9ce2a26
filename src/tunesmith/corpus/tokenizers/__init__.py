"""Tokenisers by name: `none`, `13a`, `moses`, `zh`, `char`, `sentencepiece`, and those of other packages.

Packages publish theirs under the entry point `tunesmith.tokenizers`. Libraries are imported when a tokeniser is
made, not before.
"""

from __future__ import annotations

from tunesmith.corpus.tokenizers.base import Lowercased, Tokenizer
from tunesmith.corpus.tokenizers.char import CharTokenizer
from tunesmith.corpus.tokenizers.moses import MosesTokenizer
from tunesmith.corpus.tokenizers.none import NoTokenizer
from tunesmith.corpus.tokenizers.sentencepiece import SentencePieceTokenizer
from tunesmith.corpus.tokenizers.v13a import V13aTokenizer
from tunesmith.corpus.tokenizers.zh import ChineseTokenizer
from tunesmith.registry import Registry

__all__ = ["Lowercased", "Tokenizer", "make_tokenizer", "tokenizers"]

tokenizers: Registry[Tokenizer] = Registry("tokenizer", "tunesmith.tokenizers")
tokenizers.register("none")(NoTokenizer)
tokenizers.register("13a")(V13aTokenizer)
tokenizers.register("moses")(MosesTokenizer)
tokenizers.register("zh")(ChineseTokenizer)
tokenizers.register("char")(CharTokenizer)
tokenizers.register("sentencepiece")(SentencePieceTokenizer)


def make_tokenizer(name: str, language: str = "en", lowercase: bool = False, **settings: object) -> Tokenizer:
    """The tokeniser called `name`; further settings are its own, such as `normalize` of moses."""
    made = tokenizers.make(name, language=language, **settings)
    return Lowercased(made) if lowercase else made
