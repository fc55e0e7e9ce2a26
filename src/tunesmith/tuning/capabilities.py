"""Which of a protocol's members a class lacks, asked before there is an instance.

`issubclass` does not take protocols with properties, so names are compared; that signatures agree is for mypy.
"""

from __future__ import annotations

import inspect
from typing import Generic, Protocol


def members(protocol: type) -> frozenset[str]:
    """Names of the methods and properties that a protocol asks for."""
    asked = [base for base in protocol.__mro__ if base not in (object, Protocol, Generic)]
    return frozenset[str]().union(*map(declared, asked))


def declared(protocol: type) -> frozenset[str]:
    """Names that a protocol itself asks for, without those of its bases."""
    return frozenset(name for name in vars(protocol) if not name.startswith("_"))


def missing(part: type, protocol: type, base: type) -> frozenset[str]:
    """Members of the protocol that a class lacks, without those of `base`, which every such class has."""
    fields = (inspect.get_annotations(each) for each in part.__mro__)
    return members(protocol) - members(base) - frozenset(dir(part)).union(*fields)
