"""OSCAR, L1 and cumulative L1 online: the steps of Fobos, batch by batch."""

import numpy as np
import pytest
from support.lists.tuning_lists import random_lists
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.tuning import KBestSource, OnlineRounds, Tuner, recipes
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses import PairwiseRanking
from tunesmith.tuning.optimizers import AdaGrad, OnlineFobos
from tunesmith.tuning.optimizers.online import Batch
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.regularizers import L1, CumulativeL1, Oscar

LOSS = PairwiseRanking(pairs=60, keep=8, min_gain=0.01)
PENALTIES = [Oscar(l1=1e-3, l2=2e-3), L1(0.01), CumulativeL1(0.05)]
LINES, REFERENCES = toy_data(sentences=10)


def pool_of(seed):
    matrix, offsets, statistics = random_lists(seed, sentences=6, sparse=6)
    return ListPool(CandidateSet.from_matrix(matrix, offsets, statistics=statistics))


def limits_of(columns, free=3):
    factors = np.ones(columns)
    factors[:free] = 0
    return Limits(np.full(columns, -np.inf), np.full(columns, np.inf), factors)


def batches(seeds=(1, 2, 3)):
    for seed in seeds:
        pool = pool_of(seed)
        yield Batch(LOSS.prepare(pool, Bleu(), seed), np.arange(6, dtype=np.uint32), pool.columns)


def slow_steps(penalty, optimizer, given, w):
    """One pair after the other over dense arrays, all weights at every step: weights after each."""
    penalised, t, total, got = np.arange(3, len(w)), 0, 0.0, np.zeros(len(w))
    trail = []
    for batch in given:
        found = batch.objective
        matrix = found.candidates.rows().toarray().astype(np.float32).astype(float)
        exact = found.candidates.rows().toarray()
        order = _core.shuffled(len(found), t, 0)
        for pair in order.tolist():
            t += 1
            x = matrix[found.better[pair]] - matrix[found.worse[pair]]
            x[penalised] = x[penalised].astype(np.float32)
            x[:3] = (exact[found.better[pair]] - exact[found.worse[pair]])[:3]
            step = optimizer.rate / (optimizer.delay + t)
            w = w + step * x * (1 - x @ w > 0)
            if isinstance(penalty, CumulativeL1):
                total += penalty.strength * step
                before = w.copy()
                w[penalised] = np.where(
                    before[penalised] > 0,
                    np.maximum(0, before[penalised] - (total + got[penalised])),
                    np.minimum(0, before[penalised] + (total - got[penalised])),
                )
                got += w - before
            else:
                after = optimizer.rate / (optimizer.delay + t + 1)
                w[penalised] = penalty.prox(w[penalised], after)
            trail.append(w)
    return trail


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda each: type(each).__name__)
def test_batches_are_the_steps_of_a_slow_loop(penalty):
    optimizer, given = OnlineFobos(rate=0.5, delay=10.0), list(batches())
    columns = given[0].columns
    start = np.random.default_rng(1).normal(size=columns)
    learner = optimizer.open(penalty, limits_of(columns), optimizer.first(start))
    for batch in given:
        learner.learn(batch)
    trail = slow_steps(penalty, optimizer, given, start)
    assert np.allclose(learner.weights(), trail[-1], atol=1e-6)  # differences are of single precision
    average, steps = learner.average()
    assert steps == len(trail)
    assert np.allclose(average, np.mean(trail, axis=0), atol=1e-6)


@pytest.mark.parametrize("penalty", PENALTIES, ids=lambda each: type(each).__name__)
def test_a_state_resumes_to_the_same_bytes_after_any_batch(penalty):
    optimizer, given = OnlineFobos(), list(batches((1, 2, 3, 4)))
    columns = given[0].columns
    start = optimizer.first(np.random.default_rng(1).normal(size=columns))
    whole = optimizer.open(penalty, limits_of(columns), start)
    cut = optimizer.open(penalty, limits_of(columns), start)
    for batch in given:
        whole.learn(batch)
        cut.learn(batch)
        cut = optimizer.open(penalty, limits_of(columns), cut.state())
    assert cut.weights().tobytes() == whole.weights().tobytes()
    assert cut.average()[0].tobytes() == whole.average()[0].tobytes()


