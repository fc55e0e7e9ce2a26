"""OSCAR learnt in shards: near the minimum that batch OSCAR proves, with exact groups, whoever does the shards."""

import numpy as np
import pytest
from reference import tuning as slow
from support.lists.elsewhere import Elsewhere
from support.lists.random_differences import random_differences

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers import Consensus, ParameterMixing, ShardedFobos
from tunesmith.tuning.optimizers.batch_oscar import batch_oscar
from tunesmith.tuning.optimizers.oscar_problem import OscarProblem
from tunesmith.tuning.regularizers import Oscar
from tunesmith.tuning.sums.terms import Answer

PENALTY = Oscar(l1=1e-3, l2=1e-4)


class Given:
    """An objective of these pairs."""

    def __init__(self, data: Differences) -> None:
        self.data, self.columns = data, data.columns

    def pairs(self, columns, *, threads=1):
        return self.data


@pytest.fixture(scope="module")
def data():
    return random_differences(8, pairs=1500, features=120, dense=2, noise=1.0)


@pytest.fixture(scope="module")
def least(data):
    return batch_oscar(data, np.zeros(data.columns), l1=PENALTY.l1, l2=PENALTY.l2, tolerance=1e-4)


def learnt(learner, data, executor=None, threads=1):
    limits = Limits.penalising(np.isin(np.arange(data.columns), data.unpenalised, invert=True))
    return learner.minimize(
        Given(data), PENALTY, np.zeros(data.columns), limits=limits, threads=threads, executor=executor
    )


def test_consensus_reaches_the_minimum(data, least):
    found = learnt(Consensus(shards=4, tolerance=5e-4, rounds=500), data)
    assert found.value == pytest.approx(
        data.hinge(found.weights) + slow.oscar(np.delete(found.weights, data.unpenalised), PENALTY.l1, PENALTY.l2)
    )
    assert 0 <= found.value - least.lower_bound < 1e-3
    assert found.value - least.objective < 1e-3 * least.objective
    assert found.details["gap"] <= 5e-4 * found.value
    assert found.details["rounds"] < 500


def magnitudes(data, found):
    """How many weights are not 0, and how many different magnitudes they have."""
    penalised = np.abs(np.delete(found.weights, data.unpenalised))
    active = penalised[penalised != 0]
    return len(active), len(np.unique(active))


def test_mini_batches_come_near_with_groups_and_zeros(data, least):
    """Gradients are mixed, and the proximal point follows: as few magnitudes as the minimum has, and zeros."""
    found = learnt(ShardedFobos(shards=4, batch=25, passes=10), data)
    assert found.value - least.objective < 0.01 * least.objective
    active, different = magnitudes(data, found)
    at_least, _ = magnitudes(data, least)
    assert different < 0.7 * active
    assert active <= 1.1 * at_least
    signed = np.delete(found.weights, data.unpenalised)
    assert found.groups.size == len(np.unique(signed[signed != 0])) + len(data.unpenalised)
    plain = learnt(ShardedFobos(shards=4, batch=25, passes=10, dual_averaging=False), data)
    assert plain.value - least.objective < 0.01 * least.objective


def test_mixed_weights_have_no_groups_and_no_zeros(data, least):
    found = learnt(ParameterMixing(shards=4, passes=5), data)
    assert magnitudes(data, found) == (120, 120)
    assert found.value - least.objective > 0.02 * least.objective


@pytest.mark.parametrize(
    "learner",
    [
        Consensus(shards=3, rounds=4, rho=4.0),
        ShardedFobos(shards=3, passes=1),
        ParameterMixing(shards=3, passes=1),
    ],
)
def test_the_same_bytes_elsewhere_and_with_more_threads(learner, data):
    here, there = learnt(learner, data), Elsewhere()
    for found in (learnt(learner, data, there), learnt(learner, data, threads=3)):
        assert found.weights.tobytes() == here.weights.tobytes()
        assert (found.groups.groups == here.groups.groups).all()
    assert there.blocks >= 3


def test_the_multipliers_of_consensus_bound_the_objective(data, least):
    """Any multipliers between 0 and 1 do: the bound holds for random ones."""
    problem = OscarProblem(data, PENALTY.l1, PENALTY.l2, None)
    for seed in range(5):
        alphas = np.random.default_rng(seed).random(len(data)) ** 4
        sums = problem.summing.terms.combine(alphas, 0, 1)
        bound = problem.dual_value(Answer(np.array([alphas.sum()]), sums), problem.start(least.weights))
        assert bound <= least.objective


def test_what_does_not_fit_is_refused(data):
    with pytest.raises(ConfigError, match="shards must be at least 1"):
        Consensus(shards=0)
    with pytest.raises(ConfigError, match="cannot do without a penalty"):
        ShardedFobos().minimize(Given(data), None, np.zeros(data.columns))
    free = Limits.penalising(np.ones(data.columns, dtype=bool))
    bounded = Limits(np.zeros(data.columns), free.upper, free.factors)
    with pytest.raises(ConfigError, match="keeps no bounds"):
        ShardedFobos().check(None, PENALTY, bounded)
