"""Our tuners on lists made by Moses (../shared/reference/tune), against what Moses' own tools reached there."""

import json

import numpy as np
import pytest

from tunesmith.metrics import Bleu
from tunesmith.search import merge, read_moses_run
from tunesmith.tuning import recipes
from tunesmith.tuning.losses.corpus_error import ErrorOfLists
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.regularizers import L2


@pytest.fixture(scope="module")
def reference(shared):
    folder = shared / "reference" / "tune"
    if not folder.is_dir():
        pytest.skip("needs the lists in ../shared/reference/tune, which are not here")
    recorded = json.loads((folder / "results.json").read_text())["results"]
    runs = [(folder / f"run{i}.features.dat.gz", folder / f"run{i}.scores.dat.gz") for i in range(1, 6)]
    lists = merge([read_moses_run(*run) for run in runs])
    weights = {
        tool: np.array([result["weights"][name] for name in lists.features]) for tool, result in recorded.items()
    }
    return lists, weights, {tool: result["list_bleu"] for tool, result in recorded.items()}


def test_weights_of_moses_have_the_recorded_list_bleu(reference):
    lists, weights, recorded = reference
    objective = ErrorOfLists(ListPool(lists), Bleu())
    for tool, bleu in recorded.items():
        assert -objective.value(weights[tool]) == pytest.approx(bleu, abs=6e-3)


@pytest.mark.parametrize(
    ("recipe", "seeds", "tool", "below"),
    [
        (recipes.mira(), (1, 2, 3), "kbmira", 0.0),
        (recipes.pro(), (1, 2, 3), "pro", 0.2),
        (recipes.pro(plain=True), (1, 2, 3), "pro", 0.2),
        # Moses has no tool for these: they reach what its other tools do.
        (recipes.risk(), (1,), "pro", 0.0),
        (recipes.risk(plain=True), (1,), "pro", 0.2),
        (recipes.svm(), (1,), "pro", 0.2),
        (recipes.ramp(), (1,), "kbmira", 0.2),
        # Three seeds of the whole search are in benchmarks/speed_tuning.py; this is a quarter of one.
        (recipes.mert().with_settings("restarts=5"), (1,), "kbmira", 0.0),
    ],
    ids=lambda value: getattr(value, "name", None),
)
def test_recipes_reach_what_moses_reached(reference, recipe, seeds, tool, below):
    lists, weights, recorded = reference
    scores = []
    for seed in seeds:
        objective = recipe.loss.prepare(ListPool(lists), recipe.metric, seed)
        fitted = recipe.optimizer.minimize(objective, recipe.regularizer, weights["start"], seed=seed)
        scores.append(-ErrorOfLists(ListPool(lists), Bleu()).value(fitted.weights))
    assert np.mean(scores) >= recorded[tool] - below


def test_a_weak_penalty_of_svm_is_solved_to_its_tolerance(reference):
    lists, weights, _ = reference
    recipe = recipes.svm()
    objective = recipe.loss.prepare(ListPool(lists), recipe.metric, 1)
    fitted = recipe.optimizer.minimize(objective, L2(1e-4), weights["start"], seed=1)
    stronger = recipe.optimizer.minimize(objective, L2(1.0), weights["start"], seed=1)
    assert fitted.details["gap"] <= 1e-3 * fitted.value
    assert fitted.value < stronger.value
    assert fitted.details["steps"] < 10 * stronger.details["steps"]
