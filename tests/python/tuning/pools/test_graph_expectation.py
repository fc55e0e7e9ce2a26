"""Minimum risk on search graphs: expected counts by enumeration, exact gradients, lists as graphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import graph_sums as slow
from reference.search_graph import derivations
from support.lists.graph_pools import pools
from support.lists.search_graphs import WORDS, doubling, graphs, patient

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Bleu, ChrF
from tunesmith.search import SearchGraph
from tunesmith.tuning import recipes
from tunesmith.tuning.losses import ExpectedGain
from tunesmith.tuning.optimizers import Lbfgs, StochasticGradient
from tunesmith.tuning.pools import graphs as graph_pools
from tunesmith.tuning.pools.expectation import ExpectedGainOfLists
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords
from tunesmith.tuning.regularizers import L2

COLUMNS = 7
MOST = 10**7
weight_vectors = st.lists(st.integers(-8, 8).map(lambda n: n / 4), min_size=COLUMNS, max_size=COLUMNS)
texts = st.lists(st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=6), min_size=1, max_size=2)
scales = st.sampled_from([0.25, 1.0, 5.0])


def derivations_at(graph, w):
    return derivations(graph, _core.graph_scores(graph.core, None, np.array(w)).tolist())


def expectation(graph, references, scale):
    return _core.GraphExpectation([graph.core], None, COLUMNS, [references], 4, MOST, scale)


@patient
@given(graph=graphs(), w=weight_vectors, references=texts, scale=scales)
def test_expected_counts_and_entropy_are_those_of_enumeration(graph, w, references, scale):
    found = expectation(graph, references, scale).evaluate(np.array(w))
    expected = slow.counts(derivations_at(graph, w), scale, references, 4)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@patient
@given(
    graph=st.one_of(graphs(), graphs(max_arity=1, appending=True)), w=weight_vectors, references=texts,
    scale=scales, entropy=st.sampled_from([0.0, -0.5, 2.0]), seed=st.integers(0, 9),
)  # fmt: skip
def test_gradients_are_finite_differences(graph, w, references, scale, entropy, seed):
    random = np.random.default_rng(seed)
    worth, direction = random.normal(size=5), random.normal(size=COLUMNS)
    sums = expectation(graph, references, scale)

    def value(step):
        row = slow.counts(derivations_at(graph, np.array(w) + step * direction), scale, references, 4)
        return np.dot(worth, row[:5]) + entropy * row[5]

    sums.evaluate(np.array(w))
    slope = float(sums.gradient(worth, entropy) @ direction)
    numeric = (8 * (value(1e-4) - value(-1e-4)) - (value(2e-4) - value(-2e-4))) / 12e-4
    assert slope == pytest.approx(numeric, rel=1e-6, abs=1e-6)


def toy_pool(made, references):
    names = [f"f{number}" for number in range(COLUMNS)]
    written = [[" ".join(WORDS[word] for word in text) for text in each] for each in references]
    model = GraphModel(FeatureIndex(names), None, GrowingWords(WORDS), written)
    return GraphPool(made, model).measured(Bleu().prepare(written), source="dev", first=0)


@patient
@given(
    some=st.lists(st.tuples(graphs(), texts), min_size=1, max_size=3), w=weight_vectors, scale=scales,
    entropy=st.sampled_from([0.0, 0.3]), brevity=st.sampled_from([0.0, 0.5]),
)  # fmt: skip
def test_the_objective_is_bleu_of_expected_counts(some, w, scale, entropy, brevity):
    made, references = [graph for graph, _ in some], [each for _, each in some]
    loss = ExpectedGain(scale=scale, entropy=entropy, brevity=brevity)
    objective = loss.prepare(toy_pool(made, references), Bleu(), 1)
    rows = [
        slow.counts(derivations_at(graph, w), scale, each, 4) for graph, each in zip(made, references, strict=True)
    ]
    lengths = [[len(text) for text in each] for each in references]
    expected = -slow.expected_bleu([row[:5] for row in rows], lengths, brevity)
    expected -= entropy * np.mean([row[5] for row in rows])
    assert objective.value(np.array(w)) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_the_gradient_of_the_objective_is_exact():
    _, pool = pools()
    for seed, rule in enumerate(["closest", "shortest", "average"]):
        loss, metric = ExpectedGain(scale=1.5, entropy=0.1), Bleu(reference_length=rule)
        objective = loss.prepare(pool, metric, 1)
        w = np.random.default_rng(seed).normal(size=3)
        value, gradient = objective.value_and_grad(w)
        assert value == objective.value(w)
        for i, direction in enumerate(np.eye(3)):
            around = [objective.value(w + step * direction) for step in (1e-4, -1e-4, 2e-4, -2e-4)]
            numeric = (8 * (around[0] - around[1]) - (around[2] - around[3])) / 12e-4
            assert gradient[i] == pytest.approx(numeric, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("entropy", [0.0, 0.4])
def test_graphs_made_of_lists_are_the_lists_where_gains_are_the_same(entropy):
    """Gains of the list: what words and matches, not clipped, are worth."""
    of_lists, of_graphs = pools()
    random = np.random.default_rng(3)
    worth, w = random.normal(size=5), random.normal(size=3)
    references = of_graphs.reference_numbers()
    sums = _core.GraphExpectation([graph.core for graph in of_graphs.graphs], None, 3, references, 4, MOST, 2.0)
    gains = []
    for graph, known in zip(of_graphs.graphs, references, strict=True):
        for edge in range(graph.edges):
            words = graph.core.words_of(np.array([edge], np.uint32)).tolist()
            matches = slow.ngrams(words, 4)
            wanted = set().union(*(slow.ngrams(text, 4) for text in known))
            by_order = [
                sum(n for each, n in matches.items() if len(each) == k and each in wanted) for k in range(1, 5)
            ]
            gains.append(float(np.dot(worth, [len(words), *by_order])))
    lists = ExpectedGainOfLists(of_lists.candidates, np.array(gains), 2.0, entropy)
    value, gradient = lists.value_and_grad(w)
    rows = sums.evaluate(w).reshape(-1, 6)
    mine = (rows[:, :5] @ worth + entropy * rows[:, 5]).mean()
    assert -mine == pytest.approx(value, rel=1e-12)
    slopes = sums.gradient(np.tile(worth, len(rows)), entropy) / len(rows)
    np.testing.assert_allclose(-slopes, gradient, rtol=1e-10, atol=1e-14)
    order, start = _core.shuffled(len(rows), 1, 0), w.copy()
    assert lists.descend(w, order, 0.7, 0.1, 3) == 3 + len(rows)
    assert sums.descend(np.tile(worth, len(rows)), entropy, start, order, 0.7, 0.1, 3) == 3 + len(rows)
    np.testing.assert_allclose(start, w, rtol=1e-10, atol=1e-12)


def test_threads_and_blocks_change_nothing(monkeypatch, tmp_path):
    _, pool = pools()
    objective = ExpectedGain().prepare(pool, Bleu(), 1)
    w = np.array([0.5, -1.0, 0.25])
    value, gradient = objective.value_and_grad(w)
    for threads in (2, 5):
        again = ExpectedGain().prepare(pool, Bleu(), 1).value_and_grad(w, threads=threads)
        assert (again[0], again[1].tobytes()) == (value, gradient.tobytes())
    pool.save(tmp_path / "pool")
    monkeypatch.setattr(graph_pools, "IN_MEMORY", 0)
    monkeypatch.setattr(graph_pools, "BLOCK", 5)
    read = GraphPool.load(tmp_path / "pool", pool.model).measured(pool._measuring.metric, source="dev", first=0)
    by_block = ExpectedGain().prepare(read, Bleu(), 1)
    assert by_block.value(w) == value
    np.testing.assert_allclose(by_block.value_and_grad(w)[1], gradient, rtol=1e-12)
    order = np.arange(pool.sentences, dtype=np.uint32)
    mine, other = w.copy(), w.copy()
    assert objective.descend(mine, order, 0.5, 0.01, 0) == by_block.descend(other, order, 0.5, 0.01, 0) == 12
    np.testing.assert_allclose(mine, other, rtol=1e-12)


def test_weights_of_any_size_give_numbers():
    _, pool = pools()
    objective = ExpectedGain().prepare(pool, Bleu(), 1)
    w = np.array([1.0, -2.0, 0.5])
    flat = objective.value(np.zeros(3))
    for size in (1e-8, 1.0, 1e4, 1e12):
        value, gradient = objective.value_and_grad(size * w)
        assert np.isfinite(value)
        assert np.isfinite(gradient).all()
    assert objective.value(1e-8 * w) == pytest.approx(flat, rel=1e-6)
    with pytest.raises(FormatError, match="weights must be finite numbers; number 0 is not"):
        objective.value(np.array([np.inf, 0, 0]))
    with pytest.raises(FormatError, match="more than a number can hold"):
        objective.value(1e307 * w)


def test_graphs_of_one_edge_and_of_none():
    _, pool = pools()
    lone = SearchGraph.from_arrays(
        node_edges=[0, 1], tail_offsets=[0, 0], symbol_offsets=[0, 2], symbols=[0, 1], edge_application=[0],
        dense_ids=[0, 1, 2], dense=[1, 2, 3], application_rules=[0], application_begins=[0], application_ends=[1],
        vocabulary=6,
    )  # fmt: skip
    small = pool._with(graphs=[lone] + [SearchGraph.from_arrays()] * (pool.sentences - 1))
    objective = ExpectedGain(entropy=1.0).prepare(small, Bleu(), 1)
    value, gradient = objective.value_and_grad(np.array([1.0, 2, 3]))
    assert gradient.tolist() == [0, 0, 0]
    assert -1 < value < 0
    empty = pool._with(graphs=[SearchGraph.from_arrays()] * pool.sentences)
    value, gradient = ExpectedGain().prepare(empty, Bleu(), 1).value_and_grad(np.zeros(3))
    assert gradient.tolist() == [0, 0, 0]
    assert np.isfinite(value)


def test_sentences_that_fit_no_memory_are_refused():
    sums = _core.GraphExpectation([doubling(2000).core], None, 0, [[[0]]], 4, 10, 1.0)
    with pytest.raises(ValueError, match="more than a number can hold"):
        sums.evaluate(np.empty(0))


def test_both_optimizers_raise_expected_bleu():
    _, pool = pools()
    objective = ExpectedGain().prepare(pool, Bleu(), 1)
    start, penalty = np.zeros(3), L2(1e-3)
    exact = Lbfgs().minimize(objective, penalty, start, seed=1)
    descended = StochasticGradient(restarts=1).minimize(objective, penalty, start, seed=1)
    assert exact.value < objective.value(start) - 0.01
    assert descended.value < objective.value(start) - 0.01
    assert exact.value <= descended.value + 1e-6


def test_features_that_no_edge_has_do_not_move():
    _, pool = pools()
    wider = pool._with(columns=5)
    objective = ExpectedGain().prepare(wider, Bleu(), 1)
    assert objective.still_columns().tolist() == [3, 4]
    assert objective.value_and_grad(np.ones(5))[1][3:].tolist() == [0, 0]


def test_metrics_that_do_not_count_words_are_refused():
    _, pool = pools()
    with pytest.raises(ConfigError, match=r"counts n-grams of the words.*chrF.*--recipe risk"):
        ExpectedGain().prepare(pool, ChrF(), 1)
    with pytest.raises(ConfigError, match=r"counts n-grams of the words.*chrF.*--recipe risk"):
        recipes.forest_risk(metric=ChrF())
    with pytest.raises(ConfigError, match="sentence_bleu=interpolated is for n-best lists"):
        ExpectedGain(sentence_bleu="interpolated").prepare(pool, Bleu(), 1)


def test_bad_arrays_are_refused():
    _, pool = pools()
    references, cores = pool.reference_numbers(), [graph.core for graph in pool.graphs]
    sums = _core.GraphExpectation(cores, None, 3, references, 4, MOST, 1.0)
    with pytest.raises(ValueError, match="last evaluate"):
        sums.gradient(np.zeros(12 * 5), 0.0)
    with pytest.raises(ValueError, match="2 weights for 3 features"):
        sums.evaluate(np.zeros(2))
    sums.evaluate(np.zeros(3))
    with pytest.raises(ValueError, match="for each order of each sentence"):
        sums.gradient(np.zeros(5), 0.0)
    with pytest.raises(ValueError, match="no sentence 99"):
        sums.descend(np.zeros(60), 0.0, np.zeros(3), np.array([99], np.uint32), 1.0, 0.0, 0)
    with pytest.raises(ValueError, match="the rate must be above 0"):
        sums.descend(np.zeros(60), 0.0, np.zeros(3), np.array([0], np.uint32), 0.0, 0.0, 0)
    with pytest.raises(ValueError, match="order 10 is not between"):
        _core.GraphExpectation(cores, None, 3, references, 10, MOST, 1.0)
