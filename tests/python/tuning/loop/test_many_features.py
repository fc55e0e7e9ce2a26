"""Recipes for any number of features, with a million of them."""

import numpy as np
import pytest
import scipy.sparse
from support.lists.tuning_lists import random_lists

from tunesmith.search import CandidateSet
from tunesmith.tuning import recipes
from tunesmith.tuning.pools.lists import ListPool

MILLION = 1_000_000
RECIPES = [
    recipes.mira(),
    recipes.pro().with_settings("iterations=10"),
    recipes.l1().with_settings("penalised=*,passes=3"),
    recipes.risk().with_settings("iterations=10"),
    recipes.risk(plain=True).with_settings("restarts=0"),
    recipes.svm(),
    recipes.ramp(),
]


@pytest.fixture(scope="module")
def lists():
    """Forty features of a few hundred candidates, as they are and scattered over a million columns."""
    dense, offsets, statistics = random_lists(1, sentences=40, longest=20, features=0, sparse=40)
    quality = statistics[:, 2:6].sum(axis=1)
    dense[:, 7] += quality / quality.max()
    columns = np.sort(np.random.default_rng(1).choice(MILLION, size=40, replace=False))
    narrow = scipy.sparse.csr_matrix(dense)
    wide = scipy.sparse.csr_matrix((narrow.data, columns[narrow.indices], narrow.indptr), (len(dense), MILLION))
    return [CandidateSet.from_matrix(each, offsets, statistics=statistics) for each in (narrow, wide)], columns


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_million_columns_give_the_weights_of_those_that_are_used(lists, recipe):
    """Features that no candidate has take no part: the same weights as without them."""
    (narrow, wide), columns = lists
    weights = []
    for each in (narrow, wide):
        objective = recipe.loss.prepare(ListPool(each), recipe.metric, 1)
        fitted = recipe.optimizer.minimize(objective, recipe.regularizer, np.zeros(each.columns), seed=1)
        weights.append(fitted.weights)
    assert weights[1].shape == (MILLION,)
    unused = np.delete(weights[1], columns)
    assert not unused.any()
    assert np.allclose(weights[1][columns], weights[0], rtol=1e-6, atol=1e-6 * np.abs(weights[0]).max())
    assert np.count_nonzero(weights[0]) > 20
