"""Commands in forked processes: everything is imported already, so that a kill meets the work itself."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Ended:
    """How a process ended, what it wrote, and how long it took. A negative code is a signal."""

    code: int
    output: str
    errors: str
    seconds: float


Prepare = Callable[[], None]

NOT_BEGUN = 98
"""The code of a process that was interrupted before it was the command."""


class Forked:
    """A process at work on a command, in its own session."""

    def __init__(self, words: list[str], folder: Path, prepare: Prepare = lambda: None) -> None:
        _warm()
        pipes = [os.pipe() for _ in range(2)]  # no files: limits on files are for the command's own
        self._began = time.monotonic()
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if self.process == 0:
            _become(words, folder, [write for _, write in pipes], prepare)
        self._texts: list[bytes] = [b"", b""]
        self._streams = [read for read, _ in pipes]
        for read, write in pipes:
            os.close(write)
            os.set_blocking(read, False)

    def signal(self, number: int) -> None:
        """Send a signal to the process and its children, as a terminal does; SIGKILL to itself alone."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.kill(self.process, number) if number == signal.SIGKILL else os.killpg(self.process, number)

    def wait(self, limit: float | None = None) -> Ended | None:
        """How it ended; None if it is still at work after `limit` seconds."""
        end = None if limit is None else time.monotonic() + limit
        while True:
            found, status = os.waitpid(self.process, os.WNOHANG)
            self._drain()
            if found:
                break
            if end is not None and time.monotonic() > end:
                return None
            time.sleep(0.002)
        for stream in self._streams:
            os.close(stream)
        output, errors = (text.decode("utf-8", "replace") for text in self._texts)
        return Ended(os.waitstatus_to_exitcode(status), output, errors, time.monotonic() - self._began)

    def _drain(self) -> None:
        for at, stream in enumerate(self._streams):
            with contextlib.suppress(BlockingIOError):
                while block := os.read(stream, 1 << 16):
                    self._texts[at] += block


def run(words: list[str], folder: Path, prepare: Prepare = lambda: None) -> Ended:
    """A command to its end."""
    ended = Forked(words, folder, prepare).wait()
    assert ended is not None
    return ended


def _warm() -> None:
    """Import what commands need, once, before any process is forked."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot
    import sacrebleu  # noqa: F401
    import scipy.sparse  # noqa: F401

    import tunesmith.cli.main
    import tunesmith.evaluation.run_report
    import tunesmith.tuning.recipes  # noqa: F401


def _become(words: list[str], folder: Path, streams: list[int], prepare: Prepare) -> None:
    """Be the command. Never returns."""
    code = 99
    try:
        os.setsid()
        os.chdir(folder)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(streams[0], 1)
        os.dup2(streams[1], 2)
        for descriptor, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
            setattr(sys, name, open(descriptor, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # as Python starts
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
        sys.argv = ["tunesmith", *words]
        prepare()
        from tunesmith.cli.entry import run as run_command

        try:
            run_command()
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
        except BaseException:
            import traceback

            traceback.print_exc()
            code = 1
        with contextlib.suppress(Exception):
            sys.stdout.flush()
        with contextlib.suppress(Exception):
            sys.stderr.flush()
    except KeyboardInterrupt:
        code = NOT_BEGUN
    finally:
        os._exit(code)
