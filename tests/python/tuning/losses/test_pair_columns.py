"""Differences of pairs stored by column: the loss of rows, over the features that differ in a pair."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.lists.candidate_sets import random_factored, random_offsets, random_rows, random_rule_features
from support.lists.elsewhere import Elsewhere

from tunesmith import _core
from tunesmith.search import CandidateSet
from tunesmith.tuning.losses import pairwise_ranking
from tunesmith.tuning.losses.pair_columns import NarrowPairs
from tunesmith.tuning.losses.pairwise_ranking import WeighedPairs
from tunesmith.tuning.optimizers import Lbfgs
from tunesmith.tuning.regularizers import L2
from tunesmith.tuning.sums.columns import ColumnTerms
from tunesmith.tuning.sums.objective import distributed


def random_pairs(seed, kind="plain", sentences=150, rows=600, classifier="logistic", columns=40):
    random = np.random.default_rng(seed)
    if kind == "factored":
        lists = random_factored(random, random_rule_features(random), rows=rows, sentences=sentences, texts=False)
    else:
        matrix = random_rows(random, rows=rows, columns=columns)
        lists = CandidateSet.from_matrix(matrix, random_offsets(random, rows, sentences))
    pairs = [
        random.choice(np.arange(begin, end), 2, replace=False)
        for begin, end in zip(lists.offsets, lists.offsets[1:], strict=False)
        for _ in range(3)
        if end - begin > 1
    ]
    better, worse = np.array(pairs, dtype=np.int64).T.copy()
    return WeighedPairs(lists, better, worse, classifier, 0.3, random.random(len(better)) + 0.1)


@pytest.fixture(autouse=True)
def any_number_of_features(monkeypatch):
    monkeypatch.setattr(pairwise_ranking, "MANY_FEATURES", 0)


@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["plain", "factored"]),
    st.sampled_from(["logistic", "hinge"]),
    st.integers(20, 1500),
)
def test_loss_and_gradient_are_those_of_rows(seed, kind, classifier, sentences):
    pairs = random_pairs(seed, kind, sentences, 4 * sentences, classifier)
    narrow = pairs.narrowed()
    w = np.random.default_rng(seed).normal(size=pairs.columns)
    value, gradient = pairs.value_and_grad(w)
    found, slopes = narrow.value_and_grad(w[narrow.numbers])
    assert found == pytest.approx(value, rel=1e-6)
    spread = np.zeros(pairs.columns)
    spread[narrow.numbers] = slopes
    assert spread == pytest.approx(gradient, rel=1e-5, abs=1e-6)
    squares = pairs.mean_squares()
    assert narrow.mean_squares() == pytest.approx(squares[narrow.numbers], rel=1e-5)
    assert not np.delete(squares, narrow.numbers).any()


def test_threads_change_no_bit():
    pairs = random_pairs(3, sentences=1200, rows=5000)
    one, two = (NarrowPairs.of(pairs.candidates, pairs.better, pairs.worse, ("logistic", 0), n) for n in (1, 2))
    assert np.array_equal(one.numbers, two.numbers)
    w = np.random.default_rng(3).normal(size=len(one.numbers))
    found = [each.value_and_grad(w, threads=threads) for each in (one, two) for threads in (1, 3)]
    assert all(value == found[0][0] and gradient.tobytes() == found[0][1].tobytes() for value, gradient in found)


def test_some_sentences_are_the_same_pairs_with_weights_of_zero():
    pairs = random_pairs(4)
    chosen = np.random.default_rng(4).random(pairs.candidates.sentences) < 0.6
    some = pairs.of_sentences(chosen)
    narrow = some.narrowed()
    w = np.random.default_rng(5).normal(size=pairs.columns)
    value, gradient = some.value_and_grad(w)
    found, slopes = narrow.value_and_grad(w[narrow.numbers])
    assert found == pytest.approx(value, rel=1e-6)
    assert slopes == pytest.approx(gradient[narrow.numbers], rel=1e-5, abs=1e-6)
    twice = some.of_sentences(np.arange(len(chosen)) % 2 == 0).narrowed()
    again = pairs.of_sentences(chosen & (np.arange(len(chosen)) % 2 == 0)).narrowed()
    assert twice.value_and_grad(w[twice.numbers])[0] == pytest.approx(again.value_and_grad(w[again.numbers])[0])


@pytest.mark.parametrize("options", [{"scaled": True}, {}, {"from_zero": True}])
def test_the_fit_is_that_of_rows(monkeypatch, options):
    pairs = random_pairs(6, "factored")
    start = np.random.default_rng(6).normal(size=pairs.columns)
    optimizer = Lbfgs(tol=1e-10, iterations=2000, **options)
    found = optimizer.minimize(pairs, L2(0.01), start, seed=1)
    monkeypatch.setattr(pairwise_ranking, "MANY_FEATURES", 10**9)
    expected = optimizer.minimize(pairs, L2(0.01), start, seed=1)
    assert found.value == pytest.approx(expected.value, rel=1e-6)
    assert found.weights == pytest.approx(expected.weights, abs=1e-4)


@pytest.mark.parametrize("sentences", [30, 700])
def test_parts_elsewhere_give_the_same_bytes(sentences):
    pairs = random_pairs(7, sentences=sentences, rows=4 * sentences)
    w = np.random.default_rng(7).normal(size=pairs.columns)
    here = pairs.narrowed()
    value, gradient = here.value_and_grad(w[here.numbers])
    with distributed(pairs, Elsewhere()) as there:
        narrow = there.narrowed()
        found, slopes = narrow.value_and_grad(w[narrow.numbers])
    assert found == value
    assert slopes.tobytes() == gradient.tobytes()


def counted_pairs(seed, sentences=700):
    """Pairs of candidates whose features are counts, but for two: one of large numbers, one of fractions."""
    random = np.random.default_rng(seed)
    rows = random.integers(0, 4, (4 * sentences, 30)) * (random.random((4 * sentences, 30)) < 0.3)
    rows = rows.astype(np.float64)
    rows[-1, 7] = 1000.0
    rows[:, 11] = random.random(len(rows))
    lists = CandidateSet.from_matrix(rows, 4 * np.arange(sentences + 1))
    better = 4 * np.arange(sentences)
    return WeighedPairs(lists, better, better + 2, "logistic", 0.0, random.random(sentences) + 0.1)


def test_small_whole_numbers_take_a_byte():
    arrays = counted_pairs(9).narrowed().terms().arrays
    assert (arrays.pairs.dtype, arrays.counts.dtype, arrays.values.dtype) == (np.uint16, np.int8, np.float32)
    assert np.flatnonzero(arrays.whole == 0).tolist() in ([11], [7, 11])  # the last candidate is in no pair
    pairs = counted_pairs(9)
    last = WeighedPairs(pairs.candidates, pairs.better, pairs.better + 3)
    assert np.flatnonzero(last.narrowed().terms().arrays.whole == 0).tolist() == [7, 11]


def test_the_way_numbers_are_stored_changes_no_bit():
    terms = counted_pairs(10).narrowed().terms()
    arrays = terms.arrays
    assert 0 < len(arrays.values) < len(arrays.pairs)
    of_entry = np.repeat(arrays.whole[arrays.columns] != 0, np.diff(arrays.entry_bounds))
    values = np.empty(len(arrays.pairs), dtype=np.float32)
    values[of_entry], values[~of_entry] = arrays.counts, arrays.values
    wide = arrays._replace(
        pairs=arrays.pairs.astype(np.uint32),
        whole=np.zeros_like(arrays.whole),
        counts=np.empty(0, np.int8),
        value_bounds=arrays.entry_bounds[arrays.column_bounds],
        values=values,
    )
    w = np.random.default_rng(10).normal(size=terms.columns)
    for weights in (np.ones(len(arrays.pairs)), np.random.default_rng(11).random(len(arrays.pairs))):
        found = [
            _core.PairColumns(*each).sums(weights[: arrays.pair_bounds[-1]], _core.PairLossKind.logistic, 0.0, w)
            for each in (arrays, wide)
        ]
        assert found[0][0] == found[1][0]
        assert found[0][1].tobytes() == found[1][1].tobytes()
        squares = [_core.PairColumns(*each).squares(weights[: arrays.pair_bounds[-1]]) for each in (arrays, wide)]
        assert squares[0].tobytes() == squares[1].tobytes()


def test_long_blocks_have_longer_numbers_of_pairs():
    pairs = counted_pairs(12, sentences=20)
    better = np.repeat(pairs.better, 5000)
    narrow = WeighedPairs(pairs.candidates, better, better + 2).narrowed()
    assert narrow.terms().arrays.pairs.dtype == np.uint32
    once = WeighedPairs(pairs.candidates, pairs.better, pairs.worse).narrowed()
    w = np.random.default_rng(12).normal(size=len(once.numbers))
    value, gradient = once.value_and_grad(w)
    found, slopes = narrow.value_and_grad(w)
    assert found == pytest.approx(value)
    assert slopes == pytest.approx(gradient)


def test_what_does_not_fit_together_is_refused():
    pairs = random_pairs(8)
    terms = pairs.narrowed().terms()
    arrays = terms.arrays
    for wrong, message in (
        ({"pair_bounds": arrays.pair_bounds[::-1].copy()}, "rise from 0"),
        ({"columns": arrays.columns + np.uint32(terms.columns)}, "below"),
        ({"pairs": arrays.pairs + np.uint32(10**6)}, "pair that its block does not have"),
        ({"values": np.full_like(arrays.values, np.nan)}, "finite"),
        ({"entry_bounds": arrays.entry_bounds[:-1].copy()}, "bound of entries"),
        ({"column_bounds": arrays.column_bounds[:-1].copy()}, "as many bounds"),
        ({"counts": np.empty(len(arrays.counts) + 1, np.int8)}, "a value for each entry"),
        ({"whole": arrays.whole[:-1].copy()}, "below"),
        ({"whole": 1 - arrays.whole}, "not as many values"),
        ({"value_bounds": arrays.value_bounds[:-1].copy()}, "bounds of values"),
    ):
        with pytest.raises(ValueError, match=message):
            ColumnTerms(arrays._replace(**wrong), np.ones(len(pairs)), "logistic", 0.0)
    with pytest.raises(ValueError, match="a weight for every pair"):
        terms.weighed(np.ones(3)).squares(1)
    with pytest.raises(ValueError, match="order of sentences"):
        _core.pair_columns(pairs.candidates.native, pairs.better[::-1].copy(), pairs.worse[::-1].copy())
