"""Hypotheses as ids of words have the statistics of their texts, bit by bit, for every metric."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.ngrams import bleu_statistics

from tunesmith import ConfigError, _core
from tunesmith.corpus.tokenizers import make_tokenizer, tokenizers
from tunesmith.metrics import Bleu, ChrF, MeanBleuPlusOne, Nist, Ter, metrics
from tunesmith.search import WordLists

# Words that lower-casing makes equal, changes by what stands after a letter (Σ) or makes longer (İ); words with
# blanks inside, of blanks alone and of nothing; words of more than eight bytes; combining and control characters.
ODD = [
    "The",
    "the",
    "THE",
    "ΟΔΟΣ",
    "οδος",
    "οδοσ",
    "Σ",
    "İstanbul",
    "i\u0307stanbul",
    "a\u00a0b",
    "a",
    "b",
    "\u3000",
    "",
    " the\tcat\x1c",
    "cat",
    "cat.",
    "3.5",
    "internationalisation",
    "INTERNATIONALISATION",
    "\u0301",
    "e\u0301",
    "é",
    "我",
    "我想",
    "\x00",
    "&quot;",
    "<skipped>",
    "\U0001f600",
]
plain = st.characters(exclude_categories=["Cs"])
vocabularies = st.lists(st.sampled_from(ODD) | st.text(plain, max_size=4), min_size=1, max_size=12)

WORDS = [
    Bleu(),
    Bleu(lowercase=True),
    Bleu(order=2, reference_length="average", tokenize="char"),
    Bleu(order=9, reference_length="shortest", lowercase=True, tokenize="char"),
    MeanBleuPlusOne(),
    MeanBleuPlusOne(extensions=True, lowercase=True),
    Nist(),
    Nist(order=2, lowercase=True),
    Nist(tokenize="char"),
]
TEXTS = [
    Bleu(tokenize="13a"),
    Bleu(lowercase=True, tokenize="moses"),
    Nist(tokenize="13a"),
    MeanBleuPlusOne(tokenize="13a"),
    ChrF(),
    ChrF(word_order=2, lowercase=True),
    Ter(),
    Ter(lowercase=True, normalized=True, no_punctuation=True),
]


def named(metric):
    return f"{metric.name}-{metric.settings()}"


class Unspoken(WordLists):
    """Words that cannot be put into texts."""

    def text(self, candidate):
        raise AssertionError("texts are not needed")


@st.composite
def cases(draw):
    """Words of some hypotheses, the sentence of each, and references of the same words."""
    vocabulary = draw(vocabularies)
    ids = st.lists(st.integers(0, len(vocabulary) - 1), max_size=10)
    hypotheses = draw(st.lists(ids, max_size=8))
    references = [
        [" ".join(vocabulary[id] for id in text) for text in draw(st.lists(ids, min_size=1, max_size=3))]
        for _ in range(draw(st.integers(1, 3)))
    ]
    sentences = [draw(st.integers(0, len(references) - 1)) for _ in hypotheses]
    return word_lists(vocabulary, hypotheses), np.array(sentences, dtype=np.int64), references


def word_lists(vocabulary, hypotheses, kind=WordLists):
    offsets = np.cumsum([0, *map(len, hypotheses)])
    return kind(vocabulary, np.array([id for text in hypotheses for id in text], dtype=np.uint32), offsets)


def texts_of(words):
    return [words.text(at) for at in range(len(words))]


def unspoken(words):
    return Unspoken(words.vocabulary, words.ids, words.offsets)


@pytest.mark.parametrize("metric", WORDS, ids=named)
@given(case=cases(), threads=st.integers(1, 3))
def test_ids_are_counted_as_texts_are(metric, case, threads):
    words, sentences, references = case
    prepared = metric.prepare(references)
    expected = prepared.statistics(texts_of(words), sentences)
    found = prepared.statistics_of_words(unspoken(words), sentences, threads=threads)
    assert found.shape == (len(words), metric.width)
    assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("metric", TEXTS, ids=named)
@given(case=cases())
def test_metrics_that_look_at_lines_get_texts(metric, case):
    words, sentences, references = case
    prepared = metric.prepare(references)
    expected = prepared.statistics(texts_of(words), sentences)
    assert prepared.statistics_of_words(words, sentences).tobytes() == expected.tobytes()


@given(case=cases())
def test_ids_equal_the_slow_twin(case):
    words, sentences, references = case
    rows = Bleu().prepare(references).statistics_of_words(unspoken(words), sentences)
    for row, text, sentence in zip(rows, texts_of(words), sentences, strict=True):
        assert row.tolist() == bleu_statistics(text, references[sentence])


def test_every_metric_takes_words():
    """By name, with sentences that alternate, an unknown word, repeated words and nothing at all."""
    references = [["the cat sat on the mat", "a cat sat"], ["Good morning , world"]]
    vocabulary = ["the", "cat", "sat", "Good", "morning", "unheard", "not\u3000used"]
    words = word_lists(vocabulary, [[0, 1, 2], [3, 4], [], [5], [0, 0, 0, 5, 1, 2], []])
    sentences = [0, 1, 0, 1, 0, 1]
    tried = [name for name in metrics.names() if name != "precomputed"]
    assert {"bleu", "bleu+1", "nist", "chrf", "chrf++", "ter"} <= set(tried)
    for name in tried:
        prepared = metrics.make(name).prepare(references)
        expected = prepared.statistics(texts_of(words), sentences)
        assert expected.any()
        assert prepared.statistics_of_words(words, sentences).tobytes() == expected.tobytes()


def test_a_word_may_be_several_tokens_or_none():
    words = word_lists(["a\u00a0b", "\u2009", "", "c"], [[0, 1, 3], [2, 1], [3, 2, 0]], Unspoken)
    rows = Bleu(order=2).prepare([["a b c"]]).statistics_of_words(words, [0, 0, 0])
    assert rows.tolist() == [[3, 3, 3, 2, 3, 2], [0, 3, 0, 0, 0, 0], [3, 3, 3, 1, 3, 2]]


def test_moses_looks_past_a_word():
    """A full stop is a token at the end of a line only: preparing word by word would be wrong."""
    words = word_lists(["cat.", "the"], [[0, 1], [1, 0]])
    rows = Bleu(tokenize="moses").prepare([["the cat ."]]).statistics_of_words(words, [0, 0])
    assert rows[:, 0].tolist() == [2, 3]


@pytest.mark.parametrize("name", [name for name in tokenizers.names() if tokenizers.get(name).word_by_word])
@given(words=vocabularies)
def test_tokenisers_that_say_so_split_word_by_word(name, words):
    tokenizer = make_tokenizer(name)
    assert tokenizer.split(" ".join(words)) == [token for word in words for token in tokenizer.split(word)]


def test_words_that_no_hypothesis_has_are_not_prepared():
    prepared = Bleu(lowercase=True).prepare([["a"]])
    vocabulary = ["a", "\ud800"]  # half of a surrogate pair is not text
    assert prepared.statistics_of_words(word_lists(vocabulary, [[0]]), [0])[0, 2] == 1
    with pytest.raises(UnicodeEncodeError):
        prepared.statistics_of_words(word_lists(vocabulary, [[0, 1]]), [0])
    with pytest.raises(UnicodeEncodeError):
        prepared.statistics(["a \ud800"], [0])


def test_sentence_numbers_are_checked():
    prepared = Bleu().prepare([["a"], ["b"]])
    words = word_lists(["a", "b"], [[0], [1]])
    assert prepared.statistics_of_words(words)[:, 2].tolist() == [1, 1]
    for sentences in (None, [0], [0, 1, 2], [0, 2, 0], [0, -1, 0]):
        with pytest.raises(ConfigError):
            prepared.statistics_of_words(word_lists(["a"], [[0], [0], [0]]), sentences)


def test_broken_arrays_are_refused():
    """`WordLists` checks them; the core is safe with arrays of anybody."""
    ngrams = _core.ReferenceNgrams(4)
    ngrams.add([["a"]])

    def rows(texts, numbers, ids, offsets, sentences):
        arrays = (np.array(numbers, dtype=np.int64), np.array(ids, dtype=np.uint32))
        more = (np.array(offsets, dtype=np.int64), np.array(sentences, dtype=np.int64))
        return ngrams.word_statistics(texts, *arrays, *more, _core.LengthRule.closest)

    assert rows(["a"], [7], [7], [0, 1], [0])[0, 2] == 1
    for wrong in (
        (["a"], [7], [8], [0, 1], [0]),
        (["a"], [7], [7], [0, 2], [0]),
        (["a"], [7], [7], [1, 1], [0]),
        (["a"], [7], [7], [], [0]),
        (["a"], [7], [7, 7], [0, 2, 1, 2], [0, 0, 0]),
        (["a"], [7], [7], [0, 1], [0, 0]),
        (["a"], [7], [7], [0, 1], [1]),
        (["a"], [-1], [7], [0, 1], [0]),
        (["a", "b"], [7], [7], [0, 1], [0]),
        (["a", "b"], [7, 7], [7], [0, 1], [0]),
    ):
        with pytest.raises(ValueError, match=r"word|sentence number"):
            rows(*wrong)
