"""Options about a decoder of somebody else, run as a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from tunesmith.cli.declaring import option
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.cli.tuning_sources import MakeSources

DECODER = "Somebody else's decoder"

Command = Annotated[str | None, option(
    "--decoder-command TEXT", "Command that decodes: {config}, {source}, {k} and {nbest} are replaced; without "
    "{nbest} the list is what it prints.", DECODER
)]  # fmt: skip
Config = Annotated[Path | None, option(
    "--decoder-config FILE",
    "moses.ini or cdec's weights: what {config} is made from, with the weights to start with.", DECODER
)]  # fmt: skip
Timeout = Annotated[float | None, option(
    "--decoder-timeout SECONDS", "A decoding that takes longer is ended, and an error.",
    DECODER, show_default="none",
)]  # fmt: skip


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
