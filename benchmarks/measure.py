"""What all benchmarks share: repeat, take the median, report one JSON line with time and memory."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import tunesmith

SHARED = Path(__file__).resolve().parents[2] / "shared"


def median_seconds(work: Callable[[], object], repeat: int = 7) -> float:
    """Median wall-clock seconds of several runs; these machines are noisy."""
    seconds = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


@contextlib.contextmanager
def undisturbed() -> Iterator[bool]:
    """Where the system lets us, before all other processes: wall-clock time on a busy machine.

    For seconds, not for minutes: others have to wait. Gives whether it was allowed.
    """
    before = os.sched_getscheduler(0), os.sched_getparam(0)
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))
    except OSError:
        yield False
        return
    try:
        yield True
    finally:
        os.sched_setscheduler(0, *before)


def in_child(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run `work` in a new process; its result with the memory it added at its peak, in MB.

    `work` is a function of a module or a functools.partial of one: its arguments are sent over.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_measured, args=(work, sender))
    process.start()
    sender.close()
    result: dict[str, Any] = receiver.recv()
    process.join()
    return result


def _measured(work: Callable[[], dict[str, Any]], sender: Connection) -> None:
    forget_peak()  # of reading the arguments
    before = memory_kilobytes("VmRSS")
    result = work()
    sender.send({**result, "added_mb": round((memory_kilobytes("VmHWM") - before) / 1024, 1)})


def command(words: list[str], given: Path | None = None) -> tuple[dict[str, Any], str]:
    """Seconds, CPU seconds and peak memory of a command that prints to nowhere, and what it says.

    given: its standard input.
    """
    start = time.perf_counter()
    with (given or Path(os.devnull)).open("rb") as stdin, tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.DEVNULL, stderr=said)
        peak, ended = 0, 0
        while not ended:  # asked for until the end: what wait4 knows includes this process at the fork
            with contextlib.suppress(OSError, IndexError):
                peak = max(
                    peak, int(Path(f"/proc/{process.pid}/status").read_text().split("VmHWM:")[1].split()[0])
                )
            time.sleep(0.005)
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        message = said.read()
    if process.returncode != 0:
        raise SystemExit(message)
    cpu = usage.ru_utime + usage.ru_stime
    return {
        "seconds": round(seconds, 2),
        "cpu_seconds": round(cpu, 2),
        "peak_mb": round(peak / 1024),
    }, message


def needs(package: str) -> None:
    """End a benchmark, saying so, where a package that it compares with is not installed."""
    if importlib.util.find_spec(package) is None:
        print(f"skipped: the package {package} is not installed", file=sys.stderr)
        raise SystemExit(0)


def forget_peak() -> None:
    """From now on the peak of this process is that of what follows."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def memory_kilobytes(kind: str) -> int:
    """Memory of this process now (VmRSS) or at its peak (VmHWM)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(kind):
            return int(line.split()[1])
    raise SystemExit("memory is measured on Linux only")


def report(benchmark: str, fields: dict[str, Any]) -> None:
    """Print one JSON line."""
    machine = {"cores": os.cpu_count(), "cpu": platform.machine(), "python": platform.python_version()}
    document = {"benchmark": benchmark, **fields, "version": tunesmith.__version__, "machine": machine}
    print(json.dumps(document, ensure_ascii=False), flush=True)
