"""Long work that Ctrl-C ends at once, even inside a call of the core that runs for minutes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

_WAIT = 0.1


def run_interruptibly(work: Callable[[], T], on_interrupt: Callable[[], str]) -> T:
    """The result of `work`. Ctrl-C ends the process with what `on_interrupt` says, without waiting for the work.

    Only for work that may be killed at any moment: the process does not clean up.
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
    except KeyboardInterrupt:
        print(f"tunesmith: {on_interrupt()}", file=sys.stderr, flush=True)
        os._exit(130)
    if errors:
        raise errors[0]
    return results[0]
