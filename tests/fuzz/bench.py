"""Commands that are run in folders next to shared data, and what each writes when nothing disturbs it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from fuzz.contents import contents
from fuzz.forked import run
from fuzz.verbs import BENCH, VERBS, command, make_bench


@dataclass(frozen=True)
class Gold:
    """What an undisturbed run writes, and how long it takes."""

    files: dict[str, bytes]
    seconds: float


class Bench:
    """Base of the harnesses that disturb commands."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root, self._seed = root, seed
        self._gold: dict[str, Gold] = {}
        make_bench(root / BENCH)

    def gold(self, name: str) -> Gold:
        """The undisturbed run of a command; AssertionError where it fails."""
        if name not in self._gold:
            folder = self._new("gold")
            ended = run(command(name, VERBS[name]), folder)
            assert ended.code == 0, f"{name} ended with {ended.code}: {ended.errors}"
            self._gold[name] = Gold(contents(folder), ended.seconds)
        return self._gold[name]

    def _new(self, name: str) -> Path:
        folder = self._root / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        return folder
