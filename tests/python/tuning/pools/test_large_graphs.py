"""Lattices and forests of up to ten thousand derivations against all of these, and against a wide beam."""

import itertools

import numpy as np
import pytest
from reference.graph_envelope import all_derivations, envelope
from reference.graph_sums import matches
from support.lists.large_graphs import WORDS, large_graph

from tunesmith import _core
from tunesmith.search import OracleOptions, SearchGraph

KINDS = ["lattice", "forest"]


def fingerprint(words) -> list[float]:
    """Something that tells translations apart."""
    return [len(words), float(sum((at + 1) * (word + 1) for at, word in enumerate(words)))]


def followed(graph, point, direction, low, high, threads=1):
    """Steps, the statistics between them, and their translations."""
    found = _core.GraphTranslations(1)
    ends = np.array([low]), np.array([high])
    found.follow([graph.core], 0, None, np.array(point, float), np.array([direction], float), *ends, threads)
    _, offsets, words = found.without_statistics()
    rows = [fingerprint(words[a:b].tolist()) for a, b in itertools.pairwise(offsets)]
    found.add_statistics(np.array(rows, float))
    return found.envelope(0)


def lines(graph, point, direction):
    features = graph.arrays["dense"].reshape(graph.edges, -1).astype(float)
    every = all_derivations(graph.arrays)
    heights = np.array([sum(float(features[e] @ point) for e in edges) for edges, _ in every])
    slopes = np.array([sum(float(features[e] @ direction) for e in edges) for edges, _ in every])
    return heights, slopes, [words for _, words in every]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("reach", [np.inf, 3.0], ids=["everywhere", "near"])
