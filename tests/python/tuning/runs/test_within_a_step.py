"""Runs that are ended in the middle of a step, and states of optimizers that outlive one."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest
from toy_decoder import ToyDecoder, toy_data
from toy_parts import MeanDifference, SeededStep

from tunesmith.tuning import BatchRounds, KBestSource, Tuner
from tunesmith.tuning.loop import context
from tunesmith.tuning.loop.plan import Plan
from tunesmith.tuning.losses import HopeFear
from tunesmith.tuning.optimizers import PassiveAggressive
from tunesmith.tuning.optimizers.base import OptimizerState

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

LINES, REFERENCES = toy_data(sentences=6)


class StoppedError(Exception):
    """Instead of a kill."""


def mira(folder):
    source = KBestSource(ToyDecoder(), LINES, REFERENCES, k=6)
    return Tuner(HopeFear(), PassiveAggressive(passes=5), plan=BatchRounds(2)).fit(source, output=folder)


def tables(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


@pytest.mark.parametrize("last", [1, 3, 5, 8])
def test_a_run_ended_between_two_passes_goes_on_with_the_next(tmp_path, monkeypatch, last):
    whole = mira(tmp_path / "whole")
    monkeypatch.setattr(context, "KEEP_SECONDS", 0.0)
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
    assert again.weights_.values.tobytes() == whole.weights_.values.tobytes()
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")
    assert not list((tmp_path / "run").rglob("optimizer*.npy"))


@dataclass(frozen=True)
class Remember:
    """A step whose optimizer state stays: what an online learner does."""

    name: ClassVar[str] = "remember"

    def run(self, state, context):
        before = np.zeros(2) if state.optimizer is None else state.optimizer.arrays["sums"]
        running = OptimizerState(state.weights, arrays={"sums": before + np.array([1.0, state.round])})
        return replace(state, optimizer=running)


@dataclass(frozen=True)
class Remembering(BatchRounds):
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
