"""Lists of a search graph against the enumeration of all derivations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import search_graph as twin
from support.lists.search_graphs import graphs, patient, quarters, scored_graphs

from tunesmith.search import SearchGraph


@patient
@given(scored_graphs(), st.integers(0, 300))
def test_k_best_is_the_beginning_of_all_derivations_in_order(scored, k):
    graph, scores = scored
    expected = twin.derivations(graph, scores)
    found = graph.k_best(scores, k)
    assert [(d.score, tuple(d.edges), tuple(d.words)) for d in found] == [
        (d.score, d.edges, d.words) for d in expected[:k]
    ]
    assert not found.cut
    best = graph.best(scores)
    assert (best.score, tuple(best.edges)) == (expected[0].score, expected[0].edges)
    assert twin.k_best(graph, scores, k) == [d.score for d in expected[:k]]


@patient
@given(scored_graphs(), st.integers(1, 30))
def test_distinct_k_best_has_the_best_derivation_of_each_string(scored, k):
    graph, scores = scored
    best = {}
    for d in twin.derivations(graph, scores):
        best.setdefault(d.words, d.score)
    found = graph.k_best(scores, k, distinct=True)
    assert [d.score for d in found] == sorted(best.values(), reverse=True)[:k]
    assert len({tuple(d.words) for d in found}) == len(found)
    assert all(best[tuple(d.words)] == d.score for d in found)
    assert not found.cut
    assert graph.k_best(scores, 10**6, distinct=True).cut is False


def test_a_list_says_where_the_bound_on_repeated_strings_cut_it():
    # Two edges with the same word: one string, two derivations.
    graph = SearchGraph.from_arrays(
        node_edges=[0, 3], tail_offsets=[0] * 4, symbol_offsets=[0, 1, 2, 3], symbols=[1, 1, 2],
        edge_application=[0, 0, 0], application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    scores = [3.0, 2.0, 1.0]
    assert [d.score for d in graph.k_best(scores, 9)] == scores
    whole = graph.k_best(scores, 9, distinct=True, max_skipped=1)
    assert ([d.score for d in whole], whole.cut) == ([3.0, 1.0], False)
    cut = graph.k_best(scores, 9, distinct=True, max_skipped=0)
    assert ([d.score for d in cut], cut.cut) == ([3.0], True)


@patient
@given(
    graphs(),
    st.lists(quarters, min_size=4, max_size=4),
    st.lists(quarters, min_size=6, max_size=6),
    st.integers(1, 9),
)
def test_scores_are_weights_times_features_of_the_derivation(graph, local, weights, k):
    scores = graph.edge_scores(local, weights)
    found = graph.k_best(scores, k)
    applications, rules = found.application_counts(), found.rule_counts()
    dense, sparse = found.dense_sums(), found.sparse_sums()
    for i, derivation in enumerate(found):
        used, sums = twin.features(graph, derivation.edges.tolist())
        assert applications.row(i) == dict(sorted(used.items()))
        rule_of = graph.core.application_rules
        assert sum(rules.row(i).values()) == len(derivation.edges)
        assert all(
            rules.row(i)[rule] == sum(n for a, n in used.items() if rule_of[a] == rule) for rule in rules.row(i)
        )
        assert dense[i].tolist() == [sums[3], sums[1]]
        assert sparse.row(i) == {id: value for id, value in sorted(sums.items()) if id >= 4}
        score = sum(local[a] * n for a, n in used.items())
        score += sum(weights[id] * value for id, value in sums.items() if id < len(weights))
        assert derivation.score == pytest.approx(score, abs=1e-9)
        positions, at = found.positions(i), 0
        symbols, offsets = graph.core.symbols, graph.core.symbol_offsets
        for edge in derivation.edges.tolist():
            for symbol in symbols[offsets[edge] : offsets[edge + 1]]:
                assert symbol < 0 or derivation.words[positions[at]] == symbol
                at += 1
        assert at == len(positions)


def test_a_list_of_another_graph_is_refused():
    small = SearchGraph.from_arrays(
        node_edges=[0, 1], tail_offsets=[0, 0], symbol_offsets=[0, 0], edge_application=[0],
        application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    large = SearchGraph.from_arrays(
        node_edges=[0, 2], tail_offsets=[0, 0, 0], symbol_offsets=[0, 0, 0], edge_application=[0, 0],
        application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    found = large.k_best([1.0, 2.0])
    for method in (
        small.core.rule_counts,
        small.core.dense_sums,
        small.core.sparse_sums,
        small.core.application_counts,
    ):
        with pytest.raises(ValueError, match="not a derivation"):
            method(found.core)
    with pytest.raises(ValueError, match="not a derivation"):
        small.core.symbol_positions(np.array([7], dtype=np.uint32))
