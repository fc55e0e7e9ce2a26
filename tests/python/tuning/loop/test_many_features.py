"""Recipes for any number of features, with a million of them."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
from support.lists.tuning_lists import random_lists

from tunesmith.errors import ConfigError
from tunesmith.search import CandidateSet
from tunesmith.search.lists.support import sentence_support
from tunesmith.tuning import FileSource, Tuner, recipes
from tunesmith.tuning.pools.graphs import GraphPool
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


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_cut_off_by_sentences_equals_lists_without_rare_features(lists, recipe):
    """Of fixed lists; a feature with a start weight is not cut off."""
    (narrow, _), _ = lists
    least = int(np.median(sentence_support(narrow))) + 1
    kept = np.flatnonzero((sentence_support(narrow) >= least) | (np.arange(narrow.columns) == 3))
    assert 0 < len(kept) < narrow.columns
    names = [narrow.features.name(column) for column in kept]
    fewer = CandidateSet.from_matrix(
        narrow.rows()[:, kept], narrow.offsets, statistics=narrow.statistics, names=names
    )
    start = {"feature3": 0.1}
    cut = recipe.with_settings(f"min_sentences={least}").fit(FileSource(narrow), start=start)
    wanted = recipe.fit(FileSource(fewer), start=start)
    found = {name: value for name, value in cut.weights_.items() if value}
    assert found == pytest.approx({name: value for name, value in wanted.weights_.items() if value}, rel=1e-9)
    assert cut.history_[-1].details["admitted_features"] == len(kept)
    assert f"min_sentences:{least}" in str(cut.signature_)
    assert "min_sentences" not in str(wanted.signature_)


def test_a_cut_off_needs_lists():
    recipe = recipes.lattice_mira().with_settings("min_sentences=2")
    with pytest.raises(ConfigError, match=r"min_sentences needs a pool with .*project.*GraphPool has none"):
        recipe.plan.check(Tuner.from_recipe(recipe).parts, {"dev": SimpleNamespace(pool=GraphPool)})
    with pytest.raises(ConfigError, match=r"min_sentences must be at least 1, got 0"):
        recipes.mira().with_settings("min_sentences=0")
