"""Pieces joined to words: by lines, by ids, and by the command that users of BPE know."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.corpus.subwords import (
    detect_subwords,
    join_line,
    join_references,
    marks_of,
    word_numbers,
)
from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import WordLists
from tunesmith.search.lists.pieces import joined_words, vocabulary_subwords

PIECES = st.sampled_from(["a", "b@@", "@@", "▁c", "▁", "d", "e▁f", "@@@@", "g@@h", "▁x@@", "é"])
LINES = st.lists(PIECES, max_size=8).map(" ".join)


@given(LINES)
def test_bpe_is_joined_as_by_the_command_of_subword_nmt(line):
    assert join_line(line, "bpe").split() == re.sub(r"(@@ )|(@@ ?$)", "", line).split()


@given(LINES)
def test_sentencepiece_is_joined_as_it_decodes(line):
    assert join_line(line, "sentencepiece").split() == "".join(line.split()).replace("▁", " ").split()


@given(st.lists(LINES, max_size=4), st.sampled_from(["bpe", "sentencepiece", "none"]))
def test_ids_are_joined_as_lines_are(lines, subwords):
    joined = joined_words(WordLists.from_texts(lines), subwords)
    assert [joined.text(at) for at in range(len(lines))] == [join_line(line, subwords) for line in lines]
    assert len(set(joined.vocabulary)) == len(joined.vocabulary)


@given(
    st.lists(PIECES.filter(lambda piece: piece != "e▁f"), max_size=8), st.sampled_from(["bpe", "sentencepiece"])
)
def test_pieces_of_a_word_are_numbered_with_it(pieces, subwords):
    words = join_line(" ".join(pieces), subwords).split()
    numbers = word_numbers(" ".join(pieces), subwords)
    bare = [piece.removesuffix("@@") if subwords == "bpe" else piece.replace("▁", "") for piece in pieces]
    spelt = ["".join(text for text, of in zip(bare, numbers, strict=True) if of == at) for at in range(len(words))]
    assert spelt == words


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("", "none"),
        ("a real@@word @@", "none"),
        ("mid▁dle", "none"),
        ("fa@@ st", "bpe"),
        ("lone end@@", "bpe"),
        ("▁", "sentencepiece"),
        ("▁fa st", "sentencepiece"),
    ],
)
def test_marks_are_found(line, kind):
    assert detect_subwords(["plain", line]) == kind


def test_mixed_marks_are_refused_with_the_place_and_a_way_out():
    with pytest.raises(
        FormatError, match=r"^out: mixed .* line 2 has 'fa@@' .* line 4 has '▁st' .*--subwords bpe"
    ):
        detect_subwords(["a", "fa@@ st", "b", "▁st"], "out")


def test_references_are_words_or_pieces():
    words = [("a fast cat", "one"), ("b",)]
    assert join_references(words) == (words, "none")
    assert join_references(words, "sentencepiece") == (words, "none")
    assert join_references([("a fa@@ st cat", "one"), ("b",)], "bpe") == (words, "bpe")
    assert join_references([("▁a ▁fa st ▁c at", "one"), ("▁b",)]) == (words, "sentencepiece")  # some are words
    assert join_references([("fa@@ st",)], "none") == ([("fa@@ st",)], "none")
    with pytest.raises(FormatError, match="references have marks of BPE"):
        join_references([("fa@@ st",)], "sentencepiece")


def test_one_odd_word_makes_no_vocabulary_of_pieces():
    assert vocabulary_subwords([*map(str, range(100)), "odd@@"]) == "none"
    assert vocabulary_subwords(["fa@@", "st", "▁odd", "ca@@", "t"]) == "bpe"
    assert vocabulary_subwords([]) == marks_of("@@") == "none"


def test_unknown_kinds_are_refused():
    from tunesmith.search.lists.pieces import PieceJoiner

    with pytest.raises(ConfigError, match="subwords"):
        PieceJoiner("wordpiece")
