"""Tokenisers by name: `none`, `13a`, `moses`, `zh`, `char`, `sentencepiece`, and those of other packages.

Packages publish theirs under the entry point `tunesmith.tokenizers`. Tokenisers and the libraries they use are
imported when a tokeniser is made, not before.
"""

from __future__ import annotations

from tunesmith.corpus.tokenizers.base import Lowercased, Tokenizer
from tunesmith.registry import Registry

__all__ = ["Lowercased", "Tokenizer", "make_tokenizer", "tokenizers"]

tokenizers: Registry[Tokenizer] = Registry("tokenizer", "tunesmith.tokenizers")
tokenizers.register_later("none", "tunesmith.corpus.tokenizers.none:NoTokenizer")
tokenizers.register_later("13a", "tunesmith.corpus.tokenizers.v13a:V13aTokenizer")
tokenizers.register_later("moses", "tunesmith.corpus.tokenizers.moses:MosesTokenizer")
tokenizers.register_later("zh", "tunesmith.corpus.tokenizers.zh:ChineseTokenizer")
tokenizers.register_later("char", "tunesmith.corpus.tokenizers.char:CharTokenizer")
tokenizers.register_later("sentencepiece", "tunesmith.corpus.tokenizers.sentencepiece:SentencePieceTokenizer")


def make_tokenizer(name: str, language: str = "en", lowercase: bool = False, **settings: object) -> Tokenizer:
    """Make the tokeniser called `name`; further settings are passed to it, such as `normalize` of moses."""
    made = tokenizers.make(name, language=language, **settings)
    return Lowercased(made) if lowercase else made
