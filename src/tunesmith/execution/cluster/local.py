"""Workers as processes of this machine that end with this process, and a scheduler in this process."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

from distributed import Scheduler
from distributed.deploy.spec import ProcessInterface, SpecCluster

from tunesmith.execution import children
from tunesmith.execution.cluster.keys import worker_options
from tunesmith.execution.cluster.mapping import TRIES
from tunesmith.execution.cluster.places import Local
from tunesmith.execution.cluster.quiet import quiet_environment
from tunesmith.execution.cluster.task import THREADS

LOOPBACK = "127.0.0.1"


def scheduler_options(host: str, security: Any) -> dict[str, Any]:
    """Return scheduler options: number of attempts per block, and a dashboard only for this machine."""
    return {
        "host": host,
        "protocol": "tcp://" if security is None else "tls://",
        "security": security,
        "dashboard_address": f"{LOOPBACK}:0",
        "allowed_failures": TRIES - 1,
    }


class ChildWorker(ProcessInterface):  # type: ignore[misc]
    """A worker as a child process, restarted by its nanny when it dies.   folder: for its files and its log."""

    def __init__(self, scheduler: str, name: Any, folder: Path, threads: int, keys: Path | None) -> None:
        super().__init__(scheduler, name)
        self._scheduler, self._name = scheduler, str(name)
        self._folder, self._threads, self._keys = folder, threads, keys
        self._child: children.Child | None = None

    async def start(self) -> None:
        """Start the process, which connects to the scheduler by itself."""
        command = [
            "env", f"{THREADS}={self._threads}",
            *(f"{name}={value}" for name, value in quiet_environment().items()),
            sys.executable, "-m", "distributed.cli.dask_worker", self._scheduler, "--name", self._name,
            "--host", LOOPBACK, "--nthreads", "1", "--memory-limit", "0", "--no-dashboard", "--local-directory",
            str(self._folder), "--death-timeout", "60",
            *([] if self._keys is None else worker_options(self._keys)),
        ]  # fmt: skip
        with (self._folder / f"worker-{self._name}.log").open("ab") as log:
            self._child = children.start(command, stdout=log, stderr=subprocess.STDOUT)
        await super().start()

    @property
    def ended(self) -> bool:
        """Whether the process has ended, nanny included."""
        return self._child is not None and self._child.process.poll() is not None

    async def close(self) -> None:
        """End the process and its children."""
        if self._child is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._child.end)
        await super().close()


def local_cluster(place: Local, folder: Path, keys: Path | None, security: Any) -> Any:
    """Start a scheduler and workers on this machine (context manager)."""
    options = {"folder": folder, "threads": place.threads, "keys": keys}
    return SpecCluster(
        workers={number: {"cls": ChildWorker, "options": options} for number in range(place.workers)},
        scheduler={"cls": Scheduler, "options": scheduler_options(LOOPBACK, security)},
        worker={"cls": ChildWorker, "options": options},
        security=security,
        silence_logs=50,
        name="tunesmith",
    )


def log_lines(folder: Path, most: int = 12) -> list[str]:
    """Return the last lines that workers wrote."""
    found: list[str] = []
    for path in sorted((*folder.glob("worker-*.log"), *folder.glob("tunesmith-*.err"))):
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
        found += [f"{path.stem}: {line}" for line in lines[-most:]]
    return found
