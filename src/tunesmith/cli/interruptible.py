"""Long work that Ctrl-C ends at once, even inside a call of the core that runs for minutes."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from typing import TypeVar

from tunesmith.cli.printing import tell
from tunesmith.cli.signals import default_signals, exit_code
from tunesmith.execution.ending import end_with_us

T = TypeVar("T")

_WAIT = 0.1


def run_interruptibly(work: Callable[[], T], on_interrupt: Callable[[], str]) -> T:
    """Return the result of `work`. Ctrl-C ends the process at once, with the message of `on_interrupt`.

    Only for work that may be killed at any moment: of all that it does, only children and temporary folders are
    put away. A signal that asks us to end does the same.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    # Signals are handled by the main thread, which a call of the core would keep busy.
    worker = threading.Thread(target=run, daemon=True)
    try:
        worker.start()
        while worker.is_alive():
            worker.join(_WAIT)
    except KeyboardInterrupt as interrupt:
        try:
            default_signals()
            end_with_us()
            with contextlib.suppress(Exception):  # such as a full disk: we end all the same
                tell(f"tunesmith: {on_interrupt()}")
        finally:
            os._exit(exit_code(interrupt))
    if errors:
        raise errors[0]
    return results[0]
