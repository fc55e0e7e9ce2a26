"""The sampler of PRO: which pairs it may and may not take, guards against monsters."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tunesmith import _core
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.tuning.losses import PairwiseRanking
from tunesmith.tuning.pools.lists import ListPool


def sample(offsets, gains, lengths=None, **changed):
    options = {
        "draws": 200, "keep": 10, "min_gain": 0.05, "largest_first": True, "max_gain": np.inf,
        "max_length_difference": np.inf, "outliers": np.inf, "seed": 1, "threads": 1,
    } | changed  # fmt: skip
    lengths = np.zeros(len(gains)) if lengths is None else lengths
    return _core.sample_pairs(np.asarray(offsets), gains, lengths, **options)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.booleans(), st.sampled_from([np.inf, 0.4]), st.sampled_from([np.inf, 3.0]))
@example(seed=424, largest=True, max_gain=0.4, max_length=3.0)  # sentences with fewer pairs than are kept
def test_pairs_are_what_the_settings_allow(seed, largest, max_gain, max_length):
    random = np.random.default_rng(seed)
    offsets = np.concatenate([[0], np.cumsum(random.integers(0, 30, size=9))])
    gains, lengths = random.random(offsets[-1]), random.integers(0, 12, size=offsets[-1]).astype(float)
    better, worse = sample(
        offsets,
        gains,
        lengths,
        largest_first=largest,
        max_gain=max_gain,
        max_length_difference=max_length,
        seed=seed,
    )
    sentence = np.searchsorted(offsets, better, side="right")
    assert np.array_equal(sentence, np.searchsorted(offsets, worse, side="right"))
    assert np.all(np.diff(sentence) >= 0)
    assert np.all(np.bincount(sentence, minlength=1) <= 10)
    difference = gains[better] - gains[worse]
    assert np.all((difference > 0.05) & (difference <= max_gain))
    assert np.all(np.abs(lengths[better] - lengths[worse]) <= max_length)
    if largest:
        for s in np.unique(sentence):
            assert np.all(np.diff(difference[sentence == s]) <= 0)


def test_largest_first_keeps_the_largest_of_all_that_were_drawn():
    gains = np.random.default_rng(1).random(40)
    every = sample([0, 40], gains, keep=200)
    kept = sample([0, 40], gains, keep=10)
    all_gains = np.sort(gains[every[0]] - gains[every[1]])[::-1]
    assert np.array_equal(gains[kept[0]] - gains[kept[1]], all_gains[:10])


def test_largest_first_is_an_order_also_where_no_pair_is_left_out():
    gains = np.random.default_rng(1).random(40)
    better, worse = sample([0, 40], gains, keep=200)
    drawn = sample([0, 40], gains, keep=200, largest_first=False)
    assert len(better) < 200
    difference = gains[better] - gains[worse]
    assert np.array_equal(difference, np.sort(gains[drawn[0]] - gains[drawn[1]])[::-1])


def test_draws_are_uniform_over_ordered_pairs():
    """Chi-square over all 20 pairs of five candidates: 19 degrees of freedom, 99.99 % quantile 50.8."""
    gains = np.arange(5.0)
    better, worse = sample([0, 5], gains, draws=200_000, keep=10**6, min_gain=0.0, largest_first=False)
    counts = np.bincount(5 * better + worse, minlength=25).reshape(5, 5)
    expected = 2 * 200_000 / 25  # both orders of a draw are one pair
    seen = counts[np.tril_indices(5, -1)]
    assert ((seen - expected) ** 2 / expected).sum() < 40


def test_pairs_of_a_sentence_depend_neither_on_threads_nor_on_other_sentences():
    random = np.random.default_rng(3)
    offsets = np.arange(0, 20 * 150 + 1, 20)
    gains = random.random(offsets[-1])
    one, two = (sample(offsets, gains, threads=threads) for threads in (1, 2))
    assert np.array_equal(one, two)
    alone = sample(offsets[:4], gains[: offsets[3]])
    assert np.array_equal(np.array(one)[:, : len(alone[0])], alone)
    assert not np.array_equal(one, sample(offsets, gains, seed=2))


def test_a_monster_has_the_share_of_any_candidate_by_default():
    """One very long, very bad candidate: in all published pairs, in few of our sampler's, in none filtered.

    Without a filter it must stay visible: weights that prefer it could not be corrected otherwise.
    """
    random = np.random.default_rng(1)
    length = np.append(random.integers(9, 12, size=60), 60)
    match = np.append(random.integers(4, 9, size=60), 1)
    ngrams = np.maximum(length[:, None] - np.arange(4), 0)
    matches = np.maximum(match[:, None] - 2 * np.arange(4), 0)
    statistics = np.column_stack([length, np.full(61, 10), matches, ngrams])
    candidates = CandidateSet.from_matrix(random.normal(size=(61, 3)), [0, 61], statistics=statistics)
    published = PairwiseRanking.plain().prepare(ListPool(candidates), Bleu(), 1)
    guarded = PairwiseRanking(keep=1000).prepare(ListPool(candidates), Bleu(), 1)
    filtered = PairwiseRanking(keep=1000, outliers=2.0).prepare(ListPool(candidates), Bleu(), 1)
    apart = PairwiseRanking(keep=1000, max_length_difference=10.0).prepare(ListPool(candidates), Bleu(), 1)
    assert np.mean(published.worse == 60) > 0.9
    assert 0 < np.mean(guarded.worse == 60) < 0.1
    assert 60 not in filtered.worse
    assert 60 not in apart.worse


def test_gains_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="one gain"):
        sample([0, 3], np.zeros(3), np.zeros(2))
    with pytest.raises(ValueError, match="finite"):
        sample([0, 3], np.array([0, np.nan, 1]))
