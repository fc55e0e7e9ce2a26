"""Checksums of the files that a position of a run depends on; `state.json` holds them, and one of itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from tunesmith.errors import FormatError
from tunesmith.io.verify import bytes_checksum, file_checksum
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.runs import directory as run
from tunesmith.tuning.runs.documents import StateDocument

_ARRAY = re.compile(rf"{run.ROUNDS}/[0-9]+/[A-Za-z0-9][A-Za-z0-9._-]*\.npy")


def checksums(folder: Path, kept: Iterable[str], rows: int) -> dict[str, str]:
    """Return checksums of settings, arrays among the paths kept, and rows of the history. Lists have their own."""
    names = [run.SETTINGS, *sorted(path for path in kept if _ARRAY.fullmatch(path)), run.HISTORY]
    return {name: checksum(folder, name, rows) for name in names if (folder / name).is_file()}


def checksum(folder: Path, name: str, rows: int) -> str:
    """Return checksum of a file. A killed process may have left more rows of the history than are counted."""
    if name != run.HISTORY:
        return file_checksum(folder / name)
    with (folder / name).open("rb") as stream:
        return bytes_checksum(b"".join(islice(stream, rows)))


def damaged(folder: Path, found: StateDocument) -> Iterator[tuple[str, str | None]]:
    """Yield every file that a `state.json` has a checksum of, and what is wrong with it, if anything."""
    for name, wanted in found.checksums.items():
        if name not in (run.SETTINGS, run.HISTORY) and not _ARRAY.fullmatch(name):
            yield name, "is not a file of a run"
            continue
        try:
            seen = checksum(folder, name, found.rows)
        except FileNotFoundError:
            yield name, "is missing"
            continue
        except FormatError as error:
            yield name, error.message
            continue
        except OSError as error:
            yield name, f"cannot be read ({error.strerror})"
            continue
        right = seen == wanted
        yield name, None if right else f"the checksum is {seen}, expected {wanted}; the file is damaged"


def verify_checksums(folder: Path, found: StateDocument) -> None:
    """Raise FormatError for the first file that is damaged."""
    for name, wrong in damaged(folder, found):
        if wrong is not None:
            raise FormatError(f"{wrong}; {RESTART}", path=str(folder / name))
