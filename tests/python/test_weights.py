"""Weights by name: the file, what is wrong with it, and comparison."""

import gzip
import math
import zlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.features import START, FeatureIndex, FeatureSet, start_weights
from tunesmith.weights import Weights, compare_weights

NAMES = st.text(st.characters(exclude_categories=("Cs", "Zs", "Zl", "Zp", "Cc")), min_size=1, max_size=8)
VALUES = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(st.dictionaries(NAMES, VALUES, max_size=8))
def test_what_is_written_is_read_back_exactly(tmp_path_factory, weights):
    path = tmp_path_factory.mktemp("weights") / "weights.tsv"
    Weights.from_mapping(weights, "tuned|by:hand").write(path)
    again = Weights.read(path)
    assert dict(again.items()) == weights
    assert list(again.names) == list(weights)
    assert again.signature == "tuned|by:hand"
    assert [math.copysign(1, value) for value in again.array] == [math.copysign(1, v) for v in weights.values()]


def test_a_mapping_makes_weights():
    weights = Weights({"b": 2, "a": np.float32(-1)})
    assert dict(weights) == dict(Weights.from_mapping({"b": 2.0, "a": -1.0})) == {"b": 2.0, "a": -1.0}
    assert dict(Weights(weights)) == dict(weights)


def test_the_format_is_plain(tmp_path):
    Weights.from_mapping({"lm": 0.5, "word_penalty": -1.0, "id:茶|tea": 1e-10}, "by hand").write(tmp_path / "w")
    header, body = "# by hand\n", "lm\t0.5\nword_penalty\t-1\nid:茶|tea\t1e-10\n"
    seal = f"# crc32 {zlib.crc32((header + body).encode()):08x}\n"
    assert (tmp_path / "w").read_text(encoding="utf-8") == header + seal + body
    (tmp_path / "w.gz").write_bytes(gzip.compress((tmp_path / "w").read_bytes().replace(b"\n", b"\r\n")))
    assert Weights.read(tmp_path / "w.gz") == Weights.read(tmp_path / "w")
    assert Weights.read(tmp_path / "w.gz").signature == "by hand"


def test_a_checksum_line_that_is_wrong_says_what_to_do(tmp_path):
    weights = Weights.from_mapping({"lm": 0.5, "tm": 1.0}, "tuned|version:1")
    weights.write(tmp_path / "w")
    whole = (tmp_path / "w").read_bytes()
    assert Weights.read(tmp_path / "w").sealed
    assert not Weights.read(tmp_path / "w").notes
    edits = {
        "value": whole.replace(b"0.5", b"0.6"),
        "line gone": whole.replace(b"tm\t1\n", b""),
        "comment": whole.replace(b"tuned", b"edited"),
        "comment below": whole.replace(b"lm\t", b"# mine\nlm\t"),
        "one line end": whole.replace(b"0.5\n", b"0.5\r\n"),
    }
    for edit, data in edits.items():
        (tmp_path / "w").write_bytes(data)
        with pytest.raises(FormatError, match=r"by hand, remove the line '# crc32 …'"):
            Weights.read(tmp_path / "w")
        lines = [line for line in data.split(b"\n") if not line.startswith(b"# crc32")]
        (tmp_path / "w").write_bytes(b"\n".join(lines))
        edited = Weights.read(tmp_path / "w")
        assert not edited.sealed, edit
        assert "no checksum line" in edited.notes[0]
    (tmp_path / "w").write_bytes(b"# mine\nlm\t0.5\n")  # was never ours, so nothing is missed
    assert Weights.read(tmp_path / "w").notes == []


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (b"lm 0.5\n", 1, "name<TAB>weight"),
        (b"# by\n# hand\nlm\t0.5\nlm\t0.5\n", 4, "comes twice"),
        (b"lm\tnan\n", 1, "not finite"),
        (b"a\t1\nlm\t-inf\n", 2, "not finite"),
        (b"lm\t1e999\n", 1, "not a number"),
        (b"lm\t0,5\n", 1, "not a number"),
        (b"lm\t0.5 \n", 1, "not a number"),
        (b"lm\t\n", 1, "not a number"),
        (b"\t1\n", 1, "empty"),
        (b"a\t1\n# late\n", 2, "name<TAB>weight"),
        (b"\xff\t1\n", 1, "UTF-8"),
        (b"a\0\t1\n", 1, "UTF-8"),
        (("a" + "茶" * 40 + "\t1\n").encode() * 2, 2, "'a茶.* comes twice"),  # cut inside a character
        (b"a\t1\na\t1\nb\n", 2, "comes twice"),
        (b"".join(b"%d\t1\n" % number for number in range(100)) + b"7\t1\n\xff\n", 101, "comes twice"),
    ],
)
def test_damaged_files_are_errors_with_the_line(tmp_path, text, line, message):
    (tmp_path / "w").write_bytes(text)
    with pytest.raises(FormatError, match=message) as caught:
        Weights.read(tmp_path / "w")
    assert (caught.value.path, caught.value.line) == (str(tmp_path / "w"), line)


