"""Options about an external decoder, run as a command."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option
from tunesmith.cli.tuning.tuning_input import Given
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.jobs.listed import Commanded

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
        "--decoder-timeout SECONDS", "Time limit of a decoding, which is then ended with an error.",
        DECODER, show_default="none",
    )] = None  # fmt: skip
    decoder_server: Annotated[bool, option(
        "--decoder-server", "Keep the command running: it reads a line at a time and prints its list, then an "
        "empty line. Online recipes need this.", DECODER
    )] = False  # fmt: skip

    def __bool__(self) -> bool:
        return any(astuple(self))

    def _check(self, given: Given) -> None:
        """Refuse options about data that a command does not read."""
        unread = {
            "--source": given.source is not None,
            "--tokenized": given.tokenized,
            "--skip-bad": given.skip_bad,
            "--train-refs": bool(given.train_references),
            "--train-source": given.train_source is not None,
            "--leave-one-out": given.leave_one_out is not None,
            "--folds": given.folds is not None,
        }
        if wrong := [name for name, typed in unread.items() if typed]:
            raise ConfigError(
                f"--decoder-command takes no {', '.join(wrong)}: it reads --dev FILE as it is and learns from no "
                "training data; leave these out"
            )

    def data(self, given: Given) -> Commanded:
        """Return the lists of the command for the development data."""
        from tunesmith.corpus.text_files import TextFiles
        from tunesmith.jobs.listed import Commanded

        if self.decoder_command is None:
            raise ConfigError(
                "--decoder-config, --decoder-timeout and --decoder-server belong to --decoder-command"
            )
        if self.decoder_config is None:
            raise ConfigError("--decoder-command needs the configuration that it reads: --decoder-config FILE")
        self._check(given)
        if given.dev is None or not given.references:
            raise ConfigError("a decoder command needs development data: --dev FILE and --refs FILE…")
        dev = TextFiles(given.dev, tuple(given.references))
        return Commanded(
            self.decoder_command,
            str(self.decoder_config),
            dev,
            given.dialect,
            self.decoder_timeout,
            given.subwords,
            self.decoder_server,
        )
