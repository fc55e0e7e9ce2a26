"""Objectives that are a sum over terms, times a number: their gradients may be added elsewhere."""

from __future__ import annotations

import contextlib
import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from tunesmith.execution import Executor
from tunesmith.tuning.sums.lists import GRADIENT
from tunesmith.tuning.sums.parts import Summing, in_parts
from tunesmith.tuning.sums.terms import Asked, Floats, Terms


class Distributed(ABC):
    """A smooth objective, `share` times the sum over its terms.

    add: makes what adds the terms, when it is first asked for a gradient; None for this process.
    """

    add: Callable[[Terms], Summing] | None = None

    @cached_property
    def _summing(self) -> Summing:
        return (self.add or Summing)(self.terms())

    @property
    @abstractmethod
    def share(self) -> float:
        """What the sum is multiplied with."""

    @abstractmethod
    def terms(self) -> Terms:
        """Return what is added up."""

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """Return the value at `w` and its gradient; the same bytes whoever adds them up."""
        found = self._summing.ask(Asked(GRADIENT, {"w": w}), threads=threads)
        return self.share * float(found.numbers[0]), self.share * found.vector


@contextlib.contextmanager
def distributed(objective: Any, executor: Executor | None) -> Iterator[Any]:
    """Open the objective with its sums made by an executor, if it can be; the same object without one."""
    if executor is None or not isinstance(objective, Distributed):
        yield objective
        return
    there = copy.copy(objective)
    vars(there).pop("_summing", None)
    with contextlib.ExitStack() as stack:
        there.add = lambda terms: stack.enter_context(in_parts(terms, executor))
        yield there
