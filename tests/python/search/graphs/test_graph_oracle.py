"""The oracle of a search graph against the best of all derivations."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import search_graph as twin
from reference import sentence_bleu
from support.lists.search_graphs import WORDS, doubling, patient, scored_graphs

from tunesmith import FormatError, _core
from tunesmith.metrics import Bleu, BleuPlusOne, PseudoCorpusBleu
from tunesmith.search import OracleOptions, SearchGraph


def word_of(number: int) -> str:
    return WORDS[number]


references = st.lists(
    st.lists(st.sampled_from([*WORDS[:4], "unheard"]), max_size=8).map(" ".join), min_size=1, max_size=3
)


@settings(patient, max_examples=60)
@given(
    scored_graphs(),
    references,
    st.sampled_from(
        [
            OracleOptions(),
            OracleOptions(smoothing=BleuPlusOne.nakov()),
            OracleOptions.hope(3.0),
            OracleOptions.fear(3.0),
            OracleOptions(model=0.5, metric=2.0, length="shortest", order=2),
        ]
    ),
)
def test_a_wide_beam_finds_the_oracle(scored, texts, options):
    graph, scores = scored
    wide = OracleOptions(**{**vars(options), "beam": 10**6, "k": 3})
    found = graph.oracle(scores, texts, word_of, wide)
    prepared = Bleu(order=wide.order, reference_length=wide.length).prepare([texts])
    everything = twin.derivations(graph, scores)
    strings = [" ".join(map(word_of, d.words)) for d in everything]
    rows = prepared.statistics(strings, [0] * len(strings))
    bleu = wide.smoothing.scores(rows)
    objective = wide.model * np.array([d.score for d in everything]) + wide.metric * bleu
    assert found.objective[0] == pytest.approx(objective.max(), abs=1e-9)
    assert not found.cut
    assert np.all(np.diff(found.objective) <= 0)
    at = {d.edges: i for i, d in enumerate(everything)}
    for i, derivation in enumerate(found.derivations):
        same = at[tuple(derivation.edges)]
        assert found.statistics[i].tolist() == rows[same].tolist()
        assert found.metric[i] == pytest.approx(bleu[same])
        assert found.objective[i] == pytest.approx(objective[same])
    narrow = graph.oracle(scores, texts, word_of, OracleOptions(**{**vars(options), "beam": 1}))
    assert narrow.objective[0] <= found.objective[0] + 1e-9


@settings(patient, max_examples=30)
@given(scored_graphs(), references, st.sampled_from(["reference", "none"]))
def test_an_oracle_of_pseudo_corpus_bleu(scored, texts, scale):
    graph, scores = scored
    corpus = PseudoCorpusBleu(scale=scale)
    corpus.update(np.array([20.0, 22, 12, 8, 5, 3, 20, 19, 18, 17]))
    options = OracleOptions(
        background=tuple(corpus.background), scale_by_reference=scale == "reference", beam=10**6
    )
    strings = [" ".join(map(word_of, d.words)) for d in twin.derivations(graph, scores)]
    rows = Bleu().prepare([texts]).statistics(strings, [0] * len(strings))
    assert graph.oracle(scores, texts, word_of, options).objective[0] == pytest.approx(corpus.scores(rows).max())


def test_words_passed_through_are_compared_as_text():
    graph = SearchGraph.from_arrays(
        node_edges=[0, 2], tail_offsets=[0, 0, 0], symbol_offsets=[0, 1, 2], symbols=[1, 5], vocabulary=4,
        edge_application=[0, 0], application_rules=[0], application_begins=[0], application_ends=[1],
    )  # fmt: skip
    names = {1: "house", 5: "Berlin"}
    found = graph.oracle([1.0, 0.0], ["Berlin"], names.__getitem__)
    assert found.derivations[0].text(names.__getitem__) == "Berlin"
    assert found.metric[0] == pytest.approx(sentence_bleu.plus_one(found.statistics[0].tolist()))


def test_an_oracle_of_huge_factors_or_of_none_is_refused():
    graph = doubling(2)
    scores = np.full(graph.edges, 1e200)
    with pytest.raises(FormatError, match="add up to no number"):
        graph.oracle(scores, ["a"], lambda _: "a", OracleOptions(model=1e200))
    numbers = np.zeros(len(graph.core.symbols), dtype=np.int32)
    for k, beam in ((0, 1), (1, 0)):
        with pytest.raises(ValueError, match="1 or more"):
            graph.core.oracle(scores, [[0]], numbers, 0.0, 1.0, k, beam, 4, _core.LengthRule.closest,
                              False, False, False, [], False)  # fmt: skip
