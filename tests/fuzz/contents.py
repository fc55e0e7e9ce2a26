"""What commands wrote, without what differs from one run to the next by design: times, and who holds a lock."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_OF_A_RUN = frozenset({"lock", "log.txt", "train.log", "failure.json"})
_TIMES = frozenset({"seconds", "processor_seconds", "saved", "minutes", "time"})
_OF_TIMES = frozenset({"crc32", "history.jsonl"})  # checksums of what holds times; the files are compared anyway
_DRAWN = (".svg", ".png", ".pdf", ".html")  # hold dates and times; only whether they are whole is compared


def contents(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in _OF_A_RUN:
            found[path.relative_to(folder).as_posix()] = _steady(path)
    return found


def left_over(folder: Path) -> list[str]:
    """Unfinished files and folders."""
    names = (path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return sorted(name for name in names if name.endswith((".partial", ".old")))


def differences(before: dict[str, bytes], after: dict[str, bytes]) -> list[str]:
    """Names of files that are not the same, or in one of them only."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _steady(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix in _DRAWN:
        return data.rstrip()[-6:]
    if path.suffix in (".json", ".jsonl"):
        lines = data.splitlines() if path.suffix == ".jsonl" else [data]
        return "\n".join(json.dumps(_without_times(json.loads(line))) for line in lines).encode()
    return data


def _without_times(tree: Any) -> Any:
    if isinstance(tree, dict):
        return {key: _without_times(value) for key, value in tree.items() if key not in _TIMES | _OF_TIMES}
    return [_without_times(value) for value in tree] if isinstance(tree, list) else tree
