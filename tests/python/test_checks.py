"""Checks of settings: the bounds, and what the messages say."""

import math

import pytest

from tunesmith.checks import above, at_least, between, finite, given, one_of, whole_number, within
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.tuning.losses import HopeFear, PairwiseRanking


def test_values_inside_pass():
    at_least(1, passes=1, memory=7)
    above(0, rate=0.001)
    between(0, 1, decay=0.5)
    within(0, 1, decay=0, level=1)
    finite(entropy=-1e300, pairs=2**70)
    one_of(["random", "largest"], accept="random")
    whole_number(1, 9, order=1, length=9)


def test_settings_that_are_not_given_are_not_checked():
    assert given(tol=None, scale=0.5, passes=0) == {"scale": 0.5, "passes": 0}
    at_least(1, **given(tol=None))


@pytest.mark.parametrize(
    "check",
    [
        lambda: at_least(1, x=None), lambda: above(1, x=None), lambda: between(0, 1, x=None),
        lambda: within(0, 1, x=None), lambda: finite(x=None), lambda: one_of(["random"], x=None),
        lambda: whole_number(1, 9, x=None), lambda: whole_number(1, 9, x=True), lambda: whole_number(1, 9, x=2.0),
        lambda: whole_number(1, 9, x=0), lambda: whole_number(1, 9, x=10), lambda: HopeFear(hope=None),
        lambda: PairwiseRanking(accept=None), lambda: Bleu(smoothing=None),
    ],
)  # fmt: skip
def test_none_is_no_value_of_a_setting_that_is_needed(check):
    with pytest.raises(ConfigError):
        check()


@pytest.mark.parametrize(
    ("check", "message"),
    [
        (lambda: at_least(1, memory=3, passes=0), "passes must be at least 1, got 0"),
        (lambda: above(0, rate=0), "rate must be greater than 0, got 0"),
        (lambda: between(0, 1, decay=1), "decay must be between 0 and 1, got 1"),
        (lambda: between(0, 1, decay=0), "decay must be between 0 and 1, got 0"),
        (lambda: within(1, 9, order=10), "order must be from 1 to 9, got 10"),
        (lambda: within(1, 9, order=0), "order must be from 1 to 9, got 0"),
        (lambda: finite(rate=math.inf), "rate must be a finite number, got inf"),
        (lambda: finite(rate=-math.inf), "rate must be a finite number, got -inf"),
        (lambda: one_of(["random", "largest"], accept="best"), "accept must be random or largest, got 'best'"),
    ],
)
def test_the_message_names_the_setting_the_bound_and_the_value(check, message):
    with pytest.raises(ConfigError) as raised:
        check()
    assert str(raised.value) == message


@pytest.mark.parametrize(
    "check",
    [
        lambda x: at_least(0, x=x),
        lambda x: above(0, x=x),
        lambda x: between(0, 1, x=x),
        lambda x: within(0, 1, x=x),
        lambda x: finite(x=x),
    ],
)
def test_not_a_number_never_passes(check):
    with pytest.raises(ConfigError, match="got nan"):
        check(math.nan)
