"""evaluate, compare and references as a user meets them."""

import gzip
import json
import os
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from reference.made_up import damaged, references
from typer.testing import CliRunner

import tunesmith
from tunesmith.cli.main import app
from tunesmith.metrics import Bleu, Ter

N = 40
REFERENCES = references(N, seed=3, count=3)
FIRST = [sentence[0] for sentence in REFERENCES]
OUTPUTS = {"base.out": 0.3, "a.out": 0.15, "b.out": 0.3}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """test.en.0 to test.en.2, test.en.10 (a padded repeat), and the outputs of three systems."""
    monkeypatch.chdir(tmp_path)
    for at, stream in enumerate(zip(*REFERENCES, strict=True)):
        write(f"test.en.{at}", stream)
    write("test.en.10", FIRST)
    for seed, (name, rate) in enumerate(OUTPUTS.items()):
        write(name, damaged(FIRST, rate, seed))
    return tmp_path


def write(name, lines):
    Path(name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")


def lines_of(name):
    return Path(name).read_text(encoding="utf-8").splitlines()


def run(*words: object, stdin=None, code=0):
    """What a command prints on stdout and stderr."""
    ran = CliRunner().invoke(app, [str(word) for word in words], input=stdin)
    assert ran.exit_code == code, ran.output
    if code:
        assert ran.stdout == ""
        assert "Traceback" not in ran.stderr
    return ran


FAST = ("--bootstrap", 50)
VERSION = re.escape(tunesmith.__version__)
REFS = ("--refs", "test.en.0", "test.en.1", "test.en.2")


def test_evaluate_prints_signature_score_and_details(folder):
    score = Bleu().corpus_score(lines_of("base.out"), REFERENCES)
    out = run("evaluate", "base.out", *REFS).stdout
    assert re.fullmatch(
        r"BLEU\|nrefs:3\|case:mixed\|tok:none\|smooth:exp\|ci:bootstrap\[n=1000,level=0.95\]\|seed:1"
        rf"\|version:{VERSION} = {score:.2f} ± \d\.\d\d\n"
        r"  \d+\.\d/\d+\.\d/\d+\.\d/\d+\.\d \(BP = [01]\.\d{3} ratio = \d\.\d{3} hyp_len = \d+ ref_len = \d+\)\n",
        out,
    )


@pytest.mark.parametrize(
    "words",
    [
        ["base.out", "--refs", "test.en.0", "test.en.1", "test.en.2", "-b"],
        ["base.out", "-b", "--refs", "test.en.0", "test.en.1", "test.en.2"],
        ["--refs", "test.en.0", "test.en.1", "test.en.2", "-b", "--", "base.out"],
        ["--refs", "test.en.0", "test.en.1", "test.en.2", "-b", "base.out"],
        ["base.out", "-b", "--refs", "test.en.?"],
        ["base.out", "-b", "--refs=test.en.?"],
        ["base.out", "-b", "--refs", "test.en.0", "--refs", "test.en.1", "--refs", "test.en.2"],
        ["base.out", "-b", "--refs", "test.en.*"],
        ["base.out", "-b", "--refs", "test.en.0", "test.en.1", "test.en.2", "test.en.10"],
    ],
)
def test_every_way_to_give_references(folder, words):
    score = Bleu().corpus_score(lines_of("base.out"), REFERENCES)
    assert run("evaluate", *words).stdout == f"{score:.2f}\n"


def test_output_from_stdin_and_gzip(folder):
    expected = run("evaluate", "-b", "base.out", *REFS).stdout
    data = Path("base.out").read_bytes()
    Path("base.gz").write_bytes(gzip.compress(data))
    assert run("evaluate", "-b", *REFS, stdin=data).stdout == expected
    assert run("evaluate", "-b", *REFS, stdin=gzip.compress(data)).stdout == expected
    assert run("evaluate", "-b", "base.gz", *REFS).stdout == expected


def test_a_reference_from_stdin(folder):
    expected = run("evaluate", "-b", "base.out", "--refs", "test.en.0").stdout
    assert (
        run("evaluate", "-b", "base.out", "--refs", "-", stdin=Path("test.en.0").read_bytes()).stdout == expected
    )


def test_digits(folder):
    score = Bleu().corpus_score(lines_of("base.out"), REFERENCES)
    assert run("evaluate", "base.out", "-b", "-w", 0, *REFS).stdout == f"{score:.0f}\n"
    assert f"= {score:.5f} ± " in run("evaluate", "base.out", "-w", 5, *FAST, *REFS).stdout


def test_json_holds_the_objects_unrounded(folder):
    found = json.loads(
        run("evaluate", "base.out", "-f", "json", "--metric", "bleu", "--metric", "ter", *FAST, *REFS).stdout
    )
    assert found["sentences"] == N
    assert found["references"] == ["test.en.0", "test.en.1", "test.en.2"]
    bleu, ter = found["metrics"]
    assert (bleu["metric"], ter["metric"]) == ("bleu", "ter")
    assert bleu["score"] == Bleu().corpus_score(lines_of("base.out"), REFERENCES)
    assert ter["score"] == Ter().corpus_score(lines_of("base.out"), REFERENCES)
    assert (bleu["higher_is_better"], ter["higher_is_better"]) == (True, False)
    assert list(bleu["signature"]) == ["name", "nrefs", "case", "tok", "smooth", "ci", "seed", "version"]
    assert set(bleu["interval"]) == {"low", "high", "mean", "half_width", "level", "samples"}
    assert bleu["interval"]["samples"] == 50


def test_all_metrics_at_once(folder):
    names = ["bleu", "bleu+1", "nist", "chrf", "chrf++", "ter"]
    options = [word for name in names for word in ("--metric", name)]
    assert len(run("evaluate", "base.out", "-b", *options, *REFS).stdout.splitlines()) == 6
    out = run("evaluate", "base.out", *FAST, *options, *REFS, "--lowercase", "--smoothing", "none").stdout
    assert out.count("case:lc") == 6
    assert out.count("smooth:none") == 1


def test_no_interval(folder):
    out = run("evaluate", "base.out", "--bootstrap", 0, *REFS).stdout
    assert "±" not in out
    assert "ci:" not in out
    assert "seed" not in out


def test_sentence_level(folder):
    out = run("evaluate", "base.out", "--sentence-level", "--metric", "bleu", "--metric", "ter", *REFS).stdout
    header, *rows = [line.split("\t") for line in out.splitlines()]
    assert header == ["sentence", "bleu", "ter"]
    assert [row[0] for row in rows] == [str(at) for at in range(1, N + 1)]
    prepared = Ter().prepare(REFERENCES)
    assert [float(row[2]) for row in rows] == pytest.approx(
        Ter().score(prepared.statistics(lines_of("base.out"))).tolist(), abs=0.006
    )
    found = json.loads(run("evaluate", "base.out", "--sentence-level", "-f", "json", *FAST, *REFS).stdout)
    assert len(found["metrics"][0]["sentences"]) == N


def test_scores_computed_elsewhere(folder):
    write("scores", (str(at) for at in range(N)))
    out = run("evaluate", "base.out", "--scores", "scores", *FAST, *REFS).stdout
    assert out.startswith("BLEU|")
    assert "\nprecomputed|title:score|better:higher|ci:bootstrap[n=50,level=0.95]" in out
    alone = run("evaluate", "base.out", "--scores", "scores", "--metric", "precomputed", *FAST, *REFS).stdout
    assert alone.startswith("precomputed|")
    assert "= 19.50 ± " in out
    assert "better:lower" in run("evaluate", "base.out", "--scores", "scores", "--lower-is-better", *REFS).stdout
    both = run("evaluate", "base.out", "-b", "--metric", "bleu", "--scores", "scores", *REFS).stdout
    assert both.splitlines()[1] == "19.50"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["base.out", "--metric", "blue", *REFS], 2, "unknown metric 'blue'. Did you mean 'bleu'?"),
        (["base.out", "--refs", "test.en.7"], 2, "test.en.7: no such file"),
        (["base.out", "--refs", "nothing.*"], 2, "nothing.*: no file matches"),
        (["base.out", "--smoothing", "exp", "--metric", "ter", *REFS], 2, "--smoothing: not a setting of ter"),
        (["base.out", "--smoothing", "ex", *REFS], 2, "smoothing must be none or floor or add_k or exp, got 'ex'"),
        (
            ["base.out", "--reference-length", "long", *REFS],
            2,
            "must be closest or shortest or average, got 'long'",
        ),
        (["base.out", "--tokenize", "13b", *REFS], 2, "unknown tokenizer '13b'"),
        (
            ["base.out", "--metric", "bleu:lowercase=true", "--lowercase", *REFS],
            2,
            "of bleu given twice",
        ),
        (["base.out", "--metric", "precomputed", *REFS], 2, "--scores FILE"),
        (["base.out", "--lower-is-better", *REFS], 2, "--scores FILE"),
        (["base.out", "--scores", "a.out", *REFS], 1, "is not a finite number"),
        (["base.out", "--confidence", "95", *REFS], 2, "confidence level must be between 0 and 1, got 95"),
        (["test.en.0", *REFS], 2, "test.en.0 was given both as a system and as a reference"),
        (["base.out", "--refs", "test.en.0", "test.en.1", "a.out"], 2, "a.out was given as a reference, but"),
        (["-", "--refs", "test.en.0", "--refs", "-"], 2, "<stdin> was given both as a system and as a reference"),
        (["base.out", "--refs", "-q"], 2, "--refs needs at least one file after it"),
        (["base.out", "-b", "-f", "json", *REFS], 2, "choose one"),
        (["base.out", "--refs", "test.en.0", "a.out"], 2, "a.out was given as a reference, but next to it"),
    ],
)
def test_evaluate_mistakes(folder, words, code, message):
    error = run("evaluate", *words, stdin="", code=code).stderr
    assert error.startswith("tunesmith: ")
    assert message in error
    assert error.count("\n") == 1


