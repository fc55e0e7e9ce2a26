"""Libraries that end or stop the process where memory is short are not loaded there.

OpenBLAS, which numpy and scipy bring, asks for memory when it is loaded. Without it, it ends the process with a
line of its own, or tries again for ever. So the memory is checked first, where a limit is set (`ulimit -v`).
"""

from __future__ import annotations

import mmap
import os
import resource
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec

_WITH_BLAS = {"numpy._core", "scipy.linalg"}
_LIBRARY, _PER_THREAD = 100 << 20, 48 << 20


def look_before_loading() -> None:
    """Raise MemoryError instead of loading one of these libraries where it has no room."""
    if memory_limit() is not None:
        sys.meta_path.insert(0, _Looking())


def memory_limit() -> int | None:
    """Return bytes that the process may map, or None."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


class _Looking:
    """Finder of no module, which only looks at their names."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See whether the memory is there; the others find the module."""
        if name in _WITH_BLAS:
            given = os.environ.get("OPENBLAS_NUM_THREADS", "")
            threads = int(given) if given.isdecimal() else os.cpu_count() or 1
            try:
                mmap.mmap(-1, _LIBRARY + _PER_THREAD * min(threads, 64)).close()
            except (OSError, ValueError):
                raise MemoryError(f"the library {name.partition('.')[0]} cannot be loaded") from None
        return None
