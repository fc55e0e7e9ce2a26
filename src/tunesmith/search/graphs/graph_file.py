r"""Many search graphs in one file.

    tunesmith-graphs 1\n             padded with zeros to 24 bytes
    graph, graph, …                 see cpp/search/graphs/graph_file.cpp; a multiple of 8 bytes
    offsets                         uint64: where each graph begins, and where the last one ends
    metadata                        JSON
    bytes of offsets, bytes of metadata, crc32 of both (uint64 each), tunesmith-end\n padded to 16 bytes

All numbers are little-endian. A file without its end was not written to it, and is refused.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import mmap
import os
import struct
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError, MissingFileError, core_errors
from tunesmith.io import StrPath, atomic_bytes
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.search.lazy import LazySequence

_NAME = b"tunesmith-graphs "
MAGIC = b"tunesmith-graphs 1\n".ljust(24, b"\0")
_END = b"tunesmith-end\n".ljust(16, b"\0")
_TAIL = struct.Struct("<QQQ16s")
_DONTNEED = getattr(mmap, "MADV_DONTNEED", None)


class GraphWriter:
    """Writer that appends graphs to a stream; `write_graphs` makes one."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._offsets = [len(MAGIC)]
        stream.write(MAGIC)

    def add(self, graph: SearchGraph) -> None:
        self._offsets.append(self._offsets[-1] + self._stream.write(graph.core.pack()))

    def finish(self, metadata: Mapping[str, Any]) -> None:
        """Write the end; without it the file cannot be read."""
        offsets = np.array(self._offsets, dtype="<u8").tobytes()
        text = json.dumps(dict(metadata), ensure_ascii=False).encode()
        crc = zlib.crc32(text, zlib.crc32(offsets))
        self._stream.write(offsets + text + _TAIL.pack(len(offsets), len(text), crc, _END))


@contextlib.contextmanager
def write_graphs(path: StrPath, metadata: Mapping[str, Any] | None = None) -> Iterator[GraphWriter]:
    """Write graphs one by one; the file appears whole when the block ends, or not at all.

    metadata: anything JSON can say, such as the names of the stateful features.
    """
    if os.fspath(path) == "-" or os.fspath(path).endswith(".gz"):
        raise ConfigError(f"{os.fspath(path)}: graphs are mapped into memory; name a plain file")
    with atomic_bytes(path) as stream:
        writer = GraphWriter(stream)
        yield writer
        writer.finish(metadata or {})


class GraphSet(LazySequence[SearchGraph]):
    """The graphs of a file, each read where it is asked for. Close it, or use it in a `with` block."""

    def __init__(self, path: StrPath) -> None:
        self.path = os.fspath(path)
        try:
            with Path(path).open("rb") as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise FormatError("is empty; expected a file of search graphs", path=self.path) from None
        except OSError as error:
            raise MissingFileError(f"{self.path}: cannot be read ({error.strerror})") from None
        try:
            self._offsets, self.metadata = self._read_end()
        except BaseException:
            self._map.close()
            raise

    def _read_end(self) -> tuple[list[int], dict[str, Any]]:
        size = len(self._map)
        if self._map[: len(_NAME)] != _NAME:
            raise FormatError("is not a file of search graphs", path=self.path)
        if self._map[: len(MAGIC)] != MAGIC:
            raise FormatError(
                "is a file of search graphs of another version; this tunesmith reads version 1", path=self.path
            )
        whole = size >= len(MAGIC) + _TAIL.size
        offset_bytes, text_bytes, crc, end = _TAIL.unpack(self._map[-_TAIL.size :]) if whole else (0, 0, 0, b"")
        if end != _END:
            raise FormatError("has no end: it was not written to it, or it is cut off", path=self.path)
        index_at = size - _TAIL.size - text_bytes - offset_bytes
        if index_at < len(MAGIC) or offset_bytes % 8 or offset_bytes == 0:
            raise FormatError("its end is damaged", path=self.path)
        offsets = self._map[index_at : index_at + offset_bytes]
        text = self._map[index_at + offset_bytes : index_at + offset_bytes + text_bytes]
        if zlib.crc32(text, zlib.crc32(offsets)) != crc:
            raise FormatError("the checksum of its end is wrong; the file is damaged", path=self.path)
        places: list[int] = np.frombuffer(offsets, dtype="<u8").tolist()
        rises = all(a <= b for a, b in itertools.pairwise(places))
        try:
            metadata = json.loads(text)
        except (ValueError, RecursionError):
            metadata = None
        if not rises or places[0] != len(MAGIC) or places[-1] != index_at or not isinstance(metadata, dict):
            raise FormatError("its end is damaged", path=self.path)
        return places, metadata

    def __len__(self) -> int:
        return len(self._offsets) - 1

    @property
    def bytes(self) -> int:
        """The size of the file."""
        return len(self._map)

    def _item(self, at: int) -> SearchGraph:
        packed = self._map[self._offsets[at] : self._offsets[at + 1]]
        if _DONTNEED is not None:  # pages that have been copied would count as memory of the process
            self._map.madvise(_DONTNEED)
        with core_errors(f"{self.path}, graph {at}"):
            return SearchGraph(_core.Hypergraph.unpack(packed))

    def __enter__(self) -> GraphSet:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let the file go; graphs that were read stay."""
        self._map.close()
