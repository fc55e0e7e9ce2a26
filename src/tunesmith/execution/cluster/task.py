"""What a worker does: opens the work that it is sent as text, once, and does it block by block.

Dask sends functions by the name of their module, so that a worker runs its own installed code; all that we send
besides is bytes: descriptions of work (JSON), blocks (JSON) and packets.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

import tunesmith
from tunesmith.build import build_digest
from tunesmith.errors import TunesmithError
from tunesmith.execution.cluster.shipped import Shelf
from tunesmith.execution.kept import Kept
from tunesmith.execution.packets import Packet, pack
from tunesmith.execution.work import Work, from_text
from tunesmith.services import service

THREADS = "TUNESMITH_THREADS"
"""Variable of a worker's environment: threads that a block may use."""


class Order(msgspec.Struct, frozen=True):
    """What a block is done with.

    work: digest of the description.   version, build: of the driver.
    files: digests of what is sent with the block.
    """

    work: str
    version: str
    build: str
    files: tuple[str, ...] = ()


class _Process:
    """What a worker keeps from block to block. One block is done at a time, with all threads."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.kept, self.shelf = Kept(), Shelf()
        self._digest = ""
        self._work: tuple[Work[Any, Any], Callable[[Any], Packet]] | None = None

    def done(self, order: Order, text: bytes, block: bytes, shipped: Sequence[bytes], threads: int) -> Packet:
        """Return the result of a block; the work of the last one stays open."""
        places = dict(map(self.shelf.put, order.files, shipped))

        def place(name: str) -> str:
            return places.get(name, name)

        if self._work is None or self._digest != order.work:
            service("kinds of work")()
            opened = from_text(text).placed(place)
            self._work, self._digest = (opened, opened.serve(threads, self.kept)), order.work
        work, do = self._work
        return do(work.placed_block(msgspec.json.decode(block, type=work.block), place))


def keep(data: bytes) -> bytes:
    """Return data that blocks need, as a task: where the worker that holds it is lost, Dask makes it again."""
    return data


def do_block(order: bytes, text: bytes, block: bytes, *shipped: bytes) -> bytes:
    """Return the packet of a block's result, or what is wrong with this worker or with the work.

    Our own errors are results, since another worker would raise them too; all others are for Dask to try again.
    """
    from distributed import get_worker

    worker = get_worker()
    process: _Process = vars(worker).setdefault("tunesmith", _Process())
    asked = msgspec.json.decode(order, type=Order)
    if (asked.version, asked.build) != (tunesmith.__version__, build_digest()):
        return _refused(
            f"the worker {worker.address} has tunesmith {tunesmith.__version__} (build {build_digest()}), the "
            f"driver {asked.version} (build {asked.build}); install the same one on both"
        )
    threads = int(os.environ.get(THREADS) or worker.state.nthreads)
    with process.lock:
        try:
            result = process.done(asked, text, block, shipped, threads)
        except TunesmithError as error:
            return _refused(f"the worker {worker.address} says: {error}")
    return pack(Packet({"result": result.values}, result.arrays))


def _refused(why: str) -> bytes:
    return pack(Packet({"refused": why}))
