"""Damaged input through every reader of the corpus layer: an error with its place, or the documented handling.

Each case is one kind of damage. Readers never raise anything but TunesmithError, whatever the bytes.
"""

import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith.corpus.bitext import read_bitext, read_references
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import FormatError, MissingFileError, TunesmithError
from tunesmith.io import read_lines

GOOD = b"one\ntwo\nthree\n"
VOCAB = b"<unk>\t0\n<s>\t0\n</s>\t0\n"

# Damage of a text file of three lines: bytes, line of the error.
TEXT = {
    "not UTF-8 in line 1": (b"\xffone\ntwo\nthree\n", 1),
    "not UTF-8 in line 2": (b"one\ntw\xe9o\nthree\n", 2),
    "not UTF-8 in line 3": (b"one\ntwo\nthree\xfe", 3),
    "half a character at the end": (b"one\ntwo\n\xe6\x88", 3),
    "half a character before a newline": (b"one\n\xe6\x88\nthree\n", 2),
    "an encoded surrogate": (b"one\ntwo\n\xed\xa0\x80\n", 3),
    "an overlong form": (b"\xc1\xbf\ntwo\nthree\n", 1),
    "Latin-1": ("one\nzwölf\nthree\n".encode("latin-1"), 2),
    "GB2312": ("one\n我们\nthree\n".encode("gb2312"), 2),
    "Shift JIS": ("one\n日本\nthree\n".encode("shift-jis"), 2),
    "NUL alone in a line": (b"one\n\0\nthree\n", 2),
    "NUL inside a line": (b"one\ntwo\nth\0ree\n", 3),
    "NULs behind the text": (GOOD + bytes(512), 4),
    "UTF-16 with mark": ("one\ntwo\nthree\n".encode("utf-16"), 1),
    "UTF-16 without mark": ("one\ntwo\nthree\n".encode("utf-16-be"), 1),
    "UTF-32": ("one\ntwo\nthree\n".encode("utf-32-be"), 1),
    "old Macintosh line ends": (b"one\rtwo\rthree\r", 1),
    "a carriage return in line 2": (b"one\ntw\ro\nthree\n", 2),
    "doubled carriage returns": (b"one\r\r\ntwo\r\r\nthree\r\r\n", 1),
    "gzip without end": (gzip.compress(GOOD)[:-1], 4),
    "gzip with a wrong checksum": (gzip.compress(GOOD)[:-8] + b"\1\2\3\4" + gzip.compress(GOOD)[-4:], 4),
    "gzip followed by text": (gzip.compress(GOOD) + b"four\n", 4),
    "gzip header alone": (gzip.compress(GOOD)[:10], 1),
    "two bytes of gzip": (b"\x1f\x8b", 1),
    "gzip in gzip": (gzip.compress(gzip.compress(GOOD)), 1),
    "xz": (lzma.compress(GOOD), None),
}

Reader = Callable[[Path, Path], object]
READERS: dict[str, Reader] = {
    "read_lines": lambda bad, good: read_lines(bad),
    "source of read_bitext": lambda bad, good: read_bitext(bad, good),
    "target of read_bitext": lambda bad, good: read_bitext(good, bad),
    "first of read_references": lambda bad, good: read_references([bad, good]),
    "second of read_references": lambda bad, good: read_references([good, bad]),
}


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good"
    path.write_bytes(GOOD)
    return path


def check_place(error: FormatError, path: Path, line: int | None) -> None:
    assert str(error).startswith(f"{path}: " if line is None else f"{path}:{line}: ")
    assert (error.path, error.line) == (str(path), line)
    assert error.exit_code == 1


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", TEXT)
def test_a_damaged_text(tmp_path, good, kind, reader):
    data, line = TEXT[kind]
    bad = tmp_path / "bad"
    bad.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        READERS[reader](bad, good)
    check_place(caught.value, bad, line)


@pytest.mark.parametrize("kind", TEXT)
def test_a_damaged_vocabulary_file(tmp_path, kind):
    data, _ = TEXT[kind]
    bad = tmp_path / "bad"
    bad.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        Vocabulary.load(bad)
    assert str(caught.value).startswith(str(bad))


