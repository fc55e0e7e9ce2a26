"""Console blocks of pages: commands with the output that is shown below each. Needs nothing but Python."""

from __future__ import annotations

import doctest
import functools
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from support.page_cache import run_once


def commands(block: str) -> Iterator[tuple[str, str]]:
    """Commands of a console block with the output shown below each. A backslash continues a command."""
    command, output = None, []
    for line in block.splitlines():
        if command is not None and command.endswith("\\"):
            command = command[:-1] + line.strip()
        elif line.startswith("$ "):
            if command is not None:
                yield command, "".join(output)
            command, output = line[2:], []
        else:
            output.append(line + "\n")
    if command is not None:
        yield command, "".join(output)


def difference(block: str, programs: Path, folder: Path | None = None) -> str | None:
    """Run each command of the block with `programs` first on the path; the first difference, None without one."""
    for command, expected in commands(block):
        environment = {
            **os.environ,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "100",
            "NO_COLOR": "1",
        }
        run = functools.partial(
            subprocess.run,
            ["bash", "-o", "pipefail", "-c", command],
            capture_output=True,
            text=True,
            env=environment,
            timeout=600,
            check=False,
            cwd=folder,
        )
        ran = run_once(command, run, folder)
        seen = ran.stdout + ran.stderr
        if ran.returncode != 0 and not expected.startswith("tunesmith: "):
            return f"$ {command}\nended with {ran.returncode}:\n{seen}"
        loosely = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        if not doctest.OutputChecker().check_output(expected, seen, loosely):
            return f"$ {command}\nexpected:\n{expected}\nsaw:\n{seen}"
    return None
