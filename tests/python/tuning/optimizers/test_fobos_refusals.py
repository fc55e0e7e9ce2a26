"""What the online learner refuses: settings, strengths, weights, pairs and limits."""

from dataclasses import replace

import numpy as np
import pytest
from support.lists.pair_streams import RULES, ranked_pairs

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits, limits_of
from tunesmith.tuning.losses import PairwiseRanking
from tunesmith.tuning.losses.pairwise_ranking import RankedPairs
from tunesmith.tuning.optimizers import Fobos
from tunesmith.tuning.regularizers import L1, CumulativeL1, Oscar


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"passes": 0}, "passes must be at least 1, got 0"),
        ({"rate": 0.0}, "rate must be greater than 0, got 0"),
        ({"rate": float("inf")}, "rate must be a finite number, got inf"),
        ({"rate": float("nan")}, "rate must be greater than 0, got nan"),
        ({"delay": -1.0}, "delay must be at least 0, got -1"),
        ({"delay": float("inf")}, "delay must be a finite number, got inf"),
        ({"delay": "later"}, "delay must be a number of steps or pairs, got 'later'"),
        ({"iterate": "best"}, "iterate must be last or average or last_pass, got 'best'"),
        ({"start": "zero"}, "start must be weights or dense, got 'zero'"),
        ({"dense": "no"}, "dense must be learn or fixed, got 'no'"),
        ({"zeros": "some"}, "zeros must be none or group, got 'some'"),
    ],
)
def test_settings_that_cannot_be(settings, message):
    with pytest.raises(ConfigError, match=message):
        Fobos(**settings)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"l1": -1.0}, "l1 must be .* got -1"),
        ({"l2": float("nan")}, "l2 must be .* got nan"),
        ({"l2d": -0.1}, "l2d must be .* got -0.1"),
        ({"l2d": float("inf")}, "l2d must be .* got inf"),
        ({"dimension": 0}, "dimension must be at least 1, got 0"),
    ],
)
def test_strengths_that_cannot_be(settings, message):
    with pytest.raises(ConfigError, match=message):
        Oscar(**settings)


def test_a_dimension_below_the_number_of_features():
    objective = ranked_pairs()
    with pytest.raises(ConfigError, match="dimension = 39 is too small: 40 features"):
        Fobos().minimize(objective, Oscar(dimension=39), np.zeros(42), seed=1, limits=RULES)
    with pytest.raises(ConfigError, match="dimension = 3 is too small"):
        Fobos().learn(objective.pairs(np.arange(2, 42)), Oscar(l1=0.0, l2=0.0, dimension=3), np.zeros(42))


def test_start_weights_that_do_not_fit():
    objective = ranked_pairs()
    with pytest.raises(ConfigError, match="for 42 features"):
        Fobos().minimize(objective, Oscar(), np.zeros(41), seed=1, limits=RULES)
    with pytest.raises(ConfigError, match="finite"):
        Fobos().minimize(objective, Oscar(), np.full(42, np.nan), seed=1, limits=RULES)
    with pytest.raises(ConfigError, match="for 42 features"):
        Fobos(start="dense").learn(objective.pairs(np.arange(2, 42)), Oscar(l1=0.0, l2=0.0), np.zeros(4))


def test_no_pairs_and_tied_pairs():
    objective = ranked_pairs()
    nothing = np.empty(0, dtype=np.int64)
    with pytest.raises(ConfigError, match="no pairs to learn from"):
        Fobos().minimize(
            RankedPairs(objective.candidates, nothing, nothing), Oscar(), np.zeros(42), seed=1, limits=RULES
        )
    same = RankedPairs(objective.candidates, np.array([1, 2]), np.array([1, 2]))
    for regularizer in (Oscar(), L1(), CumulativeL1(), None):
        with pytest.raises(ConfigError, match="all pairs are tied"):
            Fobos().minimize(same, regularizer, np.zeros(42), seed=1, limits=RULES)


def test_a_seed_that_cannot_be():
    with pytest.raises(ConfigError, match=r"seed must be from 0 to \d+, got -1"):
        Fobos().minimize(ranked_pairs(), Oscar(), np.zeros(42), seed=-1, limits=RULES)


def test_features_that_are_not_there():
    objective = ranked_pairs()
    with pytest.raises(ConfigError, match="nothing to penalise"):
        limits_of(None, objective.candidates.features, np.zeros(42), ["word_pair:*"])
    limits = limits_of(None, objective.candidates.features, np.zeros(42), ["id:*"])
    np.testing.assert_array_equal(limits.factors, RULES.factors)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Limits.penalising(np.zeros(42, dtype=bool)), "no feature to penalise"),
        (replace(Limits.none(42), factors=np.full(42, 2.0)), "penalises features alike"),
        (replace(Limits.none(42), lower=np.zeros(42)), "keeps no bounds"),
    ],
)
def test_limits_that_it_cannot_keep(limits, message):
    with pytest.raises(ConfigError, match=message):
        Fobos().minimize(ranked_pairs(), Oscar(), np.zeros(42), limits=limits)
    with pytest.raises(ConfigError, match=message):
        Fobos().check(PairwiseRanking(), Oscar(), limits)
