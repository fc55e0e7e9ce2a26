"""Stages: done once, done again when what they depend on changes, continued when they were interrupted."""

import json

import numpy as np
import pytest

from tunesmith.errors import FormatError
from tunesmith.experiments.stages import MARKER, Clock, Place, Stage, StageObserver, in_order, is_done, run_stages
from tunesmith.experiments.tuning_work import keep_statistics, read_statistics
from tunesmith.metrics import Bleu


class Log(StageObserver):
    def __init__(self):
        self.ran, self.kept, self.notes = [], [], []

    def started(self, stage, number, total, remaining):
        self.ran.append(stage.name)

    def skipped(self, stage):
        self.kept.append(stage.name)

    def note(self, text):
        self.notes.append(text)


def number(name, value, *needs, **more):
    """A stage whose result is its own value and those of the stages it needs."""

    def run(place):
        (place.folder / "file").write_text(str(value))
        return {"value": value + sum(place.result(each)["value"] for each in needs)}

    return Stage(name, {"value": value}, run, needs, **more)


def test_what_is_done_is_not_done_again(tmp_path):
    first = number("first", 1)
    last = number("last", 2, first)
    log = Log()
    run_stages(tmp_path, [last], log)
    assert log.ran == ["first", "last"]
    assert Place(tmp_path, tmp_path).result(last) == {"value": 3}
    run_stages(tmp_path, [last], log)
    assert log.ran == ["first", "last"]
    assert log.kept == ["first", "last"]


def test_a_changed_setting_redoes_what_depends_on_it_and_nothing_else(tmp_path):
    def graph(value):
        changed, other = number("changed", value), number("other", 10)
        return [number("sum", 0, changed, other), number("alone", 5, other)]

    run_stages(tmp_path, graph(1))
    log = Log()
    after = graph(2)
    run_stages(tmp_path, after, log)
    assert sorted(log.ran) == ["changed", "sum"]
    assert log.notes == [
        "changed is run again: changed: value",
        "sum is run again: a stage that it needs has changed",
    ]
    assert Place(tmp_path, tmp_path).result(after[0]) == {"value": 12}


@pytest.mark.parametrize("resumable", [True, False])
def test_an_interrupted_stage_goes_on_only_if_it_can(tmp_path, resumable):
    turns = []

    def run(place):
        turns.append((place.folder / "half").exists())
        (place.folder / "half").touch()
        if len(turns) == 1:
            raise KeyboardInterrupt
        return {}

    stage = Stage("stage", {}, run, resumable=resumable)
    with pytest.raises(KeyboardInterrupt):
        run_stages(tmp_path, [stage])
    assert not is_done(tmp_path, stage)
    run_stages(tmp_path, [stage])
    assert turns == [False, resumable]
    assert is_done(tmp_path, stage)


def test_a_folder_begun_with_other_settings_is_not_continued(tmp_path):
    def stage(value, fail):
        def run(place):
            assert not (place.folder / "half").exists()
            (place.folder / "half").touch()
            if fail:
                raise KeyboardInterrupt
            return {}

        return Stage("stage", {"value": value}, run, resumable=True)

    with pytest.raises(KeyboardInterrupt):
        run_stages(tmp_path, [stage(1, True)])
    run_stages(tmp_path, [stage(2, False)])


def test_what_another_build_has_done_or_begun_does_not_count(tmp_path, another_build):
    def begin(place):
        assert not (place.folder / "half").exists()
        (place.folder / "half").touch()
        raise KeyboardInterrupt

    done, begun = number("done", 1), Stage("begun", {}, begin, resumable=True)
    with pytest.raises(KeyboardInterrupt):
        run_stages(tmp_path, [done, begun])
    another_build()
    log = Log()
    with pytest.raises(KeyboardInterrupt):
        run_stages(tmp_path, [number("done", 1), Stage("begun", {}, begin, resumable=True)], log)
    assert log.ran == ["done", "begun"]
    assert log.notes == [
        "done is run again: made by another build of tunesmith",
        "begun is run again: made by another build of tunesmith",
    ]


@pytest.mark.parametrize("damage", ["", "{", "[]", "{}", '{"format": 2, "key": "x"}', '{"format": 1, "key": "x"}',
                                    '{"format": 1, "state": "done", "key": "x"}'])  # fmt: skip
def test_a_damaged_marker_is_no_marker(tmp_path, damage):
    stage = number("stage", 1)
    run_stages(tmp_path, [stage])
    (tmp_path / "stage" / MARKER).write_text(damage)
    assert not is_done(tmp_path, stage)
    run_stages(tmp_path, [stage])
    assert json.loads((tmp_path / "stage" / MARKER).read_text())["result"] == {"value": 1}


def test_needed_stages_come_first_and_once():
    a = number("a", 1)
    b, c = number("b", 1, a), number("c", 1, a)
    assert [stage.name for stage in in_order([number("d", 1, c, b), c])] == ["a", "c", "b", "d"]


def test_the_clock_expects_each_sentence_to_take_as_long_as_those_before(tmp_path):
    first, second = number("first", 1, cost=10), number("second", 1, cost=30)
    clock = Clock(tmp_path, [first, second])
    assert clock.remaining is None
    clock.add(first, 5.0)
    assert clock.remaining == pytest.approx(15.0)


def test_damaged_statistics_of_a_stage_are_refused(tmp_path):
    def run(place):
        return {"score": keep_statistics(place.folder, "test", np.ones((3, 10)), Bleu())}

    stage = Stage("scored", {}, run)
    run_stages(tmp_path, [stage])
    assert np.array_equal(read_statistics(tmp_path / "scored", "test"), np.ones((3, 10)))
    path = tmp_path / "scored" / "test.npy"
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(FormatError, match=r"test\.npy: the checksum is"):
        read_statistics(tmp_path / "scored", "test")
