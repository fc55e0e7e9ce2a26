"""Hope and fear for NIST, whose statistics are sums over n-grams too, with a weight of each."""

import itertools

import numpy as np
import pytest
from reference.graph_envelope import all_derivations
from support.lists.graph_pools import VOCABULARY, pools
from support.lists.large_graphs import WORDS, large_graph

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Nist
from tunesmith.tuning import recipes
from tunesmith.tuning.losses import HopeFear
from tunesmith.tuning.pools import graphs as graph_pools
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords
from tunesmith.tuning.pools.lists import ListPool

OTHERS = [["w0 w1 w2 w3 w0 w1"], ["w2 w1 w4", "w5 w0"], ["never w1 seen w2"]]
"""References of other sentences: the weights of n-grams are of all of them."""
GAIN = 0.2
"""The usual factor of NIST in gains: 20 times a hundredth."""


def text_of(words):
    return " ".join(WORDS[word] for word in words)


def updates_of(graph, references, metric, hope="model+gain"):
    texts = [[*references], *OTHERS]
    nothing = type(graph).from_arrays()
    model = GraphModel(FeatureIndex(["a", "b"]), None, GrowingWords(WORDS), texts)
    prepared = metric.prepare(texts)
    pool = GraphPool([graph] + [nothing] * len(OTHERS), model).measured(prepared, source="dev", first=0)
    return HopeFear(hope=hope).prepare(pool, metric, seed=1).updates, prepared


@pytest.mark.parametrize("metric", [Nist(), Nist(order=3), Nist(tokenize="char")], ids=str)
@pytest.mark.parametrize("kind", ["lattice", "forest"])
def test_hope_and_fear_are_near_the_best_of_all_derivations_and_never_above(kind, metric):
    best_of_all = 0
    for seed in range(8):
        graph, random = large_graph(seed, kind, most=1500), np.random.default_rng(seed)
        every, w = all_derivations(graph.arrays), np.array([0.5, 0.25])
        reference = [*every[int(random.integers(len(every)))][1], int(random.integers(len(WORDS)))]
        updates, prepared = updates_of(graph, [text_of(reference), "w1 w2 w3"], metric)
        assert updates.background().tolist() == []
        features = graph.arrays["dense"].reshape(graph.edges, -1).astype(float)
        scores = np.array([float(features[edges].sum(axis=0) @ w) for edges, _ in every])
        rows = prepared.statistics([text_of(words) for _, words in every], [0] * len(every))
        gains = GAIN * metric.score(rows)
        for sign in (1.0, -1.0):
            score, gain, edges, row = updates._native.find(0, w, 1.0, sign, updates.background())
            at = next(at for at, (each, _) in enumerate(every) if each == edges.tolist())
            np.testing.assert_allclose(row, rows[at], rtol=1e-12)
            assert (score, gain) == (pytest.approx(scores[at]), pytest.approx(gains[at], rel=1e-12))
            objectives = scores + sign * gains
            highest, found = objectives.max(), score + sign * gain
            assert highest - 0.05 * np.ptp(objectives) <= found <= highest + 1e-9
            best_of_all += found >= highest - 1e-9
    assert best_of_all >= 14


def nist_pools(seed=1):
    """Pools of lists and of graphs with statistics of NIST."""
    of_lists, of_graphs = pools(seed)
    prepared = Nist().prepare(of_graphs.model.references)
    texts, sentences = [], []
    for at, graph in enumerate(of_graphs.graphs):
        arrays = graph.arrays
        ends = arrays["symbol_offsets"].tolist()
        for begin, end in itertools.pairwise(ends):
            texts.append(" ".join(VOCABULARY[word] for word in arrays["symbols"][begin:end]))
            sentences.append(at)
    candidates = of_lists.candidates.with_statistics(prepared.statistics(texts, sentences))
    return ListPool(candidates), of_graphs.measured(prepared, source="dev", first=0)


@pytest.mark.parametrize("fear", ["model-gain", "model"])
def test_mira_on_graphs_made_of_lists_is_mira(fear):
    """To rounding, as the core and NumPy compute logarithms in their own ways."""
    recipe = recipes.mira(passes=6).with_settings(f"hope=exact,fear={fear}")
    found = []
    for pool in nist_pools():
        objective = recipe.loss.prepare(pool, Nist(), seed=1)
        found.append(recipe.optimizer.minimize(objective, None, np.full(3, 0.3), seed=1))
    np.testing.assert_allclose(found[0].weights, found[1].weights, rtol=1e-9)
    assert found[0].value == pytest.approx(found[1].value)
    assert found[0].details["updates"] == found[1].details["updates"] > 0


def test_graphs_read_block_by_block_have_the_weights_of_all_references(tmp_path, monkeypatch):
    _, pool = nist_pools()
    pool.save(tmp_path / "pool")
    recipe, found = recipes.lattice_mira(metric=Nist(), passes=3), []
    monkeypatch.setattr(graph_pools, "BLOCK", 5)
    for limit in (graph_pools.IN_MEMORY, 0):
        monkeypatch.setattr(graph_pools, "IN_MEMORY", limit)
        read = GraphPool.load(tmp_path / "pool", pool.model)._with(measuring=pool._measuring)
        objective = recipe.loss.prepare(read, Nist(), seed=1)
        found.append(recipe.optimizer.minimize(objective, None, np.full(3, 0.3), seed=1).weights)
    assert found[0].tobytes() == found[1].tobytes()


def test_information_of_ngrams_is_that_of_the_metric():
    """By hand, as in the test of the metric: references "a b a" and "a c" of one sentence, one of them twice."""
    found = _core.NgramInformation([[[0, 1, 0], [0, 2], [0, 2]], [[-1]]], 2)
    assert found.of([0]) == pytest.approx(np.log2(6 / 3))
    assert found.of([2]) == pytest.approx(np.log2(6))
    assert found.of([0, 1]) == pytest.approx(np.log2(3))
    assert (found.of([1, 0]), found.of([1, 1]), found.of([7]), found.of([-1])) == (0, 0, 0, 0)
    with pytest.raises(ValueError, match="order 10 is not between 1 and 9"):
        _core.NgramInformation([], 10)
