"""Every algorithm over search graphs against the enumeration of all derivations."""

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import search_graph as twin
from reference import sentence_bleu
from search_graphs import WORDS, graphs, patient, quarters, scored_graphs

from tunesmith import ConfigError, FormatError, _core
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.metrics import Bleu, BleuPlusOne, PseudoCorpusBleu
from tunesmith.search import OracleOptions, SearchGraph


def word_of(number: int) -> str:
    return WORDS[number]


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


@patient
@given(scored_graphs(), st.integers(0, 16).map(lambda n: n / 4))
def test_a_beam_keeps_every_derivation_within_it(scored, beam):
    graph, scores = scored
    everything = twin.derivations(graph, scores)
    part = graph.prune(scores, beam)
    kept = {
        tuple(part.edges[list(d.edges)]): d
        for d in twin.derivations(part.graph, np.array(scores)[part.edges].tolist())
    }
    assert {d.edges for d in everything if d.score >= everything[0].score - beam} <= set(kept)
    assert set(kept) <= {d.edges for d in everything}
    used = {edge for edges in kept for edge in edges}
    assert used == set(part.edges.tolist())  # nothing that no derivation uses
    assert np.all(graph.max_marginals(scores)[part.edges] >= everything[0].score - beam)
    same = graph.core.application_rules[part.applications].tolist()
    assert part.graph.core.application_rules.tolist() == same


@patient
@given(scored_graphs(), st.integers(0, 12), st.sampled_from(["posterior", "max_marginal"]))
def test_pruning_to_a_size_keeps_the_best_derivation(scored, size, by):
    graph, scores = scored
    part = graph.prune_to_size(scores, size, by)
    best = set(graph.best(scores).edges.tolist())
    assert best <= set(part.edges.tolist())
    assert part.graph.edges <= max(size, len(best))
    assert part.graph.best(np.array(scores)[part.edges]).score == graph.best(scores).score
    if by == "max_marginal" and part.graph.edges:
        # No edge outside is better than one inside, and every edge inside is still used.
        marginals = graph.max_marginals(scores)
        left_out = np.delete(marginals, part.edges)
        inside = np.delete(marginals, [e for e in range(graph.edges) if e not in set(part.edges.tolist()) - best])
        assert not left_out.size or not inside.size or left_out.max() <= inside.min()
    density = graph.prune_to_density(scores, reference_words=3, density=size / 3, by=by)
    assert density.edges.tolist() == graph.prune_to_size(scores, int(size / 3 * 3), by).edges.tolist()


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


def doubling(levels: int) -> SearchGraph:
    """Both tails of an edge are the node before, and every node has two edges: sentences that fit no memory."""
    edges = 1 + 2 * levels
    tails = [level for level in range(levels) for _ in range(4)]
    return SearchGraph.from_arrays(
        node_edges=[0, *range(1, edges + 1, 2)],
        tail_offsets=[0, *range(0, 2 * edges, 2)],
        tails=tails,
        symbol_offsets=[0, *range(1, 2 * edges, 2)],
        symbols=[0] + [-1, -2] * (edges - 1),
        edge_application=[0] * edges,
        application_rules=[0],
        application_begins=[0],
        application_ends=[1],
        vocabulary=1,
    )


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
