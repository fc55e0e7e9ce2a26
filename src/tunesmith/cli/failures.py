"""What ends a command, as one line and an exit code; never a traceback."""

from __future__ import annotations

import errno
import os
import re
import threading
import warnings
from typing import NamedTuple

from tunesmith.cli.memory import memory_limit
from tunesmith.cli.printing import tell
from tunesmith.cli.signals import ended_by, exit_code
from tunesmith.errors import TunesmithError

BAD_DATA = 1
INTERNAL = 70
"""Our own mistake (EX_SOFTWARE)."""
TRACEBACK = "TUNESMITH_TRACEBACK"

# How libraries say that the system gave them no memory or no thread.
_NO_MEMORY = re.compile(
    r"cannot allocate memory|failed to map segment|std::bad_alloc|bad allocation|can't start new thread"
    r"|resource temporarily unavailable",
    re.IGNORECASE,
)
# numpy's words where a write stopped early; it does not hand on why.
_SHORT_WRITE = re.compile(r"\d+ requested and \d+ written")


class Failure(NamedTuple):
    """What is said after `tunesmith: `, and the code."""

    message: str
    exit_code: int


def failure_of(error: BaseException) -> Failure:
    """Format any error as one line for users."""
    if (interrupt := _interrupt(error)) is not None:
        return Failure(ended_by(interrupt), exit_code(interrupt))
    if isinstance(error, TunesmithError):
        return Failure(str(error), error.exit_code)
    if _is_memory(error):
        return Failure(_out_of_memory(error), BAD_DATA)
    if isinstance(error, OSError):
        return Failure(_system_error(error), BAD_DATA)
    if isinstance(error, EOFError):
        return Failure("an input ends too early; it is damaged or cut off", BAD_DATA)
    if isinstance(error, UnicodeEncodeError) and "surrogate" in error.reason:
        return Failure("a name holds half a surrogate pair; the file that it comes from is damaged", BAD_DATA)
    said = " ".join(str(error).split())
    what = f"{type(error).__name__}: {said}" if said else type(error).__name__
    return Failure(
        f"internal error: {what}; please report it, with what {TRACEBACK}=1 in the environment adds", INTERNAL
    )


def _interrupt(error: BaseException | None) -> KeyboardInterrupt | None:
    """Return the interruption that an error is, or comes from.

    Python 3.11 and earlier raise a RuntimeError from one that comes while a class is made.
    """
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__
    return error


def wants_traceback() -> bool:
    return bool(os.environ.get(TRACEBACK))


def keep_to_lines() -> None:
    """Let Python itself print no traceback either: of threads, of warnings."""
    if wants_traceback():
        return
    threading.excepthook = lambda failed: _tell_of(failed.exc_value)
    warnings.showwarning = lambda message, *_, **__: tell(f"tunesmith: note: {message}")


def _tell_of(error: BaseException | None) -> None:
    if error is not None and not isinstance(error, SystemExit):
        tell(f"tunesmith: {failure_of(error).message}")


def _is_memory(error: BaseException) -> bool:
    if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        return True
    return isinstance(error, ImportError | OSError | RuntimeError) and bool(_NO_MEMORY.search(str(error)))


def _out_of_memory(error: BaseException) -> str:
    said = " ".join(str(error).split()).removeprefix("std::bad_alloc").rstrip(".")
    if isinstance(error, ImportError):
        said = "a library cannot be loaded"
    detail = f" ({said})" if said else ""
    limit = memory_limit()
    allowed = "" if limit is None else f"; ulimit -v allows {limit / 2**20:.0f} MB"
    advice = "Use fewer threads (-j), less data at a time, or a machine with more memory"
    return f"out of memory{detail}{allowed}. {advice}"


def _system_error(error: OSError) -> str:
    if error.errno is None and _SHORT_WRITE.search(str(error)):
        return f"a file cannot be written ({os.strerror(errno.ENOSPC)})"
    why = error.strerror or str(error) or type(error).__name__
    if error.filename is None:
        return f"standard output: {why}" if error.errno == errno.EBADF else why
    return f"{os.fsdecode(error.filename)}: {why}"
