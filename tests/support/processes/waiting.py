"""Waiting for what other processes and threads do, however slow the machine is."""

import time

HANGS = 600  # seconds; nothing that works takes so long


def until(condition):
    """Ask again and again until it holds; AssertionError where it hangs."""
    end = time.monotonic() + HANGS
    while not condition():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)
