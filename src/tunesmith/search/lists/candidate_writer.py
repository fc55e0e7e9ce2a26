"""Candidates written to disk part by part: memory does not grow with their number."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.io import StrPath
from tunesmith.io.arrays import Stored, new_arrays
from tunesmith.search.lists.arrays import FIXED, OFFSETS, arrays_of, as_bytes
from tunesmith.search.lists.candidate_folder import FORMAT, seal
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.common import Common

_BLOCK = 1 << 20  # numbers rewritten at once


class CandidateWriter:
    """A context: append sets of consecutive sentences; the folder appears when the block ends well.

    common: the form of all sets, where they are known beforehand; otherwise that of the first one.
    """

    def __init__(self, path: StrPath, common: Common | None = None) -> None:
        self.path = path
        self._common = common
        self._context = contextlib.ExitStack()
        self._folder = Path()
        self._files: dict[str, _GrowingFile] = {}
        self._last: CandidateSet | None = None

    def __enter__(self) -> CandidateWriter:
        self._folder = self._context.enter_context(new_arrays(self.path, FORMAT))
        return self

    def append(self, candidates: CandidateSet) -> None:
        if self._common is None:
            self._common = Common([candidates])
        fitted = self._common.fit(candidates)
        for name, array in arrays_of(fitted).items():
            if name not in self._files:
                self._files[name] = self._context.enter_context(
                    contextlib.closing(_GrowingFile(self._folder / name))
                )
            self._files[name].append(array)
        self._last = fitted

    def __exit__(self, *error: Any) -> None:
        if error[0] is not None:
            self._context.__exit__(*error)
            return
        with self._context:
            if self._last is None or self._common is None:
                raise ConfigError(f"{self.path}: nothing was appended, so there is no candidate set to write")
            for file in self._files.values():
                file.close()
            # Names may have come with any of the parts; the last one knows all.
            seal(self._folder, self._common.fit(self._last), {name: f.stored for name, f in self._files.items()})


class _GrowingFile:
    """An array on disk. Where a part has a wider type than those before, they are rewritten in that type."""

    def __init__(self, path: Path) -> None:
        self._path, self._stream = path, path.open("wb")
        self._rows = self._end = 0
        self._like: NDArray[Any] | None = None

    def append(self, array: NDArray[Any]) -> None:
        name = self._path.name
        first = self._like is None
        if name in FIXED and not first:
            return
        if name in OFFSETS:
            last = int(array[-1])
            array = (array if first else array[1:]) + self._end
            self._end += last
        if self._like is None or (self._rows == 0 and len(array)):
            self._like = array[:0]
        kind = np.result_type(array.dtype, self._like.dtype)
        if kind != self._like.dtype:
            self._widen(kind)
        self._rows += len(array)
        self._stream.write(as_bytes(array.astype(kind, copy=False)).data)

    def _widen(self, kind: np.dtype[Any]) -> None:
        assert self._like is not None
        self._stream.close()
        narrow = self._path.with_suffix(".narrow")
        self._path.rename(narrow)
        self._stream = self._path.open("wb")
        with narrow.open("rb") as stream:
            while len(part := np.fromfile(stream, dtype=self._like.dtype, count=_BLOCK)):
                self._stream.write(as_bytes(part.astype(kind)).data)
        narrow.unlink()
        self._like = self._like.astype(kind)

    def close(self) -> None:
        self._stream.close()

    @property
    def stored(self) -> Stored:
        assert self._like is not None
        return self._like.dtype.str, (self._rows, *self._like.shape[1:])
