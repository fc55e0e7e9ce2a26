"""Graphs that stay on disk: one block of them is in memory, never two."""

import sys

import numpy as np
import pytest
from support.lists.graph_pools import forest_pool

from tunesmith.metrics import Bleu
from tunesmith.tuning import recipes
from tunesmith.tuning.pools import graphs as graph_pools
from tunesmith.tuning.pools.graph_expectation import ExpectedGainOfGraphs
from tunesmith.tuning.pools.graph_updates import Preparing
from tunesmith.tuning.pools.graphs import GraphPool

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
SETTINGS = {"lattice-mert": "restarts=1", "lattice-mira": "passes=3", "forest-risk": "iterations=3"}
HELD_BY_THE_TEST = 3  # by a list, a variable and an argument


def watched(monkeypatch, target, method, parts, blocks, most=0):
    """Check at every call that nobody else holds more than `most` of what the call before made."""
    original, last = getattr(target, method), []

    def call(*given):
        assert sum(sys.getrefcount(each) > HELD_BY_THE_TEST for each in last) <= most
        made = original(*given)
        last[:] = parts(made)
        blocks.append(len(last))
        return made

    monkeypatch.setattr(target, method, call)


@pytest.mark.parametrize("what", ["graphs", "what is made of them"])
@pytest.mark.parametrize("name", SETTINGS)
def test_a_block_is_given_up_before_the_next_is_read(name, what, tmp_path, monkeypatch):
    """All but the last graph of it, which a loop still names."""
    pool = forest_pool()
    pool.save(tmp_path / "pool")
    monkeypatch.setattr(graph_pools, "IN_MEMORY", 0)
    monkeypatch.setattr(graph_pools, "BLOCK", 3)
    stored = GraphPool.load(tmp_path / "pool", pool.model)._with(measuring=pool._measuring)
    recipe, sizes = recipes.get(name).with_settings(SETTINGS[name]), []
    objective = recipe.loss.prepare(stored, Bleu(), seed=1)
    if what == "graphs":
        watched(monkeypatch, GraphPool, "some", lambda graphs: [graph.core for graph in graphs], sizes, 1)
    else:  # these hold their graphs, and this test holds them
        watched(monkeypatch, Preparing, "native", lambda made: [made], sizes)
        watched(monkeypatch, ExpectedGainOfGraphs, "_made", lambda made: [made], sizes)
    recipe.optimizer.minimize(objective, recipe.regularizer, np.full(2, 0.3), seed=1)
    made = name != "lattice-mert" or what == "graphs"
    assert (len(sizes) > 3, max(sizes, default=0)) == (made, 3 * (what == "graphs") or int(made))
