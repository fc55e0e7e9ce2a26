"""Sums over the derivations of a search graph against their enumeration, and sums beyond all numbers."""

import math

import numpy as np
import pytest
from hypothesis import given
from reference import search_graph as twin
from support.lists.search_graphs import doubling, patient, scored_graphs

from tunesmith import FormatError
from tunesmith.search import SearchGraph


@patient
@given(scored_graphs())
def test_sums_over_derivations(scored):
    graph, scores = scored
    everything = twin.derivations(graph, scores)
    total = sum(math.exp(d.score) for d in everything)
    assert graph.counts()[-1] == len(everything)
    assert graph.counts(log=True)[-1] == pytest.approx(math.log(len(everything)))
    assert graph.inside(scores)[-1] == pytest.approx(math.log(total))
    expected = np.zeros(graph.edges)
    best = np.full(graph.edges, -np.inf)
    for d in everything:
        for edge in d.edges:
            expected[edge] += math.exp(d.score) / total
            best[edge] = max(best[edge], d.score)
    assert graph.posteriors(scores) == pytest.approx(expected)
    assert graph.max_marginals(scores).tolist() == best.tolist()
    inside, uses = twin.posteriors(graph, scores)
    assert graph.inside(scores) == pytest.approx(inside)
    assert graph.posteriors(scores) == pytest.approx(uses)


@patient
@given(scored_graphs())
def test_expected_features_are_the_gradient_of_log_z(scored):
    graph, scores = scored
    moments = graph.expectations(scores)
    weights = np.zeros(7)
    log_z = lambda: graph.inside(np.array(scores) + graph.edge_scores(np.zeros(4), weights))[-1]  # noqa: E731
    gradient = np.zeros(7)
    gradient[graph.core.dense_ids] = moments.dense
    gradient[moments.sparse_ids] += moments.sparse_values
    step = 1e-4
    for id in range(7):
        weights[id] = step
        above = log_z()
        weights[id] = -step
        assert gradient[id] == pytest.approx((above - log_z()) / (2 * step), abs=1e-5)
        weights[id] = 0
    uses = np.bincount(graph.core.edge_application, weights=graph.posteriors(scores), minlength=4)
    assert moments.applications == pytest.approx(uses)


def test_large_counts_and_scores_stay_in_range():
    # Each node joins its predecessor with itself, by two edges: 2^(2^n - 1) derivations.
    nodes = 20
    tails = [[], []] + [[n - 1, n - 1] for n in range(1, nodes) for _ in range(2)]
    graph = SearchGraph.from_arrays(
        node_edges=range(0, 2 * nodes + 1, 2),
        tails=[tail for edge in tails for tail in edge], tail_offsets=np.cumsum([0, *map(len, tails)]),
        symbols=[-1 - i for edge in tails for i in range(len(edge))],
        symbol_offsets=np.cumsum([0, *map(len, tails)]), edge_application=[0] * 2 * nodes,
        application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    assert graph.counts()[-1] == math.inf
    assert graph.counts(log=True)[-1] == pytest.approx((2**nodes - 1) * math.log(2))
    assert graph.inside(np.zeros(graph.edges))[-1] == pytest.approx((2**nodes - 1) * math.log(2))
    assert graph.posteriors(np.full(graph.edges, 700.0))[-1] == pytest.approx(0.5)
    with pytest.raises(FormatError, match="more than 262144 edges"):
        graph.best(np.zeros(graph.edges))


@pytest.mark.parametrize(
    "ask",
    [
        lambda graph, scores: graph.inside(scores),
        lambda graph, scores: graph.posteriors(scores),
        lambda graph, scores: graph.max_marginals(scores),
        lambda graph, scores: graph.expectations(scores),
        lambda graph, scores: graph.prune(scores, 1.0),
        lambda graph, scores: graph.prune_to_size(scores, 3),
        lambda graph, scores: graph.k_best(scores, 5),
        lambda graph, scores: graph.oracle(scores, ["a"], lambda _: "a"),
    ],
)
def test_sums_beyond_all_numbers_are_refused(ask):
    """They would be infinite or NaN, and what is sorted by them in no order at all."""
    deep = doubling(1200)
    with pytest.raises(FormatError, match="more than a number can hold"):
        ask(deep, np.zeros(deep.edges))
    small = doubling(3)
    for scores in (np.full(small.edges, 1e308), np.resize([-1.7e308, 1.7e308], small.edges)):
        with pytest.raises(FormatError, match="more than a number can hold"):
            ask(small, scores)
    ask(small, np.resize([-1e300, 1e300], small.edges))


def test_counts_beyond_all_numbers_are_infinite():
    counts, logs = doubling(1200).counts(), doubling(1200).counts(log=True)
    assert counts[-1] == logs[-1] == math.inf
    assert not np.isnan(counts).any()
    assert not np.isnan(logs).any()
    assert logs[3] == pytest.approx(math.log(counts[3]))
