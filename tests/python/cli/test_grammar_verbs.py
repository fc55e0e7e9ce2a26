"""`tunesmith extract` and `tunesmith rules` as a user runs them."""

import dataclasses
import inspect
import json

import pytest
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.cli.models.extract import extract
from tunesmith.cli.models.extraction_options import Extraction, ModelKind
from tunesmith.cli.models.train import train
from tunesmith.errors import ConfigError
from tunesmith.grammar import HieroOptions, PhraseOptions, RuleTable, ScoreOptions
from tunesmith.grammar.extract import DEFAULT_MEMORY
from tunesmith.io import read_lines, write_lines
from tunesmith.lm.options import parse_size


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def corpus(tmp_path):
    write_lines(tmp_path / "f", ["ich trinke tee", "ich trinke kaffee", "er trinkt tee"])
    write_lines(tmp_path / "e", ["i drink tea", "i drink coffee", "he drinks tea"])
    write_lines(tmp_path / "a", ["0-0 1-1 2-2"] * 3)
    return ["--source", tmp_path / "f", "--target", tmp_path / "e", "--align", tmp_path / "a"]


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_extract_show_stats_filter_export_import(corpus, tmp_path, kind):
    ended = run("extract", *corpus, "--kind", kind, "-o", tmp_path / "rules")
    assert (ended.exit_code, ended.stdout) == (0, "")
    assert "rules from 3 sentence pairs" in ended.stderr
    shown = run("rules", "show", tmp_path / "rules", "--source", "tee").stdout
    assert shown == "tee ||| tea ||| 1 1 1 1 ||| 0-0 ||| 2 2 2\n"
    as_json = json.loads(run("rules", "show", tmp_path / "rules", "--source", "tee", "-f", "json").stdout)
    assert (as_json["target"], as_json["occurrences"], as_json["pairs"]) == (["tea"], 2, 2)
    assert len(run("rules", "show", tmp_path / "rules", "--limit", 3).stdout.splitlines()) == 3
    numbers = json.loads(run("rules", "stats", tmp_path / "rules", "--check", "-f", "json").stdout)
    assert (
        numbers["rules"] == numbers["rules_before_filtering"] == sum(numbers["rules_by_source_symbols"].values())
    )
    as_text = run("rules", "stats", tmp_path / "rules").stdout
    assert "source sides" in as_text
    assert "made with: scores.smoothing" in as_text
    write_lines(tmp_path / "text", ["er trinkt"])
    filtered = run("rules", "filter", tmp_path / "rules", "--input", tmp_path / "text", "-o", tmp_path / "few")
    assert f"of {numbers['rules']} rules" in filtered.stderr
    glue = ["--glue", tmp_path / "glue"] if kind == "hiero" else []
    exported = run("rules", "export", tmp_path / "few", *glue).stdout
    assert (tmp_path / "glue").exists() == (kind == "hiero")
    same = run("rules", "export", tmp_path / "few", "--glue", tmp_path / "both", "-o", tmp_path / "both")
    assert (same.exit_code, (tmp_path / "both").exists()) == (2, False)
    sides = {line.split(" |||")[0].removesuffix(" [X]") for line in exported.splitlines()}
    assert sides == {"er", "trinkt", "er trinkt"} | ({"er [X][X]"} if kind == "hiero" else set())
    assert run("rules", "export", tmp_path / "few", "-o", tmp_path / "few.gz").exit_code == 0
    assert read_lines(tmp_path / "few.gz") == exported.splitlines()
    assert run("rules", "import", tmp_path / "few.gz", "-o", tmp_path / "again", "-q").exit_code == 0
    assert sorted(run("rules", "export", tmp_path / "again").stdout.splitlines()) == sorted(exported.splitlines())


@pytest.mark.parametrize(
    "words",
    [
        ["--max-gaps", "3"],
        ["--kind", "tree"],
        ["--memory", "much"],
        ["--memory", "3K"],
        ["--memory", "999999999999999G"],
        ["--top", "99999999999999999999"],
        ["-j", "99999999999"],
        ["--significance", "nan"],
        ["--significance", "inf"],
        ["--significance", "-5"],
        ["--max-span", "0"],
        ["--max-length", "3"],
        ["--kind", "phrase", "--raw-counts"],
        ["--kind", "phrase", "--max-span", "7"],
    ],
)
def test_settings_that_cannot_work_end_with_2(corpus, tmp_path, words):
    assert run("extract", *corpus, *words, "-o", tmp_path / "rules").exit_code == 2
    assert not (tmp_path / "rules").exists()


def test_data_that_cannot_be_used_ends_with_1(corpus, tmp_path):
    write_lines(tmp_path / "a", ["0-0 1-1 2-2", "0-7", ""])
    ended = run("extract", *corpus, "-o", tmp_path / "rules")
    assert ended.exit_code == 1
    assert f"{tmp_path / 'a'}:2: link 0-7" in ended.stderr
    write_lines(tmp_path / "labels", ["one"])
    write_lines(tmp_path / "a", ["0-0"] * 3)
    ended = run("extract", *corpus, "--labels", tmp_path / "labels", "-o", tmp_path / "rules")
    assert (ended.exit_code, f"{tmp_path / 'labels'}: has 1 lines" in ended.stderr) == (1, True)
    assert run("extract", *corpus, "--smoothing", "kneser-ney", "-o", tmp_path / "rules").exit_code == 1
    assert not (tmp_path / "rules").exists()
    assert run("rules", "stats", tmp_path).exit_code == 1
    assert "is a file" in run("rules", "stats", tmp_path / "labels").stderr
    assert run("rules", "stats", tmp_path / "nowhere").exit_code == 2


