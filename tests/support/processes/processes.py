"""Processes watched by their numbers, for tests of what ends with us."""

import os
import signal
from pathlib import Path

from support.processes.waiting import until


def default_signals():
    """For a child, before it starts: a shell ignores Ctrl-C for what it runs in the background, nohup a hangup."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


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


def numbers_in(path, count):
    """The process numbers that a script writes to a file, once all are there."""
    until(lambda: path.exists() and len(path.read_text().split()) >= count)
    return [int(word) for word in path.read_text().split()]