# Differences of length: the other side has the three lines of GOOD.
LENGTHS = {
    "empty file": b"",
    "one line": b"a\n",
    "one line too few": b"a\nb\n",
    "one line too many": b"a\nb\nc\nd\n",
    "one line too many, without newline": b"a\nb\nc\nd",
    "text behind a blank line": b"a\nb\nc\n\nd\n",
    "text behind many blank lines": b"a\nb\nc\n" + b"\n" * 1000 + b"d\n",
    "a blank line too few": b"\n\n",
    "lines joined": b"a b\nc\n",
    "a control character in the line too many": b"a\nb\nc\n\x01\n",
    "a byte-order mark in the line too many": b"a\nb\nc\n\xef\xbb\xbf\n",
}


@pytest.mark.parametrize("kind", LENGTHS)
@pytest.mark.parametrize("swap", [False, True], ids=["target", "source"])
def test_sides_of_different_length(tmp_path, good, kind, swap):
    other = tmp_path / "other"
    other.write_bytes(LENGTHS[kind])
    count = len(LENGTHS[kind].splitlines())
    with pytest.raises(FormatError) as caught:
        read_bitext(*((other, good) if swap else (good, other)))
    assert f"{other} has {count} line" in str(caught.value)
    assert f"{good} has 3 lines" in str(caught.value)
    longer = good if count < 3 else other
    check_place(caught.value, longer, min(count, 3) + 1)


@pytest.mark.parametrize("kind", LENGTHS)
def test_references_of_different_length(tmp_path, good, kind):
    other = tmp_path / "other"
    other.write_bytes(LENGTHS[kind])
    with pytest.raises(FormatError, match="has 3 lines"):
        read_references([good, other])
    with pytest.raises(FormatError) as caught:
        read_references([other], expected=3, expected_name="system")
    assert f"{other}: has {len(LENGTHS[kind].splitlines())} line" in str(caught.value)
    assert "but system 3" in str(caught.value)


# What is handled, not refused: bytes of the second side, its sentences, whether a note says so.
HANDLED = {
    "CRLF": (b"a\r\nb\r\nc\r\n", ["a", "b", "c"], False),
    "CRLF on one line only": (b"a\nb\r\nc\n", ["a", "b", "c"], False),
    "byte-order mark": (b"\xef\xbb\xbfa\nb\nc\n", ["a", "b", "c"], False),
    "no newline at the end": (b"a\nb\nc", ["a", "b", "c"], False),
    "a blank line at the end": (b"a\nb\nc\n\n", ["a", "b", "c"], True),
    "many blank lines at the end": (b"a\nb\nc\n" + b"\n" * 500, ["a", "b", "c"], True),
    "spaces in the line at the end": (b"a\nb\nc\n  \t", ["a", "b", "c"], True),
    "blank CRLF lines at the end": (b"a\r\nb\r\nc\r\n\r\n", ["a", "b", "c"], True),
    "gzip": (gzip.compress(b"a\nb\nc\n"), ["a", "b", "c"], False),
    "gzip in two members": (gzip.compress(b"a\nb") + gzip.compress(b"\nc\n"), ["a", "b", "c"], False),
    "gzip with zeros behind": (gzip.compress(b"a\nb\nc\n") + bytes(100), ["a", "b", "c"], False),
    "U+2028 in a sentence": ("a\u2028a\nb\nc\n".encode(), ["a\u2028a", "b", "c"], False),
    "U+0085 in a sentence": ("a\nb\u0085b\nc\n".encode(), ["a", "b\u0085b", "c"], False),
    "a form feed in a sentence": (b"a\nb\nc\x0cc\n", ["a", "b", "c\x0cc"], False),
    "a tab in a sentence": (b"a\ta\nb\nc\n", ["a\ta", "b", "c"], False),
    "an empty sentence": (b"a\n\nc\n", ["a", "", "c"], False),
    "an empty sentence at both ends": (b"\nb\n\n", ["", "b", ""], False),
    "a very long sentence": (b"a\n" + b"b " * 500_000 + b"\nc\n", ["a", "b " * 500_000, "c"], False),
}


@pytest.mark.parametrize("kind", HANDLED)
def test_what_is_handled(tmp_path, good, kind):
    data, sentences, noted = HANDLED[kind]
    other = tmp_path / "other"
    other.write_bytes(data)
    bitext = read_bitext(good, other)
    assert bitext.target == sentences
    assert bitext.source == ["one", "two", "three"]
    assert [note for note in bitext.notes if str(other) in note] == list(bitext.notes)
    assert len(bitext.notes) == noted
    references = read_references([good, other])
    assert [row[1:] for row in references] == [(sentence,) if sentence else () for sentence in sentences]


