"""What every benchmark does alike: repeat, take the median, report one JSON line with memory beside the time."""

from __future__ import annotations

import json
import multiprocessing
import os
import platform
import resource
import statistics
import time
from collections.abc import Callable, Iterable
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


def in_child(work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Run `work` in a process of its own; its result with the peak memory it added in MB."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def child() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        result = work()
        added = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        sender.send({**result, "added_mb": round(added, 1)})

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    sender.close()
    result: dict[str, Any] = receiver.recv()
    process.join()
    return result


def report(benchmark: str, fields: dict[str, Any]) -> None:
    """Print one JSON line."""
    machine = {"cores": os.cpu_count(), "cpu": platform.machine(), "python": platform.python_version()}
    print(json.dumps({"benchmark": benchmark, **fields, "version": tunesmith.__version__, "machine": machine}))


def distinct(items: Iterable[str]) -> list[str]:
    """Without repetitions, in order."""
    return list(dict.fromkeys(items))
