"""Kept derivations that the search of a round does not choose."""

import itertools

import numpy as np
import pytest
from support.models.toy_decoder import WORDS, ToyDecoder, toy_data

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.search import SearchGraph
from tunesmith.tuning import recipes
from tunesmith.tuning.losses.corpus_error import ErrorOfGraphs
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.graphs import GraphSource


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


class LimitedDecoder(ToyDecoder):
    """Its search goes by two of three features and keeps six translations, so that it misses better ones."""

    rule_features, vocabulary, lines_at_once = None, WORDS, 100

    def __init__(self):
        super().__init__()
        self.features = FeatureIndex(["f0", "f1", "f2"])
        self.weights = np.array([0.1, 0.5, 0.4])

    def graphs(self, lines, *, threads=1):
        for line in lines:
            texts, rows = self.translations(line)
            kept = np.argsort(-(rows[:, 1:] @ self.weights[1:]), kind="stable")[:6]
            words = [[WORDS.index(word) for word in texts[at].split()] for at in kept]
            yield (
                SearchGraph.from_arrays(
                    node_edges=[0, 6], tail_offsets=[0] * 7, symbol_offsets=np.cumsum([0, *map(len, words)]),
                    symbols=np.concatenate(words), edge_application=[0] * 6, dense_ids=[0, 1, 2],
                    dense=rows[kept].astype(np.float32).ravel(), application_rules=[2**32 - 1],
                    application_begins=[0], application_ends=[1], vocabulary=len(WORDS),
                ),
                line.split(),
            )  # fmt: skip


def test_line_search_begins_with_what_the_decoder_chooses(monkeypatch):
    """In every round, whatever earlier rounds have kept; some of that scores higher, and the decoder misses it."""
    begun, begin = [], ErrorOfGraphs.begin

    def watched(self, w):
        everything = self.value(w)
        begin(self, w)
        begun.append((-everything, -self.value(w)))

    monkeypatch.setattr(ErrorOfGraphs, "begin", watched)
    lines, references = toy_data(20)
    source = GraphSource(LimitedDecoder(), lines, references, Density(None))
    rows = recipes.lattice_mert().with_settings("restarts=1,rounds=4").fit(source).history_
    assert [found for _, found in begun] == [row.score for row in rows[: len(begun)]]
    assert len(begun) > 1
    assert any(everything != found for everything, found in begun)
    assert max(row.score for row in rows) > rows[0].score


def kept_derivations(pool):
    """Words and features of what is kept, for each sentence."""
    found = []
    for graph, kept in zip(pool.graphs, pool.kept.tolist(), strict=True):
        arrays = graph.arrays
        ends, dense = arrays["symbol_offsets"].tolist(), arrays["dense"].reshape(graph.edges, -1)
        rows = []
        for edge in range(graph.edges - kept, graph.edges):
            values = dict(zip(arrays["dense_ids"].tolist(), dense[edge].tolist(), strict=True))
            if len(arrays["sparse_offsets"]) > 1:
                of_edge = slice(*arrays["sparse_offsets"][edge : edge + 2].tolist())
                ids, sparse = arrays["sparse_ids"][of_edge], arrays["sparse_values"][of_edge]
                for column, value in zip(ids.tolist(), sparse.tolist(), strict=True):
                    values[column] = values.get(column, 0.0) + value
            words = arrays["symbols"][ends[edge] : ends[edge + 1]].tolist()
            rows.append((*words, *(round(values.get(column, 0.0), 4) for column in range(pool.columns))))
        found.append(set(rows))
    return found


def test_a_derivation_that_a_round_passes_over_is_there_in_all_later_rounds(monkeypatch):
    """The pool never loses what is kept; every round decides again what counts, under its own weights."""
    whole, passed_over, begin = [], [], ErrorOfGraphs.begin

    def watched(self, w):
        begin(self, w)
        whole.append(kept_derivations(self._whole))
        passed_over.append(self._whole.edges - sum(graph.edges for graph in self.graphs.graphs))

    monkeypatch.setattr(ErrorOfGraphs, "begin", watched)
    lines, references = toy_data(20)
    source = GraphSource(LimitedDecoder(), lines, references, Density(None))
    recipes.lattice_mert().with_settings("restarts=1,rounds=4").fit(source)
    assert len(whole) >= 3
    assert any(passed_over[:-1])  # not in the last round alone
    for earlier, later in itertools.pairwise(whole):
        assert all(old <= new for old, new in zip(earlier, later, strict=True))
    assert sum(map(len, whole[-1])) > sum(map(len, whole[1])) > 0
