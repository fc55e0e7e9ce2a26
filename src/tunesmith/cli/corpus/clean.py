"""`tunesmith clean`: remove sentence pairs that harm training, and say which and why."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

from tunesmith.cli.console import note, remark
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.options import Format, OutputFormat, Quiet
from tunesmith.cli.printing import put_json
from tunesmith.corpus import filters
from tunesmith.corpus.bitext import read_bitext
from tunesmith.corpus.clean import CleanReport
from tunesmith.corpus.clean import clean as clean_bitext
from tunesmith.errors import ConfigError
from tunesmith.io import atomic_writer, make_folder, put_lines, write_lines


def clean(
    source: Annotated[str, argument("SOURCE", "Source side, one sentence a line; - is standard input.")],
    target: Annotated[str, argument("TARGET", "Target side, one sentence a line.")],
    output: Annotated[
        str,
        option("-o --output", "Folder (keeps the names) or prefix (keeps the last suffix) of the two results."),
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
        str | None, option("--removed", "Write line, reason, source and target of every removed pair here.")
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
    results = _result_names(source, target, output, removed)
    bitext = read_bitext(source, target)
    if _is_folder(output):
        make_folder(output)
    report = clean_bitext(bitext, chosen)
    _write(report, output, results, removed)
    for message in report.original.notes:
        remark(message, quiet=quiet)
    if not len(report.kept):
        remark("no sentence pair was kept", quiet=quiet)
    if output_format is Format.json:
        put_json({**report.as_dict(), "written": results})
    else:
        note(_table(report), quiet=quiet)


def _result_names(source: str, target: str, output: str, removed: str | None) -> list[str]:
    """Where the two sides go; checked before any work, so that no input is overwritten."""
    names = []
    for path, side in ((source, "source"), (target, "target")):
        name = side if path == "-" else Path(path).name
        names.append(str(Path(output) / name) if _is_folder(output) else f"{output}.{_last_suffix(name)}")
    files = [path for path in (source, target, *names, removed) if path is not None and path != "-"]
    real = [os.path.realpath(path) for path in files if not _is_device(path)]
    if len(set(real)) < len(real):
        raise ConfigError(
            f"the results would be {names[0]} and {names[1]}: of these, the inputs and --removed two are the same "
            "file. Choose another -o"
        )
    return names


def _is_folder(output: str) -> bool:
    return output.endswith(os.sep) or Path(output).is_dir()


def _is_device(path: str) -> bool:
    return Path(path).exists() and not Path(path).is_file()


def _last_suffix(name: str) -> str:
    """`zh` of train.zh, `zh.gz` of train.zh.gz, the whole name where it has no suffix."""
    stem, end = (name.removesuffix(".gz"), ".gz") if name.endswith(".gz") else (name, "")
    return stem.rpartition(".")[2] + end


def _write(report: CleanReport, output: str, results: list[str], removed: str | None) -> None:
    """All files or none: each is complete before the first gets its name. Standard output comes last."""
    contents: list[tuple[str, Iterable[str]]] = [
        (results[0], report.kept.source),
        (results[1], report.kept.target),
    ]
    if removed is not None and removed != "-":
        contents.append((removed, report.removed_rows()))
    with contextlib.ExitStack() as stack:
        for path, lines in contents:
            out = stack.enter_context(atomic_writer(path))
            put_lines(out, lines, path)
            out.flush()
    if removed == "-":
        write_lines("-", report.removed_rows())


def _table(report: CleanReport) -> str:
    rows = [("pairs", len(report.original)), *report.counts.items(), ("kept", len(report.kept))]
    width = max(len(str(count)) for _, count in rows)
    return "\n".join(f"{name:<10} {count:>{width}}" for name, count in rows)
