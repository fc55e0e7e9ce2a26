"""AdaGrad: lazy steps against dense ones, gradients by differences, states that resume to the same bytes."""

import numpy as np
import pytest
from reference import online as slow
from support.lists.tuning_lists import random_lists

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu, Ter
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses import ExpectedGain, PairwiseRanking
from tunesmith.tuning.optimizers import AdaGrad
from tunesmith.tuning.optimizers.online import Batch
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.regularizers import L1, L2, ElasticNet, Oscar
from tunesmith.tuning.tuner import Tuner

EVERY = np.empty(0, np.uint32)


def problem(seed, sentences=12):
    matrix, offsets, statistics = random_lists(seed, sparse=9, sentences=sentences)
    return ListPool(CandidateSet.from_matrix(matrix, offsets, statistics=statistics))


def batches(pool, size, rounds, seed=3):
    """Batches of `size` sentences in a shuffled order, for several epochs."""
    for number in range(rounds):
        order = _core.shuffled(pool.sentences, seed, number)
        for begin in range(0, len(order), size):
            yield np.sort(order[begin : begin + size])


def objective_of(pool):
    """That of a batch, which may have no candidates at all."""
    return ExpectedGain().prepare(pool, Bleu(), 1) if len(pool) else None


def learner_of(optimizer, penalty, start, limits=None):
    return optimizer.open(penalty, limits or Limits.none(len(start)), optimizer.first(start))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("penalty", [None, L1(0.05), L1(2.0), L2(0.3), ElasticNet(0.05, 0.2)])
def test_lazy_steps_are_the_dense_ones(seed, penalty):
    """Weights and averages to 1e-12 after every step, also where weights died while they were idle."""
    pool = problem(seed)
    start = np.random.default_rng(seed).normal(size=pool.columns)
    loss, optimizer = ExpectedGain(by_length="reference"), AdaGrad(rate=0.1)
    learner = learner_of(optimizer, penalty, start)
    l1, l2 = (0.0, 0.0) if penalty is None else penalty.shrinkage
    twin = slow.DenseAdaGrad(start, rate=0.1, l1=l1, l2=l2)
    for chosen in batches(pool, 2, 4):
        part = pool.only(chosen)
        objective = loss.prepare(part, Bleu(), 1)
        rows = part.candidates.rows().toarray()
        twin.step(slow.expected_gain_gradient(rows, part.candidates.offsets, objective.gains, 1.0, twin.w))
        learner.learn(Batch(objective, chosen.astype(np.uint32), pool.columns))
        assert np.abs(learner.weights() - twin.w).max() < 1e-12
        average, steps = learner.average()
        assert steps == len(twin.trail)
        assert np.abs(average - twin.average).max() < 1e-12
    assert penalty is None or l1 < 1 or (learner.weights() == 0).any()


class OnlyAGradient:
    """A smooth objective and nothing else, such as one of a user: the mean over the sentences of a batch."""

    def __init__(self, objective, sentences):
        self._objective, self._share = objective, objective.sentences / sentences
        self.columns = objective.columns

    def value_and_grad(self, w, *, threads=1):
        value, gradient = self._objective.value_and_grad(w)
        return value * self._share, gradient * self._share


def test_an_objective_that_has_only_a_gradient_makes_the_same_steps():
    pool = problem(8)
    start = np.random.default_rng(8).normal(size=pool.columns)
    by_scores, dense = (learner_of(AdaGrad(rate=0.1), L1(0.05), start) for _ in range(2))
    for chosen in batches(pool, 2, 2):
        objective, sentences = objective_of(pool.only(chosen)), chosen.astype(np.uint32)
        plain = None if objective is None else OnlyAGradient(objective, len(chosen))
        learnt = by_scores.learn(Batch(objective, sentences, pool.columns))
        same = dense.learn(Batch(plain, sentences, pool.columns))
        assert same.loss == pytest.approx(learnt.loss)
        assert np.abs(dense.weights() - by_scores.weights()).max() < 1e-12