def test_files_that_are_not_there_or_cut_off(tmp_path):
    with pytest.raises(MissingFileError):
        Weights.read(tmp_path / "none")
    (tmp_path / "w.gz").write_bytes(gzip.compress(b"lm\t0.5\n" * 9)[:-9])
    with pytest.raises(FormatError):
        Weights.read(tmp_path / "w.gz")


@pytest.mark.parametrize("wrong", [{"a": math.nan}, {"a": math.inf}, {"": 1.0}, {"a\tb": 1.0}, {"a\nb": 1.0}])
def test_weights_that_cannot_be_written(wrong):
    with pytest.raises(ConfigError):
        Weights.from_mapping(wrong)


def test_vectors_and_names(tmp_path):
    index = FeatureIndex(["a", "b", "c"])
    vector, unknown = index.vector(Weights.from_mapping({"c": 3.0, "x": 1.0, "a": -1.0}))
    assert (vector.tolist(), unknown) == ([-1.0, 0.0, 3.0], ["x"])
    assert dict(index.weights(vector).items()) == {"a": -1.0, "c": 3.0}
    assert dict(index.weights(vector, zeros=True).items()) == {"a": -1.0, "b": 0.0, "c": 3.0}
    for wrong in (vector[:2], np.full(3, np.nan)):
        with pytest.raises(ConfigError):
            index.weights(wrong)


def test_comparison():
    one = Weights.from_mapping({"a": 1.0, "b": 2.0, "z": 0.0})
    two = Weights.from_mapping({"b": 2.0, "c": -3.0})
    seen = compare_weights(one, two)
    assert (seen.differing, seen.only_first, seen.only_second) == (2, 1, 1)
    assert seen.distance == pytest.approx(math.sqrt(1 + 9))
    assert seen.cosine == pytest.approx(4 / math.sqrt(5 * 13))
    assert seen.largest == (("c", 0.0, -3.0), ("a", 1.0, 0.0))
    assert one != two
    assert one == Weights.from_mapping({"b": 2.0, "a": 1.0})
    assert math.isnan(compare_weights(one, Weights.from_mapping({})).cosine)


NAMED = ["translation:p(e|f)", "word_penalty", "rule_penalty", "glue_penalty", "unknown", "lm", "count_bin:1"]


def test_start_weights_of_the_papers():
    assert dict(start_weights("cherry2012", NAMED).items()) == {"translation:p(e|f)": 1, "unknown": -1, "lm": 1}
    green = dict(start_weights("green2014", [*NAMED, "news"], lms=["lm", "news"]).items())
    assert green == {"translation:p(e|f)": 0.2, "word_penalty": -1, "rule_penalty": 0.2, "glue_penalty": 0.2,
                     "unknown": -1, "lm": 0.5, "news": 0.5}  # fmt: skip
    for preset in START:
        assert "count_bin:1" not in start_weights(preset, NAMED)
    with pytest.raises(ConfigError, match="preset must be moses or"):
        start_weights("mine", NAMED)
    assert set(NAMED[1:5]) <= set(FeatureSet.parse("default").templates)


def test_long_text_is_cut_between_characters(tmp_path):
    path = tmp_path / "weights.tsv"
    for start in ("", "a", "ab"):
        path.write_text(f"lm\t1\n{start}{'中' * 40}\n", encoding="utf-8")
        with pytest.raises(FormatError) as seen:
            Weights.read(path)
        shown = str(seen.value).partition("'")[2]
        assert shown == start + "中" * ((60 - len(start)) // 3) + "…'"
