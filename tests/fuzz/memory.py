"""Memory of a process, and a small fast disk for cases."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from pathlib import Path

_PAGE = resource.getpagesize()


def resident_bytes(process: int) -> int:
    """What a process holds in memory now; 0 where the system does not say."""
    try:
        return int(Path(f"/proc/{process}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return 0


def peak_bytes() -> int:
    """The most that this process has held in memory."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def limit_addresses(more: int) -> None:
    """Let this process ask for this number of bytes more; sanitizers reserve too much for such a limit."""
    try:
        now = int(Path("/proc/self/statm").read_bytes().split()[0]) * _PAGE
    except OSError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (now + more, now + more))


def scratch(prefix: str) -> tempfile.TemporaryDirectory[str]:
    """A folder in memory where the system has one, else on disk."""
    shared = "/dev/shm"
    return tempfile.TemporaryDirectory(
        prefix=prefix, dir=shared if os.access(shared, os.W_OK) else None, ignore_cleanup_errors=True
    )
