"""Where CPU time and memory of `tunesmith tune` go, step by step; made for `--recipe shares`.

    python benchmarks/shares_steps.py tune -m model --recipe shares --train … -o run

runs the command in this process. A JSON line for each kind of step: how often it ran, CPU seconds, and the largest
resident and allocated (not file-mapped) memory at the end of one, in MB. `save` is what checkpoints take, which is
not in the steps.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command does before numpy is loaded

import re
import resource
from collections import defaultdict
from typing import Any
from unittest import mock

from measure import forget_peak, memory_kilobytes, report

from tunesmith.cli.entry import run
from tunesmith.tuning.loop import loop
from tunesmith.tuning.runs.checkpoint import Checkpoints

_TURN = re.compile(r" \d+/\d+")


def cpu_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


class Steps:
    """Sums by kind of step."""

    def __init__(self) -> None:
        self.rows: defaultdict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))

    def timed(self, name: str, work: Any) -> Any:
        forget_peak()
        began = cpu_seconds()
        found = work()
        row = self.rows[name]
        row["times"] += 1
        row["cpu_seconds"] += cpu_seconds() - began
        row["peak_mb"] = max(row["peak_mb"], memory_kilobytes("VmHWM") / 1024)
        row["allocated_mb"] = max(row["allocated_mb"], memory_kilobytes("RssAnon") / 1024)
        return found


def main() -> None:
    steps = Steps()
    step, save = loop._step, Checkpoints.save

    def timed_step(plan: Any, context: Any, saving: Any, position: Any, observer: Any) -> Any:
        name = plan.steps(position.state.round)[position.done].name
        name = name if " " in name or name in ("cross-fit", "group", "unpack") else f"{name} dev"
        return steps.timed(_TURN.sub("", name), lambda: step(plan, context, saving, position, observer))

    def timed_save(self: Any, position: Any) -> Any:
        return steps.timed("save", lambda: save(self, position))

    try:
        with mock.patch.object(loop, "_step", timed_step), mock.patch.object(Checkpoints, "save", timed_save):
            run()
    finally:
        for name, row in steps.rows.items():
            report("shares_steps", {"step": name, **{key: round(value, 2) for key, value in row.items()}})
        report("shares_steps", {"step": "all, with what is opened first", "cpu_seconds": round(cpu_seconds(), 2)})


if __name__ == "__main__":
    main()
