"""Cleaning: the right pairs go, for the first reason that holds, and none goes uncounted."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.clean import Removed, clean
from tunesmith.corpus.filters import (
    ControlCharacters,
    Duplicates,
    EmptySide,
    IdenticalSides,
    LengthRatio,
    MaxLength,
    MinLength,
    WordLength,
)
from tunesmith.errors import ConfigError
from tunesmith.io import read_lines, write_lines

# filter, source, target, detail (None: kept)
CASES = [
    (EmptySide(), "", "a", "source"),
    (EmptySide(), "a", " \u3000", "target"),
    (EmptySide(), "", "\t", "source and target"),
    (EmptySide(), "a", "b", None),
    (MinLength(2), "a b", "a", "2 and 1 words"),
    (MinLength(2), "a b", "a b", None),
    (MinLength(1), "", "a", "0 and 1 words"),
    (MaxLength(2), "a b c", "a", "3 and 1 words"),
    (MaxLength(2), "a", "a b\u3000c", "1 and 3 words"),
    (MaxLength(2), "a b", "a  b ", None),
    (LengthRatio(2), "a", "a b", None),
    (LengthRatio(2), "a", "a b c", "3 to 1 words"),
    (LengthRatio(2), "a b c", "a", "3 to 1 words"),
    (LengthRatio(1.5), "a b", "a b c", None),
    (LengthRatio(9), "", "a", "1 to 0 words"),
    (LengthRatio(9), "", "", None),
    (LengthRatio(2, from_words=4), "a", "a b c", None),
    (LengthRatio(2, from_words=3), "a", "a b c", "3 to 1 words"),
    (WordLength(3), "abc d", "abcd", "a word of 4 characters"),
    (WordLength(3), "abc", "我爱你", None),
    (WordLength(3), "", "", None),
    (ControlCharacters(), "a\tb", "c", None),
    (ControlCharacters(), "a\x07", "c", "U+0007 at position 2 of the source"),
    (ControlCharacters(), "a", "\x7f", "U+007F at position 1 of the target"),
    (ControlCharacters(), "a", "b\u0085c", "U+0085 at position 2 of the target"),
    (ControlCharacters(), "\ufeffa", "b", "U+FEFF at position 1 of the source"),
    (ControlCharacters(), "a", "caf\ufffd", "U+FFFD at position 4 of the target"),
    (ControlCharacters(), "a\u2028b", "b", "U+2028 at position 2 of the source"),
    (ControlCharacters(), "a\u00a0b", "é 我 😀", None),
    (IdenticalSides(), "a  b", "a b ", "source equals target"),
    (IdenticalSides(), "a b", "A b", None),
    (IdenticalSides(), "", " ", None),
]


@pytest.mark.parametrize(("filter", "source", "target", "detail"), CASES)
def test_what_a_filter_removes(filter, source, target, detail):
    report = clean(Bitext([source], [target]), [filter])
    assert report.removed == ([] if detail is None else [Removed(1, filter.reason, detail)])
    assert len(report.kept) == (detail is None)


PAIRS = Bitext(list("aabac"), list("xyxxc"))


@pytest.mark.parametrize(
    ("by", "kept"),
    [("pair", [1, 2, 3, 5]), ("source", [1, 3, 5]), ("target", [1, 2, 5]), ("either", [1, 5])],
)
def test_the_first_of_equal_pairs_is_kept(by, kept):
    assert clean(PAIRS, [Duplicates(by)]).kept_lines == kept


def test_duplicates_are_exact():
    pairs = Bitext(["a", "a ", "A", "a"], ["b", "b", "b", "b\u3000"])
    assert clean(pairs, [Duplicates()]).kept_lines == [1, 2, 3, 4]


def test_a_filter_can_be_used_again():
    filters = [Duplicates()]
    assert clean(PAIRS, filters).removed == clean(PAIRS, filters).removed


def test_a_pair_removed_before_is_no_duplicate_of_a_later_one():
    pairs = Bitext(["a b", "a"], ["x", "x"])
    assert clean(pairs, [MaxLength(1), Duplicates("target")]).kept_lines == [2]
    assert clean(pairs, [Duplicates("target"), MaxLength(1)]).kept_lines == []


def test_the_first_filter_that_objects_gives_the_reason():
    report = clean(Bitext(["", "a b c"], ["a b c", "x"]), [EmptySide(), MaxLength(2), LengthRatio(2)])
    assert [item.reason for item in report.removed] == ["empty", "too-long"]
    assert report.counts == {"empty": 1, "too-long": 1, "ratio": 0}


def test_two_filters_of_one_reason_are_refused():
    with pytest.raises(ConfigError, match="same reason 'too-long'"):
        clean(PAIRS, [MaxLength(2), MaxLength(3)])


@pytest.mark.parametrize(
    "make",
    [
        lambda: MaxLength(0),
        lambda: MinLength(0),
        lambda: LengthRatio(0.5),
        lambda: LengthRatio(float("nan")),
        lambda: LengthRatio(2, 0),
        lambda: WordLength(0),
        lambda: Duplicates("lines"),
    ],
)
def test_settings_are_checked(make):
    with pytest.raises(ConfigError):
        make()


def test_filters_are_settings_that_do_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        MaxLength(2).words = 3


SIDE = st.lists(st.text(st.sampled_from("ab \t我\x07\\"), max_size=8), min_size=8, max_size=8)


@given(source=SIDE, target=SIDE)
@settings(max_examples=200, deadline=None)
def test_every_pair_is_kept_or_counted(tmp_path_factory, source, target):
    bitext = Bitext(source, target, ("noted",))
    filters = [EmptySide(), ControlCharacters(), MaxLength(3), LengthRatio(2), IdenticalSides(), Duplicates()]
    report = clean(bitext, filters)
    assert sorted([*report.kept_lines, *(item.line for item in report.removed)]) == list(range(1, 9))
    assert list(report.kept) == [(source[line - 1], target[line - 1]) for line in report.kept_lines]
    assert report.kept.notes == ("noted",)
    assert sum(report.counts.values()) == len(report.removed)
    assert report.as_dict() == {"pairs": 8, "kept": len(report.kept), "removed": report.counts}
    # What is kept stays kept, and the file of removed pairs gives back what was removed.
    assert clean(report.kept, filters).removed == []
    path = tmp_path_factory.getbasetemp() / "removed.tsv"
    write_lines(path, report.removed_rows())
    rows = [line.split("\t") for line in read_lines(path)]
    assert [(int(row[0]), row[1]) for row in rows] == [(item.line, item.reason) for item in report.removed]
    for line, _, *fields in rows:
        plain = [field.replace("\\\\", "\0").replace("\\t", "\t").replace("\0", "\\") for field in fields]
        assert plain == [source[int(line) - 1], target[int(line) - 1]]
