"""MERT: envelopes against every crossing, line search against a fine grid, constraints."""

from dataclasses import replace

import numpy as np
import pytest
from reference import tuning as slow
from support.lists.tuning_lists import random_lists, random_set

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu, Precomputed
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import Constraints, Limits
from tunesmith.tuning.losses import CorpusError
from tunesmith.tuning.losses.corpus_error import ErrorOfLists, best_step
from tunesmith.tuning.optimizers import LineSearch
from tunesmith.tuning.pools.lists import ListPool

INFINITE = np.array([np.inf])


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("whole", [False, True])
def test_envelope_matches_the_winners_between_all_crossings(seed, whole):
    matrix, offsets, statistics = random_lists(seed, whole=whole)
    random = np.random.default_rng(seed)
    w, direction = random.normal(size=(2, matrix.shape[1]))
    if whole:
        w, direction = np.round(w * 3), np.round(direction * 3)
    distinct = _core.DistinctStatistics(offsets, statistics)
    scores, slopes = matrix @ w, matrix @ direction
    breakpoints, totals = distinct.envelope(scores, slopes)
    assert np.all(np.diff(breakpoints) > 0)
    edges = slow.crossings(scores, slopes, offsets)
    places = np.array([edges[0] - 1, *((np.array(edges[1:]) + edges[:-1]) / 2), edges[-1] + 1]) if edges else [0.0]
    for step in places:
        expected = slow.totals_at(scores + step * slopes, offsets, statistics)
        assert np.array_equal(totals[np.searchsorted(breakpoints, step)], expected)


@pytest.mark.parametrize("seed", range(6))
def test_the_best_step_of_a_line_is_the_best_of_all_places(seed):
    matrix, offsets, statistics = random_lists(seed, sentences=6)
    w, direction = np.random.default_rng(seed).normal(size=(2, matrix.shape[1]))
    scores, slopes = matrix @ w, matrix @ direction
    edges = np.array([-np.inf, *slow.crossings(scores, slopes, offsets), np.inf])
    wide = np.flatnonzero(np.diff(edges) > 1e-6)
    bleu = Bleu()
    middles = [np.clip(edges[i : i + 2], -1e6, 1e6).mean() for i in wide]
    best = max(float(bleu.score(slow.totals_at(scores + t * slopes, offsets, statistics))) for t in middles)
    distinct = _core.DistinctStatistics(offsets, statistics)
    steps, found = distinct.best_bleu_on_lines(
        scores, slopes[None, :], -INFINITE, INFINITE, 1e-6, _core.Smoothing.exp, 0.0
    )
    assert 100 * found[0] == pytest.approx(best, abs=1e-9)
    reached = slow.totals_at(scores + steps[0] * slopes, offsets, statistics)
    assert float(bleu.score(reached)) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("limits", [(-np.inf, np.inf), (-0.3, 0.2), (0.5, np.inf), (-2.0, 0.0), (0.1, 0.4)])
def test_native_bleu_and_the_way_of_any_metric_agree(seed, limits):
    candidates = random_set(seed)
    objective = ErrorOfLists(ListPool(candidates), Bleu())
    w, direction = np.random.default_rng(seed).normal(size=(2, candidates.columns))
    step, error = best_step(*objective.envelope(w, direction), *limits, 1e-6)
    low, high = (np.array([limit]) for limit in limits)
    steps, errors = objective.search_lines(w, objective.lines(direction[None, :]), low, high, 1e-6)
    assert steps[0] == pytest.approx(step, abs=1e-12)
    assert errors[0] == pytest.approx(error, abs=1e-9)
    assert limits[0] <= step <= limits[1]


def test_lines_that_are_all_equal_have_one_segment():
    distinct = _core.DistinctStatistics(np.array([0, 3]), np.arange(12.0).reshape(3, 4))
    breakpoints, totals = distinct.envelope(np.array([1.0, 2.0, 2.0]), np.zeros(3))
    assert len(breakpoints) == 0
    assert totals.tolist() == [[4.0, 5.0, 6.0, 7.0]]  # the first of the two best


def test_line_search_finds_the_optimum_of_two_features():
    matrix, offsets, statistics = random_lists(3, sentences=8, features=2)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    objective = CorpusError().prepare(ListPool(candidates), Bleu(), 1)
    angles = np.linspace(0, 2 * np.pi, 20001)  # only the direction of two weights counts
    best = min(objective.value(np.array([np.cos(a), np.sin(a)])) for a in angles)
    fitted = LineSearch(restarts=5, reach=10.0).minimize(objective, None, np.array([1.0, 1.0]), seed=1)
    assert fitted.value <= best + 1e-9
    assert fitted.value == objective.value(fitted.weights)


