"""Options of `tunesmith tune` that write the history of a run for other programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option
from tunesmith.cli.options import DETAILS
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.tuning.loop.observer import Observer


@dataclass(frozen=True)
class Logs:
    """Files for the history in addition to the run directory; true where one is named."""

    log_csv: Annotated[str | None, option(
        "--log-csv FILE", "Write the history as a table too, whole after every round.", DETAILS
    )] = None  # fmt: skip
    tensorboard: Annotated[Path | None, option(
        "--tensorboard FOLDER", "Write the history as curves for TensorBoard too (extra: tensorboard).", DETAILS
    )] = None  # fmt: skip

    def __bool__(self) -> bool:
        return self.log_csv is not None or self.tensorboard is not None

    def open(self, output: Path, inputs: Iterable[str], *, one_run: bool) -> list[Observer]:
        """Return observers that write the history. What cannot be written is refused before anything is tuned.

        output: the run directory, which holds files of its own only.   inputs: files that must not be replaced.
        """
        from tunesmith.io import check_folder, check_output
        from tunesmith.tuning.observers import CsvObserver, TensorBoardObserver

        found: list[Observer] = []
        for name, path in (("--log-csv", self.log_csv), ("--tensorboard", self.tensorboard)):
            if path is None:
                continue
            if not one_run:
                raise ConfigError(f"{name} is for one run; of several, each run directory has its history.tsv")
            if str(path) == "-":
                raise ConfigError(f"{name} -: is written again after every round, which standard output cannot be")
            if Path(path).resolve().is_relative_to(output.resolve()):
                raise ConfigError(
                    f"{name} {path}: is in the run directory, which --restart removes; name another place"
                )
        if self.log_csv is not None:
            check_output(self.log_csv, inputs)
            found.append(CsvObserver(self.log_csv))
        if self.tensorboard is not None:
            check_folder(self.tensorboard)
            if self.log_csv is not None and Path(self.log_csv).resolve() == self.tensorboard.resolve():
                raise ConfigError(f"--log-csv and --tensorboard are both {self.tensorboard}; name two places")
            found.append(TensorBoardObserver(self.tensorboard))
        return found
