"""Online OSCAR against Algorithms 2 and 3 as printed, and what must hold without looking at them."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from reference.online_oscar import Twin
from support.lists.pair_streams import random_pairs

from tunesmith import _core

SAME, ONE_VALUE = 1e-9, 1e-12


@dataclass(frozen=True)
class Regime:
    """Strengths (l2 times d), start, and kind of values."""

    l1: float = 1e-10
    l2d: float = 0.5
    spare: int = 100  # d beyond the features that occur
    start: str = "zero"
    counts: bool = False
    rate: float = 1.0
    delay: float = 0.0
    penalised: int = 30
    learn_dense: bool = True

    def start_weights(self, random, size):
        if self.start == "equal":
            return 0.7 * random.choice([-1.0, 1.0], size)
        if self.start == "some":
            return random.normal(size=size) * (random.random(size) < 0.5)
        return np.zeros(size)


REGIMES = {
    "published constants": Regime(l2d=0.015, spare=500_000, counts=True),
    "many merges": Regime(l1=0.0, l2d=0.5, spare=0, start="some"),
    "many deaths": Regime(l1=0.05, l2d=0.05, start="some"),
    "everything dies": Regime(l1=0.5, l2d=5.0, start="some"),
    "sign flips": Regime(l1=0.0, l2d=0.05, rate=3.0, penalised=6),
    "all equal": Regime(l2d=0.1, start="equal"),
    "all equal, the last rank free": Regime(l1=0.0, l2d=0.1, spare=0, start="equal"),
    "no pairwise term": Regime(l1=0.02, l2d=0.0, counts=True),
    "no penalty": Regime(l1=0.0, l2d=0.0, start="some"),
    "ties from gradients": Regime(l2d=0.2, counts=True),
    "ties from gradients, L1": Regime(l1=0.05, l2d=0.0, counts=True, rate=0.3),
    "delayed": Regime(delay=50.0, start="some", l2d=0.3),
    "dense part fixed": Regime(learn_dense=False, start="some"),
    "one feature": Regime(penalised=1, spare=0),
}


def check_same(learner, twin):
    """The weights, and the partition wherever the twin's values are not closer than rounding."""
    weights, groups, expected = learner.penalised(), learner.group_numbers(), twin.penalised
    np.testing.assert_allclose(weights, expected, rtol=0, atol=SAME)
    np.testing.assert_allclose(learner.dense(), twin.dense, rtol=0, atol=SAME)
    assert np.all(np.abs(expected[groups < 0]) < ONE_VALUE)
    assert np.all(np.abs(weights[expected == 0]) < ONE_VALUE)
    active = np.flatnonzero(groups >= 0)
    sizes, ours = np.abs(expected[active]), np.abs(weights[active])
    same = groups[active][:, None] == groups[active]
    assert np.all(np.abs(sizes[:, None] - sizes)[same] < ONE_VALUE)
    assert np.all(np.abs(ours[:, None] - ours)[~same & (sizes[:, None] == sizes)] < ONE_VALUE)


def run_both(regime, seed, *, pairs, dense, steps, capacity, averaged_from=0):
    """Step by step; False where a margin came so close to the hinge that the comparison means nothing."""
    random = np.random.default_rng(seed)
    data = random_pairs(random, pairs, regime.penalised, dense, counts=regime.counts)
    start, start_dense = regime.start_weights(random, regime.penalised), random.normal(size=dense)
    d = regime.penalised + regime.spare
    strengths = (regime.l1, regime.l2d / d, d, regime.rate, regime.delay, regime.learn_dense)
    twin = Twin(data, start, start_dense, *strengths)
    learner = _core.OnlineOscar(start, start_dense, *strengths, capacity)
    for step, pair in enumerate(random.integers(0, pairs, steps)):
        if step == averaged_from:
            learner.begin_average()
        twin.step(int(pair))
        if twin.closest < 1e-9:
            return False
        learner.run(data.native, np.array([pair], dtype=np.uint32))
        check_same(learner, twin)
    penalised, dense_mean = twin.average(averaged_from)
    np.testing.assert_allclose(learner.average_penalised(), penalised, rtol=0, atol=SAME)
    np.testing.assert_allclose(learner.average_dense(), dense_mean, rtol=0, atol=SAME)
    assert learner.counts()[:2] == (steps, twin.violated)
    return True


@pytest.mark.parametrize("name", REGIMES)
@pytest.mark.parametrize("capacity", [4, 0])
def test_every_step_is_that_of_the_printed_algorithm(name, capacity):
    done = [
        run_both(REGIMES[name], seed, pairs=25, dense=2, steps=120, capacity=capacity, averaged_from=40)
        for seed in range(3)
    ]
    assert any(done)  # with counts, margins may hit the hinge exactly: such a stream is not compared further


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(
    st.integers(0, 2**32 - 1),
    st.builds(
        Regime,
        l1=st.sampled_from([0.0, 1e-10, 1e-3, 0.05]),
        l2d=st.sampled_from([0.0, 1e-3, 0.01, 0.1, 0.5, 2.0]),
        spare=st.sampled_from([0, 1, 50, 10_000]),
        start=st.sampled_from(["zero", "some", "equal"]),
        counts=st.booleans(),
        rate=st.sampled_from([0.3, 1.0]),
        delay=st.sampled_from([0.0, 10.0]),
        penalised=st.integers(1, 40),
        learn_dense=st.booleans(),
    ),
    st.integers(1, 20),
    st.integers(0, 3),
    st.integers(1, 80),
    st.sampled_from([0, 4, 5, 8]),
)
def test_random_streams(seed, regime, pairs, dense, steps, capacity):
    assume(run_both(regime, seed, pairs=pairs, dense=dense, steps=steps, capacity=capacity))