def test_a_precomputed_metric_of_errors_is_made_small():
    matrix, offsets, _ = random_lists(5)
    random = np.random.default_rng(5)
    statistics = np.column_stack([random.random(len(matrix)), np.ones(len(matrix))])
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    metric = Precomputed(lower_is_better=True)
    objective = CorpusError().prepare(ListPool(candidates), metric, 1)
    start = np.ones(4)
    fitted = LineSearch(restarts=3).minimize(objective, None, start, seed=1)
    assert fitted.value < objective.value(start)
    assert fitted.value == pytest.approx(
        float(metric.score(slow.totals_at(matrix @ fitted.weights, offsets, statistics)))
    )


def test_the_result_does_not_depend_on_threads():
    candidates = random_set(7, sentences=40)
    objective = CorpusError().prepare(ListPool(candidates), Bleu(), 1)
    one, two = (
        LineSearch(restarts=3).minimize(objective, None, np.ones(4), seed=9, threads=threads) for threads in (1, 2)
    )
    assert np.array_equal(one.weights, two.weights)


def test_a_user_objective_needs_only_value_and_envelope():
    """|w0 - 0.25·w1| rounded: piecewise constant along every line, no candidates anywhere."""

    class Stairs:
        columns = 1

        def value(self, w, threads=1):
            return abs(np.floor(w[0]) - 3.0)

        def envelope(self, w, direction, threads=1):
            steps = np.sort((np.arange(-10, 11) - w[0]) / direction[0])
            middles = np.concatenate([[steps[0] - 1], (steps[1:] + steps[:-1]) / 2, [steps[-1] + 1]])
            return steps, np.array([self.value(w + t * direction) for t in middles])

    settings = LineSearch(restarts=0, directions=0, reach=100.0)
    bound = replace(Limits.none(1), lower=np.array([-100.0]))  # keeps the length of the weights as it is
    fitted = settings.minimize(Stairs(), None, np.array([0.5]), seed=1, limits=bound)
    assert fitted.weights.tolist() == [3.5]


def test_fixed_weights_stay_and_bounds_hold():
    candidates = CandidateSet.from_matrix(*random_lists(2, sentences=30), names=["lm", "tm", "id:1", "id:2"])
    objective = CorpusError().prepare(ListPool(candidates), Bleu(), 1)
    constraints = Constraints(fixed=("lm",), bounds=("id:*>=0", "id:*<=0.25"))
    start = np.full(4, 0.2)
    limits = constraints.resolve(candidates.features, start)
    fitted = LineSearch(restarts=4).minimize(objective, None, start, seed=1, limits=limits)
    assert fitted.weights[0] == 0.2
    assert np.all((fitted.weights[2:] >= 0) & (fitted.weights[2:] <= 0.25))
    free = Constraints(penalties=("lm=0",)).resolve(candidates.features, start)
    with pytest.raises(ConfigError, match="takes no regularizer"):
        LineSearch().minimize(objective, None, start, seed=1, limits=free)
    held = Constraints(fixed=("*",)).resolve(candidates.features, start)
    with pytest.raises(ConfigError, match="every feature is fixed"):
        LineSearch().minimize(objective, None, start, seed=1, limits=held)


def test_many_sparse_features_are_searched_where_they_are_used_most():
    candidates = random_set(1, sentences=30, features=3, sparse=400)
    objective = CorpusError().prepare(ListPool(candidates), Bleu(), 1)
    fitted = LineSearch(restarts=1, coordinates=5).minimize(objective, None, np.ones(403), seed=1)
    assert fitted.value <= objective.value(np.ones(403))


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="offsets"):
        _core.DistinctStatistics(np.array([0, 5]), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="decrease"):
        _core.DistinctStatistics(np.array([0, 2, 1, 3]), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="finite"):
        _core.DistinctStatistics(np.array([0, 3]), np.full((3, 4), np.nan))
    distinct = _core.DistinctStatistics(np.array([0, 3]), np.zeros((3, 4)))
    with pytest.raises(ValueError, match="one score"):
        distinct.envelope(np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match="finite"):
        distinct.envelope(np.zeros(3), np.array([0, np.inf, 0]))