def test_changes_are_what_a_decoder_lacks():
    optimizer, [batch, *_] = OnlineFobos(), batches()
    start = np.random.default_rng(1).normal(size=batch.columns)
    learner = optimizer.open(PENALTIES[0], limits_of(batch.columns), optimizer.first(start))
    learner.learn(batch)
    ids, values = learner.changed()
    known = start.copy()
    known[ids] = values
    assert known.tobytes() == learner.weights().tobytes()
    assert not len(learner.changed()[0])


def test_features_that_become_known_later_are_penalised_too():
    optimizer, [batch, *_] = OnlineFobos(), batches()
    learner = optimizer.open(PENALTIES[2], limits_of(batch.columns), optimizer.first(np.ones(batch.columns)))
    learner.grow(batch.columns + 5, limits_of(batch.columns + 5))
    learner.learn(batch)
    weights = learner.weights()
    weights[-1] = 0.2
    learner.set_weights(weights)
    learner.learn(batch)
    assert 0 < learner.weights()[-1] < 0.2
    assert learner.weights().shape == learner.average()[0].shape == (batch.columns + 5,)


def test_oscar_ties_weights_online():
    recipe = recipes.get("online-pro", rounds=3, batch=4).with_regularizer("oscar:l1=1e-3,l2=0.05")
    assert recipe.optimizer == OnlineFobos()
    tuner = recipe.fit(KBestSource(ToyDecoder(features=8), LINES, REFERENCES, k=8, start=[0.1] * 8))
    sizes = np.abs(tuner.weights_.array)
    assert tuner.history_.best.score > tuner.history_[0].score
    assert len(np.unique(sizes.round(12))) < np.count_nonzero(sizes) + 1


@pytest.mark.parametrize(
    ("text", "optimizer"),
    [("l1:strength=0.1", AdaGrad), ("l2:strength=0.1", AdaGrad), ("elastic_net", AdaGrad),
     ("cumulative_l1:strength=0.001", OnlineFobos), ("oscar:l1=1e-4,l2=1e-6", OnlineFobos)],
)  # fmt: skip
def test_regularizers_by_name(text, optimizer):
    recipe = recipes.get("online-pro", rounds=1).with_regularizer(text)
    assert isinstance(recipe.optimizer, optimizer)
    assert recipe.fit(KBestSource(ToyDecoder(), LINES, REFERENCES, k=8, start=[0.1] * 3)).history_


@pytest.mark.parametrize("name", ["expected-bleu", "online-mira", "mixed-mira"])
@pytest.mark.parametrize("penalty", ["oscar", "cumulative_l1"])
def test_others_say_at_once_that_they_do_not(name, penalty):
    with pytest.raises(ConfigError, match=r"cannot work with|takes no regularizer"):
        recipes.get(name).with_regularizer(penalty)


def test_settings_that_cannot_work_are_refused():
    for settings in ({"rate": 0.0}, {"delay": -1.0}, {"dense": "no"}, {"rate": float("inf")}):
        with pytest.raises(ConfigError):
            OnlineFobos(**settings)
    bounded = Limits(np.zeros(3), np.ones(3), np.ones(3))
    with pytest.raises(ConfigError, match="keeps no bounds"):
        OnlineFobos().open(None, bounded, OnlineFobos().first(np.zeros(3)))
    with pytest.raises(ConfigError, match="plan=OnlineRounds"):
        Tuner(LOSS, OnlineFobos(), Oscar()).fit(KBestSource(ToyDecoder(), LINES, REFERENCES, start=[0.1] * 3))
    assert Tuner(LOSS, OnlineFobos(), Oscar(), plan=OnlineRounds(rounds=1))
