"""A cluster that outlives the command that starts it: its own process with a folder.

The folder is ours alone. It has the keys, `scheduler.json` while the scheduler runs, and logs. A file `stop` in it
ends the cluster; so does the end of the process, since workers end with it.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from pathlib import Path
from typing import Any

from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.execution import children
from tunesmith.execution.cluster.errors import ClusterError
from tunesmith.execution.cluster.keys import make_keys, security_of
from tunesmith.execution.cluster.opening import Tending
from tunesmith.execution.cluster.places import SCHEDULER, Local, Place, Queue, Scheduler, read_place
from tunesmith.execution.cluster.quiet import quieten_this_process
from tunesmith.io.writing import atomic_bytes

STOP, LOG = "stop", "server.log"
_POLL = 0.3


def made_cluster(place: Local | Queue, folder: Path) -> tuple[Any, int]:
    """Return a cluster with keys and logs in a folder, and its intended number of workers. Submits no job."""
    from tunesmith.execution.cluster.local import local_cluster
    from tunesmith.execution.cluster.queues import queue_cluster

    quieten_this_process()
    keys = None if isinstance(place, Local) and not place.tls else folder
    if keys is not None:
        make_keys(keys)
    security = None if keys is None else security_of(keys)
    if isinstance(place, Local):
        return local_cluster(place, folder, keys, security), place.workers
    return queue_cluster(place, folder, security), place.jobs


def job_script(place: Place, folder: Path) -> str:
    """Return the script submitted for each worker, with the address of a scheduler that ends at once."""
    if not isinstance(place, Queue):
        raise ConfigError("--dry-run prints the script of jobs: slurm:…, pbs:…, sge:… or lsf:…")
    cluster, _ = made_cluster(place, folder)
    with cluster:
        script: str = cluster.job_script()
        return script


def start_server(place: str, folder: Path, wait: float) -> dict[str, Any]:
    """Start a cluster in the background; what its scheduler says once it runs."""
    if isinstance(read_place(place), Scheduler):
        raise ConfigError(
            f"{place}: runs already; a cluster is started of local:… or of jobs: slurm:…, pbs:…, sge:…"
        )
    if (folder / SCHEDULER).exists():
        raise ConfigError(f"{folder}: has a cluster; stop it first: tunesmith cluster stop {folder}")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.chmod(0o700)
    (folder / STOP).unlink(missing_ok=True)
    children.start_apart([sys.executable, "-m", __name__, str(folder.resolve()), place], folder / LOG)
    end = time.monotonic() + wait
    while not (folder / SCHEDULER).exists():
        if time.monotonic() > end or (folder / STOP).exists():
            (folder / STOP).touch()  # a process that is slow ends as soon as it looks
            lines = (folder / LOG).read_text(encoding="utf-8", errors="replace").splitlines()[-5:]
            raise ClusterError(f"{folder}: the scheduler did not start", said=lines)
        time.sleep(_POLL)
    found: dict[str, Any] = json.loads((folder / SCHEDULER).read_text(encoding="utf-8"))
    return found


def stop_server(folder: Path, wait: float) -> None:
    """End the cluster of a folder; ClusterError if it is still there after a while."""
    if not (folder / SCHEDULER).exists():
        raise ConfigError(f"{folder}: has no cluster that runs")
    (folder / STOP).touch()
    end = time.monotonic() + wait
    while (folder / SCHEDULER).exists():
        if time.monotonic() > end:
            raise ClusterError(
                f"{folder}: the cluster does not end; its process may be gone already: then remove "
                f"{folder / SCHEDULER}. Workers end by themselves when they find no scheduler"
            )
        time.sleep(_POLL)


def serve(folder: Path, place: Local | Queue) -> None:
    """Run the cluster of a folder until it is stopped."""
    cluster, count = made_cluster(place, folder)
    with contextlib.ExitStack() as stack:
        stack.callback((folder / SCHEDULER).unlink, missing_ok=True)  # last of all, when workers have ended
        stack.enter_context(cluster)
        if isinstance(place, Queue):
            cluster.scale(jobs=count)
        tend = Tending(cluster, count, place.name)
        while not (tend() or tend.begun or (folder / STOP).exists()):
            time.sleep(_POLL)  # what the queueing system refuses is said by the command that waits for us
        known = {"address": cluster.scheduler_address, "dashboard": cluster.dashboard_link}
        with atomic_bytes(folder / SCHEDULER) as out:
            out.write(json.dumps(known).encode())
        while not (folder / STOP).exists():
            tend()
            time.sleep(_POLL)


def main(folder: str, place: str) -> None:
    """Run the process of `cluster start`."""
    found = read_place(place)
    assert isinstance(found, Local | Queue)
    try:
        serve(Path(folder), found)
    except BaseException as error:
        (Path(folder) / STOP).touch()  # who waits for the scheduler need not wait any longer
        if not isinstance(error, TunesmithError):
            raise
        sys.stderr.write(f"{error}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
