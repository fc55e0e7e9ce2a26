"""Maps of words to classes: formats in and out, damaged ones refused, lookup."""

import gzip

import pytest

from tunesmith.clustering import WordClasses
from tunesmith.clustering.map_formats import FORMATS
from tunesmith.errors import ConfigError, FormatError

MAP = WordClasses(
    {"the": "0", "a": "0", "<unk>": "1", "0000": "1", "ü": "10", "house": "2"},
    {"the": 9, "a": 7, "<unk>": 3, "0000": 2, "ü": 1, "house": 4},
)


def groups(classes: WordClasses) -> set[frozenset[str]]:
    return {frozenset(words) for words in classes.members().values()}


def test_names_of_numbers_are_in_the_order_of_numbers():
    assert MAP.names == ["0", "1", "2", "10"]
    assert WordClasses({"a": "x", "b": "9", "c": "09", "d": "²"}).names == ["09", "9", "x", "²"]


@pytest.mark.parametrize("map_format", FORMATS)
def test_what_is_written_is_read_back(tmp_path, map_format):
    for path in (tmp_path / "map", tmp_path / "map.gz"):
        MAP.save(path, map_format)
        read = WordClasses.load(path)
        assert groups(read) == groups(MAP)
        assert WordClasses.load(path, map_format) == read
    assert (tmp_path / "map").read_bytes() == gzip.decompress((tmp_path / "map.gz").read_bytes())


def test_the_formats_line_by_line(tmp_path):
    def written(map_format: str) -> list[str]:
        MAP.save(tmp_path / "map", map_format)
        return (tmp_path / "map").read_text(encoding="utf-8").splitlines()

    assert written("tsv") == ["the\t0", "a\t0", "<unk>\t1", "0000\t1", "ü\t10", "house\t2"]
    assert written("clustercat") == ["the\t0", "a\t0", "<unk>\t1", "0000\t1", "house\t2", "ü\t3"]
    assert written("mkcls") == ["0000\t3", "<unk>\t3", "a\t2", "house\t4", "the\t2", "ü\t5"]
    assert written("brown") == [
        "00\tthe\t9",
        "00\ta\t7",
        "01\t<unk>\t3",
        "01\t0000\t2",
        "10\thouse\t4",
        "11\tü\t1",
    ]


def test_counts_are_read_where_every_line_has_one(tmp_path):
    path = tmp_path / "map"
    path.write_text("0\t12\t500\nthe\t3\t900\n")  # the first line could be a path of Brown clusters
    assert WordClasses.load(path).counts == {"0": 500, "the": 900}
    path.write_text("0\t12\t500\nthe\t3\n")
    assert WordClasses.load(path).counts is None
    path.write_text("0\tthe\t500\n10\ta\t3\n")
    assert WordClasses.load(path).members() == {"0": ["the"], "10": ["a"]}
    assert WordClasses.load(path, "clustercat").members() == {"a": ["10"], "the": ["0"]}


@pytest.mark.parametrize(
    ("text", "map_format", "line", "wrong"),
    [
        ("", "auto", None, "the map has no words"),
        ("the\t0\nhouse\n", "auto", 2, "expected word<TAB>class, got 'house'"),
        ("the\t0\n\nhouse\t1\n", "auto", 2, "expected word<TAB>class, got ''"),
        ("the\t0\t1\t2\n", "auto", 1, "expected word<TAB>class"),
        ("the\t0\na\t1\nthe\t2\n", "auto", 3, "the word 'the' is in line 1 too"),
        ("the\t\n", "auto", 1, "the class '' is empty or holds white space"),
        ("the\t1 2\n", "auto", 1, "the class '1 2' is empty or holds white space"),
        ("\t0\n", "auto", 1, "the word '' is empty or holds white space"),
        ("of the\t0\n", "auto", 1, "the word 'of the' is empty or holds white space"),
        ("the\t0\tmany\n", "auto", 1, "the count 'many' is not a whole number"),
        ("the\t0\t99999999999999999999\n", "auto", 1, "is not a whole number from 0 to"),
        ("the\t0\n", "brown", 1, "expected bits<TAB>word<TAB>count"),
        ("012\tthe\t0\n", "brown", 1, "the path '012' is not of digits 0 and 1"),
        ("01\tthe\t-1\n", "brown", 1, "the count '-1' is not a whole number"),
    ],
)
def test_damaged_maps_are_refused_with_their_line(tmp_path, text, map_format, line, wrong):
    path = tmp_path / "map"
    path.write_text(text)
    with pytest.raises(FormatError, match=wrong) as caught:
        WordClasses.load(path, map_format)
    assert caught.value.line == line
    assert caught.value.path == str(path)


def test_unknown_formats_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="map_format must be"):
        MAP.save(tmp_path / "map", "giza")
    with pytest.raises(ConfigError, match="map_format must be"):
        WordClasses.load(tmp_path / "map", "giza")


def test_any_word_has_a_class_by_its_digits_or_as_unknown():
    assert MAP.find("the") == "0"
    assert MAP.find("1984") == "1"
    assert MAP.find("never") == "1"
    assert WordClasses({"the": "0"}).find("never") is None
    assert MAP.numbers(["house", "never", "ü"]).tolist() == [2, -1, 3]
