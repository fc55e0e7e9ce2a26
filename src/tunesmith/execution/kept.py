"""What stays open in a process that does work of others, such as models."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from tunesmith.checks import at_least

T = TypeVar("T")


class Kept:
    """Things that take long to make, by what they are made of; the one that was not used for longest goes first.

    most: how many are kept.
    """

    def __init__(self, most: int = 4) -> None:
        at_least(1, most=most)
        self._most = most
        self._things: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.RLock()  # what is made may be made of other kept things

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """The thing of this key, made now if there is none; several threads may ask."""
        with self._lock:
            if key not in self._things:
                self._things[key] = make()
                while len(self._things) > self._most:
                    self._things.popitem(last=False)
            self._things.move_to_end(key)
            thing: T = self._things[key]
            return thing
