"""Signatures: what a result was computed with, so that two results can be compared years later.

A signature is an ordered list of keys and values, printed `key:value|key[setting=value]|…|version:x.y.z`. JSON
output is made from the fields, never by splitting the string.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import tunesmith

Value = str | int | float | bool
Fields = Mapping[str, "Value | Fields"]


@dataclass(frozen=True)
class Signature:
    """A name and its settings in fixed order; the version always comes last."""

    name: str
    fields: Fields = field(default_factory=dict)

    def extended(self, **more: Value | Fields) -> Signature:
        """Copy the signature with further fields at the end."""
        return Signature(self.name, {**self.fields, **more})

    def as_dict(self) -> dict[str, object]:
        return {"name": self.name, **self.fields, "version": tunesmith.__version__}

    def __str__(self) -> str:
        parts = [f"{key}:{_format(value)}" for key, value in self.fields.items()]
        return "|".join([self.name, *parts, f"version:{tunesmith.__version__}"])


def _format(value: Value | Fields) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        method = value.get("method", "")
        rest = ",".join(f"{key}={_format(item)}" for key, item in value.items() if key != "method")
        return f"{method}[{rest}]" if rest else str(method)
    return str(value)
