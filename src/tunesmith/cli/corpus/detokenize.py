"""`tunesmith detokenize`: tokens to running text, line for line."""

from __future__ import annotations

from tunesmith.cli.corpus.tokenize import Language, TokenizerName
from tunesmith.cli.options import OutputFile
from tunesmith.cli.streams import InputFile, map_lines
from tunesmith.corpus.tokenizers import make_tokenizer


def detokenize(
    file: InputFile = None,
    tokenizer: TokenizerName = "moses",
    language: Language = "en",
    output: OutputFile = "-",
) -> None:
    """Join tokens to text as people write it, line for line.

    [bold]Examples[/bold]
      tunesmith detokenize --language en < out.tok > out
      tunesmith detokenize --tokenizer zh out.tok.zh
    """
    made = make_tokenizer(tokenizer, language)
    map_lines(made.detokenize, file, output, "tunesmith detokenize < output.tok.en > output.en")
