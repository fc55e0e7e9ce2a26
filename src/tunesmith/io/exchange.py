"""Exchanging two folders in one step, where the operating system can."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import sys
from pathlib import Path

from tunesmith.io.inside import holder

_HERE = -2 if sys.platform == "darwin" else -100  # AT_FDCWD: paths are relative to the working directory
_EXCHANGE = 2  # RENAME_EXCHANGE of Linux, RENAME_SWAP of macOS
_CANNOT = (errno.ENOSYS, errno.EINVAL, errno.EXDEV, errno.ENOTSUP, errno.EPERM)


def exchange(one: Path, other: Path) -> bool:
    """Swap two names; False, with nothing changed, where system or disk cannot."""
    library = ctypes.CDLL(None, use_errno=True)
    with contextlib.ExitStack() as stack:
        places: list[int | bytes] = []
        for path in (one, other):
            folder, name = stack.enter_context(holder(path))
            places += [_HERE if folder is None else folder, os.fsencode(name)]
        try:
            rename = library.renameatx_np if sys.platform == "darwin" else library.renameat2
        except AttributeError:  # an older C library
            return False
        failed = rename(*places, _EXCHANGE)
    if not failed:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), str(other))