def test_references_are_required(folder):
    assert "--refs" in run("evaluate", "base.out", code=2).stderr


def test_too_few_lines_are_named(folder):
    write("short.out", lines_of("base.out")[:-1])
    for words in (["evaluate", "short.out"], ["compare", "base.out", "short.out"], ["references", "short.out"]):
        error = run(*words, *REFS, code=1).stderr
        assert error.startswith(f"tunesmith: short.out: {N - 1} lines, but the references have {N} (test.en.0)")


def test_no_lines_at_all(folder):
    write("empty", [])
    assert "empty: no lines" in run("evaluate", "empty", "--refs", os.devnull, code=1).stderr


def test_a_terminal_is_told_what_is_expected(folder, monkeypatch):
    from tunesmith.cli import streams

    terminal = SimpleNamespace(stdin=SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(streams, "sys", terminal)
    for verb in ("evaluate", "references"):
        assert f"tunesmith {verb} --refs" in run(verb, *REFS, code=2).stderr
    run("evaluate", "base.out", *REFS)


def test_what_a_colleague_would_remark(folder):
    write("copy.out", FIRST)
    assert "equals the reference test.en.0 on 40 of 40 lines" in run("evaluate", "copy.out", *REFS).stderr
    write("gaps.out", ["", *lines_of("base.out")[1:]])
    assert "note: gaps.out: 1 of 40 lines is empty" in run("evaluate", "gaps.out", *REFS).stderr
    write("tokenised", (line + " ." for line in FIRST))
    write("raw", (line + "." for line in damaged(FIRST, 0.2, 5)))
    noted = run("evaluate", "raw", "--refs", "tokenised")
    assert "looks detokenised while the references look tokenised" in noted.stderr
    assert "note" not in noted.stdout
    assert run("evaluate", "raw", "-q", "--refs", "tokenised").stderr == ""
    assert run("evaluate", "base.out", *REFS).stderr == ""


def test_bleu_close_to_nothing_is_a_warning_with_its_likely_cause(tmp_path):
    lines = [f"a text about number {at} and others" for at in range(12)]
    for name, text in (("out", "\n".join(reversed(lines))), ("other", "ein ganz anderer Text\n" * 12)):
        (tmp_path / name).write_text(text.strip() + "\n")
    (tmp_path / "ref").write_text("\n".join(lines).upper() + "\n")
    ran = run("evaluate", tmp_path / "out", "--refs", tmp_path / "ref", "-q")
    assert "warning: BLEU is 0.00: output and references differ in case" in ran.stderr
    ran = run("compare", tmp_path / "out", tmp_path / "other", "--refs", tmp_path / "ref", "-q", *FAST)
    assert "/other: 0 % of the words of the output are in any reference" in ran.stderr
    (tmp_path / "lower").write_text("\n".join(lines) + "\n")
    assert "warning" not in run("evaluate", tmp_path / "lower", "--refs", tmp_path / "ref", "--lowercase").stderr


def test_compare_prints_a_table(folder):
    out = run("compare", "base.out", "a.out", "b.out", *REFS).stdout.splitlines()
    assert out[0].split() == ["BLEU", "score", "Δ", "p", "boot", "wins", "p", "rand"]
    assert re.fullmatch(r"base\.out +\d+\.\d\d ± \d\.\d\d", out[1])
    assert re.fullmatch(r"a\.out +\d+\.\d\d ± \d\.\d\d +\+\d+\.\d\d +0\.00\d\d \* +100\.0 % +0\.0\d{3} \*", out[2])
    assert not out[3].endswith("*")
    assert out[4] == "* p < 0.05"
    assert out[5].endswith(
        "pbs:bootstrap[n=1000]|par:randomization[n=10000]|seed:1|version:" + tunesmith.__version__
    )


def test_compare_several_metrics_and_formats(folder):
    words = ["compare", "base.out", "a.out", "--metric", "bleu", "--metric", "ter", "--trials", 50, *FAST, *REFS]
    assert "TER (lower is better)" in run(*words).stdout
    pasted = run(*words, "-f", "markdown", "--correction", "holm").stdout
    assert pasted.startswith("| BLEU ")
    assert "holm over 1 comparison  " in pasted
    rows = [line for line in pasted.splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in rows}) == 1
    found = json.loads(run(*words, "-f", "json").stdout)
    bleu, ter = found["metrics"]
    assert [system["system"] for system in bleu["systems"]] == ["base.out", "a.out"]
    assert bleu["systems"][0]["tests"] is None
    assert bleu["systems"][1]["tests"]["better"]
    assert ter["systems"][1]["tests"]["better"]
    assert ter["systems"][1]["tests"]["difference"] < 0
    assert bleu["signature"]["par"] == {"method": "randomization", "n": 50}


