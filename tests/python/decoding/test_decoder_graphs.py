"""Graphs and candidate lists that a decoder made, under the algorithms of search."""

import numpy as np
import pytest
from support.models.hiero_models import left_to_right_model, small_model

from tunesmith.decoding import DecoderOptions, LeftToRightOptions, ListDecoder
from tunesmith.metrics import Bleu, BleuPlusOne
from tunesmith.search import GraphSet, OracleOptions, write_graphs

LINES = ["a b c d a b", "d c b a", "z", "", "b b z a c d d", "a c"]
K = 40


SEARCHES = {
    "lm": (small_model, DecoderOptions(pop_limit=30), ()),
    "target_bigrams": (small_model, DecoderOptions(pop_limit=30), ("target_bigrams",)),
    "left_to_right": (left_to_right_model, LeftToRightOptions(pop_limit=60), ("target_bigrams",)),
}


@pytest.fixture(scope="module", params=SEARCHES)
def decoded(request, tmp_path_factory):
    """Pairs of what the decoder says and the graph with its scores; the search was pruned."""
    made, options, features = SEARCHES[request.param]
    model = made(tmp_path_factory.mktemp("model"), 7, count=40, options=options, state_features=features)
    found = model.decoder.k_best(LINES, 1)
    weights = np.random.default_rng(1).normal(size=len(model.decoder.index))
    model.decoder.set_weights(np.where(model.decoder.weights == 0, weights / 4, model.decoder.weights))
    found = list(model.decoder.stream(LINES, K, graph=True))
    return [
        (one, one.graph, one.graph.edge_scores(one.local_scores, model.decoder.weights),
         one.graph.word_of(model.table.target_vocabulary, line.split()))
        for one, line in zip(found, LINES, strict=True)
    ]  # fmt: skip


def test_the_k_best_of_the_graph_are_those_of_the_decoder(decoded):
    for decoding, graph, scores, word_of in decoded:
        found = graph.k_best(scores, K)
        assert found.scores == pytest.approx([one.score for one in decoding], abs=1e-6)
        assert sorted(one.text(word_of) for one in found) == sorted(one.text for one in decoding)
        assert len(graph.k_best(scores, K + 1)) > K or graph.counts()[-1] == len(decoding)
    assert max(graph.counts()[-1] for _, graph, _, _ in decoded) > 10 * K


def test_rules_and_states_of_the_graph_are_the_features_of_the_decoder(decoded):
    for decoding, graph, scores, _ in decoded:
        found = graph.k_best(scores, 1)
        assert found.rule_counts().row(0) == {
            rule: decoding.best.rules.count(rule) for rule in decoding.best.rules
        }
        values = decoding.best.feature_values()
        for id, value in zip(graph.core.dense_ids.tolist(), found.dense_sums()[0].tolist(), strict=True):
            assert value == pytest.approx(values.get(id, 0.0), abs=1e-5)
        for id, value in found.sparse_sums().row(0).items():
            assert value == pytest.approx(values.get(id, 0.0), abs=1e-5)


def test_one_edge_into_the_goal_is_used(decoded):
    for _, graph, scores, _ in decoded:
        posteriors = graph.posteriors(scores)
        assert posteriors[int(graph.core.node_edges[-2]) :].sum() == pytest.approx(1)
        assert posteriors.min() >= 0
        assert posteriors.max() <= 1 + 1e-9


def test_pruning_keeps_the_best(decoded):
    for _, graph, scores, word_of in decoded:
        best = graph.best(scores)
        parts = [graph.prune(scores, 0.5), graph.prune_to_size(scores, 10), graph.prune_to_density(scores, 5, 4)]
        parts.append(graph.prune_to_size(scores, 10, "max_marginal"))
        for part in parts:
            left = part.graph.best(scores[part.edges])
            assert left.score == best.score
            assert left.text(word_of) == best.text(word_of)
        assert parts[-1].graph.edges <= max(10, len(best.edges))


@pytest.mark.parametrize("beam", [1, 3, 50])
def test_the_oracle_is_not_worse_than_the_best_by_the_model(decoded, beam):
    references = ["A B C D A B", "E D C B A"]
    prepared = Bleu().prepare([references])

    def metric(text):
        return BleuPlusOne().scores(prepared.statistics([text], sentences=[0]))[0]

    better = 0
    for decoding, graph, scores, word_of in decoded:
        oracle = graph.oracle(scores, references, word_of, OracleOptions(beam=beam))
        assert oracle.metric[0] == pytest.approx(metric(oracle.derivations[0].text(word_of)))
        assert oracle.metric[0] >= metric(decoding.best.text) - 1e-12
        better += oracle.metric[0] > metric(decoding.best.text)
    assert better


def test_graphs_come_back_from_a_file(decoded, tmp_path):
    with write_graphs(tmp_path / "graphs") as writer:
        for _, graph, _, _ in decoded:
            writer.add(graph)
    with GraphSet(tmp_path / "graphs") as read:
        for (_, graph, scores, _), again in zip(decoded, read, strict=True):
            assert all(again.arrays[name].tobytes() == array.tobytes() for name, array in graph.arrays.items())
            assert again.vocabulary == graph.vocabulary
            assert again.k_best(scores, K).scores.tolist() == graph.k_best(scores, K).scores.tolist()


def test_lists_of_no_lines_and_of_many_lines(tmp_path):
    model = small_model(tmp_path, 7)
    decoder = ListDecoder(model.decoder)
    nothing = decoder.k_best([], 5)
    assert (len(nothing), nothing.sentences) == (0, 0)
    lines = ["a b c", "z a"] * 200  # more than are decoded at once
    found = decoder.k_best(lines, 5)
    assert found.sentences == len(lines)
    assert [found.text(i) for i in found.candidates_of(399)] == [found.text(i) for i in found.candidates_of(1)]
    assert found.scores(model.decoder.weights) == pytest.approx(found.model_scores, abs=1e-4)
    assert len(found.merge(nothing)) == len(found.merge()) <= len(found)
    known = decoder.k_best([""], 2), decoder.k_best(["", ""], 2)
    assert known[0].words.vocabulary == known[1].words.vocabulary
