"""KenLM's lmplz, built outside of the project, measured on the same machine in the same run.

`LMPLZ=path/to/lmplz` names the program. Without it the recorded time of ../shared/reference is scaled.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import measure


def estimation(text: Path, folder: str, memory: str) -> dict[str, Any]:
    """Fields with seconds, CPU seconds and peak memory of order 5 on a text; none without the program."""
    lmplz = os.environ.get("LMPLZ")
    if not lmplz:
        return {}
    command = [lmplz, "-o", "5", "-S", memory, "-T", f"{folder}/", "--discount_fallback"]
    return {f"lmplz_{name}": value for name, value in measure.command(command, text)[0].items()}
