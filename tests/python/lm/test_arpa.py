"""ARPA files: what is malformed is refused with its line, what is odd but clear is read as lm.md says."""

import contextlib
import gzip
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.models.lm_text import random_lines

from tunesmith.errors import FormatError
from tunesmith.lm import LmOptions, NgramModel, estimate


@pytest.fixture
def kenlm():
    return pytest.importorskip("kenlm", reason="kenlm is the judge here; it cannot be had for this Python")


GOOD = """\\data\\
ngram 1=5
ngram 2=4
ngram 3=2

\\1-grams:
-1.5\t<unk>\t0
-99\t<s>\t-0.3
-0.9\t</s>
-0.7\ta\t-0.2
-0.8\tb\t-0.1

\\2-grams:
-0.4\t<s> a\t-0.15
-0.5\ta b\t-0.25
-0.6\tb </s>
-0.7\ta </s>

\\3-grams:
-0.2\t<s> a b
-0.1\ta b </s>

\\end\\
"""


def changed(*pairs: str) -> str:
    """The good file with each of these texts replaced by the one after it."""
    text = GOOD
    for old, new in zip(pairs[::2], pairs[1::2], strict=True):
        assert old in text, old
        text = text.replace(old, new, 1)
    return text


# what is wrong: the file, the line of the error, a part of the message
MALFORMED = {
    "empty": ("", 1, "ends before \\data\\"),
    "blank lines only": ("\n\n\n", 4, "ends before \\data\\"),
    "text": ("hello world\n", 1, "expected \\data\\, with which an ARPA file begins"),
    "words before the header": ("comment\n" + GOOD, 1, "expected \\data\\"),
    "binary file of KenLM": ("mmap lm http://kheafield.com/code format version 5\n", 1, "binary file of KenLM"),
    "IRSTLM": ("iARPA\n" + GOOD, 1, "IRSTLM"),
    "header alone": ("\\data\\\n", 2, "without \\end\\"),
    "no counts": (changed("ngram 1=5\nngram 2=4\nngram 3=2\n", ""), 3, "expected 'ngram 1=COUNT'"),
    "count that is not a number": (changed("ngram 2=4", "ngram 2=four"), 3, "expected 'ngram ORDER=COUNT'"),
    "negative count": (changed("ngram 2=4", "ngram 2=-4"), 3, "'ngram ORDER=COUNT'"),
    "fractional count": (changed("ngram 2=4", "ngram 2=4.5"), 3, "'ngram ORDER=COUNT'"),
    "count beyond 64 bits": (changed("ngram 2=4", "ngram 2=99999999999999999999999"), 3, "'ngram ORDER=COUNT'"),
    "count beyond all memory": (changed("ngram 2=4", "ngram 2=99999999999999"), 3, "cannot be"),
    "count without equals": (changed("ngram 2=4", "ngram 2 4"), 3, "'ngram ORDER=COUNT'"),
    "count without order": (changed("ngram 2=4", "ngram =4"), 3, "'ngram ORDER=COUNT'"),
    "other word than ngram": (changed("ngram 2=4", "bigram 2=4"), 3, "'ngram ORDER=COUNT'"),
    "order left out": (changed("ngram 2=4\n", ""), 3, "expected the count of order 2, got that of order 3"),
    "order twice": (changed("ngram 2=4", "ngram 1=5"), 3, "expected the count of order 2"),
    "order 0": (changed("ngram 1=5", "ngram 0=1\nngram 1=5"), 2, "expected the count of order 1"),
    "order 10": (
        "\\data\\\n" + "".join(f"ngram {n}=1\n" for n in range(1, 11)),
        11,
        "models up to order 9 can be used",
    ),
    "section missing": (changed("\\2-grams:\n", ""), 13, "expected a heading"),
    "section of another order": (changed("\\2-grams:", "\\3-grams:"), 13, "expected \\2-grams:"),
    "section without colon": (changed("\\1-grams:", "\\1-grams"), 6, "expected \\1-grams:"),
    "unigrams first missing": (changed("\\1-grams:", "\\2-grams:"), 6, "expected \\1-grams:"),
    "section more than announced": (
        changed("\\end\\", "\\4-grams:\n-1\ta a a a\n\n\\end\\"),
        23,
        "expected \\end\\",
    ),
    "n-gram missing": (changed("-0.6\tb </s>\n", ""), 17, "\\2-grams: ends after 3 n-grams, but \\data\\ says 4"),
    "n-gram missing, next heading at once": (
        changed("-0.7\ta </s>\n\n", ""),
        17,
        "\\2-grams: ends after 3 n-grams",
    ),
    "n-gram too many": (changed("-0.7\ta </s>", "-0.7\ta </s>\n-0.7\ta a"), 18, "more than the 4 2-grams"),
    "last section short": (changed("-0.1\ta b </s>\n", ""), 21, "\\3-grams: ends after 1 n-grams"),
    "empty section": (
        changed("-0.2\t<s> a b\n-0.1\ta b </s>\n", ""),
        21,
        "\\3-grams: ends after 0 n-grams, but \\data\\ says 2",
    ),
    "no \\end\\": (changed("\\end\\\n", ""), 23, "without \\end\\"),
    "cut off within a line": (GOOD[: GOOD.index("a b </s>\n") + 3], 21, "expected a log-probability, 3 words"),
    "cut off between lines": (GOOD[: GOOD.index("-0.6")], 16, "without \\end\\"),
    "text behind the end": (GOOD + "-0.5\ta b\n", 24, "text after \\end\\"),
    "two models": (GOOD + GOOD, 24, "text after \\end\\"),
    "NaN": (changed("-0.8\tb", "nan\tb"), 11, "'nan' is not a finite number"),
    "-NaN": (changed("-0.8\tb", "-nan\tb"), 11, "'-nan' is not a finite number"),
    "minus infinity": (changed("-0.8\tb", "-inf\tb"), 11, "'-inf' is not a finite number"),
    "infinite back-off": (changed("b\t-0.1", "b\tinf"), 11, "the back-off 'inf' is not a finite number"),
    "NaN back-off": (changed("b\t-0.1", "b\tNaN"), 11, "the back-off 'NaN'"),
    "number beyond float": (changed("-0.8\tb", "-1e99\tb"), 11, "'-1e99' is not a finite number"),
    "no number": (changed("-0.8\tb", "x\tb"), 11, "'x' is not a finite number"),
    "number with a tail": (changed("-0.8\tb", "-0.8x\tb"), 11, "'-0.8x' is not a finite number"),
    "hexadecimal": (changed("-0.8\tb", "-0x1p-1\tb"), 11, "not a finite number"),
    "decimal comma": (changed("-0.8\tb", "-0,8\tb"), 11, "'-0,8' is not a finite number"),
    "sign alone": (changed("-0.8\tb", "+\tb"), 11, "'+' is not a finite number"),
    "positive log-probability": (changed("-0.8\tb", "0.8\tb"), 11, "is positive"),
    "positive in the highest order": (changed("-0.1\ta b </s>", "0.1\ta b </s>"), 21, "is positive"),
    "back-off in the highest order": (changed("-0.1\ta b </s>", "-0.1\ta b </s>\t-0.5"), 21, "highest order"),
    "word too few": (changed("-0.5\ta b\t-0.25", "-0.5\ta"), 15, "2 words"),
    "word too many": (changed("-0.5\ta b\t-0.25", "-0.5\ta b a\t-0.25"), 15, "2 words"),
    "word in place of the back-off": (changed("a b\t-0.25", "a b\tb"), 15, "the back-off 'b'"),
    "only a number": (changed("-0.8\tb\t-0.1", "-0.8"), 11, "1 word"),
    "word missing from the unigrams": (changed("a b\t-0.25", "a c\t-0.25"), 15, "'c' is not among the unigrams"),
    "word twice": (changed("-0.8\tb\t-0.1", "-0.8\ta\t-0.1"), 11, "the word a came before"),
    "<s> twice": (changed("-0.8\tb\t-0.1", "-0.8\t<s>\t-0.1"), 11, "the word <s> came before"),
    "<unk> in both spellings": (changed("-0.8\tb\t-0.1", "-0.8\t<UNK>\t-0.1"), 11, "the word <unk> came before"),
    "2-gram twice": (changed("-0.6\tb </s>", "-0.6\ta b"), 16, "came before"),
    "3-gram twice": (changed("-0.1\ta b </s>", "-0.1\t<s> a b"), 21, "came before"),
    "context missing": (changed("-0.1\ta b </s>", "-0.1\tb b </s>"), 21, "its context, the first 2 words"),
    "no <s>": (changed("-99\t<s>\t-0.3", "-99\t<S>\t-0.3"), 12, "have no <s>"),
    "no </s>": (changed("-0.9\t</s>", "-0.9\t</S>"), 12, "have no </s>"),
    "NUL in a word": (changed("-0.8\tb\t", "-0.8\tb\0\t"), 11, "is not UTF-8 text"),
    "blank line among n-grams": (changed("-0.5\ta b", "\n-0.5\ta b"), 15, "ends after 1 n-grams"),
    "carriage returns alone": (GOOD.replace("\n", "\r"), 1, "expected \\data\\"),
}


