"""Where work runs: descriptions of work, what does it, and child processes that end with us."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.execution.work import Executor, Here, Opened, Work, from_text, kinds, map, to_text

__all__ = ["Executor", "Here", "Opened", "Work", "from_text", "kinds", "map", "to_text"]

__getattr__ = names_of(__name__)
