"""Checks which members of a protocol a class lacks, before there is an instance.

`issubclass` does not support protocols with properties, so names are compared; mypy checks signatures.
"""

from __future__ import annotations

import inspect
from typing import Generic, Protocol


def members(protocol: type) -> frozenset[str]:
    """Return names of the methods and properties of a protocol."""
    asked = [base for base in protocol.__mro__ if base not in (object, Protocol, Generic)]
    return frozenset[str]().union(*map(declared, asked))


def declared(protocol: type) -> frozenset[str]:
    """Return names declared by a protocol itself, without its bases."""
    return frozenset(name for name in vars(protocol) if not name.startswith("_"))


def missing(part: type, protocol: type, base: type) -> frozenset[str]:
    """Return members of the protocol that a class lacks, except members of `base`."""
    fields = (inspect.get_annotations(each) for each in part.__mro__)
    return members(protocol) - members(base) - frozenset(dir(part)).union(*fields)
