"""Batch OSCAR against a linear program, its bound against any point, and the online learner above it."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import tuning as slow
from scipy.optimize import linprog
from support.lists.random_differences import penalised_part, random_differences

from tunesmith.errors import ConfigError
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers import Fobos
from tunesmith.tuning.optimizers.batch_oscar import batch_oscar
from tunesmith.tuning.regularizers import Oscar


def objective(data, weights, l1, l2):
    """Eq. 2, pair by pair of features."""
    penalised = np.delete(weights, data.unpenalised)
    return data.hinge(weights) + slow.oscar(penalised, l1, l2)


def least_by_linear_program(data, l1, l2):
    """Hinge and OSCAR are maxima of linear functions: with a variable for each of them, scipy's HiGHS is exact."""
    n, p, q = len(data), len(data.penalised), len(data.unpenalised)
    pairs = list(itertools.combinations(range(p), 2))
    # Variables: w (p + q), loss (n), size (p), maximum (pairs). One that never occurs adds l2 · size to each.
    absent = data.dimension - p
    cost = np.concatenate(
        [np.zeros(p + q), np.full(n, 1 / n), np.full(p, l1 + l2 * absent), np.full(len(pairs), l2)]
    )
    x = np.hstack([penalised_part(data).toarray(), data.dense])
    w, losses, sizes, maxima = np.split(np.eye(len(cost)), np.cumsum([p + q, n, p]))
    rows = [*(-losses - x @ w), *(w[:p] - sizes), *(-w[:p] - sizes)]
    limits = [-1.0] * n + [0.0] * (2 * p)
    for maximum, (j, k) in zip(maxima, pairs, strict=True):
        rows += [sizes[j] - maximum, sizes[k] - maximum]
        limits += [0.0, 0.0]
    bounds = [(None, None)] * (p + q) + [(0, None)] * (n + p + len(pairs))
    solved = linprog(cost, A_ub=np.array(rows), b_ub=limits, bounds=bounds, method="highs")
    assert solved.status == 0
    return solved.fun


@pytest.mark.parametrize(("dense", "extra"), [(0, 0), (0, 30), (2, 5)])
@pytest.mark.parametrize(("l1", "l2"), [(0.02, 0.002), (0.0, 0.004), (0.05, 0.0)])
def test_the_minimum_is_that_of_the_linear_program(dense, extra, l1, l2):
    data = random_differences(11, pairs=25, features=8, dense=dense, extra=extra, noise=2.0)
    found = batch_oscar(data, np.zeros(data.columns), l1=l1, l2=l2, tolerance=1e-4)
    least = least_by_linear_program(data, l1, l2)
    assert found.objective == pytest.approx(objective(data, found.weights, l1, l2), abs=1e-12)
    assert found.lower_bound <= least + 1e-9
    assert least - 1e-9 <= found.objective <= least * (1 + 2e-4)
    assert found.gap <= 1e-4 * found.objective


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_dense_features_of_any_size_do_not_slow_it(seed):
    """As in real pairs, where a difference of the language model is a hundred times one of a penalty."""
    data = random_differences(seed, pairs=40, features=10, dense=3, extra=5, noise=2.0)
    data = replace(data, dense=data.dense * [0.1, 10.0, 100.0])
    found = batch_oscar(data, np.zeros(data.columns), l1=0.001, l2=0.0003, iterations=300)
    assert found.objective <= 1.01 * least_by_linear_program(data, 0.001, 0.0003)


def test_dense_features_may_be_sums_of_others_or_never_differ():
    data = random_differences(5, pairs=40, features=10, dense=4, noise=2.0)
    dense = data.dense.copy()
    dense[:, 2], dense[:, 3] = dense[:, 0] - 3 * dense[:, 1], 0.0
    data = replace(data, dense=dense)
    found = batch_oscar(data, np.zeros(data.columns), l1=0.02, l2=0.002)
    least = least_by_linear_program(data, 0.02, 0.002)
    assert found.lower_bound - 1e-9 <= least <= found.objective + 1e-9 <= 1.001 * least
    assert np.abs(found.weights).max() < 100


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 2]))
def test_no_point_is_below_the_bound(seed, dense):
    """Also when the search is stopped long before the minimum."""
    data = random_differences(seed, pairs=20, features=6, dense=dense)
    found = batch_oscar(data, np.zeros(data.columns), l1=0.01, l2=0.01, iterations=15)
    random = np.random.default_rng(seed)
    for scale in (0.0, 0.1, 1.0):
        weights = found.weights + scale * random.normal(size=data.columns)
        assert objective(data, weights, 0.01, 0.01) >= found.lower_bound - 1e-12


