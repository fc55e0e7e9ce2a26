"""`tunesmith vocab`: the words of a text and how often they occur."""

from __future__ import annotations

from itertools import chain
from typing import Annotated

from tunesmith.cli.declaring import argument, option
from tunesmith.cli.options import OutputFile
from tunesmith.cli.streams import expect_input
from tunesmith.corpus.bitext import expand_paths
from tunesmith.io import check_output, iter_lines

LARGEST = 2**31 - 1  # words have 32-bit numbers


def vocab(
    files: Annotated[
        list[str] | None, argument("FILE", "Tokenised text, plain or gzip; nothing is standard input.")
    ] = None,
    limit: Annotated[
        int | None, option("--limit", "Keep the most frequent words only.", show_default="all", min=0, max=LARGEST)
    ] = None,
    min_count: Annotated[int, option("--min-count", "Leave out rarer words.", min=1, max=LARGEST)] = 1,
    output: OutputFile = "-",
) -> None:
    """List the words of a text with their counts, most frequent first.

    [bold]Examples[/bold]
      tunesmith vocab --limit 50000 < train.en > train.vocab
      tunesmith vocab train.en.gz --min-count 2 -o train.vocab
    """
    from tunesmith.corpus.vocab import Vocabulary

    expect_input(files or [], "tokenised text", "tunesmith vocab -o vocab.en < train.tok.en")
    check_output(output, files or [])
    lines = chain.from_iterable(map(iter_lines, expand_paths(files or ["-"])))
    Vocabulary.build(lines, limit, min_count).save(output)
