"""`tunesmith`: the list of verbs, in the order of the data."""

from __future__ import annotations

from typing import Annotated

import typer

import tunesmith
from tunesmith.cli.demo import demo
from tunesmith.cli.group import Verb, Verbs
from tunesmith.cli.lm import lm
from tunesmith.cli.phrasebook import phrasebook

app = typer.Typer(
    name="tunesmith",
    cls=Verbs,
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tunesmith {tunesmith.__version__}")
        raise typer.Exit


@app.callback()
def tunesmith_command(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Train, tune, decode and rerank log-linear translation models with millions of features."""


for verb in (phrasebook, demo):
    app.command(cls=Verb)(verb)
app.add_typer(lm)


def run() -> None:
    """Entry point of the installed command."""
    app()
