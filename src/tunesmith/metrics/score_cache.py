"""Scores of sentences that were computed before, in memory and in a file of text."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from pathlib import Path

from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import StrPath

_HEADER = "# scores of "


class ScoreCache:
    """Scores by key; what is added goes to the file too, which another run reads.

    The file has a line `# scores of SIGNATURE` and then a line `key<TAB>score` for each. Lines are added at its
    end: a last line that was cut off, by a kill or a full disk, does not count.
    path: None to keep scores in memory only.   signature: what scores depend on in addition to the texts.
    """

    def __init__(self, signature: str, path: StrPath | None = None) -> None:
        self._scores: dict[str, float] = {}
        self._path = None if path is None else Path(path)
        self._head = f"{_HEADER}{signature}\n"
        if self._path is not None and self._path.exists():
            self._read(self._path)

    def __len__(self) -> int:
        return len(self._scores)

    def get(self, key: str) -> float | None:
        return self._scores.get(key)

    def add(self, scores: Iterable[tuple[str, float]]) -> None:
        """Keep scores, in one write to the end of the file."""
        new = [(key, score) for key, score in scores if key not in self._scores]
        self._scores.update(new)
        if self._path is None or not new:
            return
        text = "".join(f"{key}\t{score!r}\n" for key, score in new)
        if self._path.exists():
            _remove_cut_line(self._path)
        with self._path.open("ab") as out:
            out.write((self._head + text if out.tell() == 0 else text).encode())

    def _read(self, path: Path) -> None:
        if path.is_dir():
            raise ConfigError(f"{path}: is a folder; expected a file of scores")
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.decode("utf-8", "replace").splitlines()
        if lines and f"{lines[0]}\n" != self._head:
            if not lines[0].startswith(_HEADER):
                raise FormatError("is not a file of scores that tunesmith wrote", path=str(path), line=1)
            raise ConfigError(
                f"{path}: has scores of {lines[0][len(_HEADER) :]}, not of {self._head[len(_HEADER) : -1]}; "
                "give another file"
            )
        for number, line in enumerate(lines[1:], 2):
            key, _, text = line.partition("\t")
            try:
                score = float(text)
            except ValueError:
                score = math.nan
            if len(key) != 32 or not math.isfinite(score):
                raise FormatError(
                    f"expected a key and a score, got {line!r}; remove the file, and scores are computed again",
                    path=str(path),
                    line=number,
                )
            self._scores[key] = score


def _remove_cut_line(path: Path) -> None:
    """Remove a last line without its end."""
    with path.open("rb+") as file:
        size = file.seek(0, 2)
        end = size
        while end and (file.seek(end - 1), file.read(1))[1] != b"\n":
            end -= 1
        if end < size:
            file.truncate(end)


def key_of(*texts: str) -> str:
    """Return 32 hexadecimal digits that change with any character of the texts, and with where each ends."""
    digest = hashlib.blake2b(digest_size=16)  # not io/digest.py: files of 0.2.0 have these keys
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()
