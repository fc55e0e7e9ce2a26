"""Corpora and models that several pages make alike, made once in a test session.

A page is run as its reader runs it. Where it makes a corpus or trains a model by a command that another page has
run already, in a folder with the same files, the output of that run is copied: the program is deterministic.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

SHARED = re.compile(r"tunesmith (phrasebook|train) [\w ./=-]* -o (?P<output>\w+)")
FOLDER = "TUNESMITH_PAGE_CACHE"
"""Variable with the folder of the session."""


def open_cache() -> Path:
    """Make the folder, known to the processes of this session."""
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="tunesmith-pages-")
    return Path(os.environ[FOLDER])


def run_once(
    command: str, run: Callable[[], CompletedProcess[str]], folder: Path | None = None
) -> CompletedProcess[str]:
    """Run the command, or take what it gave before where it is one that pages share."""
    shared = SHARED.fullmatch(command)
    where = os.environ.get(FOLDER)
    here = Path.cwd() if folder is None else folder
    if shared is None or where is None or (here / shared["output"]).exists():
        return run()
    kept = Path(where) / _digest(command, here)
    if not kept.is_dir():
        ended = run()
        if ended.returncode == 0 and not ended.stdout + ended.stderr:
            _keep(here / shared["output"], kept)
        return ended
    shutil.copytree(kept, here / shared["output"])
    return CompletedProcess(command, 0, "", "")


def _keep(output: Path, kept: Path) -> None:
    """Copy all or nothing: another process may keep the same at the same time."""
    partial = Path(tempfile.mkdtemp(dir=kept.parent))
    shutil.copytree(output, partial / "output")
    try:
        (partial / "output").rename(kept)
    except OSError:
        if not kept.is_dir():
            raise
    shutil.rmtree(partial)


def _digest(command: str, folder: Path) -> str:
    """Digest of the command line and of every file of the folder, with its name."""
    digest = hashlib.sha256(command.encode())
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        content = hashlib.sha256(path.read_bytes()).hexdigest()
        digest.update(f"\n{path.relative_to(folder)} {content}".encode())
    return digest.hexdigest()
