"""Digests of files from outside the pipeline."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from tunesmith.corpus.bitext import expand_paths
from tunesmith.errors import MissingFileError
from tunesmith.io.digest import Digest, file_digest


def input_digest(path: Path) -> str:
    """Compute the digest of a file, of all files of a folder, or of all files that match a pattern.

    MissingFileError if there are none.
    """
    digest = Digest()
    for each in expand_paths([str(path)]):
        found = Path(each)
        if not found.exists():
            raise MissingFileError(f"{each}: no such file")
        for file in sorted(found.rglob("*")) if found.is_dir() else [found]:
            if file.is_file():
                digest.add(f"{file.relative_to(found)} {_digest_of(file)}\n")
    return digest.hex()


def _digest_of(path: Path) -> str:
    about = path.stat()
    return _read_once(os.fspath(path), about.st_size, about.st_mtime_ns)


@lru_cache(maxsize=4096)
def _read_once(path: str, size: int, changed: int) -> str:
    """Compute a digest once, since several stages read one corpus."""
    return file_digest(Path(path))
