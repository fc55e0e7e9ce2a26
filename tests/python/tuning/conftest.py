"""Runs of tests that are killed or compared, not kept."""

import os

import pytest


@pytest.fixture(scope="module")
def no_waiting_for_the_disk():
    """A killed process leaves what it wrote to the system; only a power cut would not."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield
