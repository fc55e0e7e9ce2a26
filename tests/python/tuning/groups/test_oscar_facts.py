"""The five facts behind the lazy learner (docs/research/oscar.md), on the proximity operator itself."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith import _core

D_MORE = st.integers(0, 30)
STRENGTH = st.just(0.0) | st.floats(1e-3, 0.3)
LENGTH = st.floats(0, 2)


@st.composite
def weights(draw):
    """Some zeros, some ties, both signs."""
    values = st.sampled_from([0.0, 0.5, -0.5, 1.25]) | st.floats(-2, 2).map(lambda x: x if abs(x) > 1e-6 else 0.0)
    return np.array(draw(st.lists(values, min_size=1, max_size=25)))


def prox(w, more, l1, l2, length):
    return _core.prox_oscar(w, len(w) + more, l1, l2, length)


@settings(max_examples=200, deadline=None)
@given(weights(), D_MORE, STRENGTH, STRENGTH, LENGTH, LENGTH)
def test_steps_add_up(w, more, l1, l2, one, other):
    once = prox(w, more, l1, l2, one + other)
    twice = prox(prox(w, more, l1, l2, other), more, l1, l2, one)
    np.testing.assert_allclose(twice, once, rtol=0, atol=1e-12)


@settings(max_examples=200, deadline=None)
@given(weights(), D_MORE, STRENGTH, STRENGTH, LENGTH)
def test_order_signs_and_ties_stay(w, more, l1, l2, length):
    after = prox(w, more, l1, l2, length)
    assert np.all(after * w >= 0)
    sizes, before = np.abs(after), np.abs(w)
    higher = before[:, None] > before
    assert np.all((sizes[:, None] >= sizes - 1e-15)[higher])
    if l2 * length > 0:  # without the pairwise term the same holds by the same arithmetic
        assert np.all(np.abs(sizes[:, None] - sizes)[before[:, None] == before] <= 1e-15)


@settings(max_examples=200, deadline=None)
@given(weights(), D_MORE, STRENGTH, STRENGTH, LENGTH, st.integers(0, 10**6))
def test_drift_is_bounded_and_one_sided(w, more, l1, l2, length, seed):
    fall = np.abs(w) - np.abs(prox(w, more, l1, l2, length))
    d = len(w) + more
    assert np.all(fall >= -1e-12)
    assert np.all(fall <= length * (l1 + l2 * (d - 1)) + 1e-12)
    # so a margin of stale weights is an interval for the margin of fresh ones
    x = np.random.default_rng(seed).normal(size=len(w))
    most = np.minimum(np.abs(w), length * (l1 + l2 * (d - 1)))
    stale, toward_zero = x @ w, -x * np.sign(w) * most
    fresh = x @ prox(w, more, l1, l2, length)
    assert stale + toward_zero[toward_zero < 0].sum() - 1e-9 <= fresh
    assert fresh <= stale + toward_zero[toward_zero > 0].sum() + 1e-9


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), D_MORE, STRENGTH, STRENGTH)
def test_groups_fall_on_straight_lines(seed, groups, more, l1, l2):
    """Before the first event the value falls by length · (λ1 + λ2 (d - mean rank))."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 5, groups)
    values = np.sort(random.uniform(0.5, 2, groups))[::-1]
    w = np.repeat(values, sizes)
    ranks = np.repeat(np.cumsum(sizes) - (sizes - 1) / 2, sizes)
    slopes = l1 + l2 * (len(w) + more - ranks)
    speeds = slopes[:-1] - slopes[1:]
    meeting = ((w[:-1] - w[1:]) / np.where(speeds > 0, speeds, np.inf))[speeds > 0].min(initial=1.0)
    death = w[-1] / slopes[-1] if slopes[-1] > 0 else 1.0
    length = 0.999 * min(meeting, death, 1.0)
    np.testing.assert_allclose(prox(w, more, l1, l2, length), w - length * slopes, rtol=0, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 12), st.integers(0, 11), D_MORE, STRENGTH)
def test_a_new_weight_changes_all_slopes_below_alike(seed, count, place, more, l2):
    random = np.random.default_rng(seed)
    place = min(place, count)
    w = np.sort(random.uniform(0.5, 2, count))[::-1]
    new = np.insert(w, place, (w[place - 1] if place else 3.0) / 2 + (w[place] if place < count else 0.1) / 2)
    length = 1e-9  # before anything meets
    d = count + 1 + more
    before = (w - _core.prox_oscar(np.ascontiguousarray(w), d, 0.0, l2, length)) / length
    after = (new - _core.prox_oscar(new, d, 0.0, l2, length)) / length
    change = np.delete(after, place) - before
    np.testing.assert_allclose(change[:place], 0.0, atol=1e-5)
    np.testing.assert_allclose(change[place:], -l2, atol=1e-5)
