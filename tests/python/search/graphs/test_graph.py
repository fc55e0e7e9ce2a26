"""Search graphs as objects: their arguments, arrays, words and threads."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.lists.search_graphs import graphs, patient, scored_graphs

from tunesmith import ConfigError, FormatError
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.search import OracleOptions, SearchGraph


@pytest.mark.parametrize(
    "call",
    [
        lambda graph, scores: graph.k_best(scores[1:]),
        lambda graph, scores: graph.k_best([math.nan, *scores[1:]]),
        lambda graph, scores: graph.k_best([[1.0]]),
        lambda graph, scores: graph.k_best(scores, -1),
        lambda graph, scores: graph.inside([*scores, 1.0]),
        lambda graph, scores: graph.posteriors([math.inf, *scores[1:]]),
        lambda graph, scores: graph.max_marginals([]),
        lambda graph, scores: graph.expectations([]),
        lambda graph, scores: graph.prune(scores, -1.0),
        lambda graph, scores: graph.prune(scores, math.nan),
        lambda graph, scores: graph.prune_to_size(scores, -1),
        lambda graph, scores: graph.prune_to_size(scores, 3, "beauty"),
        lambda graph, scores: graph.prune_to_density(scores, math.nan),
        lambda graph, scores: graph.oracle(scores, [], str),
        lambda graph, scores: graph.oracle(scores, ["a"], str, OracleOptions(order=10)),
        lambda graph, scores: graph.oracle(scores, ["a"], str, OracleOptions(background=(1.0,))),
        lambda graph, scores: graph.oracle(scores, ["a"], str, OracleOptions(metric=math.nan)),
        lambda graph, scores: OracleOptions(beam=0),
        lambda graph, scores: graph.edge_scores([1.0], [1.0]),
        lambda graph, scores: graph.edge_scores([1.0, 2.0], [math.nan]),
        lambda graph, scores: graph.lattice([]),
        lambda graph, scores: graph.dot(scores=[]),
    ],
)
def test_bad_arguments_are_errors_for_people(call):
    graph = SearchGraph.from_arrays(
        node_edges=[0, 1, 2], tails=[0, 0], tail_offsets=[0, 0, 2],
        symbols=[3, -2, 7, -1], symbol_offsets=[0, 1, 4], edge_application=[0, 1],
        application_rules=[5, 6], application_begins=[0, 0], application_ends=[1, 2],
        dense_ids=[0], dense=[1.0, 2.0],
    )  # fmt: skip
    scores = [0.5, 1.0]
    assert graph.best(scores).words.tolist() == [3, 7, 3]
    with pytest.raises((ConfigError, FormatError)):
        call(graph, scores)


def test_arrays_are_read_only_and_outlive_the_graph():
    graph = SearchGraph.from_arrays(
        node_edges=[0, 1], tail_offsets=[0, 0], symbol_offsets=[0, 1], symbols=[3], edge_application=[0],
        application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    again = SearchGraph.from_arrays(**graph.arrays)
    assert all(np.array_equal(a, again.arrays[name]) for name, a in graph.arrays.items())
    symbols = graph.core.symbols
    with pytest.raises(ValueError, match="read-only"):
        symbols[0] = 1
    del graph
    assert symbols.tolist() == [3]


@patient
@given(st.data())
def test_damaged_arrays_are_refused_or_harmless(data):
    """Whatever is put into an array: an error, or a graph on which everything works."""
    graph = data.draw(graphs())
    arrays = {name: array.tolist() for name, array in graph.arrays.items()}
    for _ in range(data.draw(st.integers(1, 3))):
        name = data.draw(st.sampled_from(sorted(arrays)))
        values = arrays[name]
        kind = data.draw(st.sampled_from(["change", "drop", "add"]))
        number = data.draw(st.one_of(st.integers(-3, 20), st.sampled_from([2**31, 2**32 - 1, 2**40, math.nan])))
        if kind == "add" or not values:
            values.append(number)
        elif kind == "drop":
            values.pop()
        else:
            values[data.draw(st.integers(0, len(values) - 1))] = number
    try:
        graph = SearchGraph.from_arrays(**arrays)
    except (ConfigError, FormatError):
        return
    scores = np.zeros(graph.edges)
    graph.k_best(scores, 5)
    graph.k_best(scores, 5, distinct=True)
    graph.posteriors(scores)
    graph.expectations(scores)
    graph.prune(scores, 1.0)
    graph.oracle(scores, ["a b"], str, OracleOptions(beam=5))
    graph.lattice(scores, 5)


def test_words_beyond_the_vocabulary_are_those_of_the_sentence():
    vocabulary = Vocabulary.build(["a house", "a cat"])
    first = len(vocabulary)
    graph = SearchGraph.from_arrays(
        node_edges=[0, 1], tail_offsets=[0, 0], symbol_offsets=[0, 2],
        symbols=[vocabulary.id("house"), first + 1], edge_application=[0],
        application_rules=[0], application_begins=[0], application_ends=[1],
        vocabulary=first,
    )  # fmt: skip
    best = graph.best([0.0])
    assert best.text(graph.word_of(vocabulary, ["in", "Berlin"])) == "house Berlin"
    with pytest.raises(ConfigError, match="source word 1, counted from 0, but the sentence has 1 words"):
        best.text(graph.word_of(vocabulary, ["in"]))


@settings(patient, max_examples=20)
@given(scored_graphs())
def test_threads_may_share_a_graph(scored):
    graph, scores = scored
    with ThreadPoolExecutor(4) as pool:
        lists = list(pool.map(lambda _: graph.k_best(scores, 50, distinct=True), range(8)))
    assert all(found.core.edges.tolist() == lists[0].core.edges.tolist() for found in lists)


def test_the_graph_of_a_sentence_without_translation():
    graph = SearchGraph.from_arrays()
    assert (graph.nodes, graph.edges, graph.best([])) == (0, 0, None)
    assert len(graph.k_best([])) == len(graph.posteriors([])) == len(graph.counts()) == 0
    assert graph.prune([], 1.0).graph.nodes == graph.prune_to_size([], 5).graph.nodes == 0
    assert len(graph.oracle([], ["a"], str).derivations) == 0
    assert graph.lattice([]).states == 0
