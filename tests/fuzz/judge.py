"""What a reader may do with a case: read it, or refuse it in one line. Everything else is a finding."""

from __future__ import annotations

import os
import shutil
import traceback
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from fuzz.case import Case
from fuzz.kind import OUT, Files, Kind
from tunesmith.errors import TunesmithError

try:
    from tunesmith.cli.printing import visible
except ImportError:  # before errors are printed in one place

    def visible(text: str) -> str:
        return "".join(each if each == "\n" or each.isprintable() else ascii(each)[1:-1] for each in text)[:2000]


LONGEST_LINE = 2500  # of a message, the path aside


class Place:
    """A folder with the files of one input, into which cases are put one after the other."""

    def __init__(self, folder: Path) -> None:
        self._root = folder
        self._folders: dict[tuple[str, int], Path] = {}
        self._whole: dict[Path, Files] = {}

    def run(self, kind: Kind, seeds: list[Files], case: Case) -> str | None:
        """Read a case; what is wrong with the way it went, or None."""
        folder, good = self._input(kind, seeds, case.base)
        for name, data in case.changed.items():
            (folder / name).write_bytes(data)
        try:
            return judge(kind, folder) or _left_over(folder, good)
        finally:
            for name in case.changed:
                (folder / name).write_bytes(good[name])
            if (folder / OUT).exists():
                shutil.rmtree(folder / OUT)

    def _input(self, kind: Kind, seeds: list[Files], base: int) -> tuple[Path, Files]:
        folder = self._folders.get((kind.name, base))
        if folder is None:
            folder = self._folders[kind.name, base] = self._root / f"{kind.name}-{base}"
            put(folder, seeds[base])
        return folder, seeds[base]


def put(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write these files into a new folder."""
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def judge(kind: Kind, folder: Path) -> str | None:
    """Read the input in the folder; what is wrong with the way it went, or None."""
    try:
        kind.read(folder)
    except TunesmithError as error:
        return wrong_message(visible(str(error).replace(str(folder), "")))
    except BaseException:
        return traceback.format_exc()
    return None


def wrong_message(text: str) -> str | None:
    """What is wrong with a message as it is printed: more than one line, control characters, or too long."""
    if not text.strip():
        return "the message is empty"
    if len(text) > LONGEST_LINE:
        return f"the message has {len(text)} characters: {text[:300]!r}…"
    if found := [each for each in text if unicodedata.category(each) in ("Cc", "Cs") and each != "\t"]:
        return f"the message holds {found[0]!r}: {text[:500]!r}"
    return None


def _left_over(folder: Path, good: Files) -> str | None:
    """Files that the reader has left outside of its output, or removed; unfinished ones anywhere."""
    found = set()
    for parent, folders, names in os.walk(folder):
        below = parent[len(str(folder)) + 1 :]
        if below.split("/")[0] == OUT:
            found |= {f"{below}/{name}" for name in (*folders, *names) if name.endswith(".partial")}
        else:
            found |= {f"{below}/{name}" if below else name for name in names}
    if found == set(good):
        return None
    text = f"left over: {sorted(found - set(good))}, gone: {sorted(set(good) - found)}"
    shutil.rmtree(folder)
    put(folder, good)
    return text
