"""Minimum risk: expected cost by enumeration, descent line by line, two optimizers with one optimum."""

from itertools import pairwise

import numpy as np
import pytest
from reference import sentence_losses as slow
from support.lists.tuning_lists import random_lists, random_set

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError
from tunesmith.metrics import Bleu
from tunesmith.metrics.sentence_bleu import InterpolatedBleu
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.losses import ExpectedGain
from tunesmith.tuning.optimizers import Lbfgs, StochasticGradient
from tunesmith.tuning.pools.gains import sentence_gains
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.regularizers import L2


def prepared(seed, loss, **shape):
    matrix, offsets, statistics = random_lists(seed, **shape)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    return matrix, offsets, loss.prepare(ListPool(candidates), Bleu(), 1)


def test_impossible_counts_are_an_error_not_a_gain():
    statistics = np.full((3, 10), 5)
    statistics[1, 6] = -2
    candidates = CandidateSet.from_matrix(np.ones((3, 1)), [0, 3], statistics=statistics)
    with pytest.raises(FormatError, match="the statistics of candidate 1 are not those of BLEU"):
        ExpectedGain().prepare(ListPool(candidates), Bleu(), 1)


@pytest.mark.parametrize("scale", [0.3, 5.0])
@pytest.mark.parametrize("entropy", [-0.5, 0.0, 2.0])
def test_expected_cost_and_entropy_are_those_of_enumeration(scale, entropy):
    matrix, offsets, objective = prepared(2, ExpectedGain(scale=scale, entropy=entropy))
    w = np.random.default_rng(2).normal(size=4)
    expected = slow.risk(matrix, offsets, objective.gains, scale, entropy, w)
    assert objective.value(w) == pytest.approx(expected, rel=1e-12)
    assert objective.value_and_grad(w)[0] == objective.value(w, threads=2)


def test_without_weights_entropy_is_that_of_equal_chances():
    _, offsets, objective = prepared(2, ExpectedGain(entropy=1.0))
    mean = [objective.gains[b:e].mean() for b, e in pairwise(offsets) if e > b]
    sizes = np.diff(offsets)[np.diff(offsets) > 0]
    expected = -(np.sum(mean) + np.log(sizes).sum()) / (len(offsets) - 1)
    assert objective.value(np.zeros(4)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("entropy", [0.0, 0.7])
@pytest.mark.parametrize("l2", [0.0, 0.3])
def test_a_pass_is_descent_line_by_line(entropy, l2):
    matrix, offsets, objective = prepared(4, ExpectedGain(scale=2.0, entropy=entropy), sparse=5)
    start = np.random.default_rng(4).normal(size=9)
    order = _core.shuffled(12, 3, 0)
    w = start.copy()
    assert objective.descend(w, order, 0.8, l2, 5) == 5 + 12
    rest = (order.tolist(), 0.8, l2, 5)
    expected = slow.descent(matrix, offsets, objective.gains, 2.0, entropy, start, *rest)
    assert np.allclose(w, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("entropy", [0.0, 0.05])
def test_both_optimizers_find_one_optimum(entropy):
    candidates = random_set(6, sentences=80, longest=15)
    objective = ExpectedGain(entropy=entropy).prepare(ListPool(candidates), Bleu(), 1)
    regularizer, start = L2(0.02), np.zeros(4)
    exact = Lbfgs(tol=1e-9).minimize(objective, regularizer, start, seed=1)
    descended = StochasticGradient(passes=200, tol=1e-8).minimize(objective, regularizer, start, seed=1)
    assert descended.value == pytest.approx(exact.value, rel=1e-4)
    assert descended.value >= exact.value - 1e-9
    assert np.allclose(descended.weights, exact.weights, atol=0.02 * np.abs(exact.weights).max())
    assert exact.value < objective.value(start) - 1e-3


def test_value_and_weights_of_a_descent_belong_together():
    candidates = random_set(3, sentences=40)
    objective = ExpectedGain().prepare(ListPool(candidates), Bleu(), 1)
    for regularizer in (None, L2(0.1)):
        start = np.ones(4)
        fitted = StochasticGradient(restarts=1).minimize(objective, regularizer, start, seed=1)
        penalty = 0.0 if regularizer is None else regularizer.value(fitted.weights)
        assert fitted.value == objective.value(fitted.weights) + penalty
        assert fitted.value <= objective.value(start) + (0.0 if regularizer is None else regularizer.value(start))
        again = StochasticGradient(restarts=1).minimize(objective, regularizer, start, seed=1, threads=2)
        assert fitted.weights.tobytes() == again.weights.tobytes()
        assert start.tolist() == [1.0] * 4


def test_more_restarts_are_no_worse():
    objective = ExpectedGain().prepare(ListPool(random_set(8, sentences=40)), Bleu(), 1)
    values = [
        StochasticGradient(restarts=restarts).minimize(objective, L2(1e-3), np.zeros(4), seed=2).value
        for restarts in (0, 1, 5)
    ]
    assert values == sorted(values, reverse=True)


def test_gains_can_be_interpolated_bleu():
    candidates = random_set(3)
    gains = sentence_gains(candidates, Bleu(), sentence_bleu="interpolated")
    assert np.array_equal(gains, InterpolatedBleu().scores(candidates.statistics.astype(float)))
    objective = ExpectedGain(sentence_bleu="interpolated", brevity=0.0).prepare(ListPool(candidates), Bleu(), 1)
    assert np.array_equal(objective.gains, gains)


def test_bad_arrays_are_refused():
    _, _, objective = prepared(1, ExpectedGain())
    lists, gains = objective.candidates.native, objective.gains
    order = np.array([0], dtype=np.uint32)
    run = _core.descend_expected_gain
    with pytest.raises(ValueError, match="3 weights for 4 features"):
        run(lists, gains, 1.0, 0.0, np.zeros(3), order, 1.0, 0.0, 0)
    with pytest.raises(ValueError, match="no sentence 99"):
        run(lists, gains, 1.0, 0.0, np.zeros(4), np.array([99], dtype=np.uint32), 1.0, 0.0, 0)
    with pytest.raises(ValueError, match="finite"):
        run(lists, gains, 1.0, 0.0, np.full(4, np.nan), order, 1.0, 0.0, 0)
    with pytest.raises(ValueError, match="finite"):
        run(lists, gains, np.inf, 0.0, np.zeros(4), order, 1.0, 0.0, 0)
    with pytest.raises(ValueError, match="rate"):
        run(lists, gains, 1.0, 0.0, np.zeros(4), order, 0.0, 0.0, 0)
    with pytest.raises(ValueError, match="penalty"):
        run(lists, gains, 1.0, 0.0, np.zeros(4), order, 1.0, -1.0, 0)
    with pytest.raises(ValueError, match="one gain"):
        _core.expected_gain(lists, gains[1:], 1.0, 0.0, np.zeros(4))
    fixed = Constraints(fixed=("*",)).resolve(objective.candidates.features, np.zeros(4))
    with pytest.raises(ConfigError, match="keeps no constraints"):
        StochasticGradient().minimize(objective, None, np.zeros(4), seed=1, limits=fixed)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ExpectedGain(entropy=np.inf), "entropy"),
        (lambda: ExpectedGain(sentence_bleu="x"), "sentence_bleu"),
        (lambda: ExpectedGain(scale=0.0), "scale"),
        (lambda: StochasticGradient(restarts=-1), "restarts"),
        (lambda: StochasticGradient(passes=0), "passes"),
        (lambda: StochasticGradient(tol=-1.0), "tol"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()
