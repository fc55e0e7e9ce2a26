"""Packages that import their names on first use, so that using one name does not load all modules.

A package writes its imports below `if TYPE_CHECKING:`, where type checkers read them, and lets Python ask for
missing names (PEP 562):

    if TYPE_CHECKING:
        from tunesmith.lm.model import NgramModel
    __all__ = ["NgramModel"]
    __getattr__ = names_of(__name__)

No name may equal that of a module of the package: importing the module would hide the name.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import Any


def names_of(package: str, renamed: Mapping[str, str] = MappingProxyType({})) -> Callable[[str], Any]:
    """Return a `__getattr__` for a package, which imports a name from the module that defines it.

    renamed: old names, which work for one minor version with a DeprecationWarning, and the new ones.
    """

    @cache
    def places() -> dict[str, str]:
        return _imports(sys.modules[package])

    def load(name: str) -> Any:
        if name in renamed:
            warnings.warn(f"{package}.{name} is now called {renamed[name]}", DeprecationWarning, stacklevel=2)
            return load(renamed[name])
        if name.startswith("__") or name not in places():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(places()[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


def _imports(package: ModuleType) -> dict[str, str]:
    """Map the names that a package imports, according to its source, to their modules."""
    import ast

    loader: Any = package.__loader__
    tree = ast.parse(loader.get_source(package.__name__))
    return {
        alias.name: str(statement.module)
        for statement in ast.walk(tree)
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
