"""Dense features are tuned before sparse ones are grouped."""

import pytest
from support.lists.grouped_toy import DEV, RoundedStep, sources
from support.lists.toy_parts import MeanDifference
from support.models.toy_decoder import ToyDecoder

from tunesmith.tuning import BatchRounds, GroupedRounds, Grouping, KBestSource, Learner, Tuner
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.losses import ExpectedGain
from tunesmith.tuning.optimizers import Lbfgs
from tunesmith.tuning.regularizers import L2
from tunesmith.weights import Weights

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")


class Steps(Observer):
    """Names of the steps of round 0."""

    def __init__(self):
        self.opening = []

    def step(self, number, name):
        if number == 0:
            self.opening.append(name)


def test_dense_features_are_tuned_first_where_no_start_is_given(tmp_path):
    """As by a model without the features that will be grouped; a given start is tuned already."""
    parts = (ExpectedGain(), Lbfgs(), L2(1e-3))
    grouping = Grouping(Learner(MeanDifference(), RoundedStep()), features=("word:*",))
    tuner = Tuner(*parts, plan=GroupedRounds(grouping, rounds=1, inner_rounds=1, dense_rounds=2))
    dev, train = sources()
    steps = Steps()
    tuner.fit(dev, train=train, output=tmp_path / "run", observer=steps)
    turns = [f"{verb} dev {turn}/2" for turn in (1, 2) for verb in ("merge", "optimise", "decode", "measure")]
    assert steps.opening == ["decode", "measure", *turns]
    first = Weights.read(tmp_path / "run" / "rounds" / "00" / "weights.tsv")
    assert not any(value for name, value in first.items() if name.startswith("word:"))

    dense = Tuner(*parts, plan=BatchRounds(rounds=2))
    dense.fit(KBestSource(ToyDecoder(), *DEV, k=5), output=tmp_path / "dense")
    alone = dict(Weights.read(tmp_path / "dense" / "rounds" / "02" / "weights.tsv").items())
    assert {name: value for name, value in first.items() if value} == pytest.approx(alone)
    assert tuner.history_[0].score == dense.history_[2].score

    again = Tuner(*parts, plan=tuner.plan).fit(dev, train=train, start=first)
    assert again.history_[0].details == {}
    assert again.history_[0].score == tuner.history_[0].score
