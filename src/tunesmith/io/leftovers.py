"""Unfinished files and folders: their names, and cleaning up after killed runs.

While it is being written, the future `name` is `.name.1a2b3c4d.partial` in the same folder, locked by its process.
The lock ends with the process, so a lock that can be acquired shows that nobody will finish the work.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import stat
import time
from pathlib import Path

from tunesmith.io.inside import Inside

# An unlocked file may be so new that its process has not locked it yet.
_LEAST_AGE = 60.0


def partial_path(target: Path) -> Path:
    """Return a new name in the folder of `target`, for unfinished data."""
    return target.parent / f".{target.name[:50]}.{os.urandom(4).hex()}.partial"


def open_folder(folder: Path) -> int:
    return folder.open_folder() if isinstance(folder, Inside) else os.open(folder, os.O_RDONLY)


def remove_tree(path: Path) -> None:
    """Remove a folder with its contents, or a file, as far as possible; links are not followed."""
    with contextlib.suppress(OSError):
        if isinstance(path, Inside):
            path.remove_tree()
        elif path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def remove_abandoned(target: Path) -> None:
    """Remove unfinished files and folders for `target` whose process is gone.

    Also removes the former `target` of an interrupted replacement, or restores it if `target` is missing.
    """
    ours = re.compile(rf"\.{re.escape(target.name[:50])}\.[0-9a-f]{{8}}\.(partial|old)")
    with contextlib.suppress(PermissionError):  # a folder that is writable but cannot be listed
        for entry in list(target.parent.iterdir()):
            if found := ours.fullmatch(entry.name):
                with contextlib.suppress(OSError):
                    (_restore if found[1] == "old" else _remove)(entry, target)


def _restore(old: Path, target: Path) -> None:
    status = old.lstat()
    # Renaming changes ctime and not mtime: a process between its two renaming steps is not disturbed.
    if not stat.S_ISDIR(status.st_mode) or time.time() - status.st_ctime < _LEAST_AGE:
        return
    if target.exists():
        remove_tree(old)
    else:
        old.rename(target)


def _remove(partial: Path, target: Path) -> None:
    status = partial.lstat()
    is_folder = stat.S_ISDIR(status.st_mode)
    if not (is_folder or stat.S_ISREG(status.st_mode)) or time.time() - status.st_mtime < _LEAST_AGE:
        return
    with contextlib.ExitStack() as stack:
        if is_folder:
            handle = open_folder(partial)
            stack.callback(os.close, handle)
        else:
            handle = stack.enter_context(partial.open("r+b")).fileno()  # NFS locks only what is opened for writing
        if lock(handle, without_locks=False):
            remove_tree(partial)


def lock(descriptor: int, *, without_locks: bool = True, shared: bool = False) -> bool:
    """Try to lock a file or folder; True on success.   without_locks: the result on file systems without locks."""
    try:
        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return without_locks
    return True
