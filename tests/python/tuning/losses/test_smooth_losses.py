"""Every registered loss with a gradient: finite differences, threads, twins."""

import numpy as np
import pytest
from reference import tuning as slow
from support.lists.tuning_lists import random_lists, random_set

from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.tuning.capabilities import missing
from tunesmith.tuning.losses import ExpectedGain, PairwiseRanking, losses
from tunesmith.tuning.objectives import Objective, Smooth
from tunesmith.tuning.optimizers import Lbfgs
from tunesmith.tuning.pools.gains import sentence_gains
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.regularizers import L2

SMOOTH = [loss for loss in map(losses.make, losses) if not missing(loss.objective, Smooth, Objective)]
SMOOTH += [PairwiseRanking(classifier="hinge"), ExpectedGain(scale=2.0, entropy=0.3)]


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
@pytest.mark.parametrize("seed", range(3))
def test_gradient_matches_finite_differences(loss, seed):
    candidates = random_set(seed, sentences=20, sparse=5)
    objective = loss.prepare(ListPool(candidates), Bleu(), 1)
    w = np.random.default_rng(seed).normal(size=candidates.columns)
    _, gradient = objective.value_and_grad(w)
    step = 1e-6
    for column in range(candidates.columns):
        shift = np.zeros_like(w)
        shift[column] = step
        slope = (objective.value_and_grad(w + shift)[0] - objective.value_and_grad(w - shift)[0]) / (2 * step)
        assert gradient[column] == pytest.approx(slope, abs=2e-6)


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_values_do_not_depend_on_threads(loss):
    candidates = random_set(5, sentences=200)
    objective = loss.prepare(ListPool(candidates), Bleu(), 1)
    w = np.random.default_rng(5).normal(size=candidates.columns)
    one, two = (objective.value_and_grad(w, threads=threads) for threads in (1, 2))
    assert one[0] == two[0]
    assert np.array_equal(one[1], two[1])


@pytest.mark.parametrize("loss", SMOOTH, ids=repr)
def test_weights_that_do_not_count_stay_and_change_nothing(loss):
    matrix, offsets, statistics = random_lists(3)
    spread = np.zeros((len(matrix), 9))
    spread[:, [1, 2, 5, 8]] = matrix
    few, many = (
        loss.prepare(ListPool(CandidateSet.from_matrix(each, offsets, statistics=statistics)), Bleu(), 1)
        for each in (matrix, spread)
    )
    assert many.still_columns().tolist() == [0, 3, 4, 6, 7]
    assert few.still_columns().tolist() == []
    start = np.zeros(9)
    start[3] = 7.0  # the loss does not see it; the penalty does
    fitted = Lbfgs(tol=1e-9).minimize(many, L2(0.01), start, seed=1)
    alone = Lbfgs(tol=1e-9).minimize(few, L2(0.01), np.zeros(4), seed=1)
    assert fitted.weights[[1, 2, 5, 8]] == pytest.approx(alone.weights, abs=1e-5)
    assert fitted.weights[[0, 4, 6, 7]].tolist() == [0, 0, 0, 0]
    assert fitted.weights[3] == pytest.approx(0, abs=1e-5)
    kept = Lbfgs(tol=1e-9).minimize(many, None, start, seed=1)
    assert kept.weights[3] == 7.0


@pytest.mark.parametrize("scale", [0.5, 20.0])
def test_expected_gain_matches_its_definition(scale):
    matrix, offsets, statistics = random_lists(2)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    objective = ExpectedGain(scale=scale).prepare(ListPool(candidates), Bleu(), 1)
    w = np.random.default_rng(2).normal(size=4)
    gains = sentence_gains(candidates, Bleu(), 0.5)
    expected = slow.expected_gain(matrix, offsets, gains, scale, w)
    assert objective.value_and_grad(w)[0] == pytest.approx(expected, rel=1e-12)


def test_huge_scores_do_not_overflow():
    matrix, offsets, statistics = random_lists(2)
    candidates = CandidateSet.from_matrix(1e6 * matrix, offsets, statistics=statistics)
    for loss in SMOOTH:
        value, gradient = loss.prepare(ListPool(candidates), Bleu(), 1).value_and_grad(np.ones(4))
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()


def test_statistics_must_be_those_of_the_metric():
    matrix, offsets, statistics = random_lists(2)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics[:, :3])
    for name in losses:
        with pytest.raises(ConfigError, match="statistics of 3 numbers, BLEU has 10"):
            losses.make(name).prepare(ListPool(candidates), Bleu(), 1)


def test_no_candidates_at_all_is_said():
    candidates = CandidateSet.from_matrix(np.empty((0, 2)), [0, 0], statistics=np.empty((0, 10)))
    for name in losses:
        with pytest.raises(ConfigError, match="no candidates"):
            losses.make(name).prepare(ListPool(candidates), Bleu(), 1)


def test_a_penalty_with_its_minimum_elsewhere_moves_weights_that_do_not_count():
    matrix, offsets, statistics = random_lists(3)
    spread = np.column_stack([matrix, np.zeros(len(matrix))])
    candidates = CandidateSet.from_matrix(spread, offsets, statistics=statistics)

    class TowardsTwo:
        def value(self, w):
            return float(((w - 2) ** 2).sum() / 2)

        def value_and_grad(self, w):
            return self.value(w), w - 2

    objective = PairwiseRanking().prepare(ListPool(candidates), Bleu(), 1)
    fitted = Lbfgs(tol=1e-9).minimize(objective, TowardsTwo(), np.zeros(5), seed=1)
    assert fitted.weights[4] == pytest.approx(2, abs=1e-6)
