"""What the environment says: FUZZ_SECONDS, FUZZ_CASES, FUZZ_SEED."""

from __future__ import annotations

import os


def seconds(default: float = 60.0) -> float:
    """FUZZ_SECONDS: for how long."""
    return float(os.environ.get("FUZZ_SECONDS") or default)


def cases() -> int | None:
    """FUZZ_CASES: how many cases; None: as many as there is time for."""
    text = os.environ.get("FUZZ_CASES")
    return int(float(text)) if text else None


def session_seed() -> int:
    """FUZZ_SEED: what every case follows from."""
    return int(os.environ.get("FUZZ_SEED") or 1)