@pytest.mark.parametrize("kind", MALFORMED)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_malformed_files_are_refused_with_the_line(tmp_path, kind, packed):
    text, line, message = MALFORMED[kind]
    path = tmp_path / "lm.arpa"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    with pytest.raises(FormatError) as caught:
        NgramModel.load(path)
    assert message in caught.value.message
    assert (caught.value.path, caught.value.line) == (str(path), line)


BAD_BYTES = {
    "Latin-1": (GOOD.replace("\tb\t", "\té\t").encode("latin-1"), 11),
    "half a character": (GOOD.replace("\tb\t", "\té\t").encode().replace(b"\xc3\xa9", b"\xc3"), 11),
    "surrogate": (GOOD.encode().replace(b"\tb\t", b"\t\xed\xa0\x80\t"), 11),
    "UTF-16": (GOOD.encode("utf-16"), 1),
}


@pytest.mark.parametrize("kind", BAD_BYTES)
def test_other_encodings_are_refused(tmp_path, kind):
    data, line = BAD_BYTES[kind]
    (tmp_path / "lm.arpa").write_bytes(data)
    with pytest.raises(FormatError) as caught:
        NgramModel.load(tmp_path / "lm.arpa")
    assert caught.value.line == line


def test_damaged_gzip_is_named(tmp_path):
    path = tmp_path / "lm.arpa.gz"
    path.write_bytes(gzip.compress(GOOD.encode())[:-10])
    with pytest.raises(FormatError, match="gzip data is damaged"):
        NgramModel.load(path)


