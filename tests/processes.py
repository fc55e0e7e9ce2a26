"""Processes watched by their numbers, for tests of what ends with us."""

import os
import time
from pathlib import Path

PATIENCE = 120.0
"""Seconds after which a test gives up; it never waits that long where all is well."""


def is_running(number):
    """Whether there is such a process, other than one that has ended and waits to be counted (a zombie)."""
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{number}/stat")
    if not status.exists():
        return not Path("/proc").is_dir()
    return status.read_text().rpartition(")")[2].split()[0] not in ("Z", "X")


def wait_until(condition, what):
    """Look again and again until the condition holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.02)


def numbers_in(path, count):
    """The process numbers that a script writes to a file, once all are there."""
    wait_until(
        lambda: path.exists() and len(path.read_text().split()) >= count, f"{path.name} has {count} numbers"
    )
    return [int(word) for word in path.read_text().split()]
