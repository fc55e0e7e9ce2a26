"""Moses2, built outside of the project, measured on the same machine in the same run.

`MOSES2=path/to/moses2` names the program. CPU time of a run on all sentences without that of a run on none is
decoding without loading. Without the program the recorded times of ../shared/reference are scaled.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import measure


def program() -> str | None:
    """Path of Moses2, None where it was not built."""
    return os.environ.get("MOSES2") or None


def _seconds(moses2: str, ini: Path, lines: Path, pop_limit: int, best: Path, more: Sequence[str]) -> float:
    """CPU seconds of one run."""
    limits = ["-cube-pruning-pop-limit", str(pop_limit), "-stack", str(pop_limit)]
    command = [moses2, "-f", ini.name, *limits, "-threads", "1", "-n-best-list", str(best), "1", *more]
    with lines.open() as given:
        process = subprocess.Popen(
            command, stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ini.parent
        )
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(command)} ended with status {status}")
    return usage.ru_utime + usage.ru_stime


def point(
    moses2: str, ini: Path, sentences: list[str], pop_limit: int, more: Sequence[str] = ()
) -> tuple[float, float]:
    """Mean model score, CPU seconds without loading.   more: options of the program."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "all").write_text("\n".join(sentences) + "\n")
        (work / "none").write_text("")
        seconds = _seconds(moses2, ini, work / "all", pop_limit, work / "best", more)
        loading = _seconds(moses2, ini, work / "none", pop_limit, work / "empty", more)
        best = (work / "best").read_text().splitlines()
    return sum(float(line.split(" ||| ")[3]) for line in best) / len(best), seconds - loading


def curve(
    ini: str, sentences: list[str], pop_limits: tuple[int, ...], repeat: int = 2, more: Sequence[str] = ()
) -> dict[float, float] | None:
    """Mean model score → CPU seconds, the least of some runs; None without the program.

    ini: of a folder in ../shared/reference.   repeat: of pop limits below 300; long runs vary less.
    """
    moses2 = program()
    if moses2 is None:
        return None
    points = {}
    for pop_limit in pop_limits:
        runs = [
            point(moses2, measure.SHARED / "reference" / ini, sentences, pop_limit, more)
            for _ in range(repeat if pop_limit < 300 else 1)
        ]
        points[round(runs[0][0], 4)] = min(seconds for _, seconds in runs)
    return points