# A vocabulary file: bytes, line of the error, word of the message.
DAMAGED_VOCAB = {
    "empty file": (b"", 1, "expected <unk>, got the end of the file"),
    "only <unk>": (b"<unk>\t0\n", 2, "expected <s>, got the end of the file"),
    "without </s>": (b"<unk>\t0\n<s>\t0\n", 3, "expected </s>, got the end of the file"),
    "special words in another order": (b"<s>\t0\n<unk>\t0\n</s>\t0\n", 1, "expected <unk>, got '<s>'"),
    "other special words": (b"<unk>\t0\n<bos>\t0\n<eos>\t0\n", 2, "expected <s>, got '<bos>'"),
    "a word among the special ones": (
        b"<unk>\t0\n<s>\t0\nthe\t9\n</s>\t0\n",
        3,
        "expected </s>, got another word",
    ),
    "upper-case special words": (b"<UNK>\t0\n<s>\t0\n</s>\t0\n", 1, "expected <unk>"),
    "a word twice": (VOCAB + b"a\t1\nb\t1\na\t1\n", 6, "'a' came in line 4"),
    "a special word twice": (VOCAB + b"<s>\t1\n", 4, "'<s>' came in line 2"),
    "no tab": (VOCAB + b"a\n", 4, "expected word<TAB>count, got 'a'"),
    "a space for the tab": (VOCAB + b"a 1\n", 4, "expected word<TAB>count"),
    "a blank line": (VOCAB + b"\na\t1\n", 4, "expected word<TAB>count, got ''"),
    "a blank line at the end": (VOCAB + b"a\t1\n\n", 5, "expected word<TAB>count, got ''"),
    "an empty word": (VOCAB + b"\t1\n", 4, "the word in front of the tab is empty"),
    "an empty count": (VOCAB + b"a\t\n", 4, "the count ''"),
    "a negative count": (VOCAB + b"a\t-1\n", 4, "the count '-1'"),
    "a signed count": (VOCAB + b"a\t+1\n", 4, "the count '+1'"),
    "a fraction": (VOCAB + b"a\t1.5\n", 4, "the count '1.5'"),
    "an exponent": (VOCAB + b"a\t1e3\n", 4, "the count '1e3'"),
    "underscores": (VOCAB + b"a\t1_000\n", 4, "the count '1_000'"),
    "hexadecimal": (VOCAB + b"a\t0x10\n", 4, "the count '0x10'"),
    "a word for the count": (VOCAB + b"a\tmany\n", 4, "the count 'many'"),
    "not a number": (VOCAB + b"a\tnan\n", 4, "the count 'nan'"),
    "digits of another script": (VOCAB + "a\t١٢\n".encode(), 4, "is not a whole number"),
    "superscript digits": (VOCAB + "a\t²\n".encode(), 4, "is not a whole number"),
    "a space before the count": (VOCAB + b"a\t 1\n", 4, "the count ' 1'"),
    "a space behind the count": (VOCAB + b"a\t1 \n", 4, "the count '1 '"),
    "a count beyond 64 bits": (VOCAB + b"a\t9223372036854775808\n", 4, "is not a whole number from 0 to"),
    "a count of five thousand digits": (VOCAB + b"a\t" + b"9" * 5000 + b"\n", 4, "is not a whole number"),
    "columns swapped": (b"0\t<unk>\n0\t<s>\n0\t</s>\n", 1, "the count is not a whole number"),
    "three columns": (VOCAB + b"a\tb\t1\n", 4, "holds white space"),
    "a space in the word": (VOCAB + b"a b\t1\n", 4, "holds white space"),
    "a space before the word": (VOCAB + b" a\t1\n", 4, "holds white space"),
    "an ideographic space in the word": (VOCAB + "a\u3000b\t1\n".encode(), 4, "holds white space"),
    "a no-break space alone": (VOCAB + "\u00a0\t1\n".encode(), 4, "holds white space"),
    "a line separator in the word": (VOCAB + "a\u2028b\t1\n".encode(), 4, "holds white space"),
    "a word list": (b"the\nof\nand\n", 1, "expected word<TAB>count; is this a vocabulary?"),
    "JSON": (b'{"<unk>": 0}\n', 1, "expected word<TAB>count"),
    "not UTF-8": (VOCAB + b"caf\xe9\t1\n", 4, "is not UTF-8"),
    "NUL": (VOCAB + b"a\0\t1\n", 4, "NUL"),
    "gzip cut off": (gzip.compress(VOCAB)[:-4], 4, "gzip data is damaged"),
}


