"""Time of a start: `import tunesmith` and `tunesmith --version`, in new processes, compared with an empty one."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

import measure

COMMANDS = {
    "python": ["-c", "pass"],
    "import_tunesmith": ["-c", "import tunesmith"],
    "import_metrics": ["-c", "import tunesmith.metrics"],
    "version": ["-m", "tunesmith", "--version"],
}


def start(words: list[str]) -> None:
    """One new process."""
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    seconds = {name: measure.median_seconds(partial(start, words), 11) for name, words in COMMANDS.items()}
    measure.report("start", {f"{name}_seconds": round(value, 3) for name, value in seconds.items()})
