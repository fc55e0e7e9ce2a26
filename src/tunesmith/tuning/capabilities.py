"""Which of a protocol's members a class lacks, asked before there is an instance.

`issubclass` does not take protocols with properties, so names are compared; that signatures agree is for mypy.
"""

from __future__ import annotations

from typing import Generic, Protocol


def members(protocol: type) -> frozenset[str]:
    """Names of the methods and properties that a protocol asks for."""
    asked = [base for base in protocol.__mro__ if base not in (object, Protocol, Generic)]
    return frozenset(name for base in asked for name in vars(base) if not name.startswith("_"))


def missing(part: type, protocol: type, base: type) -> frozenset[str]:
    """Members of the protocol that a class lacks, without those of `base`, which every such class has."""
    return members(protocol) - members(base) - frozenset(dir(part))