def test_bounds_and_penalty_factors_are_kept():
    pool = problem(5)
    random = np.random.default_rng(5)
    start = np.zeros(pool.columns)
    lower, upper = np.full(pool.columns, -0.05), np.full(pool.columns, 0.02)
    lower[0] = upper[0] = 0.0
    factors = random.integers(0, 3, pool.columns).astype(float)
    learner = learner_of(AdaGrad(rate=0.1), L1(0.1), start, Limits(lower, upper, factors))
    twin = slow.DenseAdaGrad(start, rate=0.1, l1=0.1, factors=factors, lower=lower, upper=upper)
    for chosen in batches(pool, 3, 3):
        part = pool.only(chosen)
        objective = ExpectedGain().prepare(part, Bleu(), 1)
        rows = part.candidates.rows().toarray()
        twin.step(slow.expected_gain_gradient(rows, part.candidates.offsets, objective.gains, 1.0, twin.w))
        learner.learn(Batch(objective, EVERY, pool.columns))
        assert np.abs(learner.weights() - twin.w).max() < 1e-12
        assert learner.weights()[0] == 0.0


@pytest.mark.parametrize("loss", [ExpectedGain(by_length="reference"), PairwiseRanking(), ExpectedGain(scale=2.0)])
def test_slopes_give_the_gradient_by_finite_differences(loss):
    pool = problem(2)
    objective, lists = loss.prepare(pool, Bleu(), 7), pool.candidates
    w = np.random.default_rng(1).normal(size=pool.columns)

    def value(at):
        return objective.value_and_slopes(lists.scores(at))[0]

    gradient = lists.combine(objective.value_and_slopes(lists.scores(w))[1])
    for column in range(pool.columns):
        step = np.zeros(pool.columns)
        step[column] = 1e-5
        assert (value(w + step) - value(w - step)) / 2e-5 == pytest.approx(gradient[column], rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("loss", [ExpectedGain(by_length="reference"), PairwiseRanking()])
def test_the_sum_over_terms_is_the_mean_times_their_number(loss):
    pool = problem(3)
    objective = loss.prepare(pool, Bleu(), 7)
    w = np.random.default_rng(1).normal(size=pool.columns)
    value, slopes = objective.value_and_slopes(pool.candidates.scores(w))
    mean, gradient = objective.value_and_grad(w)
    terms = len(objective) if isinstance(loss, PairwiseRanking) else pool.sentences
    assert value == pytest.approx(terms * mean)
    assert np.allclose(pool.candidates.combine(slopes), terms * gradient)


def test_gains_by_length_are_bleu_plus_one_times_the_shortest_reference():
    pool = problem(4)
    plain, scaled = (ExpectedGain(by_length=each).prepare(pool, Bleu(), 1).gains for each in ("none", "reference"))
    for begin, end in zip(pool.candidates.offsets[:-1], pool.candidates.offsets[1:], strict=True):
        if end > begin:
            shortest = pool.candidates.statistics[begin:end, 1].min()
            assert np.allclose(scaled[begin:end], shortest * plain[begin:end])


def test_gains_by_length_need_a_metric_like_bleu():
    pool = problem(4)
    lists = pool.candidates.with_statistics(np.ones((len(pool), Ter().width)))
    with pytest.raises(ConfigError, match="by_length is for metrics that are like BLEU"):
        ExpectedGain(by_length="reference").prepare(ListPool(lists), Ter(), 1)


def test_a_state_resumes_to_the_same_bytes_wherever_it_is_saved():
    """Weights that are put off are saved as they are: bringing them up to date would round otherwise."""
    pool = problem(6)
    optimizer, penalty, start = AdaGrad(rate=0.1), L1(0.01), np.linspace(-1, 1, pool.columns)
    objectives = [objective_of(pool.only(each)) for each in batches(pool, 1, 3)]
    whole = learner_of(optimizer, penalty, start)
    cut = learner_of(optimizer, penalty, start)
    for objective in objectives:
        whole.learn(Batch(objective, EVERY, pool.columns))
        cut.learn(Batch(objective, EVERY, pool.columns))
        cut = optimizer.open(penalty, Limits.none(pool.columns), cut.state())
    assert cut.weights().tobytes() == whole.weights().tobytes()
    assert cut.average()[0].tobytes() == whole.average()[0].tobytes()


@pytest.mark.parametrize("penalty", [L1(0.3), ElasticNet(0.05, 0.2)])
@pytest.mark.parametrize("resumed", [0, 1, 3])
def test_changes_are_what_a_decoder_lacks(penalty, resumed):
    """And asking for them changes nothing: a learner that nobody asks ends with the same bytes.

    A decoder has all weights when a learner is opened, also those that die in the first step after that.
    resumed: batches after which the learner is opened again.
    """
    pool, optimizer, start = problem(7), AdaGrad(rate=0.1), np.linspace(-1, 1, problem(7).columns)
    learner, alone = (learner_of(optimizer, penalty, start) for _ in range(2))
    known, died = start.copy(), 0
    for at, chosen in enumerate(batches(pool, 1, 2)):
        if resumed and at % resumed == 0:
            learner = optimizer.open(penalty, Limits.none(pool.columns), learner.state())
        batch = Batch(objective_of(pool.only(chosen)), EVERY, pool.columns)
        before = learner.weights()
        learner.learn(batch)
        alone.learn(batch)
        ids, values = learner.changed()
        known[ids] = values
        died += np.count_nonzero((before != 0) & (learner.weights() == 0))
        assert known.tobytes() == (learner.weights() + 0.0).tobytes()
        assert not len(learner.changed()[0])
    assert died or not isinstance(penalty, L1)
    assert learner.weights().tobytes() == alone.weights().tobytes()
    assert learner.average()[0].tobytes() == alone.average()[0].tobytes()


def test_a_batch_without_anything_to_learn_is_the_penalty_alone():
    learner = learner_of(AdaGrad(rate=0.1, epsilon=1.0), L1(0.5), np.array([1.0, -0.01, 0.0]))
    learner.learn(Batch(None, EVERY, 3))
    assert np.allclose(learner.weights(), [0.95, 0.0, 0.0])


def test_features_of_too_few_sentences_stay_where_they_are():
    """Sentences are counted once an epoch, however many candidates have the feature."""
    matrix = np.array([[1.0, 1.0, 0], [0, 0, 0], [2.0, 0, 1.0], [0, 0, 0.5]])
    statistics = np.array([[4, 4, 3, 2, 1, 1, 4, 3, 2, 1], [4, 4, 1, 0, 0, 0, 4, 3, 2, 1]] * 2)
    pool = ListPool(CandidateSet.from_matrix(matrix, [0, 2, 4], statistics=statistics))
    learner = learner_of(AdaGrad(min_sentences=2), None, np.zeros(3))
    for at in (0, 1):
        learner.learn(Batch(objective_of(pool.only([at])), EVERY, 3))
    first = learner.weights()
    assert first[0] != 0
    assert first[1] == first[2] == 0
    learner.begin_epoch()
    learner.learn(Batch(objective_of(pool.only([0])), EVERY, 3))
    assert learner.weights()[0] != first[0]
    assert learner.weights()[1] == 0


def test_weights_grow_with_the_features():
    pool = problem(8)
    learner = learner_of(AdaGrad(rate=0.1), L1(0.01), np.ones(pool.columns))
    objective = ExpectedGain().prepare(pool, Bleu(), 1)
    learner.learn(Batch(objective, EVERY, pool.columns))
    before = learner.weights()
    learner.grow(pool.columns + 3, Limits.none(pool.columns + 3))
    assert learner.weights().tobytes() == np.concatenate([before, np.zeros(3)]).tobytes()
    learner.learn(Batch(objective, EVERY, pool.columns + 3))  # lists that were made before
    assert not learner.weights()[-3:].any()


def test_a_gradient_that_is_no_number_changes_nothing():
    learner = learner_of(AdaGrad(), None, np.ones(2))
    with pytest.raises(ValueError, match="the gradient is not finite"):
        learner._native.dense_step(np.array([1.0, np.nan]))
    assert learner.weights().tolist() == [1.0, 1.0]


def test_a_penalty_that_ties_weights_is_refused():
    with pytest.raises(ConfigError, match=r"AdaGrad cannot work with Oscar: it needs .*shrinkage\(\)"):
        Tuner(ExpectedGain(), AdaGrad(), Oscar())


@pytest.mark.parametrize("settings", [{"rate": 0.0}, {"epsilon": 0.0}, {"min_sentences": 0}])
def test_settings_that_cannot_work_are_refused(settings):
    with pytest.raises(ConfigError):
        AdaGrad(**settings)