# what is odd: the file; all of them are the good model
ODD = {
    "as it is": GOOD,
    "CRLF": GOOD.replace("\n", "\r\n"),
    "byte-order mark": "\ufeff" + GOOD,
    "blank lines first": "\n\n" + GOOD,
    "blank lines last": GOOD + "\n\n \n",
    "no newline at the end": GOOD[:-1],
    "spaces in place of tabs": GOOD.replace("\t", " "),
    "spaces at the ends of lines": GOOD.replace("\n", " \n"),
    "spaces in counts": GOOD.replace("ngram 2=4", "ngram  2 = 4"),
    "no blank lines between sections": GOOD.replace("\n\n", "\n"),
    "two blank lines between sections": GOOD.replace("\n\n", "\n\n\n"),
    "blank line behind a heading": GOOD.replace("grams:\n", "grams:\n\n"),
    "zero back-off in the highest order": GOOD.replace("<s> a b\n", "<s> a b\t0\n"),
    "back-off of zero left out": GOOD.replace("<unk>\t0", "<unk>"),
    "exponents": GOOD.replace("-0.5\ta b", "-5e-1\ta b").replace("-0.4\t", "-.4\t"),
    "plus sign": GOOD.replace("<unk>\t0", "<unk>\t+0"),
    "<UNK>": GOOD.replace("<unk>", "<UNK>"),
    "unigrams in another order": GOOD.replace("-1.5\t<unk>\t0\n-99\t<s>\t-0.3\n-0.9\t</s>\n", "").replace(
        "-0.8\tb\t-0.1\n", "-0.8\tb\t-0.1\n-0.9\t</s>\n-99\t<s>\t-0.3\n-1.5\t<unk>\t0\n"
    ),
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
def test_odd_files_are_read(tmp_path, kind, packed):
    path = tmp_path / "lm.arpa"
    path.write_bytes(gzip.compress(ODD[kind].encode()) if packed else ODD[kind].encode())
    model = NgramModel.load(path)
    assert model.notes == ()
    assert model.ngrams == (5, 4, 2)
    # By hand: <s> a b </s> are trigrams; a has an unknown context; x is unknown.
    assert model.score(["a b"]).log10[0] == pytest.approx(-0.4 - 0.2 - 0.1)
    assert model.score(["b a"]).log10[0] == pytest.approx((-0.3 - 0.8) + (-0.1 - 0.7) - 0.7)
    assert model.score(["x"]).log10[0] == pytest.approx((-0.3 - 1.5) - 0.9)


def test_positive_back_offs_are_allowed(tmp_path):
    # SRILM writes them for models that were pruned or mixed.
    (tmp_path / "lm.arpa").write_text(changed("a\t-0.2", "a\t0.2"))
    model = NgramModel.load(tmp_path / "lm.arpa")
    assert model.score(["a a"], begin=False, end=False).log10[0] == pytest.approx(-0.7 + 0.2 - 0.7)


def test_without_unk_unknown_words_get_what_kenlm_gives(tmp_path, kenlm):
    path = tmp_path / "lm.arpa"
    path.write_text(changed("ngram 1=5", "ngram 1=4", "-1.5\t<unk>\t0\n", ""))
    model = NgramModel.load(path)
    assert "no <unk>" in model.notes[0]
    config = kenlm.Config()
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    assert model.score(["x a"]).log10[0] == pytest.approx(kenlm.Model(str(path), config).score("x a"))


def test_a_missing_suffix_is_filled_in_as_kenlm_does(tmp_path, kenlm):
    # SRILM drops "b a" though "a b a" is kept; the context "a b" is there.
    path = tmp_path / "lm.arpa"
    path.write_text(changed("ngram 3=2", "ngram 3=3", "-0.1\ta b </s>\n", "-0.1\ta b </s>\n-0.05\ta b a\n"))
    ours, theirs = NgramModel.load(path), kenlm.Model(str(path))
    for text in ("a b a b", "b a b", "a b a", "b b a a b", "x a b a"):
        assert ours.score([text]).log10[0] == pytest.approx(theirs.score(text), abs=1e-5), text


@pytest.mark.parametrize(("backoff", "score"), [("0.69", -0.01), ("0.7", 0), ("0.70001", 0), ("0.9", None)])
def test_a_filled_in_probability_above_one_is_refused(tmp_path, backoff, score):
    # "b a" gets -0.7 and the back-off of b; KenLM turns the sign of the sum.
    text = changed("ngram 3=2", "ngram 3=3", "-0.1\ta b </s>\n", "-0.1\ta b </s>\n-0.05\ta b a\n")
    path = tmp_path / "lm.arpa"
    path.write_text(text.replace("b\t-0.1\n", f"b\t{backoff}\n"))
    if score is None:
        with pytest.raises(FormatError, match=r":22: its last 2 words are no 2-gram .* 0\.2000.*: '-0\.05"):
            NgramModel.load(path)
    else:
        model = NgramModel.load(path)
        assert model.score_ngrams(model.ids(["b", "a"]).reshape(1, 2))[0] == pytest.approx(score, abs=1e-5)


@pytest.mark.parametrize("head", ["", "\\data\\\nngram 1="], ids=["before", "behind"])
def test_a_line_without_end_is_not_read_on(tmp_path, head):
    path = tmp_path / "lm.arpa"
    with path.open("wb") as file:
        file.write(head.encode())
        file.truncate(2**34)  # takes no disk
    with pytest.raises(FormatError, match="a line of more than" if head else "expected") as caught:
        NgramModel.load(path)
    assert caught.value.line == 1 + head.count("\n")


@pytest.mark.parametrize("extra", [2**14, 2**20 - 100, 2**20, 3 * 2**20])
def test_long_words(tmp_path, extra):
    path = tmp_path / "lm.arpa"
    path.write_text(changed("-0.8\tb", "-0.8\t" + "c" * extra))
    with pytest.raises(FormatError) as caught:
        NgramModel.load(path)
    assert caught.value.line == (15 if extra < 2**20 else 11)


def test_a_filled_in_suffix_is_no_context(tmp_path):
    # "b a" came only as the suffix of "a b a"; "b a b" must not depend on which of the two comes first.
    one, other = "-0.05\ta b a\n", "-0.06\tb a b\n"
    for both in (one + other, other + one):
        text = changed("ngram 3=2", "ngram 3=4", "-0.1\ta b </s>\n", "-0.1\ta b </s>\n" + both)
        (tmp_path / "lm.arpa").write_text(text)
        with pytest.raises(FormatError, match="its context"):
            NgramModel.load(tmp_path / "lm.arpa")


def test_our_own_files_are_read_by_kenlm_even_with_empty_orders(tmp_path, kenlm):
    path = tmp_path / "lm.arpa"
    estimate(["a", "a b"], LmOptions(order=5)).write_arpa(path)
    ours = NgramModel.load(path)
    assert ours.ngrams[4] == 0
    assert ours.score(["a b"]).log10[0] == pytest.approx(kenlm.Model(str(path)).score("a b"), abs=1e-5)


@given(data=st.binary(max_size=300), at=st.integers(0, len(GOOD)), cut=st.integers(0, 40))
@settings(max_examples=500, deadline=None)
def test_random_bytes_in_a_good_file_never_crash(tmp_path_factory, data, at, cut):
    path = tmp_path_factory.getbasetemp() / "noise.arpa"
    path.write_bytes(GOOD[:at].encode() + data + GOOD[at + cut :].encode())
    with contextlib.suppress(FormatError):
        NgramModel.load(path)


@given(data=st.binary(max_size=500))
@settings(max_examples=200, deadline=None)
def test_random_bytes_never_crash(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "noise.arpa"
    path.write_bytes(data)
    with pytest.raises(FormatError):
        NgramModel.load(path)


def test_random_edits_of_a_real_file_never_crash(tmp_path):
    rng = random.Random(1)
    path = tmp_path / "lm.arpa"
    estimate(random_lines(30, 12, seed=1), LmOptions(order=3)).write_arpa(path)
    lines = path.read_text().split("\n")
    for _ in range(300):
        edited = list(lines)
        for _ in range(rng.randint(1, 3)):
            at, to = rng.randrange(len(edited)), rng.randrange(len(edited))
            edit = rng.random()
            if edit < 0.3:
                edited[at] = edited[to]
            elif edit < 0.6:
                del edited[at]
            else:
                edited[at] = edited[at][: rng.randint(0, len(edited[at]))]
        path.write_text("\n".join(edited))
        with contextlib.suppress(FormatError):
            assert NgramModel.load(path).score(["w0 w1 w2"]).log10[0] < 0
