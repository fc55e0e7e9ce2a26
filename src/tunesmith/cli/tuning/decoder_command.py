"""Options about an external decoder, run as a command."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli.declaring import option
from tunesmith.cli.tuning.tuning_input import Given
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.cli.tuning.tuning_sources import MakeSources

DECODER = "External decoder"


@dataclass(frozen=True)
class ExternalDecoder:
    """A command, what it reads and how long it may take; true where one of these is given."""

    decoder_command: Annotated[str | None, option(
        "--decoder-command TEXT", "Command that decodes: {config}, {source}, {k} and {nbest} are replaced; "
        "without {nbest} the list is what it prints.", DECODER
    )] = None  # fmt: skip
    decoder_config: Annotated[Path | None, option(
        "--decoder-config FILE",
        "moses.ini or cdec's weights: what {config} is made from, with the weights to start with.", DECODER
    )] = None  # fmt: skip
    decoder_timeout: Annotated[float | None, option(
        "--decoder-timeout SECONDS", "A decoding that takes longer is ended, and an error.",
        DECODER, show_default="none",
    )] = None  # fmt: skip

    def __bool__(self) -> bool:
        return any(astuple(self))

    def source_maker(self, ctx: typer.Context, given: Given, *, quiet: bool) -> MakeSources:
        """The lists of the command for the development data."""
        from tunesmith.cli.evaluation.evaluation_input import read_reference_files
        from tunesmith.tuning.sources.command import CommandSource, DecoderCommand

        if self.decoder_command is None:
            raise ConfigError("--decoder-config and --decoder-timeout belong to --decoder-command")
        if self.decoder_config is None:
            raise ConfigError("--decoder-command needs the configuration that it reads: --decoder-config FILE")
        if given.dev is None or not given.references:
            raise ConfigError("a decoder command needs development data: --dev FILE and --refs FILE…")
        decoder = DecoderCommand(self.decoder_command, self.decoder_config, given.dialect, self.decoder_timeout)
        dev = Path(given.dev)
        texts = read_reference_files(ctx, given.references, [given.dev], quiet=quiet).sentences
        return lambda k: (CommandSource(decoder, dev, texts, k), None)