@pytest.mark.parametrize("seed", range(12))
def test_envelope_is_that_of_all_derivations(kind, reach, seed):
    graph = large_graph(seed, kind)
    point, direction = np.array([1.0, 0.25]), np.array([0.0, 1.0])
    heights, slopes, words = lines(graph, point, direction)
    assert len(heights) == graph.counts()[-1] <= 10_000
    steps, best = envelope(heights, slopes)
    # Neighbours with the same words are one translation; what is outside of the range does not count.
    kept, rows = [], [fingerprint(words[best[0]])]
    for step, at in zip(steps, best[1:], strict=True):
        row = fingerprint(words[at])
        if step <= -reach:
            kept, rows = [], [row]
        elif step < reach and row != rows[-1]:
            kept.append(step)
            rows.append(row)
    found, totals = followed(graph, point, direction, -reach, reach)
    np.testing.assert_allclose(found, kept, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(totals, rows)
    # The best derivation in the middle of each interval has these statistics.
    ends = np.concatenate([[max(-reach, (found[0] if len(found) else 0) - 1)], found])
    ends = np.append(ends, min(reach, ends[-1] + 1))
    for begin, end, row in zip(ends[:-1], ends[1:], totals, strict=True):
        scores = _core.graph_scores(graph.core, None, point + (begin + end) / 2 * direction)
        np.testing.assert_array_equal(fingerprint(graph.best(scores).words), row)


def test_some_of_these_graphs_are_large_and_their_envelopes_long():
    sizes = [large_graph(seed, kind).counts()[-1] for kind in KINDS for seed in range(12)]
    assert max(sizes) > 5000
    graph = large_graph(int(np.argmax(sizes[:12])), "lattice")
    assert len(followed(graph, [1.0, 0.25], [0.0, 1.0], -np.inf, np.inf)[0]) >= 3


@pytest.mark.parametrize("kind", KINDS)
def test_scaling_weights_and_direction_changes_nothing(kind):
    graph = large_graph(3, kind)
    point, direction = np.array([0.7, 0.2]), np.array([0.1, 1.0])
    for reach in (np.inf, 3.0):
        steps, rows = followed(graph, point, direction, -reach, reach)
        for factor in (0.25, 1024.0):
            again, others = followed(graph, factor * point, factor * direction, -reach, reach)
            assert (steps.tobytes(), rows.tobytes()) == (again.tobytes(), others.tobytes())


def test_a_graph_of_one_edge_and_one_without_words():
    one = SearchGraph.from_arrays(
        node_edges=[0, 1], tail_offsets=[0, 0], symbol_offsets=[0, 0], symbols=[], edge_application=[0],
        dense_ids=[0, 1], dense=[1.0, 2.0], application_rules=[0], application_begins=[0], application_ends=[1],
        vocabulary=1,
    )  # fmt: skip
    for reach in (np.inf, 3.0):
        steps, rows = followed(one, [1.0, 1.0], [0.0, 1.0], -reach, reach)
        assert (steps.tolist(), rows.tolist()) == ([], [[0.0, 0.0]])
    passes = hopes_and_fears(one, [0])
    assert passes.find(0, np.ones(2), 1.0, 1.0, BACKGROUND)[0] == 3.0


@pytest.mark.parametrize("reach", [np.inf, 1e14], ids=["everywhere", "in a range"])
@pytest.mark.parametrize("difference", [0.0, 2.0**-43, 2.0**-36])
def test_slopes_that_differ_by_rounding_are_parallel(reach, difference):
    """Within 1e-12 of the steepest line; what would cross nearly at infinity is decided by the scores."""
    graph = SearchGraph.from_arrays(
        node_edges=[0, 2], tail_offsets=[0, 0, 0], symbol_offsets=[0, 1, 2], symbols=[0, 1],
        edge_application=[0, 0], dense_ids=[0, 1, 2], dense=[1.0, 0.0, 1.0, 1.0, 1.0, 0.5],
        application_rules=[0], application_begins=[0], application_ends=[1], vocabulary=2,
    )  # fmt: skip
    steps, rows = followed(graph, [0.0, 0.0, 1.0], [1.0, difference, 0.0], -reach, reach)
    crosses = difference > 1e-12
    assert steps.tolist() == ([0.5 / difference] if crosses else [])
    assert rows.tolist() == [fingerprint([0]), fingerprint([1])][: 2 if crosses else 1]


BACKGROUND = np.array([60.0, 60, 36, 24, 15, 9, 60, 57, 54, 51])


def hopes_and_fears(graph, reference, exact=False):
    options = (_core.Hope.model_and_gain, _core.Fear.model_without_gain, 0.999, 1.0, True, 10**6, exact)
    return _core.GraphHopeFear([graph.core], None, 2, [[reference]], 4, _core.LengthRule.closest, *options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", [1.0, -1.0], ids=["hope", "fear"])
def test_hope_and_fear_are_within_1_percent_of_a_beam_of_50_and_never_above_all_derivations(kind, metric):
    """For every single graph, also where the same words come again and again."""
    best_of_all = 0
    for seed in range(12):
        graph, random = large_graph(seed, kind), np.random.default_rng(seed)
        every = all_derivations(graph.arrays)
        reference = [*every[int(random.integers(len(every)))][1], int(random.integers(len(WORDS)))]
        w = np.array([0.5, 0.25])
        score, gain, _, _ = hopes_and_fears(graph, reference).find(0, w, 1.0, metric, BACKGROUND)
        best = hopes_and_fears(graph, reference, exact=True).find(0, w, 1.0, metric, BACKGROUND)
        found, highest = score + metric * gain, best[0] + metric * best[1]
        assert found <= highest + 1e-9
        options = OracleOptions(1.0, metric, beam=50, background=tuple(BACKGROUND), scale_by_reference=True)
        scores = _core.graph_scores(graph.core, None, w)
        beam = graph.oracle(scores, [" ".join(WORDS[word] for word in reference)], WORDS.__getitem__, options)
        reached = float(beam.objective[0])
        assert reached <= highest + 1e-6
        assert found >= reached - 0.01 * abs(reached)
        best_of_all += found >= highest - 1e-9
    assert best_of_all >= 10


@pytest.mark.parametrize("kind", KINDS)
def test_the_exact_hope_is_the_first_of_the_best_derivations(kind):
    graph = large_graph(5, kind, most=500)
    every, w = all_derivations(graph.arrays), np.array([0.5, 0.25])
    scores = _core.graph_scores(graph.core, None, w)
    passes = hopes_and_fears(graph, every[-1][1], exact=True)
    _, _, edges, _ = passes.find(0, w, 1.0, 0.0, BACKGROUND)
    sums = [sum(scores[e] for e in edges) for edges, _ in every]
    assert edges.tolist() == every[int(np.argmax(sums))][0]


def test_graphs_with_too_many_derivations_are_not_compared_whole():
    graph = large_graph(1, "lattice", most=10**6, levels=14)
    options = (_core.Hope.model_and_gain, _core.Fear.model_without_gain, 0.999, 1.0, True, 5, True)
    with pytest.raises(ValueError, match="a graph has more than 5 derivations, too many to compare all"):
        _core.GraphHopeFear([graph.core], None, 2, [[[0]]], 4, _core.LengthRule.closest, *options)


@pytest.mark.parametrize("kind", KINDS)
def test_risk_and_its_gradient_are_those_of_all_derivations(kind):
    """Sums over thousands of derivations; the gradient of an expectation is a covariance."""
    graph = max((large_graph(seed, kind) for seed in range(12)), key=lambda each: each.counts()[-1])
    every = all_derivations(graph.arrays)
    assert 5_000 < len(every) <= 10_000
    features = graph.arrays["dense"].reshape(graph.edges, -1).astype(float)
    sums = np.array([features[edges].sum(axis=0) for edges, _ in every])
    reference = every[len(every) // 2][1]
    rows = np.array(matches([words for _, words in every], [reference], 4), float)
    worth, entropy = np.array([0.5, 1.0, -2.0, 0.25, 3.0]), 0.75
    for w, scale in (([0.0, 0.0], 1.0), ([1.0, -0.5], 2.0), ([-30.0, 4.0], 1.0)):
        scores = scale * sums @ w
        logarithms = scores - scores.max() - np.log(np.sum(np.exp(scores - scores.max())))
        p = np.exp(logarithms)
        found = _core.GraphExpectation([graph.core], None, 2, [[reference]], 4, 10**7, scale)
        expected = [*(p @ rows), -p @ logarithms]
        np.testing.assert_allclose(found.evaluate(np.array(w)), expected, rtol=1e-9, atol=1e-9)
        values = rows @ worth - entropy * logarithms
        gradient = scale * (p * (values - p @ values)) @ sums
        np.testing.assert_allclose(found.gradient(worth, entropy), gradient, rtol=1e-8, atol=1e-8)
