"""Options of verbs that can work on a cluster, and what they say while they do."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.console import note
from tunesmith.cli.declaring import option
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.execution import Executor
    from tunesmith.execution.cluster import ClusterObserver

CLUSTER = "Cluster"
_EVERY = 10.0
"""Seconds between lines about progress."""


@dataclass(frozen=True)
class ClusterOptions:
    """Where blocks of work are done, in place of threads here."""

    cluster: Annotated[str | None, option(
        "--cluster PLACE", "Decode on a cluster: tcp://…, tls://…, the file or folder of a scheduler, "
        "local:workers=2, slurm:queue=…,cores=…,walltime=… (pbs, sge, lsf), cluster.toml.", CLUSTER,
        show_default="threads here",
    )] = None  # fmt: skip
    ship_model: Annotated[bool, option(
        "--ship-model", "Send the model to workers, which do not see our files.", CLUSTER
    )] = False  # fmt: skip

    fit: Annotated[bool, option(
        "--cluster-fit", "Also optimise weights there, for lists too large for one machine.", CLUSTER
    )] = False  # fmt: skip

    def __bool__(self) -> bool:
        return self.cluster is not None

    @contextlib.contextmanager
    def opened(self, *, quiet: bool = False, blocks: bool = True, fits: bool = False) -> Iterator[Executor | None]:
        """Open the executor that does the work; None for threads here.

        blocks: say how many are done.   fits: weights can be optimised there too.
        """
        if self.fit and not fits:
            raise ConfigError("--cluster-fit is for tune: other commands optimise no weights on workers")
        if self.cluster is None:
            if self.ship_model or self.fit:
                name = "--ship-model" if self.ship_model else "--cluster-fit"
                raise ConfigError(f"{name} is about workers of --cluster PLACE")
            yield None
            return
        from tunesmith.execution.cluster import open_cluster, read_place

        watching = observer(quiet=quiet, blocks=blocks)
        with open_cluster(read_place(self.cluster), ship=self.ship_model, observer=watching) as found:
            yield found


def observer(*, quiet: bool, blocks: bool = True) -> ClusterObserver:
    """Return an observer that says where the cluster is, and every few seconds how many blocks are done."""
    from tunesmith.execution.cluster import ClusterObserver, Progress

    class Lines(ClusterObserver):
        last = time.monotonic()

        def note(self, text: str) -> None:
            note(f"cluster: {text}", quiet=quiet)

        def progress(self, progress: Progress) -> None:
            if not blocks or time.monotonic() - self.last < _EVERY:
                return
            self.last = time.monotonic()
            note(f"cluster: {progress_line(progress)}", quiet=quiet)

    return Lines()


def progress_line(progress: tuple[int, int, int | None, float, float | None]) -> str:
    """Return workers, blocks, throughput and the time left."""
    workers, done, blocks, rate, left = progress
    of = "" if blocks is None else f" of {blocks}"
    remaining = "" if left is None else f", {left:.0f} s left"
    named = "1 worker" if workers == 1 else f"{workers} workers"
    return f"{named}, block {done}{of}, {rate:.2f} blocks a second{remaining}"
