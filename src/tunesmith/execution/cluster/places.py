"""Where a cluster is, as users say it: an address, a file, a folder of `cluster start`, or how to make one."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.execution.cluster.keys import has_keys
from tunesmith.execution.cluster.walltime import seconds_of
from tunesmith.io.toml import read_toml, shown_value, unknown_key
from tunesmith.settings import parse_named, read_settings

SCHEDULER = "scheduler.json"
FORMS = (
    "tcp://HOST:PORT, tls://HOST:PORT, the file or folder of a scheduler, local:workers=2, "
    "slurm:queue=…,cores=…,walltime=… (also pbs, sge, lsf), or a file cluster.toml"
)


@dataclass(frozen=True)
class Scheduler:
    """A scheduler that runs already.   address, or file: where it is.   keys: folder of its certificate."""

    address: str | None = None
    file: str | None = None
    keys: str | None = None
    wait: float = 120.0

    @property
    def name(self) -> str:
        return self.address or str(self.file)


@dataclass(frozen=True)
class Local:
    """Worker processes on this machine.   threads: of each.   wait: seconds without any before it is given up.

    tls: encrypt and authenticate; other users of this machine can reach its ports.
    """

    workers: int = 2
    threads: int = 1
    tls: bool = True
    wait: float = 300.0
    kind: ClassVar[str] = "local"
    name: ClassVar[str] = "the cluster on this machine"

    def __post_init__(self) -> None:
        at_least(1, workers=self.workers, threads=self.threads)
        at_least(0, wait=self.wait)


@dataclass(frozen=True)
class Queue:
    """Jobs of a queueing system, each one worker.

    queue, account: of the jobs.   cores: threads of each; memory: such as 8GB; walltime: HH:MM:SS.
    jobs: how many.   host: address of this machine that jobs reach.
    interface: of the network, such as ib0.   python: that jobs run; this one without.
    setup: a line of shell before the worker, such as `module load gcc`.   directives: more lines of its head.
    wait: seconds without any worker before it is given up: jobs wait in the queue.
    """

    kind: str
    queue: str | None = None
    account: str | None = None
    cores: int = 1
    memory: str = "4GB"
    walltime: str = "01:00:00"
    jobs: int = 1
    interface: str | None = None
    host: str | None = None
    python: str | None = None
    setup: str | None = None
    directives: tuple[str, ...] = ()
    wait: float = 3600.0

    def __post_init__(self) -> None:
        at_least(1, cores=self.cores, jobs=self.jobs)
        at_least(0, wait=self.wait)
        seconds_of(self.walltime)

    @property
    def name(self) -> str:
        return f"the cluster of {self.kind} jobs"


QUEUES = ("slurm", "pbs", "sge", "lsf")
Place = Scheduler | Local | Queue


def read_place(text: str) -> Place:
    """Return the place that a user means by the value of `--cluster`; ConfigError with all forms for any other."""
    if text.startswith(("tcp://", "tls://")):
        return Scheduler(address=text)
    if text.endswith(".toml"):
        return _from_file(text)
    kind, _, _ = text.partition(":")
    if kind in ("local", *QUEUES) and not Path(text).exists():
        _, values = parse_named(text)
        return _made(kind, read_settings(Local if kind == "local" else Queue, values, kind))
    path = Path(text)
    if path.is_dir() and (path / SCHEDULER).exists():
        return Scheduler(file=str(path / SCHEDULER), keys=text if has_keys(path) else None)
    if path.is_file():
        return Scheduler(file=text, keys=str(path.parent) if has_keys(path.parent) else None)
    raise ConfigError(f"{text!r} is no cluster; expected {FORMS}")


def _made(kind: str, settings: dict[str, Any]) -> Local | Queue:
    if settings.pop("kind", kind) != kind:
        raise ConfigError(f"the kind of a cluster is said once: {kind}")
    return Local(**settings) if kind == "local" else Queue(kind=kind, **settings)


def _from_file(path: str) -> Place:
    """Read `cluster.toml`: a table `cluster` with a kind and its settings, or with an address and keys."""
    document = read_toml(path)
    table = document.tables.get("cluster")
    if not isinstance(table, dict) or set(document.tables) != {"cluster"}:
        raise document.error("has one table, [cluster]")
    kind = str(table.get("kind", "scheduler"))
    makes: dict[str, Any] = {"scheduler": Scheduler, "local": Local, **dict.fromkeys(QUEUES, Queue)}
    if kind not in makes:
        raise document.error(unknown_key(str(kind), makes, "kind of cluster"), "cluster", "kind")
    known = {each.name: each for each in fields(makes[kind])} | {"kind": None}
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in known:
            raise document.error(unknown_key(key, known, "setting of a cluster"), "cluster", key)
        values[key] = tuple(value) if isinstance(value, list) else value
    values.pop("kind", None)
    try:
        typed = {key: str(value) for key, value in values.items() if not isinstance(value, tuple)}
        read = read_settings(makes[kind], typed, str(kind))
        read |= {key: value for key, value in values.items() if isinstance(value, tuple)}
        if any(not isinstance(each, str) for each in read.get("directives", ())):
            raise ConfigError(f"directives must be lines of text, got {shown_value(read['directives'])}")
        place = Scheduler(**read) if kind == "scheduler" else _made(kind, read)
    except ConfigError as error:
        raise document.error(str(error), "cluster") from None
    if isinstance(place, Scheduler) and (place.address is None) == (place.file is None):
        raise document.error("name a kind of cluster, or the address or file of a scheduler", "cluster")
    return place
