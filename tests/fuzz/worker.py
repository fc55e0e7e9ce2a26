"""Worker processes: they run cases, and say before each one which it is, so that a crash or a hang has a name."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import mmap
import os
import shutil
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe
from pathlib import Path

from fuzz.case import make_case
from fuzz.judge import Place
from fuzz.kind import Files, Kind
from fuzz.memory import limit_addresses, peak_bytes, resident_bytes

_SLOT = struct.Struct("<Qd")
_LOG = 100_000


@dataclass(frozen=True)
class Limits:
    """seconds: of one case.   bytes: of memory that a case may add."""

    seconds: float = 20.0
    bytes: int = 1 << 30


@dataclass(frozen=True)
class Task:
    """Cases of a kind, from `begin`, until their number or the time is reached."""

    kind: str
    begin: int
    count: int
    seconds: float


@dataclass(frozen=True)
class Done:
    """How many cases of a task were run, how long they took, and the findings by number of case."""

    cases: int
    seconds: float
    findings: Mapping[int, str]


class Worker:
    """A child process with all kinds and seeds; ended and started again by whoever holds it."""

    def __init__(
        self, kinds: Mapping[str, Kind], seeds: Mapping[str, list[Files]], seed: int, limits: Limits, folder: Path
    ) -> None:
        self._limits, self._folder = limits, Path(tempfile.mkdtemp(dir=folder))
        self._slot = mmap.mmap(-1, _SLOT.size)
        self._log = self._folder / "stderr"
        self.task: Task | None = None
        self.connection, theirs = Pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        self.process = os.fork()
        if self.process == 0:
            self.connection.close()
            _serve(theirs, self._slot, kinds, seeds, seed, limits, self._folder, self._log)
        theirs.close()
        self._memory = resident_bytes(self.process)

    def start(self, task: Task) -> None:
        """Give it cases; it says through its connection when they are done."""
        self.task = task
        self._slot[:] = _SLOT.pack(task.begin, time.monotonic())
        self.connection.send(task)

    def at(self) -> int:
        """The number of the case that it is at."""
        number: int = _SLOT.unpack(self._slot[:])[0]
        return number

    def overdue(self) -> str | None:
        """Why it has to be killed, if it has to: it hangs, or takes too much memory."""
        _, since = _SLOT.unpack(self._slot[:])
        if self.task is not None and time.monotonic() - since > self._limits.seconds:
            return f"hangs: the case ran for more than {self._limits.seconds:g} s\n{self._stack()}"
        grown = resident_bytes(self.process) - self._memory
        if grown > 2 * self._limits.bytes:
            return f"takes too much memory: {grown / 2**20:.0f} MB more\n{self._stack()}"
        return None

    def _stack(self) -> str:
        """Where it is now, in Python."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGUSR1)
        time.sleep(0.3)
        return self.messages()

    def messages(self) -> str:
        """What the process wrote to standard error: reports of sanitizers and of crashes."""
        try:
            return self._log.read_bytes()[-_LOG:].decode("utf-8", "replace")
        except OSError:
            return ""

    def end(self) -> int:
        """Kill it; the status it ended with."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        self.connection.close()
        return os.waitpid(self.process, 0)[1]

    def wait(self) -> str:
        """How a process that is gone has ended."""
        status = os.waitpid(self.process, 0)[1]
        self.connection.close()
        if os.WIFSIGNALED(status):
            return f"crashed: {signal.Signals(os.WTERMSIG(status)).name}\n{self.messages()}"
        return f"ended with {os.WEXITSTATUS(status)}\n{self.messages()}"


def _serve(
    connection: Connection,
    slot: mmap.mmap,
    kinds: Mapping[str, Kind],
    seeds: Mapping[str, list[Files]],
    seed: int,
    limits: Limits,
    folder: Path,
    log: Path,
) -> None:
    """Run tasks until the other side is gone. Never returns."""
    try:
        stream = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(stream, 2)
        os.dup2(os.open(os.devnull, os.O_RDWR), 1)
        os.dup2(1, 0)
        faulthandler.enable(2)
        faulthandler.register(signal.SIGUSR1, 2)
        temporary = folder / "tmp"
        temporary.mkdir()
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        (folder / "work").mkdir()
        os.chdir(folder / "work")
        if not sanitized():
            limit_addresses(4 * limits.bytes)
        gc.freeze()
        warnings.simplefilter("error")  # a warning is printed too, and not by us
        place = Place(folder / "cases")
        while True:
            connection.send(_run(connection.recv(), place, slot, kinds, seeds, seed, limits, temporary))
    except (EOFError, BrokenPipeError):
        os._exit(0)
    except BaseException:
        traceback.print_exc()
        os._exit(1)


def _run(
    task: Task,
    place: Place,
    slot: mmap.mmap,
    kinds: Mapping[str, Kind],
    seeds: Mapping[str, list[Files]],
    seed: int,
    limits: Limits,
    temporary: Path,
) -> Done:
    kind, good = kinds[task.kind], seeds[task.kind]
    findings: dict[int, str] = {}
    begin = now = time.monotonic()
    peak = peak_bytes()
    number = task.begin
    while number < task.begin + task.count and now - begin < task.seconds:
        slot[:] = _SLOT.pack(number, now)
        wrong = place.run(kind, good, make_case(kind, good, seed, number))
        if (more := peak_bytes()) > peak + limits.bytes:
            wrong, peak = wrong or f"takes too much memory: {(more - peak) / 2**20:.0f} MB more", more
        if wrong is not None:
            findings[number] = wrong
        number += 1
        now = time.monotonic()
    if left := list(temporary.iterdir()):
        findings.setdefault(
            number - 1,
            f"temporary files are left, here or in the cases before: {[path.name for path in left[:5]]}",
        )
        for path in left:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    return Done(number - task.begin, now - begin, findings)


def sanitized() -> bool:
    """Whether the native module is built with sanitizers."""
    return "libasan" in os.environ.get("LD_PRELOAD", "")
