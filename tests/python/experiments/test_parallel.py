"""Parallel stages: all that can run runs, in the order of dependencies, whatever else fails."""

import threading

import pytest
from support.processes.waiting import HANGS

from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.experiments.parallel import raise_failures, run_at_once, shared_out
from tunesmith.experiments.stages import Clock, Place, Stage, StageObserver, is_done


def adding(name, value, *needs, error=None):
    """A stage whose result is its own value and those of the stages it needs."""

    def run(place):
        if error is not None:
            raise error
        return {"value": value + sum(place.result(each)["value"] for each in needs)}

    return Stage(name, {"value": value}, run, needs)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_results_do_not_depend_on_the_number_of_workers(tmp_path, workers):
    ground = adding("ground", 1)
    middle = [adding(f"middle{at}", at, ground) for at in range(6)]
    last = adding("last", 0, *middle)
    assert run_at_once(tmp_path, [last], workers=workers) == {}
    assert Place(tmp_path, tmp_path).result(last) == {"value": sum(1 + at for at in range(6))}


def test_stages_really_run_at_once(tmp_path):
    """Each of two waits for the other; one after the other, both would fail."""
    meeting = threading.Barrier(2, timeout=HANGS)

    def meet(place):
        meeting.wait()
        return {}

    both = [Stage(name, {}, meet) for name in ("one", "other")]
    assert run_at_once(tmp_path, both, workers=2) == {}


def test_a_failure_loses_only_what_needs_it(tmp_path):
    bad = adding("bad", 1, error=ConfigError("is broken"))
    good = adding("good", 2)
    below, beside = adding("below", 3, bad), adding("beside", 4, good)
    deeper = adding("deeper", 5, below)
    failed = run_at_once(tmp_path, [deeper, beside], workers=2)
    assert list(failed) == ["bad"]
    assert is_done(tmp_path, beside)
    assert not is_done(tmp_path, deeper)
    with pytest.raises(TunesmithError, match=r"bad: is broken\. The rest is done"):
        raise_failures(failed, "The rest is done")


def test_a_bug_of_ours_is_not_taken_for_bad_data(tmp_path):
    failed = run_at_once(tmp_path, [adding("bug", 1, error=AttributeError("oops")), adding("good", 1)])
    with pytest.raises(AttributeError, match="oops"):
        raise_failures(failed)
    raise_failures({})


def test_who_interrupts_ends_it_and_what_was_done_stays(tmp_path):
    first = adding("first", 1)
    stop = adding("stop", 1, first, error=KeyboardInterrupt())
    later = adding("later", 1, stop)
    with pytest.raises(KeyboardInterrupt):
        run_at_once(tmp_path, [later], workers=2)
    assert is_done(tmp_path, first)
    assert not is_done(tmp_path, later)


def test_what_is_done_is_not_done_again(tmp_path):
    ran = []

    class Log(StageObserver):
        def started(self, stage, number, total, remaining):
            ran.append(stage.name)

    stages = [adding("one", 1), adding("two", 2)]
    run_at_once(tmp_path, stages[:1])
    run_at_once(tmp_path, stages, Log(), workers=2)
    assert ran == ["two"]


def test_the_time_to_go_is_that_of_what_is_left_and_shared_by_workers(tmp_path):
    stages = [adding(f"stage{at}", at) for at in range(6)]
    clock = Clock(tmp_path, stages, workers=2)
    assert clock.remaining is None
    clock.add(stages[0], 10.0)
    assert clock.remaining == pytest.approx(5 * 10 / 2)
    clock.drop(stages[1])
    assert clock.remaining == pytest.approx(4 * 10 / 2)


@pytest.mark.parametrize(("threads", "jobs"), [(1, 9), (2, 9), (8, 3), (8, 0), (5, 2)])
def test_threads_are_shared_out_and_never_exceeded(threads, jobs):
    workers, each = shared_out(threads, jobs)
    assert workers >= 1
    assert each >= 1
    assert workers * each <= threads
    assert workers <= max(jobs, 1)
