"""n-best lists as text: what is read, what is written, what is refused."""

import gzip
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.search import CandidateSet, read_kbest, write_kbest
from tunesmith.search.dialects import MosesDialect

LINES = """\
0 ||| das ist ||| LM0= -4.25 TM0= -1.5 0 2e-3 sp_x= 1 ||| -3.75
0 ||| das war ||| LM0= -5.1234567 TM0= 0 0 1 ||| -4 ||| 0-0 1-1 ||| more
2 |||  ||| LM0= 0 TM0= 1 2 3 sp_y~|||~z= -1 ||| 0.1
"""


def read_text(tmp_path, text, name="list"):
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_kbest(path)


def by_name(candidates, row):
    values = candidates.rows([row]).toarray()[0]
    return {name: value for name, value in zip(candidates.features, values, strict=True) if value}


def test_a_moses_list_is_read(tmp_path):
    c = read_text(tmp_path, LINES)
    assert c.offsets.tolist() == [0, 2, 2, 3]
    assert [c.text(i) for i in range(3)] == ["das ist", "das war", ""]
    assert list(c.features) == ["LM0", "TM0_0", "TM0_1", "TM0_2", "sp_x", "sp_y~|||~z"]
    assert by_name(c, 0) == pytest.approx({"LM0": -4.25, "TM0_0": -1.5, "TM0_2": 2e-3, "sp_x": 1})
    assert by_name(c, 2)["sp_y~|||~z"] == -1
    assert c.model_scores.tolist() == [-3.75, -4, 0.1]
    assert [c.rest.text(i) for i in range(3)] == ["", "0-0 1-1 ||| more", ""]


@pytest.mark.parametrize("name", ["list", "list.gz"])
def test_what_is_written_is_read_again(tmp_path, name):
    c = read_text(tmp_path, LINES)
    write_kbest(c, tmp_path / name)
    again = read_kbest(tmp_path / name)
    raw = (tmp_path / name).read_bytes()
    text = (gzip.decompress(raw) if name.endswith(".gz") else raw).decode()
    assert text.splitlines()[1] == "0 ||| das war ||| LM0= -5.1234567 TM0= 0 0 1 ||| -4 ||| 0-0 1-1 ||| more"
    assert [by_name(again, i) for i in range(3)] == [by_name(c, i) for i in range(3)]
    assert again.model_scores.tolist() == c.model_scores.tolist()
    assert [again.rest.text(i) for i in range(3)] == [c.rest.text(i) for i in range(3)]


finite = st.floats(allow_nan=False, allow_infinity=False)
words = st.text(st.characters(exclude_categories=["Z", "C"]), min_size=1, max_size=5).filter(
    lambda word: word.split() == [word] and word != "|||"
)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.tuples(st.lists(words, max_size=4), st.lists(finite, min_size=4, max_size=4)), max_size=6),
    st.sampled_from([["a", "b_0", "b_1", "c"], ["x_0", "x_1", "x_2", "x"], ["a_0", "a_2", "a_1", "z="]]),
    st.booleans(),
)
def test_every_value_survives_a_round_trip(tmp_path_factory, rows, names, narrow):
    values = np.array([row for _, row in rows]).reshape(len(rows), 4)
    if narrow:
        with np.errstate(over="ignore"):
            values = values.astype(np.float32).astype(np.float64)
        values[~np.isfinite(values)] = 1
    texts = [" ".join(text) for text, _ in rows]
    c = CandidateSet.from_matrix(values, np.arange(len(rows) + 1), texts=texts, names=names)
    path = tmp_path_factory.mktemp("kbest") / "list"
    write_kbest(c, path)
    again = read_kbest(path)
    assert len(again) == len(rows)
    for i in range(len(rows)):
        assert again.text(i) == texts[i]
        # -0.0 is not kept apart from 0. Where float says the same as the text, it is stored as float.
        small = np.float32 in (again.matrix.dense.dtype, c.matrix.dense.dtype)
        read, written = by_name(again, i), by_name(c, i)
        assert read.keys() == written.keys()
        for name, value in read.items():
            assert value == written[name] or (small and np.float32(value) == np.float32(written[name]))


@pytest.mark.parametrize(
    ("text", "narrow"),
    [
        ("0.1", True),
        ("-1.81723", True),
        ("16777217", False),
        ("0.1234567891", False),
        ("1e-42", True),
        ("1e300", False),
    ],
)
def test_values_are_small_where_that_says_the_same(tmp_path, text, narrow):
    c = read_text(tmp_path, f"0 ||| a ||| f= {text} ||| 0\n")
    assert c.matrix.dense.dtype == (np.float32 if narrow else np.float64)
    expected = np.float32(text) if narrow else np.float64(text)
    assert c.matrix.dense[0, 0] == expected


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "1 fields"),
        ("0 ||| a", "2 fields"),
        ("x ||| a ||| f= 1 ||| 0", "sentence number 'x'"),
        ("-1 ||| a ||| f= 1 ||| 0", "sentence number '-1'"),
        ("1.5 ||| a ||| f= 1 ||| 0", "sentence number"),
        ("99999999999999999999 ||| a ||| f= 1 ||| 0", "sentence number"),
        ("4000000000 ||| a ||| f= 1 ||| 0", "too many sentences without candidates"),
        ("0 ||| a ||| f= 1 ||| 0", "follows sentence 5"),
        ("5 ||| a ||| f= nan ||| 0", "'nan' is not a finite number"),
        ("5 ||| a ||| f= inf ||| 0", "'inf' is not a finite number"),
        ("5 ||| a ||| f= -infinity ||| 0", "not a finite number"),
        ("5 ||| a ||| f= 1e999 ||| 0", "not a finite number"),
        ("5 ||| a ||| f= 0x10 ||| 0", "not a finite number"),
        ("5 ||| a ||| f= 1 ||| word", "score 'word'"),
        ("5 ||| a ||| f= 1 |||", "score ''"),
        ("5 ||| a ||| f= 1", "no score"),
        ("5 ||| a ||| 1 f= 1 ||| 0", "begin with '1'"),
        ("5 ||| a ||| f= ||| 0", "'f' has no value"),
        ("5 ||| a ||| f= 1 2 ||| 0", "'f' has 2 values, the first one of this name has 1"),
        ("5 ||| a ||| f= 1 f= 2 ||| 0", "'f' has two values"),
        ("5 ||| a\r b ||| f= 1 ||| 0", "carriage return"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, line, message):
    with pytest.raises(FormatError, match=message) as error:
        read_text(tmp_path, f"5 ||| a ||| f= 1 ||| 0\n{line}\n5 ||| b ||| f= 1 ||| 0\n")
    assert error.value.line == 2
    assert error.value.path == str(tmp_path / "list")


