"""Feature decay selection: equal to scoring everything again after every choice, and what its numbers mean."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from reference import feature_decay

from tunesmith.corpus.phrasebook import PhrasebookOptions, generate
from tunesmith.corpus.selection import FeatureDecay
from tunesmith.errors import ConfigError, FormatError

LINES = st.lists(st.lists(st.sampled_from("abcde"), max_size=7).map(" ".join), max_size=12)


@given(LINES.filter(lambda lines: any(lines)), LINES, st.integers(1, 12), st.integers(1, 4))
@example(["a a a"], ["a a", "a", "a a a"], 3, 2)  # the initial value of a frequent n-gram is 0
@example(["a b"], ["b a", "a b", "a b"], 3, 1)  # equal scores: the first line
def test_equals_the_eager_version(in_domain, candidates, sentences, order):
    found = FeatureDecay(order).select(in_domain, candidates, sentences)
    expected = feature_decay.select(in_domain, candidates, sentences, order)
    assert list(zip(found.lines.tolist(), found.scores.tolist(), strict=True)) == expected


@pytest.fixture(scope="module")
def book(grammar):
    made = generate(PhrasebookOptions(pairs=200, eval_sentences=8), grammar)
    return [pair.source for pair in made.train]


def test_equals_the_eager_version_on_the_phrasebook(book):
    found = FeatureDecay(3).select(book[:20], book[20:], 60)
    expected = feature_decay.select(book[:20], book[20:], 60, 3)
    assert list(zip(found.lines.tolist(), found.scores.tolist(), strict=True)) == expected


def test_scores_are_those_of_the_definition():
    """|U| = 4: ln(4/2) for a, ln(4/1) for b; chosen once, a and b count half."""
    found = FeatureDecay(1).select(["a a b", "c"], ["a b x", "b", "a"], 3)
    assert found.lines.tolist() == [1, 2, 0]
    ln2, ln4 = math.log(2), math.log(4)
    np.testing.assert_allclose(found.scores, [ln4, ln2, (ln2 / 2 + ln4 / 2) / 3], rtol=1e-15)


def test_fewer_sentences_are_a_prefix(book):
    many = FeatureDecay().select(book[:10], book[10:], 50)
    few = FeatureDecay().select(book[:10], book[10:], 7)
    assert few.lines.tolist() == many.lines.tolist()[:7]


def test_no_sentence_without_an_ngram_of_the_domain():
    found = FeatureDecay().select(["a b"], ["x y", "b", "", "z"], 4)
    assert found.lines.tolist() == [1]
    assert found.labels("web", "news") == ["news", "web", "news", "news"]
    assert list(found.rows()) == [f"2\t{math.log(2)!r}"]


def test_coverage_counts_different_ngrams():
    found = FeatureDecay(2).select(["a b a", "c d"], ["a b", "d", "c"], 2)
    unigrams, bigrams = found.covered
    assert found.lines.tolist() == [0, 1]
    assert (unigrams.in_domain, unigrams.candidates, unigrams.chosen) == (4, 4, 3)
    assert (bigrams.in_domain, bigrams.candidates, bigrams.chosen) == (3, 1, 1)


def test_progress_ends_at_the_number_chosen():
    seen = []
    FeatureDecay().select(["a"] * 3 + ["b"], ["a", "b", "x"], 3, lambda done, total: seen.append((done, total)))
    assert seen == [(2, 3)]


def test_files_and_streams(tmp_path):
    (tmp_path / "domain").write_text("a b\n", encoding="utf-8")
    found = FeatureDecay().select(tmp_path / "domain", iter(["x", "a b"]), 1)
    assert found.lines.tolist() == [1]


def test_no_word_in_the_domain():
    with pytest.raises(FormatError, match="no word"):
        FeatureDecay().select(["", " "], ["a"], 1)


@pytest.mark.parametrize("order", [0, 256])
def test_orders_that_cannot_be(order):
    with pytest.raises(ConfigError, match="order must be from 1 to 255"):
        FeatureDecay(order)


def test_at_least_one_sentence():
    with pytest.raises(ConfigError, match="sentences must be at least 1, got 0"):
        FeatureDecay().select(["a"], ["a"], 0)
