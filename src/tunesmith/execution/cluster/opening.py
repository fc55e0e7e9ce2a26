"""From a place to an executor: connect to a scheduler, or make a cluster for the run."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.execution.cluster.errors import ClusterError, needs_dask
from tunesmith.execution.cluster.keys import security_of
from tunesmith.execution.cluster.mapping import ClusterObserver, Mapping
from tunesmith.execution.cluster.places import Local, Place, Queue, Scheduler
from tunesmith.execution.temporary import temporary_folder

CONNECT = 30.0
"""Seconds within which a scheduler must answer."""
_TEND = 10.0
_GRACE = 2.0
_LOOPBACK = ("127.", "localhost", "[::1]")


@contextlib.contextmanager
def open_cluster(
    place: Place,
    *,
    ship: bool = False,
    connect: float = CONNECT,
    observer: ClusterObserver | None = None,
) -> Iterator[Mapping]:
    """Open an executor over a cluster; a cluster that is made here ends with the block.

    ship: models are sent to workers, which do not see our files.   connect: seconds for the scheduler to answer.
    """
    try:
        import distributed  # noqa: F401
    except ImportError:
        raise needs_dask() from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # whoever calls us says what is wrong
    watcher = observer or ClusterObserver()
    with contextlib.ExitStack() as stack:
        if isinstance(place, Scheduler):
            client = stack.enter_context(_closing(_connected(place, connect, watcher)))
            yield Mapping(
                client, place.name, place.wait, ship, _is_here(place.address), watcher, lambda: _logs_of(client)
            )
            return
        here = isinstance(place, Local)
        # Jobs on other machines must see it, and other users must not: below our home.
        folder = stack.enter_context(temporary_folder("cluster", None if here else _home()))
        cluster, count = _made(place, folder, stack)
        client = stack.enter_context(_closing(_client(cluster, None, connect, place.name)))
        watcher.note(f"scheduler {cluster.scheduler_address}, dashboard {client.dashboard_link}")
        yield Mapping(
            client, place.name, place.wait, ship, here, watcher,
            lambda: _files_of(folder), Tending(cluster, count, place.name),
        )  # fmt: skip


@contextlib.contextmanager
def _closing(client: Any) -> Iterator[Any]:
    """Open the client, closed at the end without waiting for a scheduler that is gone."""
    try:
        yield client
    finally:
        with contextlib.suppress(asyncio.TimeoutError):  # not the TimeoutError of Python before 3.11
            client.close(timeout=_GRACE)


def _made(place: Local | Queue, folder: Path, stack: contextlib.ExitStack) -> tuple[Any, int]:
    """Return a cluster for the run with its workers, and how many they should be."""
    from tunesmith.execution.cluster.server import made_cluster

    cluster, count = made_cluster(place, folder)
    stack.enter_context(cluster)
    if isinstance(place, Queue):
        cluster.scale(jobs=count)
    return cluster, count


def _home() -> Path:
    """Return our folder on the file system that jobs see."""
    folder = Path(os.environ.get("TUNESMITH_CLUSTER_FOLDER") or Path.home() / ".tunesmith")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


class Tending:
    """Keeper of the number of workers: starts lost ones again, as only `scale` to the same number does.

    name: of the cluster, for messages.
    """

    def __init__(self, cluster: Any, count: int, name: str) -> None:
        self._cluster, self._count, self._name, self._last = cluster, count, name, time.monotonic()

    def __call__(self) -> bool:
        """Return whether all workers have ended; ClusterError where the queueing system takes no job."""
        workers = list(self._cluster.workers.values())
        refused = getattr(self._cluster, "refused", [])
        if refused and not any(getattr(worker, "job_id", None) for worker in workers):
            raise ClusterError(
                f"{self._name}: the queueing system took no job; the script is shown by: tunesmith cluster start "
                "… --dry-run",
                said=refused[0].splitlines()[-5:],
            )
        if time.monotonic() - self._last > _TEND:
            self._last = time.monotonic()
            self._cluster.scale(self._count)
        return bool(workers) and all(getattr(worker, "ended", False) for worker in workers)

    @property
    def begun(self) -> bool:
        """Whether a job is in the queue, or a worker is started."""
        return any(getattr(each, "job_id", "process") for each in list(self._cluster.workers.values()))


def _connected(place: Scheduler, seconds: float, observer: ClusterObserver) -> Any:
    address = place.address
    if place.file is not None and not Path(place.file).exists():
        raise ConfigError(f"{place.file}: there is no such file of a scheduler")
    if address is not None and address.startswith("tls://") and place.keys is None:
        raise ConfigError(
            f"{address}: which keys? Name the folder that tunesmith cluster start made, or give address and keys "
            "in cluster.toml"
        )
    client = _client(address, place, seconds, place.name)
    reached = str(client.scheduler.address)  # that of a file is known only now
    if not reached.startswith("tls://") and not _is_here(reached):
        observer.note(
            f"warning: {reached} is not encrypted: who can reach it can run programs on its workers. Make a "
            "cluster with tunesmith cluster start, which encrypts"
        )
    observer.note(f"scheduler {reached}, dashboard {dashboard_of(client)}")
    return client


def dashboard_of(client: Any) -> str:
    """Return the address of Dask's dashboard; `none` where the scheduler was started without one."""
    with contextlib.suppress(KeyError):
        return str(client.dashboard_link)
    return "none"


def _is_here(address: str | None) -> bool:
    return address is not None and address.partition("://")[2].startswith(_LOOPBACK)


def _client(target: Any, place: Scheduler | None, seconds: float, name: str) -> Any:
    from distributed import Client

    options: dict[str, Any] = {}
    if place is not None and place.keys is not None:
        options["security"] = security_of(Path(place.keys))
    if place is not None and place.file is not None:
        options["scheduler_file"], target = place.file, None
    found: list[Any] = []

    def connect() -> None:
        try:
            found.append(Client(target, timeout=seconds, set_as_default=False, name="tunesmith", **options))
        except Exception as error:
            found.append(error)

    # Dask waits without end for a server that takes the connection and says nothing.
    connecting = threading.Thread(target=connect, daemon=True)
    connecting.start()
    connecting.join(seconds + _GRACE)
    if not found or isinstance(found[0], Exception):
        why = f" ({type(found[0]).__name__})" if found else ""
        raise ClusterError(
            f"{name}: no scheduler answers within {seconds:.0f} seconds{why}; is it running, and can this machine "
            "reach it?"
        )
    return found[0]


def _logs_of(client: Any) -> list[str]:
    """Return warnings of the workers of a scheduler; nothing where it does not answer."""
    with contextlib.suppress(Exception):
        if client.status != "running":
            return []
        return [f"{worker}: {text}" for worker, lines in client.get_worker_logs(n=20).items() for _, text in lines]
    return []


def _files_of(folder: Path) -> list[str]:
    from tunesmith.execution.cluster.local import log_lines

    return log_lines(folder)
