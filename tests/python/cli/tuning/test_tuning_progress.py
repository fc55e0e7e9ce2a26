"""What users see while a run continues."""

import pytest

from tunesmith.cli.tuning import tuning_progress
from tunesmith.cli.tuning.tuning_progress import PlainLines, StepProgress, cells, duration
from tunesmith.tuning.loop.history import Round


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is set."""
    now = [100.0]
    monkeypatch.setattr(tuning_progress.time, "monotonic", lambda: now[0])
    return now


def test_a_step_tells_how_far_it_is_and_how_long_it_takes(clock):
    step = StepProgress("round 3: decode train")
    clock[0] += 5
    assert str(step) == "round 3: decode train (5 s)"
    step.done, step.total, step.unit = 100, 1100, "sentences"
    assert str(step) == "round 3: decode train, 100 of 1100 sentences (5 s, 50 s left)"
    step.done = 0
    assert str(step) == "round 3: decode train, 0 of 1100 sentences (5 s)"


@pytest.mark.parametrize(("seconds", "text"), [(3, "3 s"), (89, "89 s"), (120, "2 min"), (7200, "2.0 h")])
def test_times_are_for_people_who_wait(seconds, text):
    assert duration(seconds) == text


def test_without_a_terminal_long_steps_are_told_now_and_then(clock, capsys):
    lines = PlainLines(quiet=False)
    lines.step(2, "decode train")
    for done in range(1, 201):
        clock[0] += 1
        lines.progress(done, 200, "sentences")
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 3
    assert told[0] == "round 2: decode train, 61 of 200 sentences (61 s, 2 min left)"


def test_groups_are_told_where_there_are_some():
    row = Round(1, 30.0, details={"active_groups": 12.0})
    assert cells(row)[-2] == "12"
    assert cells(Round(1, 30.0))[-2] == ""
