"""Pools of search graphs: of lists, merged and saved; hope and fear against all derivations."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.lists.graph_pools import VOCABULARY, pools
from support.lists.search_graphs import WORDS, graphs, patient

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Bleu, ChrF
from tunesmith.search import SearchGraph
from tunesmith.tuning import recipes
from tunesmith.tuning.losses import CorpusError, HopeFear
from tunesmith.tuning.optimizers import LineSearch
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords
from tunesmith.tuning.pools.visited import Visited


@pytest.mark.parametrize("threads", [1, 3])
def test_mert_on_graphs_made_of_lists_is_mert_byte_for_byte(threads):
    of_lists, of_graphs = pools()
    start = np.array([0.3, 0.3, 0.3])
    found = [
        LineSearch(restarts=4).minimize(
            CorpusError().prepare(pool, Bleu(), seed=1), None, start, seed=1, threads=threads
        )
        for pool in (of_lists, of_graphs)
    ]
    assert found[0].weights.tobytes() == found[1].weights.tobytes()
    assert found[0].value == found[1].value
    assert found[0].details == found[1].details


def test_both_pools_prefer_the_same_translations():
    of_lists, of_graphs = pools()
    for seed in range(5):
        w = np.random.default_rng(seed).normal(size=3)
        best, other = of_lists.best(w), of_graphs.best(w)
        np.testing.assert_array_equal(best.statistics, other.statistics)
        for scaled in (0.5 * w, 3 * w):
            np.testing.assert_array_equal(of_graphs.best(scaled).statistics, other.statistics)


def test_metrics_that_do_not_count_words_are_refused_for_hope_and_fear():
    _, of_graphs = pools()
    with pytest.raises(ConfigError, match=r"counts n-grams of the words.*chrF.*--recipe mira"):
        HopeFear().prepare(of_graphs, ChrF(), seed=1)


weight_vectors = st.lists(st.integers(-8, 8).map(lambda n: n / 4), min_size=7, max_size=7)
references = st.lists(st.lists(st.integers(0, len(WORDS) - 1), min_size=1, max_size=6), min_size=1, max_size=2)
OPTIONS = (_core.Hope.model_and_gain, _core.Fear.model_without_gain, 0.999, 1.0, True, 10**6)


@patient
@given(graph=graphs(), w=weight_vectors, texts=references, sign=st.sampled_from([1.0, -1.0]))
def test_hope_and_fear_are_real_derivations_not_above_the_best(graph, w, texts, sign):
    passes = _core.GraphHopeFear([graph.core], None, 7, [texts], 4, _core.LengthRule.closest, *OPTIONS)
    background = np.array([20.0, 20, 12, 8, 5, 3, 20, 18, 16, 14])
    score, gain, edges, row = passes.find(0, np.array(w), 1.0, sign, background)
    scores = _core.graph_scores(graph.core, None, np.array(w))
    prepared = Bleu().prepare([[" ".join(WORDS[word] for word in text) for text in texts]])

    def gain_of(words):
        [statistics] = prepared.statistics([" ".join(WORDS[word] for word in words)], [0])
        total = background + statistics
        penalty = min(1.0, np.exp(1 - total[1] / total[0])) if total[0] else 0.0
        precision = np.prod(total[2:6] / total[6:]) ** 0.25
        return total[1] * penalty * precision, statistics

    every = list(graph.k_best(scores, 1000))
    found = [each for each in every if list(each.edges) == edges.tolist()]
    assert found
    expected, statistics = gain_of(found[0].words)
    np.testing.assert_array_equal(row, statistics)
    assert gain == pytest.approx(expected, rel=1e-12)
    assert score == pytest.approx(scores[edges].sum(), abs=1e-9)
    objectives = [scores[each.edges].sum() + sign * gain_of(each.words)[0] for each in every]
    assert score + sign * gain <= max(objectives) + 1e-9
    assert score + sign * gain >= objectives[0] - 1e-9  # no worse than the model's best


def with_matches(pool):
    """The pool with matched words for the first feature: something that can be learnt."""
    made = []
    for at, graph in enumerate(pool.graphs):
        arrays = graph.arrays
        ends = itertools.pairwise(arrays["symbol_offsets"].tolist())
        texts = [" ".join(VOCABULARY[word] for word in arrays["symbols"][begin:end]) for begin, end in ends]
        dense = arrays["dense"].reshape(graph.edges, 3).copy()
        dense[:, 0] = pool._measuring.metric.statistics(texts, [at] * len(texts))[:, 2]
        made.append(SearchGraph.from_arrays(**{**arrays, "dense": dense.ravel()}, vocabulary=len(VOCABULARY)))
    return pool._with(graphs=made)


def test_passes_raise_bleu_and_remember_hopes_and_fears():
    of_graphs = with_matches(pools()[1])
    recipe = recipes.mira(passes=5)
    objective = recipe.loss.prepare(of_graphs, Bleu(), seed=1)
    fitted = recipe.optimizer.minimize(objective, None, np.zeros(3), seed=1)
    assert -fitted.value > of_graphs.best(np.zeros(3)).score(Bleu()) + 1
    visits = Visited.from_array(fitted.arrays["visited"])
    assert len(visits) >= of_graphs.sentences
    # Newer graphs keep them: here those of other weights are empty, so that nothing but what is kept is there.
    empty = of_graphs._with(graphs=[SearchGraph.from_arrays()] * of_graphs.sentences)
    merged = of_graphs.keeping(fitted.arrays["visited"]).merged(empty)
    assert merged.kept.sum() == merged.edges > 0
    again = merged.merged(empty)
    np.testing.assert_array_equal(merged.kept, again.kept)
    some = merged.best(fitted.weights)
    assert len(some.sentences) == np.count_nonzero(merged.kept)


def test_pools_come_back_from_disk(tmp_path):
    _, of_graphs = pools()
    of_graphs.save(tmp_path / "pool")
    loaded = GraphPool.load(tmp_path / "pool", of_graphs.model).measured(
        of_graphs._measuring.metric, source="dev", first=0
    )
    w = np.array([1.0, -0.5, 0.25])
    np.testing.assert_array_equal(loaded.best(w).statistics, of_graphs.best(w).statistics)
    assert loaded.new_since(of_graphs) == 0
    with pytest.raises(FormatError, match="does not belong to this model"):
        GraphPool.load(tmp_path / "pool", GraphModel(FeatureIndex(["a"])))


@settings(max_examples=30)
@given(st.lists(st.tuples(st.integers(0, 5), st.lists(st.integers(0, 9), max_size=4)), max_size=8))
def test_visits_survive_as_numbers(rows):
    visits = Visited()
    visits.add((sentence, np.array(edges, np.uint32)) for sentence, edges in rows)
    again = Visited.from_array(visits.to_array())
    assert again.to_array().tobytes() == visits.to_array().tobytes()
    for damaged in (np.array([0.5]), np.array([-1.0, 0]), np.array([0.0, 3, 1])):
        with pytest.raises(FormatError, match="damaged"):
            Visited.from_array(damaged)


def test_growing_words():
    words = GrowingWords(["a", "b"])
    assert [words.number("x"), words.number("y"), words.number("x")] == [2, 3, 2]
    assert list(words) == ["a", "b", "x", "y"]
    words.learn(["x", "y", "z"], "file")
    assert words[4] == "z"
    with pytest.raises(FormatError, match="other words"):
        words.learn(["q"], "file")
