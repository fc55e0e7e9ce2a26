"""Execution of work: descriptions of work, executors, and child processes that end with this process."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.execution.kept import Kept
    from tunesmith.execution.packets import Packet, pack, unpack
    from tunesmith.execution.work import (
        Blocks,
        Executor,
        Here,
        Opened,
        Work,
        described,
        from_text,
        kinds,
        map,
        to_text,
    )

__all__ = [
    "Blocks", "Executor", "Here", "Kept", "Opened", "Packet", "Work", "described", "from_text", "kinds", "map",
    "pack", "to_text", "unpack",
]  # fmt: skip

__getattr__ = names_of(__name__)
