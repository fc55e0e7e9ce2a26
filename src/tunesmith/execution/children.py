"""Child processes that end with this process, together with their own children.

Every child is started here. It runs below a supervisor (supervisor.py) that leads a process group of its own and
holds a pipe to this process. On a normal end the group gets SIGTERM, and SIGKILL after a short while. After
SIGKILL or a crash of this process, the system closes the pipe and the supervisor does this. A death signal of the
kernel would work only on Linux, reach only the direct child, and be bound to the thread that starts the child.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from tunesmith.execution.supervisor import GRACE
from tunesmith.execution.temporary import temporary_folder

Stream = int | IO[bytes] | None

_SUPERVISOR = Path(__file__).with_name("supervisor.py")
_lock = threading.Lock()
_running: set[Child] = set()
_ending = threading.Event()


class Child:
    """A started process group; `process` holds its streams."""

    def __init__(self, process: subprocess.Popen[bytes], lifeline: int) -> None:
        self.process = process
        self._lifeline = lifeline

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit code, negative for a signal; subprocess.TimeoutExpired after `timeout` seconds.

        KeyboardInterrupt if it ends because this process ends: its results must then not be used.
        """
        code = self.process.wait(timeout)
        if _ending.is_set():
            raise KeyboardInterrupt
        return code

    def end(self, *, grace: float | None = None) -> None:
        """End the processes of the group that still run, and wait for them.

        grace: seconds between SIGTERM and SIGKILL; 0 after an earlier SIGTERM.
        """
        seconds = GRACE if grace is None else grace
        if seconds > 0 and self.process.poll() is None:
            self.ask_to_end()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
        self._signal(signal.SIGKILL)
        self.process.wait()
        with _lock:
            if self in _running:
                _running.remove(self)
                os.close(self._lifeline)

    def ask_to_end(self) -> None:
        self._signal(signal.SIGTERM)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, number)


def start(
    command: Sequence[str | os.PathLike[str]],
    *,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = None,
    stderr: Stream = None,
    folder: str | None = None,
) -> Child:
    """Start the command; the caller calls `end` when it is no longer needed.   folder: in which it runs."""
    watched, lifeline = os.pipe()
    try:
        with _lock:  # so that `end_all` sees every child and none is started later
            if _ending.is_set():
                raise KeyboardInterrupt
            supervisor = [sys.executable, "-I", "-S", str(_SUPERVISOR), str(watched)] if sys.executable else []
            process = subprocess.Popen(
                [*supervisor, *command],
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
                pass_fds=(watched,),
                cwd=folder,
            )
            child = Child(process, lifeline)
            _running.add(child)
    except BaseException:
        os.close(lifeline)
        raise
    finally:
        os.close(watched)
    return child


def start_apart(command: Sequence[str | os.PathLike[str]], output: Path) -> int:
    """Start a command that outlives this process, with its output in a file; returns its process id."""
    with output.open("ab") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
    process.returncode = 0  # it is not waited for
    return process.pid


def run(
    command: Sequence[str | os.PathLike[str]], text: str, *, folder: str | None = None
) -> tuple[int, str, str]:
    """Run a text filter to its end; returns exit code, output, and messages.   folder: as for `start`."""
    with temporary_folder("filter") as own:
        paths = [own / name for name in ("input", "output", "messages")]
        paths[0].write_text(text, encoding="utf-8")
        with paths[0].open("rb") as given, paths[1].open("wb") as output, paths[2].open("wb") as messages:
            child = start(command, stdin=given, stdout=output, stderr=messages, folder=folder)
            try:
                code = child.wait()
            finally:
                child.end()
        output_text, said = (path.read_text(encoding="utf-8", errors="replace") for path in paths[1:])
        return code, output_text, said


def end_all() -> None:
    """End every child, since this process ends; all get SIGTERM first, so that many do not take longer."""
    _ending.set()
    with _lock:
        children = list(_running)
    for child in children:
        child.ask_to_end()
    deadline = time.monotonic() + GRACE
    for child in children:
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.process.wait(max(0.0, deadline - time.monotonic()))
    for child in children:
        child.end(grace=0.0)