def test_online_oscar_comes_down_to_it():
    data = random_differences(4, pairs=60, features=10, dense=1, extra=20, noise=2.0)
    start, l1, l2 = np.zeros(data.columns), 1e-3, 1e-3
    least = batch_oscar(data, start, l1=l1, l2=l2)
    values = []
    for passes in (5, 100, 2000):
        # Steps of 10 / (10 + t): those of the paper, 1 / t, can go no farther than ln t and take far longer.
        online = Fobos(passes=passes, iterate="last_pass", rate=10.0, delay=10.0)
        values.append(objective(data, online.learn(data, Oscar(l1, l2), start).weights, l1, l2))
    assert all(value >= least.lower_bound for value in values)
    assert values[0] > values[1] > values[2]
    assert values[2] <= 1.002 * least.objective


def test_groups_are_the_equal_weights():
    data = random_differences(2, pairs=60, features=12, dense=1, noise=1.0)
    found = batch_oscar(data, np.zeros(data.columns), l1=0.0, l2=0.01)
    penalised = found.weights[data.penalised]
    assert np.array_equal(found.groups[data.penalised] < 0, penalised == 0)
    assert np.all(found.groups[data.unpenalised] == -1)
    by_group = [np.unique(found.weights[found.groups == g]) for g in range(found.groups.max() + 1)]
    assert all(len(values) == 1 for values in by_group)
    assert np.all(np.diff(np.concatenate(by_group)) < 0)
    assert len(by_group) < np.count_nonzero(penalised)  # some are equal


def test_strong_penalties_leave_nothing():
    data = random_differences(2, dense=0)
    found = batch_oscar(data, np.ones(data.columns), l1=100.0, l2=0.0)
    assert np.all(found.weights == 0)
    assert found.objective == 1.0
    assert found.lower_bound == pytest.approx(1.0)


def test_millions_of_features_that_never_occur_cost_nothing():
    """The pairs they make with others are as much L1 more."""
    small, large = random_differences(6, extra=0), random_differences(6, extra=7_600_000)
    l2 = 0.01 / 7_600_000
    among_few = batch_oscar(small, np.zeros(small.columns), l1=0.01, l2=l2)
    among_many = batch_oscar(large, np.zeros(large.columns), l1=0.0, l2=l2)
    assert np.allclose(among_many.weights[: small.columns], among_few.weights, atol=1e-12)
    assert not among_many.weights[small.columns :].any()


@pytest.mark.parametrize(
    ("settings_", "what"),
    [
        ({"l1": -1.0, "l2": 0.0}, "l1 must be at least 0, got -1"),
        ({"l1": 0.0, "l2": float("nan")}, "l2 must be at least 0, got nan"),
        ({"l1": 0.0, "l2": 0.0, "dimension": 3}, "dimension = 3 is too small"),
    ],
)
def test_bad_settings_are_refused(settings_, what):
    data = random_differences(1)
    with pytest.raises(ConfigError, match=what):
        batch_oscar(data, np.zeros(data.columns), **settings_)


def test_bad_pairs_and_weights_are_refused():
    data = random_differences(1)
    with pytest.raises(ConfigError, match="start weights"):
        batch_oscar(data, np.zeros(2), l1=0.1, l2=0.1)
    with pytest.raises(ConfigError, match="start weights"):
        batch_oscar(data, np.full(data.columns, np.nan), l1=0.1, l2=0.1)
    empty = Differences([0], [], [], np.zeros((0, 1)), [], [0], 1, 0)
    with pytest.raises(ConfigError, match="no pairs"):
        batch_oscar(empty, np.zeros(1), l1=0.1, l2=0.1)
