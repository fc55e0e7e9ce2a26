"""Blocks through a Dask scheduler: tasks by digests, results in the order of the blocks, errors for users."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, field
from functools import partial
from tempfile import gettempdir
from typing import Any, NamedTuple, TypeVar

import msgspec

import tunesmith
from tunesmith.build import build_digest
from tunesmith.execution.cluster.errors import RESUME, ClusterError
from tunesmith.execution.cluster.shipped import packed_files
from tunesmith.execution.cluster.task import Order, do_block, keep
from tunesmith.execution.kept import Kept
from tunesmith.execution.packets import Packet, unpack
from tunesmith.execution.work import Work, described, to_text
from tunesmith.io.digest import Digest

Block = TypeVar("Block")
Result = TypeVar("Result")

TRIES = 3
"""How often a block is tried before it is given up and named."""
_LOOK = 1.0  # seconds between looks at scheduler and workers while a block is awaited


class Progress(NamedTuple):
    """How far work is.   blocks: of all, None where nobody knows.   rate: blocks a second; left: seconds."""

    workers: int
    done: int
    blocks: int | None
    rate: float
    left: float | None


class ClusterObserver:
    """Observer of work on a cluster; does nothing unless a method is overridden."""

    def note(self, text: str) -> None:
        """Report what a user should know: addresses, workers that come and go."""

    def progress(self, progress: Progress) -> None:
        """Report that a block is done."""


@dataclass(frozen=True)
class Mapping:
    """An executor over a client of Dask.

    name: of the scheduler, for messages.   patience: seconds without any worker before it is given up.
    ship: files are sent to workers, which do not see ours; without it, only those in our temporary folder are.
    alone: workers are on this machine, and see all of our files.   logs: last lines of what workers said.
    tend: is called now and then, to replace workers that were lost; whether all have ended and none can come.
    sent: work that the scheduler knows, for a description that is used again and again.
    """

    client: Any
    name: str
    patience: float = 120.0
    ship: bool = False
    alone: bool = False
    observer: ClusterObserver = field(default_factory=ClusterObserver)
    logs: Callable[[], list[str]] = list
    tend: Callable[[], bool] = lambda: False
    sent: Kept = field(default_factory=Kept)

    @property
    def at_once(self) -> int:
        return max(self._workers(), 1)

    def map(self, work: Work[Block, Result], blocks: Iterable[Block]) -> Iterator[Result]:
        """Yield the result of each block, in the order of the blocks; workers compute a few blocks ahead."""
        travelling, receive = described(work)
        text = to_text(travelling)
        sent = self.sent.get((text, self.ship, self.alone), lambda: _Sent(self, travelling, text))
        waiting: deque[tuple[int, Block, Any]] = deque()
        total, done, begin = (len(blocks) if isinstance(blocks, Sized) else None), 0, time.monotonic()
        stream = enumerate(blocks, 1)
        try:
            while True:
                if self.client.status != "running":
                    raise self._gone()
                workers = self._workers()
                while len(waiting) < 2 * max(workers, 1) + 2 and (item := next(stream, None)) is not None:
                    waiting.append((*item, sent.submit(item[1])))
                if not waiting:
                    return
                number, block, future = waiting.popleft()
                packet = self._result(future, f"block {number}", partial(travelling.name_of, block))
                future.release()
                done += 1
                rate = done / max(time.monotonic() - begin, 1e-9)
                left = None if total is None else (total - done) / rate
                self.observer.progress(Progress(self._workers(), done, total, rate, left))
                yield receive(packet)
        finally:
            if waiting and self.client.status == "running":
                self.client.cancel([future for _, _, future in waiting])

    def _workers(self) -> int:
        return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def _result(self, future: Any, number: str, name: Callable[[], str]) -> Packet:
        """Return the packet of a block; ClusterError where it cannot be had."""
        finished, alone_since = threading.Event(), time.monotonic()
        future.add_done_callback(lambda _: finished.set())
        try:
            while not finished.wait(_LOOK):
                hopeless = self.tend()
                if self.client.status != "running":
                    raise self._gone()
                if self._workers():
                    alone_since = time.monotonic()
                elif hopeless:
                    raise ClusterError(f"{self.name}: all workers have ended; {RESUME}", said=self._said())
                elif time.monotonic() - alone_since > self.patience:
                    raise ClusterError(
                        f"{self.name}: no worker for {self.patience:.0f} seconds; {RESUME}", said=self._said()
                    )
            data: bytes = future.result()
        except ClusterError:
            raise
        except asyncio.CancelledError:
            raise self._gone() from None
        except Exception as error:  # whatever the worker raised, or the end of several workers
            if type(error).__name__ in ("FutureCancelledError", "CommClosedError", "FuturesCancelledError"):
                raise self._gone() from None
            raise ClusterError(
                f"{number} ({name()}) failed {TRIES} times: {type(error).__name__}: {error}; {RESUME}",
                said=self._said(),
            ) from None
        packet = unpack(data)
        if not isinstance(packet.values, dict) or "result" not in packet.values:
            why = packet.values.get("refused") if isinstance(packet.values, dict) else None
            raise ClusterError(f"{number} ({name()}): {why or 'the worker sent something else than a result'}")
        return Packet(packet.values["result"], packet.arrays)

    def _gone(self) -> ClusterError:
        return ClusterError(f"{self.name}: the scheduler does not answer any more; {RESUME}", said=self._said())

    def _said(self) -> list[str]:
        return self.logs()[-12:]


class _Sent:
    """Work that is known to the scheduler: its description, and the files that go with it."""

    def __init__(self, cluster: Mapping, work: Work[Any, Any], text: bytes) -> None:
        self._cluster, self._work = cluster, work
        digest = Digest()
        digest.add(f"{build_digest()}\0")
        digest.add(text)
        self._files: dict[str, tuple[str, Any]] = {}
        self._common = self._sent(work.files())
        for name, _ in self._common:
            digest.add(f"\0{name}")
        self._digest, (_, self._text) = digest.hex(32), self._kept(text)

    def submit(self, block: Any) -> Any:
        """Send a block; its key is a digest of code, work with its weights, and block."""
        files = [*self._common, *self._sent(self._work.files_of(block))]
        names = tuple(name for name, _ in files)
        order = Order(self._digest, tunesmith.__version__, build_digest(), names)
        data, digest = msgspec.json.encode(block), Digest()
        digest.add(f"{self._digest}\0{' '.join(names)}\0")
        digest.add(data)
        return self._cluster.client.submit(
            do_block, msgspec.json.encode(order), self._text, data, *(kept for _, kept in files),
            key=f"tunesmith-block-{digest.hex(32)}", retries=TRIES - 1,
        )  # fmt: skip

    def _sent(self, names: Iterable[str]) -> list[tuple[str, Any]]:
        """Return digests of files that workers do not see, and where the scheduler has them; each is sent once."""
        cluster = self._cluster
        wanted = [
            name for name in dict.fromkeys(names)
            if cluster.ship or (not cluster.alone and name.startswith(gettempdir()))
        ]  # fmt: skip
        for name in wanted:
            if name not in self._files:
                self._files[name] = self._kept(packed_files(name))
        return [self._files[name] for name in wanted]

    def _kept(self, data: bytes) -> tuple[str, Any]:
        """Return data that blocks need: their digest, and where the scheduler has them."""
        digest = Digest()
        digest.add(data)
        name = digest.hex(32)
        return name, self._cluster.client.submit(keep, data, key=f"tunesmith-keep-{name}")
