"""`tunesmith experiment cherry2012`: batch tuners compared, with their stability, to a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.console import note, remark
from tunesmith.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from tunesmith.experiments.batch_table import BatchTable
    from tunesmith.experiments.settings import ExperimentSettings

SIZE = "Size"
MODEL = "Model"


def cherry2012(
    data: Annotated[
        str | None,
        typer.Option("--data", metavar="FOLDER|phrasebook", show_default=False,
                     help="Corpus with train, dev, devtest and test; or the built-in one."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", show_default=False, help="For all of it.")
    ] = None,
    pair: Annotated[
        str | None,
        typer.Option("--pair", metavar="X-Y", show_default="found by itself", help="From what to what."),
    ] = None,
    rows: Annotated[
        list[str] | None,
        typer.Option("--rows", metavar="NAME…", show_default="all", help="Only these."),
    ] = None,
    tiny: Annotated[
        bool, typer.Option("--tiny", rich_help_panel=SIZE, help="To see it work: minutes, no meaning.")
    ] = False,
    stability: Annotated[
        int | None,
        typer.Option("--stability", min=0, rich_help_panel=SIZE, show_default="4",
                     help="Sub-samples of dev that rows are tuned on too; 0 for none."),
    ] = None,
    repeat: Annotated[
        list[str] | None,
        typer.Option("--repeat", metavar="NAME…", rich_help_panel=SIZE, show_default="all",
                     help="Rows that are tuned on them."),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, rich_help_panel=SIZE, show_default="15", help="Of tuning.")
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", min=2, rich_help_panel=SIZE, show_default="100", help="List length.")
    ] = None,
    order: Annotated[int, typer.Option("--order", rich_help_panel=MODEL, help="Of the language model.")] = 5,
    seed: options.Seed = 1,
    list_rows: Annotated[bool, typer.Option("--list", help="Only say which rows there are.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    output_format: options.OutputTable = options.TableFormat.text,
    threads: options.Threads = 2,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Batch tuners on data of yours (Cherry and Foster 2012): tune, test, and how stable both are.

    Every row is tuned on dev and on fixed sub-samples of it; figure rows sweep a setting with features made to
    over-fit. Threads tune several rows at once. Interrupted or killed, the same command goes on.

    [bold]Examples[/bold]
      tunesmith experiment cherry2012 --data zh-en/ -o batch/
      tunesmith experiment cherry2012 --data zh-en/ -o batch/ --rows mira-big pro-big --stability 0
      tunesmith experiment cherry2012 --data phrasebook -o tiny/ --tiny
      tunesmith experiment cherry2012 --list
    """
    from tunesmith.experiments.cherry2012 import chosen_rows

    chosen = chosen_rows(rows or ())
    if repeat:
        chosen_rows(repeat)
    if list_rows:
        from tunesmith.cli.table import print_table

        print_table(["row", "tuner", "features", "sweeps"],
                    [[row.name, row.tuner, row.features, _sweep(row.setting, row.sweep)] for row in chosen],
                    texts=range(4))  # fmt: skip
        return
    if data is None or output is None:
        raise ConfigError("give the data and a folder for the experiment: --data FOLDER|phrasebook -o FOLDER")
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.cli.stage_progress import progress_of_stages
    from tunesmith.experiments.batch_tuning import BatchTuning
    from tunesmith.experiments.corpus import CorpusFiles
    from tunesmith.experiments.parallel import FailedStagesError

    files = None if data == "phrasebook" else CorpusFiles.find(Path(data), pair)
    samples = (2 if tiny else 4) if stability is None else stability
    work = BatchTuning(
        output, files, _settings(tiny, rounds, k, order, seed), samples=samples, repeated=repeat, threads=threads
    )
    if dry_run:
        for name, done in work.plan(chosen):
            print(f"{name}\t{'done' if done else 'to do'}")
        return
    try:
        table = run_interruptibly(
            lambda: work.run(chosen, progress_of_stages(quiet=quiet)),
            lambda: "interrupted; go on with the same command",
        )
    except FailedStagesError:
        _write_pages(output, work.table(chosen), quiet=quiet)
        raise
    _write_pages(output, table, quiet=quiet)
    _print(table, output_format)


def _settings(tiny: bool, rounds: int | None, k: int | None, order: int, seed: int) -> ExperimentSettings:
    import dataclasses

    from tunesmith.corpus.phrasebook import PhrasebookOptions
    from tunesmith.experiments.settings import DEFAULT, TINY, TINY_PHRASEBOOK, ExperimentSettings

    scale = TINY if tiny else DEFAULT
    sizes = {name: value for name, value in (("dev_rounds", rounds), ("k", k)) if value is not None}
    phrasebook = TINY_PHRASEBOOK if tiny else PhrasebookOptions()
    return ExperimentSettings(dataclasses.replace(scale, **sizes), order=order, seed=seed, phrasebook=phrasebook)


def _write_pages(folder: Path, table: BatchTable, *, quiet: bool) -> None:
    """Pictures and the page; without matplotlib the page has none."""
    from tunesmith.experiments.batch_pages import draw_all, write_page
    from tunesmith.experiments.pictures import write_pictures

    try:
        pictures = draw_all(table)
    except MissingExtraError as error:
        remark(f"{error}", quiet=quiet)
        pictures = {}
    write_pictures(folder, pictures)
    write_page(folder / "report.html", table, pictures)
    note(f"the table is in {folder / 'table.md'}, the page in {folder / 'report.html'}", quiet=quiet)


def _print(table: BatchTable, output_format: options.TableFormat) -> None:
    from tunesmith.cli.table import print_table
    from tunesmith.experiments.batch_table import HEADER

    if output_format is options.TableFormat.json:
        print(json.dumps(table.as_dict(), indent=1, ensure_ascii=False))
    elif output_format is options.TableFormat.markdown:
        print(table.markdown(), end="")
    else:
        print_table(HEADER, [[cell.strip("*") for cell in row] for row in table.rows()], texts=(0, 1))


def _sweep(setting: str, values: tuple[str, ...]) -> str:
    return f"{setting} = {', '.join(values)}" if values else ""
