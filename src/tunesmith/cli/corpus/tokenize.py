"""`tunesmith tokenize`: running text to tokens, line for line."""

from __future__ import annotations

from typing import Annotated

from tunesmith.cli.declaring import option
from tunesmith.cli.options import OutputFile
from tunesmith.cli.streams import InputFile, map_lines
from tunesmith.corpus.tokenizers import make_tokenizer

TokenizerName = Annotated[str, option("--tokenizer NAME", "none, 13a, moses, zh or char.")]
Language = Annotated[str, option("--language CODE", "Language of the text.")]


def tokenize(
    file: InputFile = None,
    tokenizer: TokenizerName = "moses",
    language: Language = "en",
    lowercase: Annotated[bool, option("--lowercase", "Write tokens in lower case.")] = False,
    output: OutputFile = "-",
) -> None:
    """Split running text into tokens, line for line.

    [bold]Examples[/bold]
      tunesmith tokenize --language en < train.en > train.tok.en
      tunesmith tokenize --tokenizer zh --lowercase train.zh.gz -o train.tok.zh.gz
    """
    made = make_tokenizer(tokenizer, language, lowercase)
    map_lines(made.tokenize, file, output, "tunesmith tokenize < train.en > train.tok.en")