@pytest.mark.parametrize("data", [b"5 ||| \xff ||| f= 1 ||| 0\n", b"5 ||| a\0 ||| f= 1 ||| 0\n", b"\xff\xfe5\0"])
def test_what_is_not_text_is_named(tmp_path, data):
    with pytest.raises(FormatError, match=r"UTF-8|UTF-16") as error:
        read_text(tmp_path, data)
    assert error.value.line == 1


def test_line_ends_blocks_and_empty_files(tmp_path):
    assert len(read_text(tmp_path, "")) == 0
    c = read_text(tmp_path, "\ufeff0 ||| a ||| f= 1 ||| 0\r\n0 ||| b ||| f= 2 ||| 0")
    assert [c.text(0), c.text(1)] == ["a", "b"]
    many = "".join(f"{i} ||| w{i} ||| f= {i} ||| 0\n" for i in range(100_000))
    long = read_text(tmp_path, many)
    assert len(long) == 100_000
    assert long.text(99_999) == "w99999"
    assert long.scores([1.0]).sum() == math.comb(100_000, 2)


def test_damaged_gzip_and_missing_files(tmp_path):
    packed = gzip.compress(LINES.encode() * 100)
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(FormatError, match="damaged or cut off"):
        read_kbest(tmp_path / "cut.gz")
    with pytest.raises(MissingFileError):
        read_kbest(tmp_path / "none")
    with pytest.raises(ConfigError, match="moses"):
        read_kbest(tmp_path / "cut.gz", "mosses")


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="without words"):
        write_kbest(CandidateSet.from_matrix(np.ones((1, 1)), [0, 1]), tmp_path / "list")
    assert not (tmp_path / "list").exists()


@settings(max_examples=200, deadline=None)
@given(st.text("0123 |=ab.-\n_e", max_size=80))
def test_any_text_is_read_or_refused(tmp_path_factory, text):
    folder = tmp_path_factory.mktemp("fuzz")
    try:
        c = read_text(folder, text)
    except FormatError as error:
        assert error.line is not None  # noqa: PT017
    else:
        assert len(c) == len([line for line in text.split("\n") if line])


def test_a_list_of_moses_is_what_its_features_say(shared):
    """Moses' own 100-best: the score it printed, to its six digits, is X·w with its weights."""
    folder = shared / "reference" / "moses-hiero"
    c = read_kbest(folder / "first100.nbest100.gz")
    assert c.sentences == 100
    weights = {}
    section = False
    for line in (folder / "moses.ini").read_text().splitlines():
        section = line == "[weight]" if line.startswith("[") else section
        if section and "=" in line:
            label, *values = line.split()
            for at, value in enumerate(values):
                weights[label[:-1] if len(values) == 1 else f"{label[:-1]}_{at}"] = float(value)
    w = [weights.get(name, weights.get(name.removesuffix("_0"), 0.0)) for name in c.features]
    # An unknown word costs 100, which is not a feature of the list.
    rest = c.scores(w) - c.model_scores
    assert np.allclose(rest, 100 * np.round(rest / 100), atol=6e-3)


def test_a_list_can_be_written_part_by_part(tmp_path):
    """Which features are in a line, and under which labels, depends on its candidate alone."""
    names, values = ["a_0", "a_1", "b_0", "b_1", "c"], np.eye(5)
    values[:, 0] = 0
    texts = ["x"] * 5
    whole = CandidateSet.from_matrix(values, range(6), texts=texts, names=names)
    text = "".join(MosesDialect().write(whole, in_every_line=[0, 1]))
    parts = ""
    for at in range(5):
        fired = [column for column in range(5) if column < 2 or values[at, column]]
        part = CandidateSet.from_matrix(
            values[at : at + 1, fired], [0, 1], texts=texts[:1], names=[names[column] for column in fired]
        )
        parts += "".join(MosesDialect().write(part, at, in_every_line=[0, 1]))
    assert text == parts
    assert "2 ||| x ||| a= 0 0 b_0= 1" in text
    (tmp_path / "list").write_text(text)
    again = read_kbest(tmp_path / "list")
    columns = [list(again.features).index(name) for name in names]
    assert again.rows().toarray()[:, columns].tolist() == values.tolist()
