"""`tunesmith clean`: remove sentence pairs that harm training, and say which and why."""

from __future__ import annotations

from typing import Annotated

from tunesmith.cli.console import note, remark
from tunesmith.cli.corpus.two_sides import result_names, write_all
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.options import Format, OutputFormat, Quiet
from tunesmith.cli.printing import put_json
from tunesmith.corpus import filters
from tunesmith.corpus.bitext import read_bitext
from tunesmith.corpus.clean import CleanReport
from tunesmith.corpus.clean import clean as clean_bitext
from tunesmith.errors import ConfigError
from tunesmith.io import write_lines


def clean(
    source: Annotated[str, argument("SOURCE", "Source side, one sentence a line; - is standard input.")],
    target: Annotated[str, argument("TARGET", "Target side, one sentence a line.")],
    output: Annotated[
        str,
        option(
            "-o --output NAME", "Folder (keeps the names) or prefix (keeps the last suffix) of the two results."
        ),
    ],
    max_length: Annotated[int, option("--max-length", "Most words of a side.", min=1)] = filters.MaxLength.words,
    min_length: Annotated[int, option("--min-length", "Fewest words of a side.", min=1)] = filters.MinLength.words,
    max_ratio: Annotated[
        float, option("--max-ratio", "Longer side against shorter side, in words.", min=1)
    ] = filters.LengthRatio.max_ratio,
    max_word_length: Annotated[
        int, option("--max-word-length", "Most characters of a word.", min=1)
    ] = filters.WordLength.characters,
    no_duplicates: Annotated[bool, option("--no-duplicates", "Remove pairs that came before.")] = False,
    no_identical: Annotated[
        bool, option("--no-identical", "Remove pairs whose sides are the same words.")
    ] = False,
    removed: Annotated[
        str | None, option("--removed FILE", "Write line, reason, source and target of every removed pair here.")
    ] = None,
    output_format: OutputFormat = Format.text,
    quiet: Quiet = False,
) -> None:
    """Remove sentence pairs that would harm training; say how many and why.

    [bold]Examples[/bold]
      tunesmith clean train.zh train.en -o cleaned/
      tunesmith clean train.zh train.en -o cleaned/ --removed removed.tsv
    """
    if removed == "-" and output_format is Format.json:
        raise ConfigError("--removed - and -f json would both write to standard output; give --removed a file")
    chosen: list[filters.Filter] = [
        filters.EmptySide(),
        filters.ControlCharacters(),
        filters.MinLength(min_length),
        filters.MaxLength(max_length),
        filters.LengthRatio(max_ratio),
        filters.WordLength(max_word_length),
    ]
    if no_identical:
        chosen.append(filters.IdenticalSides())
    if no_duplicates:
        chosen.append(filters.Duplicates())  # last, so that only kept pairs count as seen
    if min_length > max_length:
        raise ConfigError(f"--min-length {min_length} is above --max-length {max_length}: nothing could be kept")
    if output == "-":
        raise ConfigError("-o - is not possible: there are two results. Give a folder or a prefix")
    results = result_names([source, target], output, [removed], "--removed")
    report = clean_bitext(read_bitext(source, target), chosen)
    rows = [] if removed in (None, "-") else [(str(removed), report.removed_rows())]
    write_all(output, [(results[0], report.kept.source), (results[1], report.kept.target), *rows])
    if removed == "-":
        write_lines("-", report.removed_rows())
    for message in report.original.notes:
        remark(message, quiet=quiet)
    if not len(report.kept):
        remark("no sentence pair was kept", quiet=quiet)
    if output_format is Format.json:
        put_json({**report.as_dict(), "written": results})
    else:
        note(_table(report), quiet=quiet)


def _table(report: CleanReport) -> str:
    rows = [("pairs", len(report.original)), *report.counts.items(), ("kept", len(report.kept))]
    width = max(len(str(count)) for _, count in rows)
    return "\n".join(f"{name:<10} {count:>{width}}" for name, count in rows)
