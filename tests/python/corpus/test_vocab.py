"""The vocabulary: exact, deterministic, equal to its twin, and back from disk as it was."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference import vocab as twin

from tunesmith.corpus.vocab import SENTENCE_BEGIN, SENTENCE_END, UNKNOWN, Vocabulary
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.io import read_lines

# Words over few letters collide in counts; spaces of every kind must split as str.split() does.
LETTERS = st.sampled_from("ab é我😀\t\u00a0\u3000\u2028\u0085\x1c\u200b")
LINES = st.lists(st.text(LETTERS, max_size=30) | st.sampled_from(["<s> a </s>", "<unk> b"]), max_size=20)


@given(lines=LINES, limit=st.none() | st.integers(0, 8), min_count=st.integers(1, 4), threads=st.integers(1, 4))
@settings(max_examples=400, deadline=None)
def test_native_matches_reference(lines, limit, min_count, threads):
    vocab = Vocabulary.build(iter(lines), limit, min_count)
    words, counts = twin.build(lines, limit, min_count)
    assert vocab.words == words
    assert vocab.counts.tolist() == counts
    ids, offsets = vocab.encode(lines, threads)
    assert (ids.dtype, offsets.dtype) == (np.int32, np.int64)
    assert (ids.tolist(), offsets.tolist()) == twin.encode(words, lines)
    known = [" ".join(word if word in words else "<unk>" for word in line.split()) for line in lines]
    assert vocab.decode(ids, offsets) == known


@given(lines=LINES, limit=st.none() | st.integers(0, 8), min_count=st.integers(1, 4))
@settings(max_examples=100, deadline=None)
def test_no_occurrence_goes_uncounted(lines, limit, min_count):
    vocab = Vocabulary.build(lines, limit, min_count)
    assert vocab.counts.sum() == sum(len(line.split()) for line in lines)


@given(lines=LINES, seed=st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_the_order_of_lines_does_not_matter(lines, seed):
    shuffled = list(lines)
    seed.shuffle(shuffled)
    one, other = Vocabulary.build(lines), Vocabulary.build(shuffled)
    assert one.words == other.words
    assert one.counts.tolist() == other.counts.tolist()


def test_ids_words_and_membership():
    vocab = Vocabulary.build(["the cat", "the mat"])
    assert list(vocab) == ["<unk>", "<s>", "</s>", "the", "cat", "mat"]
    assert (vocab.id("<unk>"), vocab.id("<s>"), vocab.id("</s>")) == (UNKNOWN, SENTENCE_BEGIN, SENTENCE_END)
    assert (vocab.id("the"), vocab.id("dog"), vocab.word(4)) == (3, UNKNOWN, "cat")
    assert "mat" in vocab
    assert "dog" not in vocab
    assert "\ud800" not in vocab
    assert 3 not in vocab
    assert len(vocab) == 6
    for bad in (6, -1):
        with pytest.raises(ValueError, match="not between 0 and 6"):
            vocab.word(bad)


def test_more_lines_than_one_batch():
    vocab = Vocabulary.build(f"w{i % 7} x" for i in range(25_000))
    assert vocab.counts[vocab.id("x")] == 25_000
    assert vocab.counts[vocab.id("w3")] == len(range(3, 25_000, 7))


def test_a_single_string_is_not_a_list_of_lines():
    with pytest.raises(MissingFileError, match="the cat: no such file; give lines as a list"):
        Vocabulary.build("the cat")
    with pytest.raises(TypeError, match="expected a sequence of str, got one str"):
        Vocabulary.build([]).encode("the cat")


def test_settings_are_checked():
    with pytest.raises(ConfigError, match="limit"):
        Vocabulary.build([], limit=-1)
    with pytest.raises(ConfigError, match="min_count"):
        Vocabulary.build([], min_count=0)


def test_counts_are_a_copy():
    vocab = Vocabulary.build(["a"])
    vocab.counts[:] = 7
    assert vocab.counts.tolist() == [0, 0, 0, 1]


def test_bad_ids_are_refused():
    vocab = Vocabulary.build(["a"])
    with pytest.raises(ValueError, match="word number 4"):
        vocab.decode(np.array([4], np.int32), np.array([0, 1]))
    with pytest.raises(ValueError, match="offsets must rise"):
        vocab.decode(np.array([3], np.int32), np.array([0, 3]))


@given(lines=LINES)
@settings(max_examples=50, deadline=None)
def test_saved_and_loaded_it_is_the_same(tmp_path_factory, lines):
    path = tmp_path_factory.getbasetemp() / "vocab.gz"
    vocab = Vocabulary.build(lines)
    vocab.save(path)
    loaded = Vocabulary.load(path)
    assert loaded.words == vocab.words
    assert loaded.counts.tolist() == vocab.counts.tolist()


def test_the_file_is_words_and_counts(tmp_path):
    Vocabulary.build(["b a b"]).save(tmp_path / "vocab")
    assert read_lines(tmp_path / "vocab") == ["<unk>\t0", "<s>\t0", "</s>\t0", "b\t2", "a\t1"]


def test_a_word_that_cannot_be_written_leaves_no_file(tmp_path):
    with pytest.raises(FormatError, match="NUL"):
        Vocabulary.build(["a\0b"]).save(tmp_path / "vocab")
    assert list(tmp_path.iterdir()) == []


def test_importing_the_corpus_package_loads_no_heavy_library():
    code = (
        "import sys; from tunesmith.corpus import bitext, clean, tokenizers, vocab\n"
        "print(sorted({'numpy', 'sacrebleu', 'sacremoses', 'jieba', 'typer'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout == b"[]\n"
