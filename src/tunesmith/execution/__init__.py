"""Where work runs: descriptions of work, what does it, and child processes that end with us."""

from tunesmith.execution.work import Executor, Here, Opened, Work, from_text, kinds, map, to_text

__all__ = ["Executor", "Here", "Opened", "Work", "from_text", "kinds", "map", "to_text"]
