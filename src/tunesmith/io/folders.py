"""Folders that appear whole or not at all, and what killed runs left of them."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tunesmith.errors import ConfigError, MissingFileError, TunesmithError
from tunesmith.io.exchange import exchange
from tunesmith.io.paths import StrPath, usable

# A folder without a lock may be so new that its maker has not locked it yet.
_LEAST_AGE = 60.0

Ours = Callable[[Path], bool]


@contextlib.contextmanager
def new_folder(path: StrPath, ours: Ours | None, what: str) -> Iterator[Path]:
    """A folder beside `path` that takes its place when the block ends well, and is removed otherwise.

    ours: whether a folder holds nothing but what may be replaced; None: nothing is replaced.
    what: is made, for messages. What runs that were killed left behind is removed. A link to a folder stays one.
    """
    refuse_other_data(Path(path), ours, what)
    target = Path(os.path.realpath(path))
    with scratch_folder(target) as partial:
        yield partial
        refuse_other_data(target, ours, what)
        if not target.exists():
            partial.rename(target)
        elif not exchange(partial, target):  # otherwise the old one is in `partial` now, and goes with it
            _replace(target, partial)


def _replace(target: Path, partial: Path) -> None:
    """In two steps; `remove_abandoned` puts the old folder back if we are killed between them."""
    old = partial.with_suffix(".old")
    target.rename(old)
    try:
        partial.rename(target)
    except BaseException:
        old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def scratch_folder(path: StrPath) -> Iterator[Path]:
    """A folder for work, on the disk where `path` will be; removed at the end unless it was renamed."""
    target = Path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(target)
        partial = target.parent / f".{target.name[:50]}.{secrets.token_hex(4)}.partial"
        partial.mkdir()
        lock = os.open(partial, os.O_RDONLY)
    except OSError as error:
        raise MissingFileError(f"{target}: cannot be made ({error.strerror})") from None
    try:
        _lock(lock)
        yield partial
    except OSError as error:
        raise TunesmithError(f"{target}: cannot be written ({error.strerror or error})") from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        os.close(lock)


def refuse_other_data(target: Path, ours: Ours | None, what: str) -> None:
    """Raise ConfigError unless the folder is missing, empty, or `ours`. Call it before long work, too."""
    usable(target)
    if target.is_dir():
        if target.samefile(os.curdir) or target.is_mount():
            place = "the working folder" if target.samefile(os.curdir) else "a mount point"
            raise ConfigError(f"{target}: is {place}, which cannot be replaced; name a new folder for the {what}")
        if any(target.iterdir()) and (ours is None or not ours(target)):
            other = "other data" if ours is not None else "data in it"
            raise ConfigError(f"{target}: is a folder with {other}; name a new one or remove it first")
    elif target.exists() or target.is_symlink():
        raise ConfigError(f"{target}: is a file; a folder for the {what} was expected")


def remove_abandoned(target: Path) -> None:
    """Remove unfinished folders for `target` whose process is gone: the lock of a process ends with it.

    What `target` was before it was replaced goes too; if it was moved away and never replaced, it comes back.
    """
    ours = re.compile(rf"\.{re.escape(target.name[:50])}\.[0-9a-f]{{8}}\.(partial|old)")
    for folder in target.parent.iterdir():
        found = ours.fullmatch(folder.name)
        if not found or folder.is_symlink() or not folder.is_dir():
            continue
        if found[1] == "old":
            with contextlib.suppress(OSError):
                # Renaming changes this time and not the other: between its two steps nobody is disturbed.
                if time.time() - folder.stat().st_ctime < _LEAST_AGE:
                    continue
                if target.exists():
                    shutil.rmtree(folder, ignore_errors=True)
                else:
                    folder.rename(target)
            continue
        with contextlib.suppress(OSError):
            if time.time() - folder.stat().st_mtime < _LEAST_AGE:
                continue
            lock = os.open(folder, os.O_RDONLY)
            try:
                if _lock(lock, without_locks=False):
                    shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(lock)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """The folder for us alone, until the block or the process ends; ConfigError when another process has it.

    What a killed run left half-written in it is removed.
    """
    lock = os.open(folder, os.O_RDONLY)
    try:
        if not _lock(lock):
            raise ConfigError(f"{folder}: another tunesmith is at work there; wait for it or end it")
        for partial in folder.glob(".*.partial"):
            if partial.is_dir() and not partial.is_symlink():
                shutil.rmtree(partial, ignore_errors=True)
            else:
                partial.unlink(missing_ok=True)
        yield
    finally:
        os.close(lock)


def _lock(descriptor: int, *, without_locks: bool = True) -> bool:
    """Whether the folder is ours now; without_locks: the answer where the file system knows no locks."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without_locks
    return True
