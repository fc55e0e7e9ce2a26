"""Work by the handle of a folder: names in it are opened, refused or removed, and no link is followed."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from tunesmith.errors import IrregularFileError
from tunesmith.io.paths import StrPath

FOLDER = os.O_DIRECTORY | os.O_CLOEXEC
# A folder on the way need not be readable; where the system has no such flag it must be.
_PASSAGE = FOLDER | getattr(os, "O_PATH", os.O_RDONLY)


def open_folder(top: str, folders: Sequence[str]) -> int:
    """Open these folders below `top`, each relative to the one before; return a handle of the last."""
    handle = os.open(top, _PASSAGE)
    for number, each in enumerate(folders, 1):
        above = handle
        try:
            handle = os.open(each, _PASSAGE | os.O_NOFOLLOW, dir_fd=above)
        except OSError as error:
            at = Path(top, *folders[:number])
            refuse_at(above, each, at)
            error.filename = str(at)
            raise
        finally:
            os.close(above)
    return handle


def refuse_at(folder: int, name: str, path: StrPath) -> None:
    """Refuse what is under a name, if anything is, unless it is a regular file or a folder."""
    with contextlib.suppress(FileNotFoundError):
        refuse_irregular(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode, path)


def refuse_irregular(mode: int, path: StrPath) -> None:
    """Raise IrregularFileError unless it is the mode of a regular file or a folder."""
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return
    if stat.S_ISLNK(mode):
        raise IrregularFileError(
            f"{os.fspath(path)}: is a link; links inside a folder of tunesmith are not followed. "
            "Replace it with a copy of what it points to"
        )
    kind = "pipe" if stat.S_ISFIFO(mode) else "socket" if stat.S_ISSOCK(mode) else "device"
    raise IrregularFileError(
        f"{os.fspath(path)}: is a {kind}; only regular files are used inside a folder of tunesmith. Remove it"
    )


@contextlib.contextmanager
def not_too_deep(path: Path) -> Iterator[None]:
    try:
        yield
    except RecursionError:
        raise IrregularFileError(f"{path}: holds folders in folders, too many for one of tunesmith") from None


def remove(folder: int, name: str) -> None:
    if stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        empty(os.open(name, os.O_RDONLY | FOLDER | os.O_NOFOLLOW, dir_fd=folder))
        os.rmdir(name, dir_fd=folder)
    else:
        os.unlink(name, dir_fd=folder)


def empty(handle: int) -> None:
    """Remove what is in the folder of this handle, and close it."""
    try:
        for name in os.listdir(handle):
            with contextlib.suppress(FileNotFoundError):
                remove(handle, name)
    finally:
        os.close(handle)
