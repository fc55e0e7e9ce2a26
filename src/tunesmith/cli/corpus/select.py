"""`tunesmith select`: the sentences of a text that resemble another text most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from tunesmith.cli.console import note, progress, remark
from tunesmith.cli.corpus.two_sides import result_names, write_all
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.options import Format, OutputFormat, Quiet
from tunesmith.cli.printing import put_json
from tunesmith.corpus.bitext import Bitext, expand_paths, read_bitext
from tunesmith.corpus.selection import FeatureDecay, Selection
from tunesmith.errors import ConfigError
from tunesmith.io import check_output, read_lines, write_lines
from tunesmith.io.texts import Texts


def select(
    source: Annotated[
        str, argument("SOURCE", "Text to choose from, one sentence a line; - is standard input.")
    ],
    in_domain: Annotated[list[str], option(
        "--in-domain FILE…", "Text of the domain, in the language of SOURCE.", show_default=False
    )],
    sentences: Annotated[int, option("--sentences N", "How many to choose.", show_default=False, min=1)],
    target: Annotated[str | None, argument("[TARGET]", "Other side of the text.", show_default=False)] = None,
    output: Annotated[str | None, option(
        "-o --output FILE", "File of chosen sentences, in the order of the text; with TARGET, folder or prefix of "
        "both sides.", show_default="standard output",
    )] = None,
    ranks: Annotated[
        str | None, option("--ranks FILE", "Write line and score of each, in the order of choice.")
    ] = None,
    label_file: Annotated[
        str | None, option("--label-file FILE", "Write a label for every line of SOURCE, as train --labels reads.")
    ] = None,
    label: Annotated[str, option("--label NAME", "Label of chosen sentences.")] = "in-domain",
    other_label: Annotated[str, option("--other-label NAME", "Label of the others.")] = "default",
    order: Annotated[int, option("--order N", "Most words of an n-gram.", min=1, max=255)] = FeatureDecay.order,
    output_format: OutputFormat = Format.text,
    quiet: Quiet = False,
) -> None:  # fmt: skip
    """Choose sentences that resemble a text of a domain, by feature decay.

    A sentence counts for its n-grams that the domain has; each counts less the more often it was chosen before.

    [bold]Examples[/bold]
      tunesmith select --in-domain web.fr --sentences 20000 train.fr train.en -o selected/
      tunesmith select --in-domain web.fr --sentences 20000 --label-file labels --label web train.fr train.en
      tunesmith select --in-domain web.fr --sentences 1000 < crawl.fr > selected.fr
    """
    written = [each for each in (ranks, label_file) if each is not None]
    for name, value in (("--label", label), ("--other-label", other_label)):
        if value.split() != [value]:
            raise ConfigError(f"{name} must be one word, got {value!r}")
    if in_domain.count("-") + [source, target].count("-") > 1:
        raise ConfigError("standard input holds one text; give the others as files")
    domain = expand_paths(in_domain)
    results = _results(source, target, output, written, domain, output_format)
    pairs = _read(source, target)
    texts = Texts(domain)
    with progress("choosing", quiet=quiet) as show_progress, texts.located():
        chosen = FeatureDecay(order).select(texts, pairs.source, sentences, show_progress)
    extra = ((ranks, chosen.rows()), (label_file, chosen.labels(label, other_label)))
    contents: list[tuple[str, Iterable[str]]] = [(path, rows) for path, rows in extra if path is not None]
    lines = sorted(chosen.lines.tolist())
    sides = [[side[line] for line in lines] for side in (pairs.source, pairs.target)]
    contents += list(zip(results, sides, strict=False))
    write_all(output or "", [each for each in contents if each[0] != "-"])
    for path, rows in contents:
        if path == "-":
            write_lines("-", rows)
    for message in pairs.notes:
        remark(message, quiet=quiet)
    if len(chosen) < sentences:
        remark(f"{len(chosen)} of {sentences} sentences: no other has an n-gram of the domain", quiet=quiet)
    if output_format is Format.json:
        put_json({**chosen.as_dict(), "written": [path for path, _ in contents]})
    else:
        note(_table(chosen), quiet=quiet)


def _results(
    source: str, target: str | None, output: str | None, written: Sequence[str], domain: Sequence[str],
    output_format: Format,
) -> list[str]:  # fmt: skip
    """Return the files of the chosen sentences; checked before any work."""
    inputs = [source] if target is None else [source, target]
    if target is None or output is None:
        results = [] if output is None and written else [output or "-"]
    else:
        results = result_names(inputs, output, [*written, *domain], "--in-domain, --ranks and --label-file")
    if len(results) < len(inputs) and not written:
        raise ConfigError("two sides need -o, a folder or a prefix; or write --label-file or --ranks alone")
    if target is not None and output == "-":
        raise ConfigError("-o - is not possible: there are two results. Give a folder or a prefix")
    everything = [*results, *written]
    if everything.count("-") + (output_format is Format.json) > 1:
        raise ConfigError("two results would be written to standard output; give files")
    for path in written if target is not None else everything:
        check_output(path, [*inputs, *domain])
    if len(set(everything)) < len(everything):
        raise ConfigError(f"{next(each for each in everything if everything.count(each) > 1)}: was given twice")
    return results


def _read(source: str, target: str | None) -> Bitext:
    if target is not None:
        return read_bitext(source, target)
    lines = read_lines(source)
    return Bitext(lines, lines)


def _table(chosen: Selection) -> str:
    rows = [("", "in domain", "candidates", "chosen")]
    for each in chosen.covered:
        shares = [f"{count} ({count / each.in_domain:.1%})" if each.in_domain else "0"
                  for count in (each.candidates, each.chosen)]  # fmt: skip
        rows.append((f"{each.words}-grams", str(each.in_domain), shares[0], shares[1]))
    widths = [max(len(row[at]) for row in rows) for at in range(4)]
    lines = ["  ".join(f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)) for row in rows]
    return "\n".join([f"{len(chosen)} of {chosen.candidates} sentences chosen", *lines])
