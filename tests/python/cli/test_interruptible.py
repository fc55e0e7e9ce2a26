"""Ctrl-C ends work at once, whatever the work is doing."""

import signal
import subprocess
import sys

import pytest
from support.processes.processes import default_signals
from support.processes.waiting import HANGS

from tunesmith.cli.interruptible import run_interruptibly
from tunesmith.errors import FormatError

# A call of the core that runs for minutes is one that does not let Python look at signals.
BUSY = """
import ctypes, sys
from tunesmith.cli.interruptible import run_interruptibly
def work():
    print("at work", flush=True)
    while True:
        ctypes.CDLL(None).pause()
run_interruptibly(work, lambda: "interrupted; resume with the same command")
"""


def test_results_and_errors_come_back():
    assert run_interruptibly(lambda: 42, str) == 42

    def fail():
        raise FormatError("no good")

    with pytest.raises(FormatError, match="no good"):
        run_interruptibly(fail, str)


def test_an_interrupt_ends_the_process():
    with subprocess.Popen(
        [sys.executable, "-c", BUSY],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=default_signals,
    ) as process:
        assert process.stdout.readline() == b"at work\n"
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert messages == b"tunesmith: interrupted; resume with the same command\n"
