"""Weights of a model by name, and their file.

`weights.tsv` is a line with # and what the weights come from, a line `# crc32 …` with the checksum of all other
bytes, then `name<TAB>value` lines, each value with the digits that give the same number again. A million of them
are read in a fraction of a second. A file that was made or edited by hand needs no checksum.
"""

from __future__ import annotations

import math
import os
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import kind_of
from tunesmith.errors import ConfigError, WrongTypeError, core_errors
from tunesmith.io import StrPath, display_name, open_bytes, output_bytes
from tunesmith.io.seals import check_line, seal_line, without_line
from tunesmith.signature import Signature
from tunesmith.tables import pandas

NO_CHECKSUM = "there is no checksum line: it was edited by hand, or an earlier version wrote it"
_VERSION = "|version:"  # in every signature


class Weights(Mapping[str, float]):
    """Names with finite values, in the order of the file: a mapping that does not change.

    array: all values, in the order of the names.

    sealed: whether they were read from a file with a checksum.
    """

    def __init__(
        self,
        values: Mapping[str, float] | _core.WeightTable,
        signature: str | None = None,
        *,
        sealed: bool = False,
    ) -> None:
        self.native = values if isinstance(values, _core.WeightTable) else _table(values)
        self.sealed = sealed
        self.signature = self.native.header if signature is None else signature

    @property
    def notes(self) -> list[str]:
        """Remarks on the file for the user, one sentence each; the command line prints them."""
        if self.sealed or _VERSION not in self.native.header:
            return []
        return [f"{NO_CHECKSUM}, so damage would not be noticed"]

    @classmethod
    def from_mapping(cls, values: Mapping[str, float], signature: str = "") -> Weights:
        """Return weights from names and values; ConfigError for one that cannot be written."""
        return cls(values, signature)

    @classmethod
    def of(cls, given: Weights | Mapping[str, float] | StrPath) -> Weights:
        """Return weights as callers give them: as they are, by name, or the name of a file."""
        if isinstance(given, Weights):
            return given
        if isinstance(given, Mapping):
            return cls.from_mapping(given)
        if isinstance(given, (str, os.PathLike)):
            return cls.read(given)
        raise WrongTypeError(f"weights must be a file or values by name, got {kind_of(given)}")

    @classmethod
    def read(cls, path: StrPath) -> Weights:
        """Read a file (plain or gzip; `-` is standard input); FormatError with the line for anything wrong.

        A checksum line must be right. A file of tunesmith without one was edited, or is of an earlier version:
        `notes` says so.
        """
        name = display_name(path)
        with open_bytes(path) as stream:
            data = stream.read()
        with core_errors(name):
            sealed = check_line(data, name)
            native = _core.WeightTable.parse(data)
        return cls(native, without_line(native.header) if sealed else None, sealed=sealed)

    def write(self, path: StrPath) -> None:
        """Write the file, whole or not at all."""
        lines = (self.signature or str(Signature("weights"))).split("\n")
        header = "".join(f"# {line}\n" for line in lines).replace("\t", " ").encode()
        body = self.native.format()
        with output_bytes(path) as out:
            out.write(header)
            out.write(seal_line(header, body))
            out.write(body)

    def __len__(self) -> int:
        return len(self.native)

    @cached_property
    def names(self) -> list[str]:
        return [self.native.name(at) for at in range(len(self))]

    @cached_property
    def array(self) -> NDArray[np.float64]:
        """All values, in the order of the names."""
        values = self.native.values()
        values.flags.writeable = False
        return values

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.native.find(name) is not None

    def __getitem__(self, name: str) -> float:
        at = self.native.find(name)
        if at is None:
            raise KeyError(name)
        return float(self.array[at])

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def get(self, name: str, default: float = 0.0) -> float:  # type: ignore[override]
        """Return the weight of a name; one that is missing has weight 0."""
        at = self.native.find(name)
        return default if at is None else float(self.array[at])

    def items(self) -> ItemsView[str, float]:
        return _Items(self)

    def values(self) -> ValuesView[float]:
        return _Values(self)

    def __eq__(self, other: object) -> bool:
        """Compare by name; a missing name has weight 0."""
        if isinstance(other, Mapping) and not isinstance(other, Weights):
            try:
                other = Weights.from_mapping(other)
            except (ConfigError, TypeError):
                return False
        return isinstance(other, Weights) and not compare_weights(self, other).differing

    def __reduce__(self) -> tuple[Any, ...]:
        """Return names, values and signature, for copies and other processes."""
        return _restored, (self.names, self.array, self.signature, self.sealed)

    def to_pandas(self) -> Any:
        """Return a Series of the weights by name; needs pandas."""
        return pandas().Series(self.array.copy(), index=self.names, name="weight")

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Weights of {len(self)} features"


def _table(values: Mapping[str, float]) -> _core.WeightTable:
    """Return names and values as the core has them; ConfigError for one that cannot be written."""
    if not isinstance(values, Mapping):
        raise WrongTypeError(f"weights must be values by name, got {kind_of(values)}")
    native = _core.WeightTable()
    for name, value in values.items():
        try:
            native.add(name, value)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        except TypeError:
            raise WrongTypeError(f"weights must be numbers by name, got {value!r} for {name!r}") from None
    return native


class _Items(ItemsView[str, float]):
    """All at once: to look up a million names takes a while."""

    _mapping: Weights

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self._mapping.names, self._mapping.array.tolist(), strict=True)


class _Values(ValuesView[float]):
    _mapping: Weights

    def __iter__(self) -> Iterator[float]:
        return iter(self._mapping.array.tolist())


def _restored(names: list[str], values: NDArray[np.float64], signature: str, sealed: bool) -> Weights:
    found = Weights.from_mapping(dict(zip(names, values.tolist(), strict=True)), signature)
    found.sealed = sealed
    return found


@dataclass(frozen=True)
class WeightsDifference:
    """How two weight vectors differ; a name that is missing has weight 0.

    differing: names with different weights.   only_first, only_second: names not zero in one of them only.
    cosine: of the angle between them, NaN if one is all zero.
    largest: names and both weights, the largest change first.
    """

    differing: int
    only_first: int
    only_second: int
    distance: float
    cosine: float
    largest: tuple[tuple[str, float, float], ...]


def compare_weights(first: Weights, second: Weights, largest: int = 10) -> WeightsDifference:
    names = [*first.names, *(name for name in second.names if name not in first)]
    a = np.array([first.get(name) for name in names])
    b = np.array([second.get(name) for name in names])
    with np.errstate(over="ignore", invalid="ignore"):  # of weights near the largest number there is
        order = np.argsort(-np.abs(a - b), kind="stable")[:largest]
        lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
        distance, cosine = float(np.linalg.norm(a - b)), float(a @ b) / lengths if lengths else math.nan
    return WeightsDifference(
        int(np.count_nonzero(a != b)),
        int(np.count_nonzero((a != 0) & (b == 0))),
        int(np.count_nonzero((a == 0) & (b != 0))),
        distance,
        cosine,
        tuple((names[at], float(a[at]), float(b[at])) for at in order.tolist() if a[at] != b[at]),
    )
