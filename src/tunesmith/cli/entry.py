"""The installed command: light until Python has started, so that even an early Ctrl-C ends in one line."""

from __future__ import annotations

import _thread
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:  # loading typing takes longer than the rest of this file
    from typing import NoReturn

_SIGNALS = 128  # above it are exit codes of signals


def run() -> None:
    sys.unraisablehook = interrupt_again
    # Threads of BLAS take a third of the time to load numpy; sums of long vectors would depend on their number.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _open_closed_streams()
    try:
        from tunesmith.cli.failures import keep_to_lines
        from tunesmith.cli.memory import look_before_loading
        from tunesmith.cli.signals import handle_signals

        keep_to_lines()
        handle_signals()
        look_before_loading()
        from tunesmith.cli.main import app
        from tunesmith.cli.printing import flush_output, settle_output

        ended: SystemExit | None = None
        try:
            app()
        except SystemExit as reason:
            ended = reason
        if ended is not None and ended.code:
            settle_output()
            _leave(ended.code)
        flush_output()
    except (Exception, KeyboardInterrupt) as error:
        _leave(_end_with(error))


def _leave(code: int | str) -> NoReturn:
    """End with this code, after a signal at once.

    Python remembers a Ctrl-C that came while it executed a text, as it does to make a dataclass, and would end as
    if the signal had killed it.
    """
    if isinstance(code, int) and code > _SIGNALS:
        os._exit(code)
    sys.exit(code)


def _end_with(error: BaseException) -> int:
    """Say what went wrong, on a line, and put away what would outlive us; the exit code."""
    from tunesmith.cli.failures import INTERNAL, failure_of, wants_traceback
    from tunesmith.cli.printing import settle_output, tell
    from tunesmith.execution.ending import end_with_us

    settle_output()
    if isinstance(error, BrokenPipeError):  # the reader, such as head, has seen enough
        return 0
    failure = failure_of(error)
    if wants_traceback() and failure.exit_code == INTERNAL:
        import traceback

        for line in traceback.format_exception(error):
            tell(line.rstrip("\n"))
    tell(f"tunesmith: {failure.message}")
    end_with_us()
    return failure.exit_code


def _open_closed_streams() -> None:
    """Let no file that we open take the place of a standard stream that is closed.

    What is closed is opened the wrong way round, so that using it is an error; only messages go nowhere.
    """
    for number, name, mode in ((0, "stdin", os.O_WRONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        try:
            os.fstat(number)
        except OSError:
            opened = os.open(os.devnull, mode)  # the lowest number that is free, and those below are open
            if opened != number:
                os.dup2(opened, number)
                os.close(opened)
            os.set_inheritable(number, True)
        if getattr(sys, name) is None:
            stream = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115
            setattr(sys, name, stream)


def interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Let a Ctrl-C count that came where Python drops errors (a callback of an import, a finaliser).

    Python would print it with a traceback and continue. Of other errors that it drops, while cleaning up, nothing
    is said unless the user asks for tracebacks.
    """
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        number = getattr(unraisable.exc_value, "number", None)
        if number is not None:  # SIGTERM or SIGHUP
            from tunesmith.cli.signals import handle_again

            handle_again()
        _thread.start_new_thread(_send_soon, (number,))
    elif os.environ.get("TUNESMITH_TRACEBACK"):
        sys.__unraisablehook__(unraisable)


def _send_soon(number: int | None) -> None:
    import signal

    time.sleep(0.05)  # what is raised in the hook itself is dropped too
    os.kill(os.getpid(), signal.SIGINT if number is None else number)