@pytest.mark.parametrize("kind", DAMAGED_VOCAB)
def test_a_damaged_vocabulary(tmp_path, kind):
    data, line, message = DAMAGED_VOCAB[kind]
    path = tmp_path / "vocab"
    path.write_bytes(data)
    with pytest.raises(FormatError) as caught:
        Vocabulary.load(path)
    check_place(caught.value, path, line)
    assert message in str(caught.value)


HANDLED_VOCAB = {
    "CRLF": VOCAB.replace(b"\n", b"\r\n") + b"a\t1\r\n",
    "byte-order mark": b"\xef\xbb\xbf" + VOCAB + b"a\t1\n",
    "no newline at the end": VOCAB + b"a\t1",
    "gzip": gzip.compress(VOCAB + b"a\t1\n"),
    "leading zeros": VOCAB + b"a\t0001\n",
}


@pytest.mark.parametrize("kind", HANDLED_VOCAB)
def test_a_vocabulary_that_is_read(tmp_path, kind):
    path = tmp_path / "vocab"
    path.write_bytes(HANDLED_VOCAB[kind])
    vocab = Vocabulary.load(path)
    assert vocab.words == ["<unk>", "<s>", "</s>", "a"]
    assert vocab.counts.tolist() == [0, 0, 0, 1]


def test_the_largest_count_is_read(tmp_path):
    path = tmp_path / "vocab"
    path.write_bytes(VOCAB + b"a\t9223372036854775807\n")
    assert Vocabulary.load(path).counts[3] == 2**63 - 1


PLACES: dict[str, Callable[[Path], str | Path]] = {
    "missing file": lambda folder: folder / "nothing",
    "missing folder": lambda folder: folder / "no" / "nothing",
    "folder": lambda folder: folder,
    "file as a folder": lambda folder: folder / "good" / "x",
    "dangling link": lambda folder: folder / "dangling",
    "link to itself": lambda folder: folder / "loop",
    "name too long": lambda folder: folder / ("n" * 256),
    "empty name": lambda folder: "",
    "NUL in the name": lambda folder: "a\0b",
}


@pytest.mark.parametrize("reader", [*READERS, "Vocabulary.load"])
@pytest.mark.parametrize("place", PLACES)
def test_a_place_that_cannot_be_read(tmp_path, good, place, reader):
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "loop").symlink_to("loop")
    path = PLACES[place](tmp_path)
    with pytest.raises(MissingFileError) as caught:
        Vocabulary.load(path) if reader == "Vocabulary.load" else READERS[reader](path, good)
    assert os.fspath(path) in str(caught.value) or "\0" in os.fspath(path)
    assert caught.value.exit_code == 2


# Bytes that lead deep into the readers: fragments of every format, and any bytes at all.
MARKS = [b"\n", b"\r", b"\r\n", b"\0", b"\t", b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"\x1f\x8b\x08\0"]
PIECES = [VOCAB, b"a\t1\n", gzip.compress(b"a\n"), gzip.compress(VOCAB), "我 爱\n".encode(), b"\xe6\x88", b"BZh9"]
FRAGMENTS = st.sampled_from(MARKS + PIECES)
BYTES = st.lists(FRAGMENTS | st.binary(max_size=20), max_size=12).map(b"".join)


@given(one=BYTES, other=BYTES)
@settings(max_examples=400, deadline=5000)
def test_any_bytes_are_read_or_refused_by_name(tmp_path_factory, one, other):
    folder = tmp_path_factory.getbasetemp()
    paths = folder / "one", folder / "other"
    for path, data in zip(paths, (one, other), strict=True):
        path.write_bytes(data)
    readers: list[Callable[[], object]] = [
        lambda: read_lines(paths[0]),
        lambda: read_bitext(*paths),
        lambda: read_references(paths),
        lambda: read_references([paths[0]], expected=2),
        lambda: Vocabulary.load(paths[0]),
    ]
    for reader in readers:
        message = ""
        try:
            reader()
        except TunesmithError as error:
            message = str(error)
        assert message == "" or message.startswith((str(paths[0]), str(paths[1])))
