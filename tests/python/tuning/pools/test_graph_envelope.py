"""The envelope of whole search graphs against all derivations, one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.lists.search_graphs import doubling, graphs, patient

from tunesmith import _core
from tunesmith.search import SearchGraph

COLUMNS = 7
weight_vectors = st.lists(st.integers(-12, 12).map(lambda n: n / 4), min_size=COLUMNS, max_size=COLUMNS)


def features(graph: SearchGraph) -> np.ndarray:
    """Features of each edge, without those of rules."""
    arrays = graph.arrays
    rows = np.zeros((graph.edges, COLUMNS))
    rows[:, arrays["dense_ids"]] = arrays["dense"].reshape(graph.edges, -1)
    for edge in range(graph.edges):
        for at in range(arrays["sparse_offsets"][edge], arrays["sparse_offsets"][edge + 1]):
            rows[edge, arrays["sparse_ids"][at]] += arrays["sparse_values"][at]
    return rows


def derivations(graph: SearchGraph) -> list:
    return list(graph.k_best(np.zeros(graph.edges), 1000))


def statistics(words: np.ndarray) -> np.ndarray:
    """Something that tells translations apart: their length, and counts of words by place."""
    return np.array([len(words), *(np.sum((np.arange(len(words)) + 1) * (words == word)) for word in range(5))])


def followed(graphs: list, point, direction, low=-np.inf, high=np.inf, threads=1):
    """Breakpoints and statistics of the core along one line."""
    found = _core.GraphTranslations(len(graphs))
    ranges = np.array([low]), np.array([high])
    cores = [graph.core for graph in graphs]
    found.follow(cores, 0, None, np.array(point, float), np.array([direction], float), *ranges, threads)
    sentences, offsets, words = found.without_statistics()
    rows = [statistics(words[offsets[i] : offsets[i + 1]]) for i in range(len(sentences))]
    found.add_statistics(np.array(rows, float))
    return found.envelope(0)


def enumerated(graph: SearchGraph, point, direction):
    """Heights, slopes and statistics of all derivations."""
    rows = features(graph)
    lines = [(each.edges, statistics(np.array(each.words))) for each in derivations(graph)]
    heights = np.array([rows[edges].sum(axis=0) @ point for edges, _ in lines])
    slopes = np.array([rows[edges].sum(axis=0) @ direction for edges, _ in lines])
    return heights, slopes, [row for _, row in lines]


@patient
@given(graph=graphs(), point=weight_vectors, direction=weight_vectors)
def test_envelope_is_that_of_all_derivations(graph, point, direction):
    heights, slopes, rows = enumerated(graph, point, direction)
    breakpoints, totals = followed([graph], point, direction)
    assert len(totals) == len(breakpoints) + 1
    assert np.all(np.diff(breakpoints) > 0)
    # Between two breakpoints the statistics are those of a derivation that is the best there.
    ends = (
        np.concatenate([[breakpoints[0] - 1], breakpoints, [breakpoints[-1] + 1]]) if len(breakpoints) else [-1, 1]
    )
    for begin, end, total in zip(ends[:-1], ends[1:], totals, strict=True):
        if end - begin < 1e-9:
            continue
        scores = heights + (begin + end) / 2 * slopes
        best = [row for row, score in zip(rows, scores, strict=True) if score > scores.max() - 1e-9]
        assert any(np.array_equal(total, row) for row in best)
    # Wherever the slope of the best derivations changes, there is a breakpoint or the words stay the same.
    steps = {
        (b - a) / (m - n)
        for a, m in zip(heights, slopes, strict=True)
        for b, n in zip(heights, slopes, strict=True)
        if m != n
    }
    for step in steps:
        scores = heights + step * slopes
        winners = scores > scores.max() - 1e-12
        before, after = slopes[winners].min(), slopes[winners].max()
        left = {tuple(rows[i]) for i in np.flatnonzero(winners & (slopes == before))}
        right = {tuple(rows[i]) for i in np.flatnonzero(winners & (slopes == after))}
        if before < after and not left & right:
            assert np.abs(breakpoints - step).min() < 1e-9


@patient
@given(
    graph=graphs(), point=weight_vectors, direction=weight_vectors, low=st.integers(-4, 0), high=st.integers(0, 4)
)
def test_a_range_changes_nothing_inside_of_it(graph, point, direction, low, high):
    everywhere, rows = followed([graph], point, direction)
    inside, some = followed([graph], point, direction, low, high)
    kept = (everywhere > low) & (everywhere < high)
    within = (inside > low) & (inside < high)
    np.testing.assert_array_equal(everywhere[kept], inside[within])
    first, mine = np.searchsorted(everywhere, low, "right"), np.searchsorted(inside, low, "right")
    np.testing.assert_array_equal(rows[first : first + kept.sum() + 1], some[mine : mine + within.sum() + 1])


@patient
@given(graph=graphs(), point=weight_vectors, direction=weight_vectors)
def test_at_step_0_it_is_the_best_derivation_ties_included(graph, point, direction):
    found = _core.GraphTranslations(1)
    ends = np.array([-1e-9]), np.array([1e-9])
    found.follow([graph.core], 0, None, np.array(point), np.array([direction]), *ends)
    alone = _core.GraphTranslations(1)
    best = alone.best([graph.core], 0, None, np.array(point))
    words = alone.words(np.zeros(1, np.int64), best)[1]
    sentences, offsets, all_words = found.without_statistics()
    seen = [all_words[offsets[i] : offsets[i + 1]].tolist() for i in range(len(sentences))]
    scores = _core.graph_scores(graph.core, None, np.array(point))
    assert list(words) == list(graph.best(scores).words)
    lines = features(graph) @ direction
    ties = {
        tuple(each.words)
        for each in derivations(graph)
        if np.isclose(scores[each.edges].sum(), scores[graph.best(scores).edges].sum())
    }
    assert any(tuple(each) in ties for each in seen)
    if len(ties) == 1 or not lines.any():
        assert words.tolist() in seen


@settings(max_examples=20)
@given(some=st.lists(graphs(), min_size=2, max_size=4), point=weight_vectors, direction=weight_vectors)
def test_sentences_add_up_whatever_the_threads(some, point, direction):
    breakpoints, totals = followed(some, point, direction)
    for threads in (2, 5):
        again = followed(some, point, direction, threads=threads)
        np.testing.assert_array_equal(breakpoints, again[0])
        np.testing.assert_array_equal(totals, again[1])
    alone = [followed([graph], point, direction) for graph in some]
    at = np.concatenate([[-1e3], (breakpoints[:-1] + breakpoints[1:]) / 2, [1e3]])
    at = at if len(breakpoints) else np.array([0.0])
    for step, total in zip(at, totals, strict=True):
        sums = sum(rows[np.searchsorted(steps, step)] for steps, rows in alone)
        np.testing.assert_array_equal(total, sums)


def test_bad_input_is_refused():
    graph = doubling(2)
    found = _core.GraphTranslations(1)
    one = np.zeros(1)
    with pytest.raises(ValueError, match="1 sentences"):
        found.best([graph.core, graph.core], 0, None, one)
    with pytest.raises(ValueError, match="as long as the point"):
        found.follow([graph.core], 0, None, one, np.zeros((1, 2)), one, one)
    number = found.best([graph.core], 0, None, one)
    with pytest.raises(ValueError, match="not been measured"):
        found.statistics(np.zeros(1, np.int64), number)
    with pytest.raises(ValueError, match="got statistics of 2 translations for 1"):
        found.add_statistics(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="no translation 7"):
        found.words(np.zeros(1, np.int64), np.array([7]))
    with pytest.raises(ValueError, match="there is no line 0"):
        found.envelope(0)
