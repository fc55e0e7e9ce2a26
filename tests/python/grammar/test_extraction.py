"""Extraction of one sentence pair against every span and every set of gaps."""

import math
from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.extraction import fisher_minus_log_p, hiero_rules, phrase_rules

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.grammar import HieroOptions, PhraseOptions, ScoreOptions


@st.composite
def aligned_pairs(draw, longest=7):
    source = draw(st.lists(st.integers(3, 6), min_size=1, max_size=longest))
    target = draw(st.lists(st.integers(3, 6), min_size=1, max_size=longest))
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.sets(link, max_size=longest))


@given(aligned_pairs(9), st.integers(1, 8), st.booleans())
@settings(max_examples=300, deadline=None)
def test_phrase_pairs_are_those_of_the_definition(pair, max_length, tight):
    source, target, links = pair
    found = _core.extract_phrases(source, target, list(links), PhraseOptions(max_length, tight).native())
    assert Counter(rule[:3] for rule in found) == Counter(phrase_rules(source, target, links, max_length, tight))
    assert all(rule[3] == 1 for rule in found)


@given(
    aligned_pairs(),
    st.integers(1, 7),
    st.integers(1, 6),
    st.integers(0, 2),
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=500, deadline=None)
def test_hierarchical_rules_and_their_shares_are_those_of_the_definition(
    pair, max_span, max_symbols, max_gaps, min_gap, adjacent, aligned, tight, normal_form, fractional
):
    source, target, links = pair
    limits = {
        "max_span": max_span,
        "max_symbols": max_symbols,
        "max_gaps": max_gaps,
        "min_gap": min_gap,
        "adjacent": adjacent,
        "aligned": aligned,
        "tight": tight,
        "normal_form": normal_form,
    }
    options = HieroOptions(**limits, fractional=fractional)
    expected = Counter()
    for rules in hiero_rules(source, target, links, **limits):
        for rule in rules:
            expected[rule] += Fraction(1, len(rules)) if fractional else 1
    found = Counter()
    for *rule, shared_by in _core.extract_hiero(source, target, list(links), options.native()):
        found[tuple(rule)] += Fraction(1, shared_by)
    assert found == expected


def test_the_rules_of_a_phrase_share_one_count():
    # Chiang 2007, section 3.2: here two initial phrases, of one and of two words.
    found = _core.extract_hiero([3, 4], [5, 6], [(0, 0), (1, 1)], HieroOptions(min_gap=1).native())
    assert sorted((f, e, shared_by) for f, e, _, shared_by in found) == [
        ((-1, 4), (-1, 6), 3),
        ((3,), (5,), 1),
        ((3, -1), (5, -1), 3),
        ((3, 4), (5, 6), 3),
        ((4,), (6,), 1),
    ]


def test_gaps_are_numbered_by_the_source_side():
    found = _core.extract_hiero([3, 4, 5], [6, 7, 8], [(0, 2), (1, 1), (2, 0)], HieroOptions(min_gap=1).native())
    assert ((-1, 4, -2), (-2, 7, -1)) in [rule[:2] for rule in found]


@pytest.mark.parametrize(
    "make",
    [
        lambda: HieroOptions(max_span=0),
        lambda: HieroOptions(max_gaps=3),
        lambda: HieroOptions(max_symbols=256),
        lambda: HieroOptions(min_gap=0),
        lambda: PhraseOptions(max_length=0),
        lambda: ScoreOptions(smoothing="laplace"),
        lambda: ScoreOptions(top=-1),
        lambda: ScoreOptions(lexical_decimals=0),
        lambda: ScoreOptions(top=2**63),
        lambda: ScoreOptions(significance=math.nan),
        lambda: ScoreOptions(significance=math.inf),
        lambda: ScoreOptions(significance=-5.0),
    ],
)
def test_options_that_cannot_work_are_refused(make):
    with pytest.raises(ConfigError):
        make()


def test_links_outside_are_refused_by_the_core():
    with pytest.raises(ValueError, match="outside"):
        _core.extract_phrases([3], [3], [(0, 1)], PhraseOptions().native())


@given(st.integers(1, 60), st.data())
def test_fishers_test_is_the_sum_of_hypergeometric_probabilities(pairs, data):
    source, target = data.draw(st.integers(1, pairs)), data.draw(st.integers(1, pairs))
    least = max(0, source + target - pairs)
    both = data.draw(st.integers(least, min(source, target)))
    found = _core.FisherTest(pairs).minus_log_p(both, source, target)
    assert found == pytest.approx(max(0.0, fisher_minus_log_p(both, source, target, pairs)), rel=1e-9, abs=1e-9)


def test_a_rule_seen_once_with_both_sides_seen_once_has_the_significance_log_n():

    assert _core.FisherTest(1000).minus_log_p(1, 1, 1) == pytest.approx(math.log(1000))  # Johnson et al. 2007
