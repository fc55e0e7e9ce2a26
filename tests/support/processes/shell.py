"""`tunesmith` as a user runs it, in its own folder."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from support.processes.waiting import HANGS


class Shell:
    """Runs `tunesmith` in its own folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *words: str, stdin: str | bytes = b"") -> subprocess.CompletedProcess[bytes]:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        code = "from tunesmith.cli.entry import run; run()"
        command = [sys.executable, "-W", "error", "-c", code, *words]
        return subprocess.run(
            command, input=data, capture_output=True, cwd=self.folder, check=False, timeout=HANGS
        )

    def write(self, **texts: str) -> None:
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    def text(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def names(self) -> list[str]:
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*") if path.is_file())


def good(run: subprocess.CompletedProcess[bytes]) -> str:
    assert run.returncode == 0, run.stderr.decode()
    return run.stdout.decode()


def bad(run: subprocess.CompletedProcess[bytes], code: int) -> str:
    """The one line on stderr of a run that failed with this code and printed nothing."""
    assert run.returncode == code, run.stderr.decode()
    assert run.stdout == b""
    (line,) = run.stderr.decode().splitlines()
    assert line.startswith("tunesmith: ")
    return line.removeprefix("tunesmith: ")
