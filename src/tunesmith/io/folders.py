"""Folders that appear whole or not at all, and what killed runs left of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from tunesmith.errors import ConfigError, MissingFileError, TunesmithError
from tunesmith.io.exchange import exchange
from tunesmith.io.inside import inside, is_below, refuse_irregular_files
from tunesmith.io.leftovers import lock, open_folder, partial_path, remove_abandoned, remove_tree
from tunesmith.io.paths import StrPath, as_path, usable

Ours = Callable[[Path], bool]


@contextlib.contextmanager
def new_folder(path: StrPath, ours: Ours | None, what: str) -> Iterator[Path]:
    """Make a folder next to `path` that takes its place when the block ends well, and is removed otherwise.

    ours: whether a folder holds nothing but what may be replaced; None: nothing is replaced.
    what: is made, for messages. Leftovers of runs that were killed are removed. A link to a folder stays one.
    """
    refuse_other_data(as_path(path), ours, what)
    target = as_path(path) if is_below(path) else Path(os.path.realpath(path))
    with scratch_folder(target) as partial:
        yield partial
        refuse_other_data(target, ours, what)
        if not target.exists():
            partial.rename(target)
        elif not exchange(partial, target):  # otherwise the old one is in `partial` now, and goes with it
            _replace(target, partial)


def _replace(target: Path, partial: Path) -> None:
    """Replace in two steps; `remove_abandoned` puts the old folder back if we are killed between them."""
    old = partial.with_suffix(".old")
    target.rename(old)
    try:
        partial.rename(target)
    except BaseException:
        old.rename(target)
        raise
    remove_tree(old)


@contextlib.contextmanager
def scratch_folder(path: StrPath) -> Iterator[Path]:
    """Make a folder for work, on the disk where `path` will be; removed at the end unless it was renamed."""
    target = as_path(path)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        remove_abandoned(target)
        partial = partial_path(target)
        partial.mkdir()
        handle = open_folder(partial)
    except OSError as error:
        raise MissingFileError(f"{target}: cannot be made ({error.strerror})") from None
    try:
        lock(handle)
        yield partial
    except OSError as error:
        raise TunesmithError(f"{target}: cannot be written ({error.strerror or error})") from None
    finally:
        remove_tree(partial)
        os.close(handle)


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
        raise ConfigError(f"{target}: is a file; expected a folder for the {what}")


def is_at_work(folder: Path) -> bool:
    """Return whether some process has locked the folder by `alone`."""
    try:
        handle = open_folder(folder)
    except OSError:
        return False
    try:
        return not lock(handle, shared=True)
    finally:
        os.close(handle)


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock the folder until the block or the process ends; ConfigError when another process has it.

    What a killed run left half-written in it is removed; with a link, pipe or device in it, it is refused.
    """
    handle = open_folder(folder)
    try:
        if not lock(handle):
            raise ConfigError(f"{folder}: another tunesmith is at work there; wait for it or end it")
        refuse_irregular_files(inside(folder))
        for partial in list(folder.glob(".*.partial")):
            remove_tree(partial)
        yield
    finally:
        os.close(handle)
