"""SIGTERM and SIGHUP end us as Ctrl-C does: work is put away, children end with us, one line says why."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from tunesmith.cli.printing import tell
from tunesmith.execution.ending import end_with_us

_PATIENCE = 5.0
"""Seconds for the main thread to notice a signal: a long call of a library may keep it from that."""

_noticed = threading.Event()
_elsewhere = threading.Event()

_REPEAT = 0.1
"""Seconds after which Ctrl-C is repeated at a prompt that has not noticed it."""

_at_prompt = threading.Event()
_interrupt_noticed = threading.Event()
_interrupt_lock = threading.Lock()


class Ended(KeyboardInterrupt):
    """A signal asks us to end. Whatever handles Ctrl-C handles this too."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return 128 + the number of the signal, as shells do."""
    return 128 + (interrupt.number if isinstance(interrupt, Ended) else signal.SIGINT)


def ended_by(interrupt: KeyboardInterrupt) -> str:
    """Return the reason why we end, for the last line: `interrupted`, or the signal."""
    return f"ended by {signal.Signals(interrupt.number).name}" if isinstance(interrupt, Ended) else "interrupted"


def handle_signals() -> None:
    """Turn SIGTERM and SIGHUP into `Ended`, unless whoever started us wants them ignored (nohup)."""
    handled = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) == signal.SIG_DFL]
    if not handled:
        return
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(woken, set(handled)), daemon=True).start()
    for number in handled:
        signal.signal(number, _raise)


def handle_again() -> None:
    """Handle SIGTERM and SIGHUP as before the last one, which Python dropped."""
    _noticed.clear()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _raise)


def default_signals() -> None:
    """Restore the default signal handlers: from here on a second signal ends us at once."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def prompting() -> Iterator[None]:
    """Raise KeyboardInterrupt for every Ctrl-C while the main thread waits for a line.

    A signal that comes just before `input` begins to wait is not seen until a key is hit, so it is repeated.
    """
    before = signal.getsignal(signal.SIGINT)
    if before != signal.default_int_handler:
        yield
        return
    _interrupt_noticed.clear()
    signal.signal(signal.SIGINT, _interrupt)
    _at_prompt.set()
    try:
        yield
    finally:
        _at_prompt.clear()
        signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def handled_elsewhere() -> Iterator[None]:
    """Leave SIGTERM and SIGHUP to a library that has handlers of its own, however long it takes to end."""
    _elsewhere.set()
    try:
        yield
    finally:
        _elsewhere.clear()


def _interrupt(number: int, frame: FrameType | None) -> None:
    with _interrupt_lock:
        if _interrupt_noticed.is_set():  # a repetition that came too late
            return
        _interrupt_noticed.set()
    raise KeyboardInterrupt


def _repeat_interrupt() -> None:
    if _interrupt_noticed.wait(_REPEAT):
        return
    with _interrupt_lock:
        main = threading.main_thread().ident
        if _at_prompt.is_set() and not _interrupt_noticed.is_set() and main is not None:
            signal.pthread_kill(main, signal.SIGINT)  # comes back to `_watch`


def _raise(number: int, frame: FrameType | None) -> NoReturn:
    _noticed.set()
    for each in (signal.SIGTERM, signal.SIGHUP):  # a closed terminal sends several; they do not disturb the end
        signal.signal(each, signal.SIG_IGN)
    raise Ended(number)


def _watch(woken: int, handled: set[int]) -> None:
    """End the process where the main thread does not: Python calls handlers there and nowhere else."""
    while True:
        for number in os.read(woken, 64):
            if number == signal.SIGINT and _at_prompt.is_set():
                _repeat_interrupt()
            if number in handled and not _elsewhere.is_set() and not _noticed.wait(_PATIENCE):
                end_with_us()
                tell(f"tunesmith: {ended_by(Ended(number))}")
                os._exit(128 + number)
