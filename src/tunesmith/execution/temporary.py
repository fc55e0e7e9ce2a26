"""Temporary folders, removed with the process or, after a kill, by the next run that makes one of this kind."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

# An unlocked folder may be so new that its process has not locked it yet.
_LEAST_AGE = 60.0
_open: set[Path] = set()


@contextlib.contextmanager
def temporary_folder(kind: str, parent: Path | None = None) -> Iterator[Path]:
    """Yield a private folder that is removed at the end.

    kind: part of its name.
    parent: folder to make it in. Folders of this kind left by killed runs are removed too: the lock of a process
        ends with it.
    """
    prefix = f"tunesmith-{kind}-"
    _remove_abandoned(Path(tempfile.gettempdir()) if parent is None else parent, prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    _open.add(folder)
    lock = os.open(folder, os.O_RDONLY)
    try:
        _locked(lock)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)
        _open.discard(folder)


def remove_all() -> None:
    """Remove all temporary folders, when the process ends without leaving their `with` blocks."""
    for folder in list(_open):
        shutil.rmtree(folder, ignore_errors=True)


def _remove_abandoned(parent: Path, prefix: str) -> None:
    named = re.compile(re.escape(prefix) + r"[a-z0-9_]{8}")
    with contextlib.suppress(OSError):
        for folder in parent.iterdir():
            if named.fullmatch(folder.name):
                with contextlib.suppress(OSError):
                    _remove_if_abandoned(folder)


def _remove_if_abandoned(folder: Path) -> None:
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        found = os.fstat(lock)
        if found.st_uid == os.getuid() and time.time() - found.st_mtime > _LEAST_AGE and _locked(lock):
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
