"""Runs that are ended in the middle of a step, and states of optimizers that outlive one."""

import json
import signal
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data
from support.processes.killing import die, in_child

from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.tuning import BatchRounds, KBestSource, Tuner, recipes
from tunesmith.tuning.loop import context
from tunesmith.tuning.loop.plan import Plan
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.losses import HopeFear
from tunesmith.tuning.optimizers import PassiveAggressive
from tunesmith.tuning.optimizers.base import OptimizerState
from tunesmith.tuning.runs.directory import STATE

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

LINES, REFERENCES = toy_data(sentences=6)


class StoppedError(Exception):
    """Instead of a kill."""


def mira(folder, **options):
    source = KBestSource(ToyDecoder(), LINES, REFERENCES, k=6)
    tuner = Tuner(HopeFear(), PassiveAggressive(passes=5), plan=BatchRounds(2))
    return tuner.fit(source, output=folder, **options)


def tables(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


@pytest.mark.parametrize("last", [1, 3, 5, 8])
def test_a_run_ended_between_two_passes_resumes_with_the_next(tmp_path, monkeypatch, last):
    whole = mira(tmp_path / "whole")
    monkeypatch.setattr(context, "SAVE_SECONDS", 0.0)
    step, passes = PassiveAggressive.step, []

    def counted(self, problem, state):
        if len(passes) == last:
            raise StoppedError
        passes.append(state)
        return step(self, problem, state)

    monkeypatch.setattr(PassiveAggressive, "step", counted)
    with pytest.raises(StoppedError):
        mira(tmp_path / "run")
    saved = list((tmp_path / "run").rglob("optimizer*.npy"))
    assert bool(saved) == (last % 5 != 0)  # after the last pass of a round the weights are all there is
    last = 1000
    again = mira(tmp_path / "run")
    assert len(passes) == 10  # no pass was made twice
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")
    assert not list((tmp_path / "run").rglob("optimizer*.npy"))


@pytest.mark.parametrize(("last", "kept"), [(2, 0), (4, 2), (9, 2)])  # passes of the run, of its round
def test_a_run_killed_between_two_saves_within_a_step_resumes_to_the_same_bytes(tmp_path, monkeypatch, last, kept):
    """With a save every second pass, a process killed in pass 4 of a round has lost pass 3, and nothing else."""
    monkeypatch.setattr(context, "SAVE_SECONDS", float("inf"))
    whole = mira(tmp_path / "whole")
    step = PassiveAggressive.step

    def run(last):
        begun = []

        def counted(self, problem, state):
            begun.append(int(state.numbers["pass"]))
            if len(begun) == last:
                die()
            return step(self, problem, state)

        monkeypatch.setattr(PassiveAggressive, "step", counted)
        return mira(tmp_path / "run", save_every=2), begun

    assert in_child(lambda: run(last)) == signal.SIGKILL
    state = json.loads((tmp_path / "run" / STATE).read_text(encoding="utf-8"))
    saved = {name: each["numbers"]["pass"] for name, each in state["optimizers"].items()}
    assert saved == ({"optimise": kept} if kept else {})
    again, begun = run(None)
    assert begun[0] == kept
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")


def test_updates_and_time_are_counted_from_the_last_save(monkeypatch):
    source, saved, now = KBestSource(ToyDecoder(), LINES, REFERENCES, k=6), [], 0.0
    monkeypatch.setattr(context.time, "monotonic", lambda: now)
    work = context.Context({"dev": source}, Bleu(), seed=1, save_every=3)

    def save(state):
        saved.append(state)
        return state

    work.begin_step(save)
    for number in range(7):
        work.updated(number)
    assert saved == [2, 5]
    now = context.SAVE_SECONDS - 1  # a save after the step before is a save too
    work.begin_step(save)
    work.updated(7)
    now += context.SAVE_SECONDS - 1
    work.updated(8)
    assert saved == [2, 5]
    now += 1
    work.updated(9)
    assert saved == [2, 5, 9]
    with pytest.raises(ConfigError, match=r"^save_every must be at least 1, got 0$"):
        mira(None, save_every=0)


def test_states_of_optimizers_grow_with_the_features():
    arrays = {"sums": np.array([1.0, 2.0]), "corpus": np.array([5.0, 6.0])}
    running = OptimizerState(np.array([3.0, 4.0]), arrays=arrays, by_feature=("sums",))
    grown = State(np.zeros(2), optimizers={"online": running}).grown(3).optimizers["online"]
    assert grown.weights.tolist() == [3.0, 4.0, 0.0]
    assert {name: each.tolist() for name, each in grown.arrays.items()} == {
        "sums": [1.0, 2.0, 0.0],
        "corpus": [5.0, 6.0],
    }


@dataclass(frozen=True)
class Remember:
    """A step whose optimizer state stays: what an online learner does."""

    name: ClassVar[str] = "remember"

    def run(self, state, context):
        before = state.optimizers[self.name].arrays["sums"] if state.optimizers else np.zeros(2)
        running = OptimizerState(state.weights, arrays={"sums": before + np.array([1.0, state.round])})
        return replace(state, optimizers={self.name: running})


@dataclass(frozen=True)
class Remembering(BatchRounds):
    memory: int = 2

    def plan(self, parts, sources):
        plan = super().plan(parts, sources)
        decode, measure = plan.opening
        return Plan(plan.opening, (Remember(), decode, measure), plan.rounds)


def test_a_state_that_outlives_a_round_is_in_the_run_directory(tmp_path):
    source = KBestSource(ToyDecoder(), LINES, REFERENCES, k=6)
    tuner = Tuner(MeanDifference(), SeededStep(), plan=Remembering(3)).fit(source, output=tmp_path)
    assert [row.round for row in tuner.history_] == [0, 1, 2, 3]
    assert sorted(path.parent.name for path in tmp_path.glob("rounds/*/weights.tsv")) == ["00", "01", "02", "03"]
    (sums,) = tmp_path.rglob("optimizer-sums*.npy")
    assert np.load(sums).tolist() == [3.0, 6.0]
    again = Tuner(MeanDifference(), SeededStep(), plan=Remembering(3)).fit(source, output=tmp_path)
    assert len(again.history_) == 4
    assert "|plan:Remembering[memory=2]|" in str(again.signature_)
    with pytest.raises(ConfigError, match=r"plan.memory: 2 there, 3 now"):
        Tuner(MeanDifference(), SeededStep(), plan=Remembering(3, memory=3)).fit(source, output=tmp_path)
    assert recipes.mira().with_part("recipe", plan=Remembering()).with_settings("memory=5").plan.memory == 5
