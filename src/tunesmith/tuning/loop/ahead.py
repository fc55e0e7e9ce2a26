"""One piece of work at a time in another thread, while this one does something else."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Generic, TypeVar

Result = TypeVar("Result")


class Ahead(Generic[Result]):
    """A thread that lives from the first work to `close`."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        self._begun: Future[Result] | None = None

    @property
    def begun(self) -> bool:
        """Whether work was begun whose result nobody has taken."""
        return self._begun is not None

    def begin(self, work: Callable[[], Result]) -> None:
        """Begin work, after the result of the work before was taken."""
        assert self._begun is None
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="tunesmith-ahead")
        self._begun = self._thread.submit(copy_context().run, work)

    def result(self) -> Result:
        """Return the result of the work that was begun, or raise its exception.

        Ctrl-C ends the waiting here; `close` waits again.
        """
        assert self._begun is not None
        begun, self._begun = self._begun, None
        return begun.result()

    def close(self) -> None:
        """Wait for work that runs, forget its result, and end the thread."""
        thread, self._thread, self._begun = self._thread, None, None
        if thread is not None:
            thread.shutdown(cancel_futures=True)
