"""Pairs and references: lengths agree, blank ends are trimmed aloud, names expand in natural order."""

import pytest

from tunesmith.corpus.bitext import Bitext, References, expand_paths, read_bitext, read_references
from tunesmith.errors import ConfigError, FormatError, MissingFileError


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Write files by keyword in an empty working folder."""
    monkeypatch.chdir(tmp_path)

    def write(**texts: str) -> None:
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")

    return write


def test_pairs_are_lines_side_by_side(files):
    files(zh="我\n你\n", en="I\nyou\n")
    bitext = read_bitext("zh", "en")
    assert len(bitext) == 2
    assert list(bitext) == [("我", "I"), ("你", "you")]
    assert bitext.notes == ()


def test_empty_sentences_are_kept(files):
    files(zh="a\n\nb\n", en="A\nX\n\n")
    assert list(read_bitext("zh", "en")) == [("a", "A"), ("", "X"), ("b", "")]


def test_blank_lines_at_both_ends_are_sentences(files):
    files(zh="a\n\n", en="A\n\n")
    assert list(read_bitext("zh", "en")) == [("a", "A"), ("", "")]


@pytest.mark.parametrize("blank", ["\n", "\n\n", " \n\t\n\u3000\n"])
def test_blank_lines_behind_the_shorter_side_are_trimmed_and_noted(files, blank):
    files(zh="a\nb\n", en="A\nB\n" + blank)
    for paths, sides in ((("zh", "en"), "ab"), (("en", "zh"), "AB")):
        bitext = read_bitext(*paths)
        assert "".join(bitext.source) == sides
        assert len(bitext) == 2
        (note,) = bitext.notes
        assert note.startswith(f"en: {blank.count(chr(10))} blank line")


def test_different_lengths_name_both_files_and_counts(files):
    files(zh="a\nb\nc\n", en="A\n")
    with pytest.raises(FormatError, match=r"zh:2: zh has 3 lines, en has 1 line; ") as caught:
        read_bitext("zh", "en")
    assert (caught.value.path, caught.value.line) == ("zh", 2)


def test_text_behind_blank_lines_is_not_trimmed(files):
    files(zh="a\n", en="A\n\nB\n\n")
    with pytest.raises(FormatError, match="en has 4 lines"):
        read_bitext("zh", "en")


def test_the_same_file_twice_is_refused(files):
    files(zh="a\n")
    with pytest.raises(ConfigError, match=r"zh: was given twice"):
        read_bitext("zh", "./zh")
    with pytest.raises(ConfigError, match="<stdin>: was given twice"):
        read_bitext("-", "-")


def test_a_bitext_cannot_be_made_unequal():
    with pytest.raises(FormatError, match="2 source sentences but 1 target"):
        Bitext(["a", "b"], ["A"])


def test_references_are_tuples_in_the_order_of_the_files(files):
    files(r0="a\nb\n", r1="A\nB\n", r2="a\nβ\n")
    references = read_references(["r2", "r0", "r1"])
    assert references.sentences == [("a", "a", "A"), ("β", "b", "B")]
    assert references.paths == ("r2", "r0", "r1")
    assert [len(set(each)) for each in references] == [2, 3]
    assert len(references) == 2
    assert list(references) == references.sentences


def test_an_empty_reference_is_one_fewer_and_counted(files):
    files(r0="a\n\nc\n", r1="A\nB\n \n")
    references = read_references(["r0", "r1"])
    assert references.sentences == [("a", "A"), ("B",), ("c",)]
    assert references.columns == (["a", "", "c"], ["A", "B", " "])
    assert references.notes == (
        "2 empty reference lines: those sentences have fewer references than there are files",
    )


def test_a_sentence_without_reference_is_an_error(files):
    files(r0="a\n\nc\n", r1="A\n\t\nC\n")
    with pytest.raises(FormatError, match=r"^r0:2: the reference is empty, and so are those of the other 1 files"):
        read_references(["r0", "r1"])
    with pytest.raises(FormatError, match=r"^r0:2: the reference is empty; "):
        read_references(["r0"])


def test_blank_ends_of_references_are_trimmed_to_the_shortest(files):
    files(r0="a\n", r1="A\n\n", r2="α\n\n\n")
    references = read_references(["r0", "r1", "r2"])
    assert references.sentences == [("a", "A", "α")]
    assert references.notes == ("r1: 1 blank line at the end left out", "r2: 2 blank lines at the end left out")


def test_reference_files_of_different_length_are_named(files):
    files(r0="a\nb\n", r1="A\n")
    with pytest.raises(FormatError, match=r"^r0:2: r0 has 2 lines, r1 has 1 line; "):
        read_references(["r0", "r1"])


def test_the_expected_number_of_sentences_is_checked(files):
    files(r0="a\nb\n", r1="A\nB\n\n", hyp="")
    assert len(read_references(["r0", "r1"], expected=2)) == 2
    for expected in (1, 3):
        with pytest.raises(FormatError, match=rf"^r0: has 2 lines, but system.out {expected}; "):
            read_references(["r0", "r1"], expected=expected, expected_name="system.out")
    with pytest.raises(FormatError, match=r"^hyp: has 0 lines, but the hypotheses 1"):
        read_references(["hyp"], expected=1)


def test_blank_references_are_not_trimmed_where_a_sentence_expects_them(files):
    files(r0="a\n\n", r1="A\nB\n")
    assert read_references(["r0", "r1"], expected=2).sentences == [("a", "A"), ("B",)]


def test_no_reference_file_is_an_error():
    with pytest.raises(ConfigError, match="no reference file"):
        read_references([])


def test_references_stand_alone():
    assert list(References([("a", "a")])) == [("a", "a")]


def test_globs_expand_in_natural_order(files):
    files(**dict.fromkeys(("en.10", "en.2", "en.1", "en.01", "de.1", "x1y10", "x1y9", "x"), ""))
    assert expand_paths(["en.*"]) == ["en.01", "en.1", "en.2", "en.10"]
    assert expand_paths(["x*"]) == ["x", "x1y9", "x1y10"]
    assert expand_paths(["de.1", "en.?", "x"]) == ["de.1", "en.1", "en.2", "x"]
    assert expand_paths(["en.[12]"]) == ["en.1", "en.2"]


def test_plain_names_keep_their_order(files):
    files(b="", a="")
    assert expand_paths(["b", "a", "-"]) == ["b", "a", "-"]


def test_an_existing_name_is_never_a_glob(files):
    files(**{"en[1]": "", "en1": "", "*": "", "a": ""})
    assert expand_paths(["en[1]"]) == ["en[1]"]
    assert expand_paths(["*"]) == ["*"]


def test_folders_do_not_match(files, tmp_path):
    files(**{"en.1": ""})
    (tmp_path / "en.2").mkdir()
    assert expand_paths(["en.*"]) == ["en.1"]


def test_nothing_matches_is_said(files):
    with pytest.raises(MissingFileError, match=r"en\.\*: no file matches this pattern"):
        expand_paths(["en.*"])


def test_a_missing_plain_name_is_left_to_the_reader(files):
    files(**{"train.en": ""})
    assert expand_paths(["trian.en"]) == ["trian.en"]
    with pytest.raises(MissingFileError, match=r"Did you mean train\.en"):
        read_references(expand_paths(["trian.en"]))


@pytest.mark.parametrize("words", [["a", "a"], ["a", "./a"], ["a", "*"], ["-", "-"], ["a", "link"]])
def test_a_file_given_twice_is_refused(files, tmp_path, words):
    files(a="", b="")
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(ConfigError, match="was given twice"):
        expand_paths(words)