@pytest.mark.parametrize("verb", [extract, train])
def test_the_defaults_of_the_verbs_are_those_of_the_options(verb):
    options = {**vars(PhraseOptions()), **vars(HieroOptions()), **vars(ScoreOptions())}
    given = {name: parameter.default for name, parameter in inspect.signature(verb).parameters.items()}
    of_kinds = {"max_span", "max_symbols", "min_gap", "adjacent", "normal_form"}  # see the next test
    shared = set(options) & set(given) - {"single_words"} - of_kinds
    assert {"max_length", "smoothing", "top", "significance"} <= shared
    assert {name: options[name] for name in shared} == {name: given[name] for name in shared}
    assert parse_size(given["memory"]) == DEFAULT_MEMORY


@pytest.mark.parametrize(
    ("kind", "rules"),
    [("hiero", HieroOptions()), ("phrase", PhraseOptions()), ("left-to-right", HieroOptions.left_to_right())],
)
def test_every_kind_of_model_has_its_own_limits(kind, rules):
    """Options that are not given are None: their values depend on the kind."""
    unset = dict.fromkeys(("min_gap", "adjacent", "aligned", "normal_form"))
    assert Extraction("f", "e", ModelKind(kind)).options(**unset).rules == rules
    if kind != "phrase":
        typed = Extraction("f", "e", ModelKind(kind), max_span=8, loose=True).options(**unset, max_gaps=1)
        assert typed.rules == dataclasses.replace(rules, max_span=8, tight=False, max_gaps=1)


def test_single_words_can_be_had_with_moses_limits(tmp_path, corpus):
    write_lines(tmp_path / "a", ["0-0 0-1 1-0 2-2"] * 3)  # "ich" and "trinke" stand in longer phrases only
    for options, expected in ((["--moses"], 0), (["--moses", "--single-words"], 1), (["--no-single-words"], 0)):
        assert run("extract", *corpus, "--kind", "phrase", *options, "-q", "-o", tmp_path / "r").exit_code == 0
        shown = run("rules", "show", tmp_path / "r", "--source", "ich").stdout
        assert len(shown.splitlines()) == expected


def test_amounts_of_memory():
    assert [parse_size(text) for text in ("16G", "1.5m", "2097152", "3 GiB")] == [
        16 << 30, 3 << 19, 2 << 20, 3 << 30]  # fmt: skip
    for bad in ("", "G", "-1G", "1X", "1e9"):
        with pytest.raises(ConfigError):
            parse_size(bad)


def test_reordering_out_and_in_and_tables_joined(corpus, tmp_path):
    made = run(
        "extract", *corpus, "--kind", "phrase", "--reordering", "hier-mslr-bidirectional-fe", "-o", tmp_path / "p"
    )
    assert made.exit_code == 0, made.stderr
    shown = json.loads(run("rules", "show", tmp_path / "p", "--limit", 1, "-f", "json").stdout)
    assert len(shown["reordering"]) == 8
    files = tmp_path / "phrase-table", tmp_path / "reordering.gz"
    assert run("rules", "export", tmp_path / "p", "--reordering", files[1], "-o", files[0]).exit_code == 0
    model = "--reordering-model", "hier-mslr-bidirectional-fe"
    read = run("rules", "import", files[0], "--reordering", files[1], *model, "-o", tmp_path / "back")
    assert read.exit_code == 0, read.stderr
    again = tmp_path / "again"
    assert (
        run("rules", "export", tmp_path / "back", "--reordering", again, "-o", tmp_path / "table").exit_code == 0
    )
    assert sorted(read_lines(files[1])) == sorted(read_lines(again))
    joined = run("rules", "join", tmp_path / "p", tmp_path / "back", "--indicator", "-o", tmp_path / "both")
    assert joined.exit_code == 0, joined.stderr
    assert len(run("rules", "show", tmp_path / "both", "--limit", 1, "-f", "json").stdout.split("missing.")) == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (
            ["extract", "--kind", "phrase", "--reordering", "msdx"],
            "a name such as wbe-msd-bidirectional-fe",
        ),
        (["extract", "--reordering", "msd"], "lexicalised reordering is for phrase pairs"),
    ],
)
def test_reordering_that_cannot_be(corpus, words, says, tmp_path):
    ended = run(words[0], *corpus, *words[1:], "-o", tmp_path / "rules")
    assert ended.exit_code == 2
    assert says in " ".join(ended.stderr.split())


def test_a_phrase_based_model_with_and_without_reordering(corpus, tmp_path):
    for words, templates in (([], 6), (["--reordering", "none"], 5), (["--features", "small"], 3)):
        folder = tmp_path / f"model{templates}"
        ended = run("train", *corpus, "--kind", "phrase", "--order", 2, *words, "-o", folder)
        assert ended.exit_code == 0, ended.stderr
        assert f"features: {templates} templates" in ended.stderr
        assert (RuleTable.open(folder / "rules").reordering is None) == (templates < 6)
