"""Cumulative-penalty L1: the lazy kernel against the twin that looks at every weight, identities, the recipe."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.cumulative_l1 import trajectory
from support.lists.random_differences import random_differences

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning import recipes
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers import Fobos
from tunesmith.tuning.regularizers import CumulativeL1, Oscar


def start_of(data, seed, scale=0.5):
    return scale * np.random.default_rng(seed).normal(size=data.columns)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from([0.0, 1e-3, 0.03, 0.3, 2.0]),
    st.sampled_from([0, 2]),
    st.sampled_from([(1.0, 0.0), (0.3, 5.0)]),
    st.booleans(),
)
def test_lazy_weights_are_those_of_the_twin(seed, strength, dense, schedule, calls_of_one_step):
    """After every call, with few and with many weights that die, return and change sign; and their averages."""
    data = random_differences(seed, pairs=30, dense=dense, noise=3.0)
    start = start_of(data, seed)
    order = np.random.default_rng(seed).integers(len(data), size=150).astype(np.uint32)
    penalised, free = start[data.penalised], start[data.unpenalised]
    seen, closest = trajectory(data, order, penalised, free, strength, *schedule)
    if closest < 1e-9:
        return  # a step more or less is a matter of rounding
    learner = _core.CumulativeL1(penalised, free, strength, *schedule)
    learner.begin_average()
    cut = 1 if calls_of_one_step else 50
    for begin in range(0, len(order), cut):
        learner.run(data.native, order[begin : begin + cut])
        expected = seen[begin + cut - 1]
        assert np.abs(learner.penalised() - expected[0]).max() <= 1e-12
        assert np.abs(learner.dense() - expected[1]).max(initial=0.0) <= 1e-12
        assert np.array_equal(learner.penalised() == 0, np.abs(expected[0]) <= 1e-13)
    assert np.abs(learner.average_penalised() - np.mean([each[0] for each in seen], axis=0)).max() <= 1e-12
    assert np.abs(learner.average_dense() - np.mean([each[1] for each in seen], axis=0)).max(initial=0.0) <= 1e-12


@pytest.mark.parametrize("iterate", ["last", "average", "last_pass"])
def test_without_penalty_it_is_gradient_descent(iterate):
    data = random_differences(3)
    start, online = start_of(data, 3), Fobos(passes=5, iterate=iterate)
    one = online.learn(data, CumulativeL1(0.0), start)
    other = online.learn(data, Oscar(l1=0.0, l2=0.0), start)
    assert np.allclose(one.weights, other.weights, atol=1e-12)


def test_one_feature_by_hand():
    """Pairs of one feature of value 0.1: each adds 0.1 η_t, and at the end all of u has been paid."""
    data = Differences([0, 1, 2, 3], [0, 0, 0], [0.1, 0.1, 0.1], np.zeros((3, 0)), [0], [], 1, 1)
    found = Fobos(passes=1).learn(data, CumulativeL1(0.02), np.zeros(1))
    value = float(np.float32(0.1))
    assert found.weights[0] == pytest.approx((value - 0.02) * (1 + 1 / 2 + 1 / 3), abs=1e-15)


def test_a_late_weight_owes_what_was_asked_before():
    """FOBOS' L1 would ask for the last steps only."""
    data = Differences([0, 0, 0, 1], [0], [1.0], np.array([[9.0], [9.0], [0.0]]), [1], [0], 2, 1)
    online = Fobos(passes=1, shuffle=False)
    start = np.array([1.0, 0.0])
    total = 0.1 * (1 + 1 / 2 + 1 / 3)
    assert online.learn(data, CumulativeL1(0.1), start).weights[1] == pytest.approx(1 / 3 - total)
    assert online.learn(data, Oscar(l1=0.1, l2=0.0), start).weights[1] == pytest.approx(1 / 3 - 0.1 / 4)


def test_dense_weights_are_not_penalised():
    data = random_differences(5)
    found = Fobos(passes=3).learn(data, CumulativeL1(50.0), np.zeros(data.columns))
    assert np.all(found.weights[data.penalised] == 0)
    assert np.all(found.weights[data.unpenalised] != 0)
    fixed = Fobos(passes=3, dense="fixed").learn(data, CumulativeL1(0.1), start_of(data, 5))
    assert np.array_equal(fixed.weights[data.unpenalised], start_of(data, 5)[data.unpenalised])


def test_a_weight_that_no_pair_has_fades():
    data = random_differences(7, extra=3)
    start = np.zeros(data.columns)
    start[-1] = 0.5
    online = Fobos(passes=1)
    steps = np.arange(1, len(data) + 1)
    found = online.learn(data, CumulativeL1(0.01), start).weights[-1]
    assert found == pytest.approx(0.5 - 0.01 * (1 / steps).sum())
    assert online.learn(data, CumulativeL1(1.0), start).weights[-1] == 0


def test_the_recipe_penalises_rule_identities_only():
    recipe = recipes.get("l1").with_settings("strength=0.01,passes=3")
    assert isinstance(recipe.regularizer, CumulativeL1)
    assert recipe.regularizer.strength == 0.01
    assert recipe.loss.classifier == "hinge"
    assert recipe.loss.accept == "largest"
    assert recipe.penalised == ("id:*",)


@pytest.mark.parametrize("bad", [-1.0, float("nan"), float("inf")])
def test_bad_strengths_are_refused(bad):
    with pytest.raises(ConfigError, match="strength"):
        CumulativeL1(bad)
    with pytest.raises(ValueError, match="at least 0"):
        _core.CumulativeL1(np.zeros(12), np.zeros(2), bad)


def test_pairs_and_weights_are_checked():
    empty = Differences([0], [], [], np.zeros((0, 1)), [], [0], 1, 0)
    with pytest.raises(ConfigError, match="no pairs"):
        Fobos().learn(empty, CumulativeL1(0.1), np.zeros(1))
    data = random_differences(1)
    with pytest.raises(ConfigError, match="start weights"):
        Fobos().learn(data, CumulativeL1(0.1), np.zeros(3))
    learner = _core.CumulativeL1(np.zeros(12), np.zeros(2), 0.1)
    with pytest.raises(ValueError, match="no pair 99"):
        learner.run(data.native, np.array([99], dtype=np.uint32))
    with pytest.raises(ValueError, match="no step"):
        learner.average_penalised()
    with pytest.raises(ValueError, match=r"3 \+ 2 weights for 12 \+ 2 features"):
        _core.CumulativeL1(np.zeros(3), np.zeros(2), 0.1).run(data.native, np.array([0], dtype=np.uint32))
    huge = Differences([0, 1], [0], [1e38], np.zeros((1, 0)), [0], [], 1, 1)
    with pytest.raises(ConfigError, match="beyond all numbers"):
        Fobos(passes=1, rate=1e300).learn(huge, CumulativeL1(0.0), np.zeros(1))
