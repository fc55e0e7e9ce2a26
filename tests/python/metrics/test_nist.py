"""NIST against nltk with one reference, by hand and by the slow twin with several."""

import math

import pytest
from hypothesis import assume, given
from nltk.translate.nist_score import corpus_nist
from reference.ngrams import nist
from support.lists.strategies import corpora

from tunesmith import ConfigError
from tunesmith.metrics import Nist


@given(corpora(max_references=1))
def test_one_reference_equals_nltk(corpus):
    hypotheses, references = corpus
    # nltk divides by zero where no hypothesis has n words, or where the references are empty.
    assume(max(len(hypothesis.split()) for hypothesis in hypotheses) >= 5)
    assume(any(sentence[0].split() for sentence in references))
    judged = corpus_nist([[s[0].split()] for s in references], [h.split() for h in hypotheses])
    assert Nist().corpus_score(hypotheses, references) == pytest.approx(judged, abs=1e-9)


@given(corpora())
def test_several_references_equal_the_slow_twin(corpus):
    hypotheses, references = corpus
    assert Nist().corpus_score(hypotheses, references) == pytest.approx(nist(hypotheses, references), abs=1e-9)


def test_two_references_worked_by_hand():
    """mteval-v13a: clip by the maximum over references, average length, weights from all references.

    References "a b a" and "a c": 5 words; a 3 times, b and c once; bigrams "a b", "b a", "a c" once each.
    Information: a = log2(5/3), b = c = log2(5); "a b" = "a c" = log2(3), "b a" = log2(1) = 0.
    Hypothesis "a a a c": a is clipped to 2 (the first reference), c matches; of the bigrams "a a" (twice) has no
    match, "a c" has; no trigram matches. Length 4, average reference length 2.5: no penalty.
    """
    unigrams = (2 * math.log2(5 / 3) + math.log2(5)) / 4
    bigrams = math.log2(3) / 3
    score = Nist().corpus_score(["a a a c"], [["a b a", "a c"]])
    assert score == pytest.approx(unigrams + bigrams, abs=1e-12)


def test_the_penalty_is_one_half_at_two_thirds_of_the_length():
    full = Nist(order=1).corpus_score(["a b x x x x"], [["a b c d e f"]])
    short = Nist(order=1).corpus_score(["a b x x"], [["a b c d e f"]])
    assert short / full == pytest.approx(0.5 * (2 / 4) / (2 / 6))


def test_padding_with_repeats_changes_nothing():
    hypotheses, references = ["a b c"], [["a b d", "a c"]]
    padded = [["a b d", "a c", "a b d", "a b d"]]
    assert Nist().corpus_score(hypotheses, padded) == Nist().corpus_score(hypotheses, references)


def test_empty_text_scores_zero():
    assert Nist().corpus_score([""], [["a b"]]) == 0
    assert Nist().corpus_score(["a"], [[""]]) == 0


def test_order_is_checked():
    with pytest.raises(ConfigError, match="from 1 to 9"):
        Nist(order=0)
