"""Regularizers: proximal points by definition, OSCAR against pairs, L-BFGS and Fista at the same optimum."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tuning as slow
from support.lists.tuning_lists import random_lists

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import Constraints, Limits
from tunesmith.tuning.losses import ExpectedGain, PairwiseRanking
from tunesmith.tuning.optimizers import Fista, Lbfgs
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.regularizers import L1, L2, ElasticNet, Oscar, regularizers
from tunesmith.tuning.regularizers.base import Proximal, Separable
from tunesmith.tuning.regularizers.weighted import Weighted

ALL = [L1(0.3), L2(0.3), ElasticNet(0.3, 0.2), Oscar(0.1, 0.05)]

vectors = st.lists(st.sampled_from([0.0, 1.0, -1.0, 0.5, 2.0]) | st.floats(-3, 3), min_size=1, max_size=12)


def test_every_registered_regularizer_is_tested():
    """Those without a proximal point have tests of their own: CumulativeL1 in test_cumulative_l1.py."""
    proximal = {type(each) for each in map(regularizers.make, regularizers) if isinstance(each, Proximal)}
    assert {type(each) for each in ALL} == proximal


@pytest.mark.parametrize("regularizer", ALL, ids=repr)
@settings(max_examples=40, deadline=None)
@given(values=vectors, seed=st.integers(0, 10**6), step=st.sampled_from([0.1, 1.0, 3.0]))
def test_prox_beats_every_nearby_point(regularizer, values, seed, step):
    w = np.array(values)
    found = regularizer.prox(w, step)

    def distance(x):
        return 0.5 * float((x - w) @ (x - w)) + step * regularizer.value(x)

    least = distance(found)
    random = np.random.default_rng(seed)
    assert least <= distance(w) + 1e-12
    assert least <= distance(np.zeros_like(w)) + 1e-12
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(10):
            assert least <= distance(found + size * random.normal(size=len(w))) + 1e-12
            scaled = found * (1 + size * random.normal())  # along ties, where random points seldom go
            assert least <= distance(scaled) + 1e-12


@given(vectors)
def test_oscar_counts_pairs(values):
    w = np.array(values)
    assert Oscar(0.3, 0.2).value(w) == pytest.approx(slow.oscar(w, 0.3, 0.2), abs=1e-12)


@given(vectors, st.sampled_from([0.1, 1.0]))
def test_oscar_without_pairs_is_soft_thresholding(values, step):
    w = np.array(values)
    assert np.allclose(Oscar(0.3, 0.0).prox(w, step), L1(0.3).prox(w, step), atol=1e-15)


@given(vectors, st.sampled_from([0.1, 1.0]))
def test_oscar_is_a_sorted_norm(values, step):
    w = np.array(values)
    penalties = 0.3 + 0.05 * np.arange(len(w) - 1, -1, -1.0)
    assert np.allclose(_core.prox_sorted_l1(w, penalties, step), Oscar(0.3, 0.05).prox(w, step), atol=1e-15)


@given(vectors, st.floats(0, 1), st.floats(0, 1))
def test_oscar_steps_add_up(values, first, second):
    """The semigroup property that lazy updates rest on."""
    w, oscar = np.array(values), Oscar(0.1, 0.05)
    assert np.allclose(oscar.prox(oscar.prox(w, first), second), oscar.prox(w, first + second), atol=1e-13)


def test_oscar_of_a_larger_dimension_is_that_with_zeros():
    w = np.array([3.0, -2.0, 0.5])
    padded = _core.prox_oscar(np.append(w, np.zeros(5)), 8, 0.01, 0.02, 1.0)
    assert np.array_equal(_core.prox_oscar(w, 8, 0.01, 0.02, 1.0), padded[:3])
    assert _core.oscar_value(w, 8, 0.01, 0.02) == pytest.approx(slow.oscar(np.append(w, np.zeros(5)), 0.01, 0.02))


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: _core.prox_oscar(np.zeros(3), 2, 0.1, 0.1, 1.0), "dimension"),
        (lambda: _core.prox_oscar(np.zeros(3), 3, -0.1, 0.1, 1.0), "at least 0"),
        (lambda: _core.prox_oscar(np.zeros(3), 3, 0.1, np.nan, 1.0), "at least 0"),
        (lambda: _core.prox_oscar(np.zeros(3), 3, 0.1, 0.1, -1.0), "step"),
        (lambda: _core.prox_oscar(np.array([np.nan]), 3, 0.1, 0.1, 1.0), "finite"),
        (lambda: _core.prox_sorted_l1(np.zeros(3), np.zeros(2), 1.0), "one penalty"),
        (lambda: _core.prox_sorted_l1(np.zeros(2), np.array([1.0, 2.0]), 1.0), "increase"),
    ],
)
def test_bad_input_of_the_kernel_is_refused(call, what):
    with pytest.raises(ValueError, match=what):
        call()


@pytest.mark.parametrize("kind", [L1, L2])
def test_bad_strengths_are_refused(kind):
    for bad in (-1.0, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match="strength"):
            kind(bad)


@pytest.mark.parametrize("regularizer", [each for each in ALL if isinstance(each, Separable)], ids=repr)
def test_each_weight_may_have_a_step_of_its_own(regularizer):
    w = np.array([0.0, -0.0, 3.0, -2.0, 0.01, 5.0])
    steps = np.array([1.0, 0.5, 0.0, 2.0, 1.0, 0.3])
    found = regularizer.prox_each(w, steps)
    one_by_one = [regularizer.prox(w[i : i + 1], step)[0] for i, step in enumerate(steps.tolist())]
    assert found.tobytes() == np.array(one_by_one).tobytes()
    assert Weighted(regularizer, steps).prox(w, 1.0).tobytes() == found.tobytes()


def test_which_regularizers_are_sums_over_weights():
    assert [type(each) for each in ALL if isinstance(each, Separable)] == [L1, L2, ElasticNet]


@pytest.fixture
def objective():
    matrix, offsets, statistics = random_lists(9, sentences=40)
    names = ["lm", "tm", "id:1", "id:2"]
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics, names=names)
    return PairwiseRanking().prepare(ListPool(candidates), Bleu(), 1)


def test_fista_and_lbfgs_agree(objective):
    slow_way = Fista(tol=1e-9, iterations=5000).minimize(objective, L2(0.01), np.ones(4), seed=1)
    fast_way = Lbfgs(tol=1e-9).minimize(objective, L2(0.01), np.ones(4), seed=1)
    assert np.allclose(slow_way.weights, fast_way.weights, atol=1e-5)
    assert slow_way.value == pytest.approx(fast_way.value, abs=1e-9)


@pytest.mark.parametrize("regularizer", [L1(0.01), ElasticNet(0.01, 0.02), Oscar(0.004, 0.002)], ids=repr)
def test_fista_finds_a_minimum(objective, regularizer):
    fitted = Fista(tol=1e-8, iterations=5000).minimize(objective, regularizer, np.ones(4), seed=1)

    def value(w):
        return objective.value_and_grad(w)[0] + regularizer.value(w)

    assert fitted.value == pytest.approx(value(fitted.weights), abs=1e-12)
    random = np.random.default_rng(1)
    for size in (1e-4, 1e-2, 1.0):
        for _ in range(20):
            assert fitted.value <= value(fitted.weights + size * random.normal(size=4)) + 1e-9


def test_strong_l1_makes_all_weights_zero(objective):
    """At 0 the gradient is smaller than the strength: 0 is optimal."""
    strength = 1.01 * float(np.abs(objective.value_and_grad(np.zeros(4))[1]).max())
    fitted = Fista().minimize(objective, L1(strength), np.ones(4), seed=1)
    assert np.array_equal(fitted.weights, np.zeros(4))


def test_strong_oscar_makes_weights_equal(objective):
    fitted = Fista(tol=1e-9).minimize(objective, Oscar(0.0, 0.02), np.ones(4), seed=1)
    sizes = np.abs(fitted.weights[fitted.weights != 0])
    assert len(np.unique(sizes)) < len(sizes)


def test_an_objective_that_is_not_convex_goes_down():
    matrix, offsets, statistics = random_lists(9, sentences=40)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    objective = ExpectedGain().prepare(ListPool(candidates), Bleu(), 1)
    start = np.zeros(4)
    for optimizer, regularizer in [(Lbfgs(), L2(1e-4)), (Fista(), L1(1e-4))]:
        fitted = optimizer.minimize(objective, regularizer, start, seed=1)
        assert fitted.value < objective.value_and_grad(start)[0] + regularizer.value(start)


@pytest.mark.parametrize("optimizer", [Lbfgs(tol=1e-8), Fista(tol=1e-8, iterations=5000)], ids=repr)
def test_constraints_hold_and_are_optimal(objective, optimizer):
    constraints = Constraints(fixed=("lm",), bounds=("tm<=-0.1",), penalties=("id:*=3",))
    start = np.array([0.4, -1.0, 0.0, 0.0])
    limits = constraints.resolve(objective.candidates.features, start)
    fitted = optimizer.minimize(objective, L2(0.02), start, seed=1, limits=limits)
    assert fitted.weights[0] == 0.4
    assert fitted.weights[1] <= -0.1

    def value(w):
        return objective.value_and_grad(w)[0] + Weighted(L2(0.02), np.array([1.0, 1.0, 3.0, 3.0])).value(w)

    random = np.random.default_rng(1)
    best = value(fitted.weights)
    for size in (1e-3, 1e-1):
        for _ in range(30):
            other = fitted.weights + size * random.normal(size=4) * [0, 1, 1, 1]
            other[1] = min(other[1], -0.1)
            assert best <= value(other) + 1e-9


def test_a_penalty_of_zero_takes_a_feature_out_of_oscar(objective):
    limits = Limits.penalising(np.array([False, False, True, True]))
    fitted = Fista(tol=1e-9).minimize(objective, Oscar(1.0, 0.1), np.ones(4), seed=1, limits=limits)
    assert np.all(fitted.weights[:2] != 0)
    assert np.all(fitted.weights[2:] == 0)


def test_oscar_refuses_what_it_cannot_keep(objective):
    for constraints, message in (
        (Constraints(penalties=("lm=2", "tm=3")), "one and the same penalty"),
        (Constraints(bounds=("lm>=0",)), "cannot keep bounds"),
    ):
        limits = constraints.resolve(objective.candidates.features, np.ones(4))
        with pytest.raises(ConfigError, match=message):
            Fista().minimize(objective, Oscar(), np.ones(4), seed=1, limits=limits)
        with pytest.raises(ConfigError, match=message):  # before anything is decoded
            Fista().check(PairwiseRanking(), Oscar(), limits)


def test_early_stopping_from_zero_is_a_regularizer(objective):
    few = Lbfgs(iterations=2, from_zero=True).minimize(objective, None, np.full(4, 9.0), seed=1)
    many = Lbfgs(iterations=200, from_zero=True).minimize(objective, None, np.full(4, 9.0), seed=1)
    assert few.details["iterations"] <= 2
    assert many.value <= few.value