def twin_runs(data, d, l1, l2, orders):
    zeros, nothing = np.zeros(len(data.penalised)), np.zeros(len(data.unpenalised))
    fast = _core.OnlineOscar(zeros, nothing, l1, l2, d)
    literal = _core.LiteralOscar(zeros, nothing, l1, l2, d)
    for order in orders:
        fast.run(data.native, order)
        literal.run(data.native, order)
    return fast, literal


@pytest.mark.parametrize(("l1", "l2d"), [(1e-10, 0.015), (0.0, 0.3), (0.01, 0.0)])
def test_a_long_run_does_not_drift(l1, l2d):
    """Beyond several resets of the clock, with hundreds of groups; the literal one in C++ has every step."""
    random = np.random.default_rng(5)
    data = random_pairs(random, 400, 2000, 3, most=12)
    fast, literal = twin_runs(data, 5000, l1, l2d / 5000, [_core.shuffled(400, 1, number) for number in range(30)])
    assert fast.counts()[:2] == literal.counts()[:2]
    np.testing.assert_allclose(fast.penalised(), literal.penalised(), rtol=0, atol=1e-12)
    np.testing.assert_allclose(fast.dense(), literal.dense(), rtol=0, atol=1e-12)


def test_the_literal_core_is_the_twin():
    random = np.random.default_rng(2)
    data = random_pairs(random, 30, 40, 2)
    twin = Twin(data, np.zeros(40), np.zeros(2), 1e-3, 1e-3, 200)
    literal = _core.LiteralOscar(np.zeros(40), np.zeros(2), 1e-3, 1e-3, 200)
    order = random.integers(0, 30, 200).astype(np.uint32)
    for pair in order:
        twin.step(int(pair))
    literal.run(data.native, order)
    np.testing.assert_allclose(literal.penalised(), twin.penalised, rtol=0, atol=1e-12)


def test_steps_without_violation_are_one_proximal_step():
    """The semigroup: n idle steps are the proximal point for the sum of their lengths."""
    random = np.random.default_rng(3)
    data = random_pairs(random, 4, 50, 1)
    data = replace(data, dense=np.full((4, 1), 1000.0))  # a dense weight of 1 ranks every pair right
    start = random.normal(size=50)
    learner = _core.OnlineOscar(start, np.ones(1), 1e-3, 2e-3, 60)
    learner.run(data.native, np.zeros(300, dtype=np.uint32))
    length = sum(1.0 / (t + 1) for t in range(1, 301))
    expected = _core.prox_oscar(start, 60, 1e-3, 2e-3, length)
    np.testing.assert_allclose(learner.penalised(), expected, rtol=0, atol=1e-12)
    assert learner.counts()[1] == 0
    assert 0 < len(set(learner.group_numbers().tolist()) - {-1}) < 50  # some met, some died


def test_passes_may_be_cut_anywhere():
    random = np.random.default_rng(4)
    data = random_pairs(random, 50, 200, 2)
    order = random.integers(0, 50, 5000).astype(np.uint32)
    whole = _core.OnlineOscar(np.zeros(200), np.zeros(2), 1e-4, 1e-4, 1000)
    parts = _core.OnlineOscar(np.zeros(200), np.zeros(2), 1e-4, 1e-4, 1000)
    whole.run(data.native, order)
    for part in np.array_split(order, 7):
        parts.run(data.native, part)
    np.testing.assert_array_equal(whole.penalised(), parts.penalised())
    np.testing.assert_array_equal(whole.group_numbers(), parts.group_numbers())


def test_weights_that_overflow_are_an_error():
    data = random_pairs(np.random.default_rng(1), 5, 5, 0)
    data = replace(data, values=data.values * np.float32(1e37))
    learner = _core.OnlineOscar(np.zeros(5), np.zeros(0), 0.0, 0.0, 5, 1e300)
    with pytest.raises(ValueError, match="smaller rate"):
        learner.run(data.native, np.arange(5, dtype=np.uint32))


def test_a_pair_that_is_not_there():
    data = random_pairs(np.random.default_rng(1), 5, 5, 0)
    for kind in (_core.OnlineOscar, _core.LiteralOscar):
        with pytest.raises(ValueError, match="no pair 5"):
            kind(np.zeros(5), np.zeros(0), 0.0, 0.0, 5).run(data.native, np.array([5], dtype=np.uint32))
