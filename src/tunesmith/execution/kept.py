"""Objects that stay open in a worker process, such as models."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from tunesmith.checks import at_least

T = TypeVar("T")


class Kept:
    """Cache of objects that take long to make; the least recently used one is removed first.

    most: number of objects.
    """

    def __init__(self, most: int = 4) -> None:
        at_least(1, most=most)
        self._most = most
        self._things: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.RLock()  # objects may be made of other cached objects

    def get(self, key: Hashable, make: Callable[[], T]) -> T:
        """Return the object of this key, made if missing; thread-safe."""
        with self._lock:
            if key not in self._things:
                self._things[key] = make()
                while len(self._things) > self._most:
                    self._things.popitem(last=False)
            self._things.move_to_end(key)
            thing: T = self._things[key]
            return thing
