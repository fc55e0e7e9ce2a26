"""Our curves of model score against time compared with those of other decoders, recorded or measured here."""

from __future__ import annotations

import itertools
import math
import os
import subprocess
import sys
from typing import Any

import measure

CALIBRATED = 0.58
"""Seconds of calibrate.py on the machine where the peers were recorded."""


def calibration() -> float:
    """CPU seconds of one of the five rounds of calibrate.py."""
    before = os.times()
    subprocess.run(
        [sys.executable, str(measure.SHARED / "reference/calibrate.py")], capture_output=True, check=True
    )
    after = os.times()
    return (after.children_user + after.children_system - before.children_user - before.children_system) / 5


def seconds_at(curve: dict[float, float], score: float) -> float | None:
    """Our time at a mean model score, between two points linear in the logarithm of the time."""
    points = sorted(curve.items())
    for (low, first), (high, second) in itertools.pairwise(points):
        if low <= score <= high:
            share = (score - low) / (high - low)
            return math.exp((1 - share) * math.log(first) + share * math.log(second))
    return points[0][1] if score < points[0][0] else None


def beside(
    ours: dict[float, float],
    peers: dict[str, dict[float, float]],
    machine: float,
    measured: dict[str, dict[float, float]] | None = None,
) -> tuple[float, list[dict[str, Any]]]:
    """How much slower this machine is than that of the peers, and how often faster we are at each of their scores.

    ours and the peers': mean model score → CPU seconds.   machine: what `calibration` gave between our runs.
    measured: peers that ran on this machine; their times are not scaled, and take the place of recorded ones.
    """
    peers = {**peers, **(measured or {})}
    scale = machine / CALIBRATED
    points = []
    for name, curve in peers.items():
        here = 1.0 if measured and name in measured else scale
        for score, seconds in curve.items():
            mine = seconds_at(ours, score)
            points.append({"peer": name, "mean_model_score": score, "peer_cpu_seconds": seconds,
                           "here_cpu_seconds": round(seconds * here, 3), "measured": here == 1.0,
                           "our_cpu_seconds": mine and round(mine, 3),
                           "times_faster_scaled": mine and round(seconds * here / mine, 2),
                           "times_faster_unscaled": mine and round(seconds / mine, 2)})  # fmt: skip
    return scale, points
