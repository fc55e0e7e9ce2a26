"""Kept derivations that the search of a round does not choose."""

import numpy as np
import pytest

from tunesmith import _core
from tunesmith.search import SearchGraph


def graph_of(values):
    """One edge to the goal for each value of the one feature; the word of an edge is its number."""
    count = len(values)
    return SearchGraph.from_arrays(
        node_edges=[0, count],
        tail_offsets=[0] * (count + 1),
        symbol_offsets=range(count + 1),
        symbols=range(count),
        edge_application=[0] * count,
        sparse_offsets=range(count + 1),
        sparse_ids=[0] * count,
        sparse_values=values,
        application_rules=[2**32 - 1],
        application_begins=[0],
        application_ends=[0],
        vocabulary=count,
    )


@pytest.mark.parametrize("weight", [1.0, -1.0])
def test_what_is_kept_is_left_out_where_it_scores_above_the_best_of_the_graph(weight):
    values = np.array([1.0, 3.0, 2.0, 4.0, 3.0, 0.5, 5.0])  # the last four are kept
    graph = graph_of(values)
    found, kept = _core.without_unreached(graph.core, 4, weight * values)
    best = (weight * values[:3]).max()
    expected = [at for at in range(7) if at < 3 or weight * values[at] <= best]
    assert SearchGraph(found).arrays["symbols"].tolist() == expected
    assert SearchGraph(found).arrays["sparse_values"].tolist() == values[expected].tolist()
    assert kept == len(expected) - 3


def test_all_are_left_where_the_graph_has_nothing_else():
    values = np.array([1.0, 2.0])
    found, kept = _core.without_unreached(graph_of(values).core, 2, values)
    assert kept == 2
    assert SearchGraph(found).arrays["symbols"].tolist() == [0, 1]


def test_more_kept_than_edges_and_other_scores_are_refused():
    with pytest.raises(ValueError, match="keeps more derivations"):
        _core.without_unreached(graph_of([1.0]).core, 2, np.ones(1))
    with pytest.raises(ValueError, match="one score for each edge"):
        _core.without_unreached(graph_of([1.0]).core, 1, np.ones(2))
