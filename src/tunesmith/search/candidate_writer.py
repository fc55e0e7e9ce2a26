"""Candidates written to disk part by part: memory does not grow with their number."""

from __future__ import annotations

import contextlib
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.io import StrPath
from tunesmith.io.arrays import Stored, new_folder
from tunesmith.search.arrays import FIXED, RAGGED, arrays_of, as_bytes
from tunesmith.search.candidate_folder import FORMAT, seal
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.common import Common


class CandidateWriter:
    """A context: append sets of consecutive sentences; the folder appears when the block ends well.

    common: the form of all sets, where they are known beforehand; otherwise that of the first one, whose values and
    statistics must then be wide enough for those that follow.
    """

    def __init__(self, path: StrPath, common: Common | None = None) -> None:
        self.path = path
        self._common = common
        self._context = contextlib.ExitStack()
        self._folder = Path()
        self._files: dict[str, _GrowingFile] = {}
        self._last: CandidateSet | None = None

    def __enter__(self) -> CandidateWriter:
        self._folder = self._context.enter_context(new_folder(self.path, FORMAT.noun))
        return self

    def append(self, candidates: CandidateSet) -> None:
        """Write the next sentences."""
        if self._common is None:
            self._common = Common([candidates])
        fitted = self._common.fit(candidates)
        for name, array in arrays_of(fitted).items():
            if name not in self._files:
                stream = self._context.enter_context((self._folder / name).open("wb"))
                self._files[name] = _GrowingFile(name, stream)
            self._files[name].append(array)
        self._last = fitted

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._context.__exit__(kind, error, trace)
            return
        with self._context:
            if self._last is None or self._common is None:
                raise ConfigError(f"{self.path}: nothing was appended, so there is no candidate set to write")
            for file in self._files.values():
                file.stream.close()
            # Names may have come with any of the parts; the last one knows all.
            seal(self._folder, self._common.fit(self._last), {name: f.stored for name, f in self._files.items()})


class _GrowingFile:
    def __init__(self, name: str, stream: BinaryIO) -> None:
        self.name, self.stream = name, stream
        self._rows = 0
        self._end = 0
        self._like: NDArray[Any] | None = None

    def append(self, array: NDArray[Any]) -> None:
        first = self._like is None
        if self._like is None or (self._rows == 0 and len(array)):
            self._like = array
        if self.name in FIXED:
            if not first:
                return
        elif self.name == "offsets" or self.name in RAGGED:
            last = int(array[-1])
            array = (array if first else array[1:]) + self._end
            self._end += last
        self._rows += len(array)
        self.stream.write(as_bytes(array).data)

    @property
    def stored(self) -> Stored:
        assert self._like is not None
        return self._like.dtype.str, (self._rows, *self._like.shape[1:])
