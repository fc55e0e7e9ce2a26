"""Minimum Bayes risk over search graphs: posteriors of n-grams, gains and the best derivation by enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import graph_sums as slow
from reference.search_graph import derivations
from support.lists.search_graphs import doubling, graphs, patient, scored_graphs

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import SearchGraph
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

evidences = st.sampled_from(["expected", "once"])
scales = st.sampled_from([0.0, 0.5, 3.0])
lattices = scored_graphs(max_arity=1, appending=True)


@patient
@given(scored=st.one_of(scored_graphs(), lattices), evidence=evidences, scale=scales, order=st.integers(1, 4))
def test_posteriors_are_those_of_enumeration(scored, evidence, scale, order):
    graph, scores = scored
    risk = GraphBayesRisk(scale=scale, evidence=evidence, order=order, density=None)
    found = risk.posteriors(graph, scores)
    expected = slow.posteriors(derivations(graph, scores), scale, order, evidence)
    assert set(expected) <= set(found)
    for ngram, value in found.items():
        assert value == pytest.approx(expected.get(ngram, 0.0), rel=1e-9, abs=1e-12)


@patient
@given(
    scored=st.one_of(scored_graphs(), lattices),
    evidence=evidences,
    scale=scales,
    precision=st.sampled_from([0.3, 0.9]),
    ratio=st.sampled_from([0.5, 1.2]),
)
def test_the_best_derivation_is_that_of_enumeration(scored, evidence, scale, precision, ratio):
    graph, scores = scored
    risk = GraphBayesRisk(scale, precision, ratio, evidence=evidence, density=None)
    every = derivations(graph, scores)
    known = slow.posteriors(every, scale, 4, evidence)
    gains = []
    for each in every:
        counted = slow.ngrams(each.words, 4)
        worth = sum(
            times * known[ngram] / (4 * precision * ratio ** (len(ngram) - 1)) for ngram, times in counted.items()
        )
        gains.append(worth - len(each.words))
        assert risk.gain(each.words, known) == pytest.approx(gains[-1], rel=1e-9, abs=1e-9)
    best = risk.best(graph, scores)
    [at] = [at for at, each in enumerate(every) if each.edges == tuple(best.edges.tolist())]
    assert every[at].words == tuple(best.words.tolist())
    assert best.score == pytest.approx(every[at].score, abs=1e-9)
    assert gains[at] == pytest.approx(max(gains), rel=1e-9, abs=1e-9)


def chain(options, scores):
    """A lattice: a choice of words at each place. Returns it with the scores of its edges."""
    arrays = {"node_edges": [0], "tail_offsets": [0], "tails": [], "symbol_offsets": [0], "symbols": []}
    for node, words in enumerate(options):
        for word in words:
            arrays["tails"] += [node - 1] if node else []
            arrays["symbols"] += [-1, word] if node else [word]
            arrays["tail_offsets"].append(len(arrays["tails"]))
            arrays["symbol_offsets"].append(len(arrays["symbols"]))
        arrays["node_edges"].append(len(arrays["tail_offsets"]) - 1)
    edges = arrays["node_edges"][-1]
    graph = SearchGraph.from_arrays(
        **arrays, edge_application=[0] * edges, application_rules=[0], application_begins=[0],
        application_ends=[1], vocabulary=100,
    )  # fmt: skip
    return graph, np.array([score for each in scores for score in each], np.float64)


def test_a_sharp_distribution_gives_the_best_derivation():
    """Where no word is in two places, and all translations are as long."""
    random = np.random.default_rng(1)
    for _ in range(20):
        options = [[10 * at + word for word in range(3)] for at in range(6)]
        graph, scores = chain(options, random.normal(size=(6, 3)))
        best = graph.best(scores)
        for evidence in ("expected", "once"):
            found = GraphBayesRisk(scale=1e4, evidence=evidence, density=None).best(graph, scores)
            assert found.edges.tolist() == best.edges.tolist()
        flat = GraphBayesRisk(scale=0.0, density=None).posteriors(graph, scores)
        assert flat[(options[0][0],)] == pytest.approx(1 / 3)


def test_most_translations_agree_on_other_words_than_the_best():
    """Of three with two words in common and one apart, which is the best by its score."""
    graph, scores = chain([[0, 1, 2], [3], [4], [5]], [[0.5, 0.4, 0.4], [0], [0], [0]])
    other = SearchGraph.from_arrays(
        node_edges=[0, 3], tail_offsets=[0, 0, 0, 0], symbol_offsets=[0, 4, 8, 12],
        symbols=[9, 8, 7, 6, 0, 1, 2, 3, 0, 1, 2, 5], edge_application=[0, 0, 0], application_rules=[0],
        application_begins=[0], application_ends=[1], vocabulary=10,
    )  # fmt: skip
    assert GraphBayesRisk().best(other, [0.5, 0.4, 0.3]).words.tolist() == [0, 1, 2, 3]
    assert other.best([0.5, 0.4, 0.3]).words.tolist() == [9, 8, 7, 6]
    assert GraphBayesRisk().best(graph, scores).words.tolist() == [0, 3, 4, 5]


@patient
@given(scored=scored_graphs(max_nodes=4), threads=st.integers(1, 3))
def test_many_graphs_at_once_are_each_by_itself(scored, threads):
    graph, scores = scored
    empty = SearchGraph.from_arrays()
    risk = GraphBayesRisk()
    first, none, again = risk.best_of([graph, empty, graph], [scores, [], scores], threads=threads)
    assert none is None
    assert first.edges.tolist() == again.edges.tolist() == risk.best(graph, scores).edges.tolist()
    assert risk.posteriors(empty, []) == {}


@patient
@given(graph=graphs(max_nodes=1), seed=st.integers(0, 5))
def test_pruning_leaves_the_best_derivation_of_the_model(graph, seed):
    scores = np.random.default_rng(seed).normal(size=graph.edges)
    one = GraphBayesRisk(density=1e-9).best(graph, scores)
    assert one.edges.tolist() == graph.best(scores).edges.tolist()


def test_graphs_that_split_too_far_are_pruned_until_they_do_not():
    random = np.random.default_rng(2)
    options = [[10 * at + word for word in range(8)] for at in range(8)]
    graph, scores = chain(options, random.normal(size=(8, 8)))
    evidence, thetas = _core.NgramEvidence.expected, GraphBayesRisk().thetas
    *_, edges = _core.ngram_posteriors(graph.core, scores, 1.0, evidence, 4, 0.0, 10**7)
    assert edges > 8 * 8 * 8 * 8
    *_, fewer = _core.ngram_posteriors(graph.core, scores, 1.0, evidence, 4, 0.0, 1000)
    assert fewer <= 1000
    _, chosen, _ = _core.bayes_risks([graph.core], [scores], 1.0, evidence, thetas, 0.0, 1)
    assert chosen.tolist() == graph.best(scores).edges.tolist()


def test_a_single_derivation_is_the_best():
    graph, scores = chain([[1], [2], [3]], [[-5.0], [0.0], [2.0]])
    for evidence in ("expected", "once"):
        risk = GraphBayesRisk(evidence=evidence)
        assert risk.best(graph, scores).words.tolist() == [1, 2, 3]
        assert risk.posteriors(graph, scores)[(1, 2, 3)] == 1.0


def test_what_cannot_be_meant_is_refused():
    graph, scores = chain([[1], [2]], [[0.0], [0.0]])
    for settings, message in {
        "precision": ({"precision": 0.0}, "precision must be greater than 0, got 0"),
        "ratio": ({"ratio": -1.0}, "ratio must be greater than 0"),
        "order": ({"order": 10}, "order must be"),
        "scale": ({"scale": float("nan")}, "scale must be"),
        "evidence": ({"evidence": "twice"}, "expected.*once"),
        "density": ({"density": 0}, "density must be greater than 0"),
    }.values():
        with pytest.raises(ConfigError, match=message):
            GraphBayesRisk(**settings)
    with pytest.raises(FormatError, match="1 scores for 2 edges"):
        GraphBayesRisk().best(graph, scores[:1])
    with pytest.raises(FormatError, match="not finite"):
        GraphBayesRisk().best(graph, [0.0, float("inf")])
    with pytest.raises(FormatError, match="more than a number can hold"):
        GraphBayesRisk(scale=1e300).best(graph, [0.0, 1e200])
    with pytest.raises(FormatError, match="more than 262144 edges or words"):
        GraphBayesRisk().best(doubling(40), np.zeros(doubling(40).edges))
