"""Models from Python: numbers of words, batches, and arguments that cannot be."""

import numpy as np
import pytest
from support.models.lm_text import random_lines

from tunesmith.lm import LmOptions, NgramModel


@pytest.fixture(scope="module")
def model():
    return NgramModel.train(random_lines(400, 60, seed=4), LmOptions(order=4))


@pytest.mark.parametrize("threads", [0, 2, 3, 50])
def test_threads_do_not_change_a_score(model, threads):
    lines = random_lines(200, 80, seed=5)
    once, again = model.score(lines), model.score(lines, threads=threads)
    for field in ("log10", "log10_known", "words", "unknown"):
        assert getattr(once, field).tolist() == getattr(again, field).tolist()


def test_lines_words_and_steps_agree(model):
    lines = random_lines(50, 80, seed=6)
    totals, words = model.score(lines), model.score_words(lines)
    for at, line in enumerate(lines):
        part = slice(words.offsets[at], words.offsets[at + 1])
        assert words.ids[part].tolist() == [*model.ids(line.split()).tolist(), 2]
        assert words.log10[part].astype(float).sum() == pytest.approx(totals.log10[at], abs=1e-9)
        state, seen = model.begin(), []
        for word in words.ids[part].tolist():
            log10, length, state = model.step(state, word)
            seen.append((log10, length))
        assert seen == list(zip(words.log10[part].tolist(), words.length[part].tolist(), strict=True))
    assert totals.words.tolist() == [len(line.split()) for line in lines]
    assert totals.unknown.sum() == (words.ids == 0).sum()


def test_words_and_numbers(model):
    assert model.vocabulary[:3] == ["<unk>", "<s>", "</s>"]
    assert len(model) == len(model.vocabulary) == model.ngrams[0]
    assert model.ids(model.vocabulary).tolist() == list(range(len(model)))
    assert model.ids(["unseen", "", "w0 ", "<UNK>"]).tolist() == [0, 0, 0, 0]
    assert "w0" in model
    assert "<unk>" in model
    assert "unseen" not in model
    assert 7 not in model
    assert repr(model) == f"NgramModel of order 4 with {len(model)} words"


def test_nothing_to_score(model):
    scores = model.score([])
    assert len(scores) == 0
    assert scores.perplexity is None
    assert model.score([""], begin=False, end=False).log10.tolist() == [0]
    assert model.perplexity([]) is None
    assert model.score_words([]).offsets.tolist() == [0]
    assert model.score_ngrams(np.zeros((0, 3), np.int32)).tolist() == []


def test_arguments_that_cannot_be(model):
    with pytest.raises(TypeError, match="expected a sequence of str, got one str"):
        model.score("a line")
    for bad in (-1, len(model), 2**40):
        with pytest.raises(ValueError, match="word number"):
            model.step(model.begin(), bad)
        with pytest.raises(ValueError, match="word number"):
            model.piece([bad])
    with pytest.raises(ValueError, match="word number -1"):
        model.score_ngrams(np.array([[3, -1]], np.int32))
    for width in (0, 10):
        with pytest.raises(ValueError, match="1 to 9 words"):
            model.score_ngrams(np.zeros((1, width), np.int32))
    with pytest.raises(ValueError, match="surrogates"):
        model.score(["\ud800"])


@pytest.mark.parametrize("item", [(), (3,), (1, 2), (None, 0.0), None, "3", 1.5, 2**70, [3]])
def test_items_of_a_piece_that_cannot_be(model, item):
    with pytest.raises(TypeError, match=r"an item is a word number|a piece is a tuple of a ChartState"):
        model.piece([item])


def test_pieces_that_cannot_be(model):
    state, score = model.piece([3])
    for piece in [(state,), (state, score, 0), (state, None), (score, state), (model.begin(), score)]:
        with pytest.raises(TypeError, match="a piece is a tuple of a ChartState and its score"):
            model.piece([piece])


def test_states_of_another_model_are_refused(model):
    other = NgramModel.train(random_lines(100, 500, seed=1), LmOptions(order=2))
    for one, two in ((model, other), (other, model)):
        piece = one.piece([3, 4])
        for state in (one.begin(), one.step(one.begin(), 3)[2], piece[0].right):
            one.step(state, 3)
            with pytest.raises(ValueError, match="the state is of another model"):
                two.step(state, 3)
        with pytest.raises(ValueError, match="the state is of another model"):
            two.piece([3, piece])
        assert one.begin() != two.begin()
        assert one.piece([])[0] != two.piece([])[0]
        nothing = type(one.begin())()  # fits every model
        assert one.step(nothing, 3)[0] == one.score_ngrams(np.array([[3]], np.int32))[0]


def test_the_part_of_known_words_is_exact(tmp_path):
    text = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1e30\t<unk>\n-99\t<s>\n-0.25\t</s>\n-0.5\ta\n\n\\end\\\n"
    (tmp_path / "lm.arpa").write_text(text)
    scores = NgramModel.load(tmp_path / "lm.arpa").score(["a unseen a", "unseen"])
    assert scores.log10_known.tolist() == [-1.25, -0.25]
    assert scores.perplexity_known == pytest.approx(10 ** (1.5 / 4))
    assert scores.perplexity == float("inf")


def test_states_compare_only_with_states(model):
    assert model.begin() == model.begin()
    assert model.begin() != 3
    assert model.piece([3])[0] == model.piece([3])[0]
    assert model.piece([3])[0] != "x"
    assert len(model.begin()) == 1
    assert model.begin().words == (1,)
