"""The installed command: light until Python has started, so that even an early Ctrl-C ends in one line."""

from __future__ import annotations

import _thread
import os
import sys
import time


def run() -> None:
    """Run the command line and end with its exit code."""
    sys.unraisablehook = interrupt_again
    try:
        from tunesmith.cli.group import abandon_output
        from tunesmith.cli.main import app

        try:
            try:
                app()
            finally:
                sys.stdout.flush()
        except OSError as error:
            abandon_output()
            print(f"tunesmith: standard output: {error.strerror}", file=sys.stderr)
            sys.exit(1)
    except KeyboardInterrupt:
        print("tunesmith: interrupted", file=sys.stderr)
        sys.exit(130)


def interrupt_again(unraisable: sys.UnraisableHookArgs) -> None:
    """Let a Ctrl-C count that came where Python drops errors (a callback of an import, a finaliser).

    Python would print it with a traceback and continue.
    """
    if unraisable.exc_type is KeyboardInterrupt:
        _thread.start_new_thread(_interrupt_soon, ())
    else:
        sys.__unraisablehook__(unraisable)


def _interrupt_soon() -> None:
    import signal

    time.sleep(0.05)  # what is raised in the hook itself is dropped too
    os.kill(os.getpid(), signal.SIGINT)
