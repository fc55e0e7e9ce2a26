"""`tunesmith experiment`: comparisons of whole systems, run to a table that can be published."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tunesmith.cli import options
from tunesmith.cli.cherry2012 import cherry2012
from tunesmith.cli.console import note, remark
from tunesmith.cli.group import GREEDY, Verb, Verbs
from tunesmith.errors import ConfigError, MissingExtraError

if TYPE_CHECKING:
    from tunesmith.experiments.settings import ExperimentSettings
    from tunesmith.experiments.table import Table

SIZE = "Size"
MODEL = "Model"


class ExperimentVerb(Verb):
    """Names of rows are listed, like references."""

    greedy = (*GREEDY, "--rows", "--repeat")


experiment = typer.Typer(
    name="experiment",
    cls=Verbs,
    no_args_is_help=True,
    rich_markup_mode="rich",
    help="Run the comparison of a paper, to a table.",
)


@experiment.callback()
def experiment_command() -> None:
    """Run the comparison of a paper, to a table."""


@experiment.command(cls=ExperimentVerb)
def liu2013(
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
    full: Annotated[
        bool, typer.Option("--full", rich_help_panel=SIZE, help="All training sentences, 15 rounds: many hours.")
    ] = False,
    tiny: Annotated[
        bool, typer.Option("--tiny", rich_help_panel=SIZE, help="To see it work: minutes, no meaning.")
    ] = False,
    train_sentences: Annotated[
        int | None,
        typer.Option("--train-sentences", min=1, rich_help_panel=SIZE, show_default="10000", help="Decoded."),
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", min=1, rich_help_panel=SIZE, show_default="6", help="Of decoding it.")
    ] = None,
    inner_rounds: Annotated[
        int | None,
        typer.Option("--inner-rounds", min=1, rich_help_panel=SIZE, show_default="5", help="On dev, in each."),
    ] = None,
    dev_rounds: Annotated[
        int | None,
        typer.Option("--dev-rounds", min=1, rich_help_panel=SIZE, show_default="15", help="Of dev-only rows."),
    ] = None,
    k: Annotated[
        int | None, typer.Option("--k", min=2, rich_help_panel=SIZE, show_default="100", help="List length.")
    ] = None,
    sweep: Annotated[
        int | None,
        typer.Option("--sweep", min=1, rich_help_panel=SIZE, show_default="3", help="Values of a setting tried."),
    ] = None,
    min_count: Annotated[
        float, typer.Option("--min-count", min=0, rich_help_panel=MODEL, help="Least joint count of a rule.")
    ] = 0.0,
    top: Annotated[
        int, typer.Option("--top", min=0, rich_help_panel=MODEL, help="Rules kept per source side; 0 for all.")
    ] = 0,
    significance: Annotated[
        float | None,
        typer.Option("--significance", rich_help_panel=MODEL, show_default=False, help="Least -log p of a rule."),
    ] = None,
    order: Annotated[int, typer.Option("--order", rich_help_panel=MODEL, help="Of the language model.")] = 5,
    seed: options.Seed = 1,
    list_rows: Annotated[bool, typer.Option("--list", help="Only say which rows there are.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    output_format: options.OutputTable = options.TableFormat.text,
    threads: options.Threads = 2,
    quiet: options.Quiet = False,
) -> None:  # fmt: skip
    """Table 1 of Liu et al. (2013) on data of yours: every row tuned, swept on devtest, scored on test.

    The folder gets table.md, table.json, pictures and report.html. Interrupted or killed, the same command goes
    on; with another setting only what depends on it is done again.

    [bold]Examples[/bold]
      tunesmith experiment liu2013 --data phrasebook -o table1/
      tunesmith experiment liu2013 --data zh-en/ -o table1/ --rows pro-dev-default mira-dev-default
      tunesmith experiment liu2013 --data phrasebook -o tiny/ --tiny
      tunesmith experiment liu2013 --list
    """
    from tunesmith.experiments.liu2013 import chosen_rows

    chosen = chosen_rows(rows or ())
    if list_rows:
        from tunesmith.cli.table import print_table

        print_table(["row", "method", "tuned on", "features", "of"],
                    [[row.name, row.method, row.data, row.features, row.part] for row in chosen])  # fmt: skip
        return
    if data is None or output is None:
        raise ConfigError("give the data and a folder for the experiment: --data FOLDER|phrasebook -o FOLDER")
    if full and tiny:
        raise ConfigError("--full and --tiny cannot both be meant")
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.cli.stage_progress import progress_of_stages
    from tunesmith.experiments.corpus import CorpusFiles
    from tunesmith.experiments.experiment import Liu2013
    from tunesmith.experiments.settings import Extraction

    sizes = {"train_sentences": train_sentences, "rounds": rounds, "inner_rounds": inner_rounds,
             "dev_rounds": dev_rounds, "k": k, "sweep": sweep}  # fmt: skip
    settings = _settings(full, tiny, sizes, Extraction(min_count, top, significance), order, seed)
    files = None if data == "phrasebook" else CorpusFiles.find(Path(data), pair)
    work = Liu2013(output, files, settings, threads=threads)
    if dry_run:
        for stage in work.plan(chosen):
            print(f"{stage.name}\t{'done' if stage.done else 'to do'}")
        return
    table = run_interruptibly(
        lambda: work.run(chosen, progress_of_stages(quiet=quiet)),
        lambda: "interrupted; go on with the same command",
    )
    _write_pages(output, table, quiet=quiet)
    _print(table, output_format)


def _settings(
    full: bool, tiny: bool, sizes: dict[str, Any], extraction: Any, order: int, seed: int
) -> ExperimentSettings:
    import dataclasses

    from tunesmith.corpus.phrasebook import PhrasebookOptions
    from tunesmith.experiments.settings import DEFAULT, FULL, TINY, TINY_PHRASEBOOK, ExperimentSettings

    scale = FULL if full else TINY if tiny else DEFAULT
    scale = dataclasses.replace(scale, **{name: value for name, value in sizes.items() if value is not None})
    phrasebook = TINY_PHRASEBOOK if tiny else PhrasebookOptions()
    return ExperimentSettings(scale, extraction, order, seed, phrasebook)


def _write_pages(folder: Path, table: Table, *, quiet: bool) -> None:
    """Pictures and the page; without matplotlib the page has none."""
    from tunesmith.experiments.pictures import draw_all, write_pictures
    from tunesmith.experiments.report import write_report

    try:
        pictures = draw_all(table.results, table.base)
    except MissingExtraError as error:
        remark(f"{error}", quiet=quiet)
        pictures = {}
    write_pictures(folder, pictures)
    write_report(folder / "report.html", table, pictures)
    note(f"the table is in {folder / 'table.md'}, the page in {folder / 'report.html'}", quiet=quiet)


def _print(table: Table, output_format: options.TableFormat) -> None:
    from tunesmith.cli.table import print_table
    from tunesmith.experiments.table import HEADER

    if output_format is options.TableFormat.json:
        print(json.dumps(table.as_dict(), indent=1, ensure_ascii=False))
    elif output_format is options.TableFormat.markdown:
        print(table.markdown(), end="")
    else:
        print_table(HEADER, [[cell.replace("**", "") for cell in row] for row in table.rows()])


experiment.command(cls=ExperimentVerb)(cherry2012)
