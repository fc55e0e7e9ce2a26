"""Chart states: any way to put a sentence together gives the left-to-right score; states are short."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models.lm_text import lines, parse_arpa, random_lines

from tunesmith.io import read_lines
from tunesmith.lm import LmOptions, NgramModel, estimate


def put_together(model, ids, rng, leaf=0.4, begin=False):
    """A random bracketing: words and pieces of random lengths in random order, all the way down."""
    items, at = [], 0
    while at < len(ids):
        end = rng.randint(at + 1, len(ids))
        if rng.random() < leaf or end - at == len(ids):
            items.append(ids[at])
            at += 1
        else:
            items.append(put_together(model, ids[at:end], rng, leaf))
            at = end
        if rng.random() < 0.05:
            items.append(model.piece([]))  # a rule may produce nothing
    return model.piece(items, begin=begin)


def check_bracketings(model, sentence, rng, times=3):
    ids = [*model.ids(sentence.split()).tolist(), 2]
    expected = model.score([sentence]).log10[0]
    for _ in range(times):
        leaf = rng.choice([0.1, 0.4, 0.8])
        inner = put_together(model, ids, rng, leaf)
        assert model.piece([inner], begin=True)[1] == pytest.approx(expected, abs=1e-4)
        assert put_together(model, ids, rng, leaf, begin=True)[1] == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("order", range(1, 10))
@pytest.mark.parametrize("prune", [(0,), (0, 1, 2)])
def test_random_bracketings(order, prune):
    model = NgramModel.train(random_lines(500, 50, seed=order), LmOptions(order=order, prune=prune[:order]))
    rng = random.Random(order)
    for sentence in random_lines(120, 60, seed=50 + order):
        check_bracketings(model, sentence, rng)


@given(text=lines, sentences=lines, order=st.integers(1, 6), seed=st.integers(0, 999))
@settings(max_examples=80, deadline=None)
def test_random_bracketings_of_tiny_models(text, sentences, order, seed):
    model = NgramModel.train(text, LmOptions(order=order))
    rng = random.Random(seed)
    for sentence in [*sentences, "a unseen b c", ""]:
        check_bracketings(model, sentence, rng, times=1)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_a_piece_alone_has_the_score_of_its_words(order):
    # p(w1) p(w2 | w1) …, however it was put together.
    model = NgramModel.train(random_lines(500, 50, seed=order), LmOptions(order=order))
    rng = random.Random(order)
    for sentence in random_lines(100, 60, seed=70 + order):
        expected = model.score_words([sentence], begin=False, end=False).log10.astype(float).sum()
        ids = model.ids(sentence.split()).tolist()
        assert model.piece(ids)[1] == pytest.approx(expected, abs=1e-4)
        assert put_together(model, ids, rng)[1] == pytest.approx(expected, abs=1e-4)


def test_random_bracketings_of_real_text(shared):
    model = NgramModel.load(shared / "reference/lm/zh-en.o5.arpa.gz")
    rng = random.Random(1)
    for sentence in read_lines(shared / "data/zh-en/test.en.0"):
        check_bracketings(model, sentence, rng, times=1)


def test_equal_states_are_interchangeable():
    # Recombination: pieces with equal states may replace each other in any surroundings.
    model = NgramModel.train(random_lines(500, 30, seed=1), LmOptions(order=4))
    rng = random.Random(1)
    pieces = {}
    for _ in range(3000):
        words = rng.choices(range(2, 12), k=rng.randint(1, 7))
        state, score = put_together(model, words, rng)
        pieces.setdefault(state, []).append((words, state, score))
    groups = [group for group in pieces.values() if len({tuple(words) for words, _, _ in group}) > 1]
    assert len(groups) > 20
    for group in groups:
        (one, state, score), (other, _, other_score) = group[0], group[-1]
        for _ in range(5):
            left, right = rng.choices(range(2, 12), k=3), rng.choices(range(2, 12), k=3)
            gain = model.piece([*left, (state, score), *right])[1] - score
            other_gain = model.piece([*left, *other, *right])[1] - other_score
            assert gain == pytest.approx(other_gain, abs=1e-4), (one, other)


def test_states_are_as_short_as_the_model_allows():
    # A border word is kept only if some n-gram of the model could reach over it.
    lines = random_lines(500, 40, seed=2)
    model = NgramModel.train(lines, LmOptions(order=4, prune=(0, 1)))
    rng = random.Random(3)
    for _ in range(500):
        words = rng.choices(range(2, 40), k=rng.randint(1, 8))
        state, _ = put_together(model, words, rng)
        left_to_right, current = type(model.begin())(), None
        for word in words:
            current = model.step(left_to_right, word)[2]
            left_to_right = current
        assert state.right == left_to_right  # the right state is that of left-to-right search
        assert state.left_length <= min(len(words), model.order - 1)
        if state.left_full:
            continue
        # Not full: all of the piece is visible from both sides.
        assert state.left_length == len(words) == len(state.right)


def test_left_state_ignores_words_that_cannot_be_seen():
    model = NgramModel.train(["a b c d e", "b c d", "x y"], LmOptions(order=3))
    long, _ = model.piece(model.ids(list("bcde")).tolist())
    assert long.left_full
    assert long.left_length == 2
    # No n-gram reaches from the left over "b c" to what follows: the same left side, whatever follows.
    other, _ = model.piece(model.ids(list("bcxde")).tolist())
    assert other == long
    # "x b" is not a bigram of the model, so nothing on the left of "x" changes "b".
    short, _ = model.piece(model.ids(list("xbde")).tolist())
    assert (short.left_length, short.left_full) == (1, True)
    # No longer n-gram ends in an unknown word.
    assert model.piece([0, *model.ids(list("de")).tolist()])[0].left_length == 0


@pytest.mark.parametrize("prune", [(0,), (0, 1)], ids=["full", "pruned"])
def test_the_left_state_is_as_short_as_the_ngrams_allow(prune):
    # By brute force over the ARPA text: the first i words stay iff a longer n-gram ends in them.
    lines, order = random_lines(300, 40, seed=2), 4
    options = LmOptions(order=order, prune=prune)
    ngrams = set(parse_arpa(b"".join(estimate(lines, options).arpa()))[1])
    extends = {ngram[1:] for ngram in ngrams}
    begins = {ngram[:-1] for ngram in ngrams}
    model = NgramModel.train(lines, options)
    words, rng, seen = model.vocabulary, random.Random(3), set()
    for _ in range(1000):
        ids = (
            model.ids(rng.choice(lines).split()).tolist() if rng.random() < 0.5 else rng.choices(range(2, 40), k=6)
        )
        start = rng.randrange(len(ids)) if ids else 0
        ids = ids[start : start + rng.randint(1, 6)]
        if not ids:
            continue
        state, _ = put_together(model, ids, rng)
        text, expected = tuple(words[id] for id in ids), 0
        while expected < min(len(text), order - 1) and text[: expected + 1] in extends:
            expected += 1
            if text[:expected] not in begins:
                break
        assert state.left_length == expected, text
        seen.add(state.left_length)
    assert seen == {0, 1, 2, 3} - ({0} if prune == (0,) else set())
