"""Clusters of jobs: SLURM, PBS, SGE and LSF, by dask-jobqueue, with settings that its users recommend.

One process per job, with our threads (dask-jobqueue#498); workers leave before the walltime instead of being
killed (#122, #270); lost jobs are replaced by `scale` (#611); always encrypted.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from typing import Any

from tunesmith.execution.cluster.errors import needs_dask
from tunesmith.execution.cluster.local import scheduler_options
from tunesmith.execution.cluster.places import Queue
from tunesmith.execution.cluster.quiet import quiet_environment
from tunesmith.execution.cluster.task import THREADS
from tunesmith.execution.cluster.walltime import lifetime_options, seconds_of


def _jobqueue() -> Any:
    """Import dask-jobqueue, which makes Ctrl-C end the process when it is imported; put our handling back."""
    before = signal.getsignal(signal.SIGINT)
    try:
        import dask_jobqueue
    except ImportError:
        raise needs_dask() from None
    signal.signal(signal.SIGINT, before)
    return dask_jobqueue


def queue_cluster(place: Queue, folder: Path, security: Any) -> Any:
    """Start a scheduler for workers as jobs, none submitted yet.   folder: shared folder for logs of jobs."""
    dask_jobqueue = _jobqueue()
    kinds = {
        "slurm": (dask_jobqueue.SLURMCluster, "account"),
        "pbs": (dask_jobqueue.PBSCluster, "account"),
        "sge": (dask_jobqueue.SGECluster, "project"),
        "lsf": (dask_jobqueue.LSFCluster, "project"),
    }
    cluster, account = kinds[place.kind]
    watched, failures = _watched(cluster.job_cls)
    variables = {THREADS: str(place.cores), **quiet_environment()}
    exports = [f"export {name}={value}" for name, value in variables.items()]
    setup = [*exports, *([] if place.setup is None else [place.setup])]
    options = {name: scheduler_options("", security)[name] for name in ("dashboard_address", "allowed_failures")}
    if place.host is not None:
        options["host"] = place.host
    made = cluster(
        job_cls=watched,
        queue=place.queue, walltime=_walltime(place), cores=place.cores, memory=place.memory, processes=1,
        nanny=True, death_timeout=120, python=place.python or sys.executable, interface=place.interface,
        job_name="tunesmith", job_script_prologue=setup, job_extra_directives=list(place.directives),
        worker_extra_args=["--nthreads", "1", "--no-dashboard", *lifetime_options(place.walltime)],
        log_directory=str(folder), security=security, protocol="tls://",
        scheduler_options=options, silence_logs="critical", **{account: place.account},
    )  # fmt: skip
    made.refused = failures
    return made


def _watched(kind: Any) -> tuple[Any, list[str]]:
    """Return a kind of job that keeps what the queueing system says when it refuses one, and where it is kept.

    Dask only logs it, waits for workers that never come, and cannot be closed.
    """
    from distributed.deploy.spec import ProcessInterface

    failures: list[str] = []

    class Watched(kind):  # type: ignore[misc]
        async def start(self) -> None:
            try:
                await super().start()
            except Exception as error:
                failures.append(str(error).rpartition("stderr:\n")[2].strip() or repr(error))
                await ProcessInterface.start(self)

        async def close(self) -> None:
            await (super().close() if self.job_id is not None else ProcessInterface.close(self))

    Watched.__name__ = kind.__name__
    return Watched, failures


def _walltime(place: Queue) -> str:
    """Format HH:MM:SS, which all systems read equally (SLURM reads 04:00 as minutes); LSF has no seconds."""
    minutes, seconds = divmod(seconds_of(place.walltime), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02d}:{minutes:02d}" + ("" if place.kind == "lsf" else f":{seconds:02d}")
