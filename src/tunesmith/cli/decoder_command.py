"""Options about a decoder of somebody else, run as a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.cli.tuning_sources import MakeSources

DECODER = "Somebody else's decoder"

Command = Annotated[
    str | None,
    typer.Option("--decoder-command", metavar="TEXT", rich_help_panel=DECODER, show_default=False,
                 help="Command that decodes: {config}, {source}, {k} and {nbest} are replaced; without {nbest} "
                 "the list is what it prints."),
]  # fmt: skip
Config = Annotated[
    Path | None,
    typer.Option("--decoder-config", metavar="FILE", rich_help_panel=DECODER, show_default=False,
                 help="moses.ini or cdec's weights: what {config} is made from, with the weights to start with."),
]  # fmt: skip
Timeout = Annotated[
    float | None,
    typer.Option("--decoder-timeout", metavar="SECONDS", rich_help_panel=DECODER, show_default="none",
                 help="A decoding that takes longer is ended, and an error."),
]  # fmt: skip


class Asked(NamedTuple):
    """What was typed."""

    command: str | None
    config: Path | None
    timeout: float | None


def source_maker(
    ctx: typer.Context,
    asked: Asked,
    dev: str | None,
    references: Sequence[str],
    dialect: str | None,
    *,
    quiet: bool,
) -> MakeSources:
    """The lists of a command for the development data."""
    from tunesmith.cli.evaluation_input import read_reference_files
    from tunesmith.tuning.sources.command import CommandSource, DecoderCommand

    if asked.command is None:
        raise ConfigError("--decoder-config and --decoder-timeout belong to --decoder-command")
    if asked.config is None:
        raise ConfigError("--decoder-command needs the configuration that it reads: --decoder-config FILE")
    if dev is None or not references:
        raise ConfigError("a decoder command needs development data: --dev FILE and --refs FILE…")
    decoder = DecoderCommand(asked.command, asked.config, dialect, asked.timeout)
    texts = read_reference_files(ctx, references, [dev], quiet=quiet).sentences
    return lambda k: (CommandSource(decoder, Path(dev), texts, k), None)
