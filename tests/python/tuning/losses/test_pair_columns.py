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
    ):
        with pytest.raises(ValueError, match=message):
            ColumnTerms(arrays._replace(**wrong), terms.columns, np.ones(len(pairs)), "logistic", 0.0)
    with pytest.raises(ValueError, match="a weight for every pair"):
        terms.weighed(np.ones(3)).squares(1)
    with pytest.raises(ValueError, match="order of sentences"):
        _core.pair_columns(pairs.candidates.native, pairs.better[::-1].copy(), pairs.worse[::-1].copy())
