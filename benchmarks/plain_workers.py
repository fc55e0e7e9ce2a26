"""Workers without nannies, and a scheduler that is a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tunesmith.execution import children
from tunesmith.execution.cluster.quiet import quiet_environment
from tunesmith.execution.cluster.task import THREADS


def own_cpu() -> float:
    """CPU seconds of the process that runs this."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextlib.contextmanager
def plain_cluster(workers: int) -> Iterator[str]:
    """Yield the address of a scheduler with workers of one thread each; they end with the block."""
    variables = {**quiet_environment(), THREADS: "1", "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
    start = ["env", *(f"{name}={value}" for name, value in variables.items()), sys.executable, "-m", "dask"]
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        file = Path(folder) / "scheduler.json"

        def run(*words: str) -> None:
            child = children.start([*start, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            stack.callback(child.end, grace=2.0)

        run("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        while not file.exists():
            time.sleep(0.1)
        address = json.loads(file.read_text())["address"]
        for number in range(workers):
            run("worker", address, "--no-nanny", "--nthreads", "1", "--host", "127.0.0.1", "--memory-limit", "0",
                "--no-dashboard", "--name", str(number), "--local-directory", folder)  # fmt: skip
        yield address


def scheduler_cpu(client: Any) -> float:
    """CPU seconds of a scheduler that is a process of its own; 0 where it is part of this one."""
    pid, used = client.run_on_scheduler(_pid_and_cpu)
    return 0.0 if pid == os.getpid() else float(used)


def _pid_and_cpu() -> tuple[int, float]:
    return os.getpid(), own_cpu()
