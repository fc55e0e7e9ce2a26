"""Names to classes: what a user types (`--metric bleu`, `--tokenize 13a`) to what is built.

A registry knows its own members and those that other packages publish under an entry point of the same group;
an unknown name is answered with the closest known one.
"""

from __future__ import annotations

import difflib
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Generic, TypeVar

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., object])


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the closest known one, and all of them."""
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" Did you mean {close[0]!r}?" if close else ""
    return f".{hint} Known: {', '.join(names)}"


class Registry(Generic[T]):
    """An ordered table of named factories of one kind; `group` is the entry point other packages use."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind, self.group = kind, group
        self._factories: dict[str, Callable[..., T] | str] = {}

    def register(self, name: str) -> Callable[[F], F]:
        """Return a class decorator that makes the class known under `name`."""

        def add(factory: F) -> F:
            self._add(name, factory)  # type: ignore[arg-type]
            return factory

        return add

    def register_later(self, name: str, place: str) -> None:
        """Make known under `name` what is at `place` (`package.module:name`), imported when it is used."""
        self._add(name, place)

    def _add(self, name: str, factory: Callable[..., T] | str) -> None:
        if name in self._factories:
            raise ValueError(f"two {self.kind}s are called {name!r}")
        self._factories[name] = factory

    def names(self) -> list[str]:
        """Return known names: our own in order of definition, then published ones in alphabetical order."""
        return [*self._factories, *sorted(set(self._published) - set(self._factories))]

    @cached_property
    def _published(self) -> dict[str, EntryPoint]:
        """Read once: it opens a file of every package that is installed."""
        from importlib.metadata import entry_points

        return {point.name: point for point in reversed(list(entry_points(group=self.group)))}

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())

    def __contains__(self, name: object) -> bool:
        return name in self._factories or name in self._published

    def get(self, name: str) -> Callable[..., T]:
        """Return the factory called `name`; a helpful ConfigError for any other name."""
        if name in self._factories:
            known = self._factories[name]
            if isinstance(known, str):
                known = self._factories[name] = pkgutil.resolve_name(known)
            return known
        if name in self._published:
            return self._load(self._published[name])
        raise ConfigError(f"unknown {self.kind} {name!r}{did_you_mean(name, self.names())}")

    def _load(self, point: EntryPoint) -> Callable[..., T]:
        try:
            factory: Callable[..., T] = point.load()
        except Exception as error:
            package = point.value if point.dist is None else f"the package {point.dist.name}"
            raise ConfigError(
                f"the {self.kind} {point.name!r} of {package} does not load: {type(error).__name__}: {error}"
            ) from error
        return factory

    def make(self, name: str, **settings: object) -> T:
        factory = self.get(name)
        try:
            return factory(**settings)
        except TypeError as error:
            raise ConfigError(f"{self.kind} {name!r} does not take these settings: {error}") from None
