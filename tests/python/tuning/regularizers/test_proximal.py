"""Proximity operators of OSCAR and of sorted L1 norms: other tools, optimality conditions, groups, bad input."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression
from scipy.stats import rankdata
from sklearn.isotonic import isotonic_regression as sklearn_isotonic

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning import prox_oscar, prox_sorted_l1
from tunesmith.tuning.regularizers import Oscar


@functools.cache
def skglm_prox():
    """prox_SLOPE of skglm 0.5: magnitudes by falling size and their penalties in, new magnitudes out."""
    prox_funcs = pytest.importorskip("skglm.utils.prox_funcs")
    return prox_funcs.prox_SLOPE


def by_isotonic_regression(regress, w, penalties, step):
    """Sort, regress, clip, sign: the definition with another tool's regression."""
    order = np.argsort(-np.abs(w), kind="stable")
    fitted = np.zeros(len(w))
    fitted[order] = np.maximum(regress(np.abs(w)[order] - step * penalties[: len(w)]), 0.0)
    return np.copysign(fitted, w)


@st.composite
def weights(draw):
    """Random, tied, nearly sorted and far apart, up to a few thousand: every way to sort is taken."""
    size = draw(st.sampled_from([1, 2, 3, 7, 30, 100, 700, 2100, 5000]))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    kind = draw(st.sampled_from(["normal", "tied", "nearly sorted", "powers", "close", "zeros"]))
    w = random.normal(size=size)
    if kind == "tied":
        w = np.round(2 * w) / 2
    elif kind == "nearly sorted":
        w = w[np.argsort(-np.abs(w))]
        some = random.integers(size, size=1 + size // 50)
        w[some] = random.normal(size=len(some))
    elif kind == "powers":
        w = w * 10.0 ** random.integers(-8, 3, size=size)
    elif kind == "close":  # agree in their leading bits
        w = np.copysign(1 + 1e-13 * random.integers(0, 50, size=size), w)
    elif kind == "zeros":
        w[random.random(size) < 0.7] = 0.0
    return w


strengths = st.sampled_from([(1e-10, 3e-8), (0.0, 1e-3), (0.2, 0.0), (0.01, 0.01), (10.0, 0.5)])


@settings(max_examples=120, deadline=None)
@given(weights(), strengths, st.sampled_from([0.0, 0.1, 1.0]), st.sampled_from([0, 1, 10**6]))
def test_oscar_agrees_with_isotonic_regression(w, strength, step, more):
    d = len(w) + more
    penalties = strength[0] + strength[1] * (d - 1.0 - np.arange(len(w)))
    point = prox_oscar(np.arange(len(w)), w, d, *strength, step)
    by_scipy = by_isotonic_regression(lambda y: isotonic_regression(y, increasing=False).x, w, penalties, step)
    by_sklearn = by_isotonic_regression(lambda y: sklearn_isotonic(y, increasing=False), w, penalties, step)
    tolerance = 1e-12 * max(1.0, np.abs(w).max())
    assert np.abs(point.values - by_scipy).max() <= tolerance
    assert np.abs(point.values - by_sklearn).max() <= tolerance
    assert np.array_equal(point.values, _core.prox_oscar(w, d, *strength, step))
    assert np.array_equal(point.values, prox_sorted_l1(np.arange(len(w)), w, d, penalties, step).values)


@settings(max_examples=60, deadline=None)
@given(weights(), st.integers(0, 10**6), st.sampled_from([0.1, 1.0, 20.0]))
def test_sorted_l1_agrees_with_skglm(w, seed, step):
    random = np.random.default_rng(seed)
    penalties = -np.sort(-np.abs(random.normal(size=len(w)))) * random.choice([1.0, 0.01])
    point = prox_sorted_l1(np.arange(len(w)), w, len(w), penalties, step)
    by_skglm = by_isotonic_regression(lambda y: y, w, penalties, step)
    order = np.argsort(-np.abs(w), kind="stable")
    by_skglm[order] = skglm_prox()(np.abs(w)[order], step * penalties)
    assert np.abs(point.values - np.copysign(by_skglm, w)).max() <= 1e-12 * max(1.0, np.abs(w).max())


@settings(max_examples=80, deadline=None)
@given(weights(), strengths, st.sampled_from([0.1, 1.0]))
def test_the_point_is_optimal(w, strength, step):
    """(w - x) / step is a subgradient of the norm at x.

    That is: its sorted magnitudes are majorised by the penalties, and its product with x is the norm of x.
    """
    penalties = strength[0] + strength[1] * (len(w) - 1.0 - np.arange(len(w)))
    x = prox_oscar(np.arange(len(w)), w, len(w), *strength, step).values
    subgradient = w - x
    sums = np.cumsum(-np.sort(-np.abs(subgradient)))
    scale = max(1.0, np.abs(w).sum())
    assert np.all(sums <= step * np.cumsum(penalties) + 1e-13 * scale)
    assert subgradient @ x == pytest.approx(
        step * Oscar(*strength).value(x), abs=1e-12 * scale * max(1, abs(x).max())
    )


@settings(max_examples=80, deadline=None)
@given(weights(), strengths, st.sampled_from([0.0, 0.1, 1.0]))
def test_groups_are_the_equal_values(w, strength, step):
    point = prox_oscar(np.arange(len(w)), w, len(w) + 3, *strength, step)
    assert np.array_equal(point.groups < 0, point.values == 0)
    active = point.groups >= 0
    assert np.array_equal(point.weights[point.groups[active]], point.values[active])
    assert np.array_equal(np.bincount(point.groups[active], minlength=len(point.sizes)), point.sizes)
    assert len(np.unique(point.values[active])) == len(point.weights)
    assert np.all(np.diff(np.abs(point.weights)) <= 0)


def test_opposite_signs_are_two_groups():
    point = prox_oscar([4, 9, 2, 7], [1.0, -1.002, 1.004, 0.001], 10, 0.0, 0.1, 0.1)
    assert point.groups.tolist() == [0, 1, 0, -1]
    assert point.weights[0] == -point.weights[1] > 0
    assert point.sizes.tolist() == [2, 1]


def test_l1_alone_groups_equal_weights_only():
    point = prox_oscar([0, 1, 2, 3], [0.5, 0.3, 0.5, np.nextafter(0.5, 1)], 4, 0.1, 0.0, 1.0)
    assert point.groups.tolist() == [1, 2, 1, 0]


@settings(max_examples=60, deadline=None)
@given(weights(), st.integers(0, 10**6))
def test_the_order_of_entries_does_not_matter(w, seed):
    """Nor do explicit zeros, nor the numbers of the indices."""
    random = np.random.default_rng(seed)
    places = random.choice(10**9, size=len(w), replace=False)
    shuffled = random.permutation(len(w))
    one = prox_oscar(places, w, 10**9, 1e-3, 1e-11, 1.0)
    other = prox_oscar(places[shuffled], w[shuffled], 10**9, 1e-3, 1e-11, 1.0)
    assert np.abs(one.values[shuffled] - other.values).max() <= 1e-14 * np.abs(w).max()
    active = w != 0
    without = prox_oscar(places[active], w[active], 10**9, 1e-3, 1e-11, 1.0)
    assert np.array_equal(without.values, one.values[active])


@settings(max_examples=100, deadline=None)
@given(weights())
def test_the_rank_is_the_number_of_larger_magnitudes(w):
    assert np.array_equal(_core.magnitude_ranks(w), rankdata(-np.abs(w), method="min") - 1)


@pytest.mark.parametrize("kind", ["normal", "nearly sorted", "tied", "close", "adjacent", "far apart", "outlier"])
def test_ranks_of_many_magnitudes(kind):
    """Enough numbers that buckets are put into buckets, or that most of them share one."""
    random = np.random.default_rng(1)
    w = random.normal(size=200_000)
    if kind == "nearly sorted":
        w = w[np.argsort(-np.abs(w))]
        w[random.integers(len(w), size=500)] = 0.3
    elif kind == "tied":
        w = np.round(w, 2)
    elif kind == "close":
        w = 1 + 1e-12 * w
    elif kind == "adjacent":  # a thousand neighbouring doubles
        w = 1 + 2.0**-52 * random.integers(1000, size=len(w))
    elif kind == "far apart":
        w = w * 10.0 ** random.uniform(-300, 0, size=len(w))
    elif kind == "outlier":
        w[7] = 1e300
    assert np.array_equal(_core.magnitude_ranks(w), rankdata(-np.abs(w), method="min") - 1)


def test_ranks_when_every_level_splits_off_one_number():
    """Magnitudes 2^(-2^k) and many copies of the smallest: the buckets fill as badly as they can."""
    w = np.concatenate([2.0 ** -(2.0 ** np.arange(10)), 2.0**-1000 * (1 + 2.0**-50 * np.arange(400) ** 2)])
    assert np.array_equal(_core.magnitude_ranks(w), rankdata(-np.abs(w), method="min") - 1)


@pytest.mark.parametrize("share", [0.0, 0.01, 0.1, 0.2, 0.5, 0.99, 1.0])
def test_weights_that_die(share):
    """Whatever share of the weights is below the least penalty: few are ranked with the others, many left out."""
    random = np.random.default_rng(3)
    w = random.normal(size=3000) + 2
    w[random.random(3000) < share] *= 1e-3
    penalties = 0.1 + 1e-5 * (2999.0 - np.arange(3000))
    found = prox_oscar(np.arange(3000), w, 3000, 0.1, 1e-5, 1.0).values
    expected = by_isotonic_regression(lambda y: isotonic_regression(y, increasing=False).x, w, penalties, 1.0)
    assert np.abs(found - expected).max() <= 1e-12
    assert not np.signbit(found[found == 0]).any()


def test_nothing_in_nothing_out():
    point = prox_oscar([], [], 0, 0.1, 0.1, 1.0)
    assert [len(each) for each in (point.values, point.groups, point.weights, point.sizes)] == [0, 0, 0, 0]


def test_arrays_of_any_layout_and_type():
    """Views with gaps, other integers, other floats, lists, an integer of NumPy as d."""
    random = np.random.default_rng(7)
    table = random.normal(size=(30, 4)).astype(np.float32).astype(np.float64)
    w, places, penalties = table[:, 1], np.arange(60)[::2], np.linspace(1, 0, 60)[::2]
    expected = prox_oscar(places.copy(), w.copy(), 60, 0.1, 0.01, 1.0).values
    for indices in (places, places.astype(np.uint16), places.tolist()):
        for values in (w, w.astype(np.float32), w.tolist(), w.astype(">f8")):
            for d in (60, np.int32(60)):
                assert np.array_equal(prox_oscar(indices, values, d, 0.1, 0.01, 1.0).values, expected)
    of_views = prox_sorted_l1(places, w, 60, penalties, 1.0).values
    assert np.array_equal(of_views, prox_sorted_l1(places.copy(), w.copy(), 60, penalties.copy(), 1.0).values)


@pytest.mark.parametrize("number", [5e-324, 1e-310, 1e250])
def test_extreme_magnitudes(number):
    w = np.array([number, 1.0, -number, 0.0])
    assert np.array_equal(prox_oscar(range(4), w, 4, 0.0, 0.0, 1.0).values, w)


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: prox_oscar([0], [1.0], 1, -0.1, 0.1, 1.0), "l1 must be .* got -0.1"),
        (lambda: prox_oscar([0], [1.0], 1, 0.1, float("nan"), 1.0), "l2 must be .* got nan"),
        (lambda: prox_oscar([0], [1.0], 1, 0.1, 0.1, -1.0), "step must be .* got -1"),
        (lambda: prox_oscar([0], [1.0], 1, 0.1, 0.1, float("inf")), "step must be .* got inf"),
        (lambda: prox_oscar([0, 5], [1.0, 1.0], 5, 0.1, 0.1, 1.0), "index 5 is outside of the 5"),
        (lambda: prox_oscar([-1], [1.0], 5, 0.1, 0.1, 1.0), "index -1"),
        (lambda: prox_oscar([-2, 1], [1.0, 1.0], 5, 0.1, 0.1, 1.0), "index -2 is outside"),
        (lambda: prox_oscar([7, 1], [1.0, 1.0], 5, 0.1, 0.1, 1.0), "index 7 is outside"),
        (lambda: prox_oscar([0, 1], [1.0, 1.0], 1, 0.1, 0.1, 1.0), "d = 1 .* 2 weights"),
        (lambda: prox_oscar([0], [1.0], -1, 0.1, 0.1, 1.0), "d must be a number of features, got -1"),
        (lambda: prox_oscar([3, 1, 3], [1.0, 2.0, 1.0], 5, 0.1, 0.1, 1.0), "index 3 is given twice"),
        (lambda: prox_oscar([70, 1, 70], [1.0, 2.0, 1.0], 10**12, 0.1, 0.1, 1.0), "index 70 is given twice"),
        (lambda: prox_oscar([3, 1], [1.0, float("nan")], 5, 0.1, 0.1, 1.0), "weight 1 is not a finite"),
        (lambda: prox_oscar([3, 1], [1e300, 1e300], 5, 0.1, 0.1, 1.0), "weight 0 .* too large"),
        (lambda: prox_oscar([3], [1.0, 2.0], 5, 0.1, 0.1, 1.0), "as many indices as values, got 1 and 2"),
        (lambda: prox_oscar([0.5], [1.0], 5, 0.1, 0.1, 1.0), "integers"),
        (lambda: prox_oscar([[0]], [[1.0]], 5, 0.1, 0.1, 1.0), "shape"),
        (lambda: prox_sorted_l1([0, 1], [1.0, 2.0], 5, [1.0], 1.0), "one penalty for each"),
        (lambda: prox_sorted_l1([0, 1], [1.0, 2.0], 5, [1.0, 2.0], 1.0), "increase"),
        (lambda: prox_sorted_l1([0], [1.0], 5, [float("nan")], 1.0), "penalty 0"),
        (lambda: prox_sorted_l1([0], [1.0], 5, [-1.0], 1.0), "penalty 0"),
        (lambda: prox_sorted_l1([0], [1.0], 5, 1.0, 1.0), r"penalties must be a row of numbers, got shape \(\)"),
    ],
)
def test_bad_input_is_refused(call, what):
    with pytest.raises(ConfigError, match=what):
        call()