def test_compare_without_tests(folder):
    out = run("compare", "base.out", "a.out", "--bootstrap", 0, "--trials", 0, *REFS).stdout
    assert out.splitlines()[0].split() == ["BLEU", "score", "Δ"]


def test_compare_is_seeded(folder):
    words = ["compare", "base.out", "b.out", "-f", "json", *REFS]
    assert run(*words).stdout == run(*words, "-j", 3).stdout
    assert run(*words).stdout != run(*words, "--seed", 2).stdout


def test_compare_scores_computed_elsewhere(folder):
    for at, name in enumerate(("one", "two")):
        write(name, (str(at + (number % 7) / 10) for number in range(N)))
    words = ["compare", "base.out", "a.out", *FAST, *REFS, "--scores", "one", "--scores", "two"]
    words += ["--metric", "precomputed"]
    assert "+1.00" in run(*words).stdout
    assert "100.0 %" in run(*words).stdout
    assert " 0.0 %" in run(*words, "--lower-is-better").stdout


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (REFS, 2, "no systems given"),
        (["base.out", *REFS], 2, "--refs takes all words up to the next option, so put the systems before it"),
        ([*REFS, "base.out", "a.out"], 2, "no systems given"),
        (
            ["base.out", "a.out", *REFS, "b.out"],
            2,
            "b.out was given as a reference, but next to it stands test.en.N",
        ),
        (["base.out", "a.out", "--refs", "b.out", "test.en.*"], 2, "--refs b.out"),
        (["base.out", "test.en.1", *REFS], 2, "test.en.1 was given both as a system and as a reference"),
        (["base.out", "./a.out", "a.out", *REFS], 2, "a.out (the same file as ./a.out) was given twice"),
        (["base.out", "copy.out", *REFS], 1, "copy.out: equals the reference test.en.1 on 39 of 40 lines"),
        (["base.out", "a.out", *REFS, "--scores", "one"], 2, "1 files of --scores for 2 systems"),
        (["base.out", "missing.out", *REFS], 2, "missing.out: no such file"),
        (["-", "-", *REFS], 2, "<stdin> was given twice"),
    ],
)
def test_compare_mistakes(folder, words, code, message):
    write("copy.out", ["something else", *lines_of("test.en.1")[1:]])
    error = run("compare", *words, stdin="", code=code).stderr
    assert error.startswith("tunesmith: ")
    assert message in error


