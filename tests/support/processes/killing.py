"""Processes killed at a chosen change of files, for tests of resuming."""

import os
import signal
import subprocess
import sys

from support.processes.waiting import HANGS

# What a process asks the system for when it puts a file in its place; audit hooks hear of each before it happens.
RENAMES = frozenset({"os.rename"})


def in_child(work):
    """Run the work in a child process; the signal that ended it, or 0."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the child failed"
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def killed_at(number, work, events=RENAMES, below=""):
    """Run the work in a child that is killed right before its change with this number; whether it was.

    events: of the system, as audit hooks call them.   below: files are opened for a change only with this in
    their path, or by the handle of their folder.
    """
    seen = 0

    def is_change(path, _, flags):
        writes = isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR)
        return writes and ("/" not in str(path) or str(below) in str(path))

    def hook(event, arguments):
        nonlocal seen
        if event in events and (event != "open" or is_change(*arguments)):
            seen += 1
            if seen == number:
                die()

    def watched():
        sys.addaudithook(hook)
        work()

    return in_child(watched) == signal.SIGKILL


# The command sends the signal to itself: one from outside may come when it is over. Then it waits, since a signal
# that Python handles is handled by another thread.
_COMMAND = """
import os, sys, time
number, kind, hangs = map(int, sys.argv[1:4])
def hook(event, arguments):
    global number
    number -= event == "os.rename"
    if event == "os.rename" and number == 0:
        os.kill(os.getpid(), kind)
        time.sleep(hangs)
sys.addaudithook(hook)
sys.argv[:4] = ["tunesmith"]
from tunesmith.cli.entry import run
run()
"""


def signalled_at(number, kind, words):
    """Run a command of tunesmith that gets a signal right before its file with this number is in its place."""
    command = [sys.executable, "-c", _COMMAND, str(number), str(int(kind)), str(HANGS), *map(str, words)]
    heard = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731, ignored by what runs in the background
    return subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=heard)
