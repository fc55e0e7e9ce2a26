"""`tunesmith select` as a user runs it: streams, files, labels, exit codes, nothing half written."""

import gzip
import json

import pytest
from support.processes.shell import Shell, bad, good

DOMAIN = "wir trinken tee\n"
SOURCE = "der hund\nwir trinken\n\ntee\ndie katze trinken\n"
TARGET = "the dog\nwe drink\n\ntea\nthe cat drink\n"


@pytest.fixture
def texts(tmp_path):
    shell = Shell(tmp_path)
    shell.write(domain=DOMAIN, **{"t.de": SOURCE, "t.en": TARGET})
    return shell


def test_both_sides_in_the_order_of_the_text(texts):
    run = texts("select", "--in-domain", "domain", "--sentences", "2", "t.de", "t.en", "-o", "out")
    assert good(run) == ""
    assert texts.text("out.de") == "wir trinken\ntee\n"
    assert texts.text("out.en") == "we drink\ntea\n"
    assert run.stderr.decode().splitlines()[0] == "2 of 5 sentences chosen"


def test_one_side_as_a_stream(texts):
    run = texts("select", "--in-domain", "domain", "--sentences", "1", "-q", "-", stdin=SOURCE)
    assert good(run) == "wir trinken\n"
    assert run.stderr == b""


def test_gzip_ranks_labels_and_json(texts):
    (texts.folder / "t.de.gz").write_bytes(gzip.compress(SOURCE.encode()))
    words = ["--ranks", "ranks", "--label-file", "labels", "--label", "web", "-f", "json"]
    run = texts("select", "--in-domain", "domain", "--sentences", "9", "t.de.gz", "t.en", "-o", "sub/", *words)
    result = json.loads(good(run))
    assert run.stderr.decode() == ("tunesmith: note: 3 of 9 sentences: no other has an n-gram of the domain\n")
    assert result["chosen"] == 3
    assert result["coverage"][0] == {"words": 1, "in_domain": 3, "candidates": 3, "chosen": 3}
    assert result["written"] == ["ranks", "labels", "sub/t.de.gz", "sub/t.en"]
    assert [line.split("\t")[0] for line in texts.text("ranks").splitlines()] == ["2", "4", "5"]
    assert texts.text("labels").split("\n") == ["default", "web", "default", "web", "web", ""]
    assert gzip.decompress((texts.folder / "sub/t.de.gz").read_bytes()).decode() == (
        "wir trinken\ntee\ndie katze trinken\n"
    )


def test_labels_alone(texts):
    words = ["--in-domain", "domain", "--sentences", "1", "--label-file", "labels", "-q"]
    assert good(texts("select", *words, "t.de", "t.en")) == ""
    assert texts.text("labels").split() == ["default", "in-domain", "default", "default", "default"]
    assert texts.names() == ["domain", "labels", "t.de", "t.en"]


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("t.de", "t.en"), 2, "two sides need -o"),
        (("t.de", "t.en", "-o", "-"), 2, "there are two results"),
        (("t.de", "-o", "t.de"), 2, "is an input"),
        (("t.de", "-o", "domain"), 2, "is an input"),
        (("t.de", "t.en", "-o", "t"), 2, "two are the same file"),
        (("t.de", "-o", "x", "--ranks", "x"), 2, "x: was given twice"),
        (("t.de", "-f", "json"), 2, "two results would be written to standard output"),
        (("t.de", "--label", "a b", "--label-file", "x"), 2, "--label must be one word, got 'a b'"),
        (("missing", "-o", "x"), 2, "missing"),
    ],
)
def test_refused_before_anything_is_written(texts, words, code, said):
    assert said in bad(texts("select", "--in-domain", "domain", "--sentences", "1", *words), code)
    assert texts.names() == ["domain", "t.de", "t.en"]


def test_sides_of_different_length(texts):
    texts.write(short="x\n")
    said = bad(texts("select", "--in-domain", "domain", "--sentences", "1", "t.de", "short", "-o", "out"), 1)
    assert "t.de has 5 lines, short has 1 line" in said


def test_an_empty_domain(texts):
    texts.write(empty="\n")
    assert bad(texts("select", "--in-domain", "empty", "--sentences", "1", "t.de"), 1) == (
        "empty: the in-domain text has no word"
    )