def test_the_ways_out_of_false_alarms(folder):
    write("copy.out", FIRST)
    run("compare", "base.out", "copy.out", *FAST, *REFS, "--allow-copies")
    Path("extra.en").write_bytes(Path("test.en.2").read_bytes())
    run("compare", "base.out", "a.out", *FAST, "--refs", "test.en.0", "test.en.1", "--refs", "extra.en")


def test_equal_outputs_are_noted(folder):
    write("again.out", lines_of("base.out"))
    found = run("compare", "base.out", "again.out", *FAST, *REFS)
    assert "again.out: the same text as base.out" in found.stderr
    assert found.stdout.count("1.0000") == 2


def test_references_summary_and_picture(folder):
    out = run("references", "base.out", *REFS, "-o", "variance.png").stdout.splitlines()
    assert re.fullmatch(
        rf"BLEU\+1\|nrefs:3\|case:mixed\|tok:none\|version:{VERSION} = spread M \d+\.\d\d SD \d+\.\d\d", out[0]
    )
    assert "smooth:nakov" in out[2]
    assert out[1].endswith("(means over 40 sentences)")
    assert Path("variance.png").read_bytes().startswith(b"\x89PNG")


def test_references_sentence_by_sentence(folder):
    header, *rows = run("references", "base.out", *REFS, "--sentence-level").stdout.splitlines()
    assert header.split("\t")[:5] == ["sentence", "references", "minimum", "maximum", "multiple"]
    assert len(rows) == N
    found = json.loads(run("references", "base.out", *REFS, "--sentence-level", "-f", "json").stdout)
    assert found["plain"]["sentences"] == len(found["extended_sentences"]["minimum"]) == N


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["base.out", "--refs", "test.en.0"], 1, "no sentence has two different references"),
        (["base.out", *REFS, "-o", "picture.gif"], 2, "must end in .png, .svg or .pdf"),
    ],
)
def test_references_mistakes(folder, words, code, message):
    assert message in run("references", *words, code=code).stderr


@pytest.mark.parametrize("verb", ["evaluate", "compare", "references"])
def test_help_has_examples_on_lines_of_their_own(verb, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    out = CliRunner().invoke(app, [verb, "--help"]).stdout
    lines = [line.strip() for line in out.splitlines()]
    assert "Examples" in lines
    assert sum(line.startswith(f"tunesmith {verb} ") for line in lines) >= 3


def test_one_reference_of_a_real_set_against_the_others(shared):
    data = shared / "data" / "zh-en"
    found = json.loads(
        run(
            "evaluate", data / "dev.en.1", "-f", "json", "-q", "--refs", *(data / f"dev.en.{at}" for at in (0, 2))
        ).stdout
    )
    # Second references are never padding, and all third ones that exist are in file 2.
    assert found["metrics"][0]["signature"]["nrefs"] == "1-2"
    assert 35 < found["metrics"][0]["score"] < 65
