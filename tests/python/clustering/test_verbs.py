"""`tunesmith classes`: streams, formats, exit codes."""

import json
import subprocess
import sys

import pytest
from support.models.class_text import random_text

from tunesmith.clustering import ClusteringOptions, WordClasses, cluster, perplexity

LINES = [" ".join(line) for line in random_text(1, 60, 400)]
TEXT = "".join(f"{line}\n" for line in LINES)


def run(*words, stdin=TEXT):
    ran = subprocess.run(
        [sys.executable, "-m", "tunesmith", "classes", *map(str, words)],
        input=stdin, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("classes")
    (folder / "text").write_text(TEXT)
    cluster(LINES, ClusteringOptions(6)).classes.save(folder / "map.tsv")
    return folder


def test_train_is_the_library_for_any_number_of_threads(folder, tmp_path):
    expected = (folder / "map.tsv").read_text()
    code, out, err = run("train", "--classes", 6)
    assert (code, out) == (0, expected)
    assert "400 sentences" in err
    assert "6 classes" in err
    assert run("train", "--classes", 6, "-q", "-j", 3, folder / "text") == (0, expected, "")
    assert run("train", "--classes", 6, "-q", folder / "text", "-o", tmp_path / "out.gz") == (0, "", "")
    assert WordClasses.load(tmp_path / "out.gz") == WordClasses.load(folder / "map.tsv")


def test_options_reach_the_library(tmp_path):
    options = ClusteringOptions(9, "two-sided", passes=3, min_count=2, digits_to_one=True, refine_from=2)
    expected = tmp_path / "map.tsv"
    cluster(LINES, options).classes.save(expected)
    words = "--classes 9 --objective two-sided --passes 3 --min-count 2 --digits-to-one --refine-from 2 -q"
    assert run("train", *words.split()) == (0, expected.read_text(), "")


def test_start_and_assign(folder):
    code, out, _ = run("train", "--start", folder / "map.tsv", "--passes", 50, "-q")
    assert code == 0
    assert len({line.split("\t")[1] for line in out.splitlines()}) == 6
    new = "new w1 w2\n" * 5
    code, out, err = run("assign", "--map", folder / "map.tsv", stdin=new)
    assert code == 0
    assert out.startswith((folder / "map.tsv").read_text())
    assert out.splitlines()[-1].startswith("new\t")
    assert "new words: 1" in err


def test_show_prints_members(folder):
    members = WordClasses.load(folder / "map.tsv").members()
    code, out, _ = run("show", folder / "map.tsv", "--words", 2)
    assert code == 0
    assert out.splitlines() == [f"{name}\t{len(words)}\t{' '.join(words[:2])}" for name, words in members.items()]
    code, out, _ = run("show", folder / "map.tsv", "--class", "3", "--words", 0, "-f", "json")
    assert json.loads(out) == {"class": "3", "size": len(members["3"]), "words": members["3"]}
    code, _, err = run("show", folder / "map.tsv", "--class", "x")
    assert code == 2
    assert "has no class 'x'" in err


def test_evaluate_compares_maps(folder, tmp_path):
    assert run("convert", folder / "map.tsv", "--to", "brown", "-o", tmp_path / "paths")[0] == 0
    maps = (folder / "map.tsv", tmp_path / "paths")
    code, out, _ = run("evaluate", *maps, "--text", "-", "-f", "json")
    assert code == 0
    found = perplexity(LINES, WordClasses.load(folder / "map.tsv"))
    for path, line in zip(maps, out.splitlines(), strict=True):
        row = json.loads(line)
        assert row["map"] == str(path)
        assert row["one_sided"] == pytest.approx(found.one_sided)
        assert row["bidirectional"] == pytest.approx(found.bidirectional)
    code, out, _ = run("evaluate", folder / "map.tsv", "--text", folder / "text", "-w", 2)
    assert out.splitlines()[1].split("\t")[5:] == [
        f"{value:.2f}" for value in (found.one_sided, found.two_sided, found.bidirectional)
    ]


@pytest.mark.parametrize(
    ("words", "code", "wrong"),
    [
        ("train --classes 0", 2, "--classes"),
        ("train --start nothing.tsv", 2, "nothing.tsv"),
        ("train --start - -", 2, "cannot both come from standard input"),
        ("train --classes 8 --refine-from 8", 2, "refine_from must be less than classes"),
        ("train --objective both", 2, "both"),
        ("show -", 1, "<stdin>:1: expected word<TAB>class"),
        ("assign --map - -", 2, "cannot both come from standard input"),
        ("evaluate - --text nothing", 1, "<stdin>:1: expected word<TAB>class"),
    ],
)
def test_errors_are_one_line(words, code, wrong):
    ended, out, err = run(*words.split(), stdin="no map\n")
    assert (ended, out) == (code, "")
    assert wrong in err
    assert "Traceback" not in err


def test_a_text_without_words_is_an_error_that_names_it(tmp_path):
    (tmp_path / "empty").write_text("\n\n")
    code, out, err = run("train", tmp_path / "empty", "-o", tmp_path / "out")
    assert (code, out) == (1, "")
    assert "empty" in err
    assert "has no words" in err
    assert not (tmp_path / "out").exists()
