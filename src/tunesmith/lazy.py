"""Packages whose names are imported when they are used, so that one name does not load the modules of all.

A package writes its imports below `if TYPE_CHECKING:`, where type checkers read them, and lets Python ask for the
names that are missing (PEP 562):

    if TYPE_CHECKING:
        from tunesmith.lm.model import NgramModel
    __all__ = ["NgramModel"]
    __getattr__ = names_of(__name__)

No name may be that of a module of the package: importing the module would hide it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any


def names_of(package: str) -> Callable[[str], Any]:
    """The function `__getattr__` of a package: imports a name from where the package's own source says it is."""

    @cache
    def places() -> dict[str, str]:
        return _imports(sys.modules[package])

    def load(name: str) -> Any:
        if name.startswith("__") or name not in places():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = getattr(import_module(places()[name]), name)
        setattr(sys.modules[package], name, value)
        return value

    return load


def _imports(package: ModuleType) -> dict[str, str]:
    """Modules by the names that the source of the package imports from them."""
    import ast

    loader: Any = package.__loader__
    tree = ast.parse(loader.get_source(package.__name__))
    return {
        alias.name: str(statement.module)
        for statement in ast.walk(tree)
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
    }
