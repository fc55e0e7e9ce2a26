"""From raw text to raw text: what `train` does to text the model keeps, and `translate` and `tune` do it too."""

import json
import shutil

import pytest
from support.damage.resealed import edited
from typer.testing import CliRunner

from tunesmith import ConfigError, FormatError
from tunesmith.cli.main import app
from tunesmith.config import read_system
from tunesmith.corpus.tokenizers import make_tokenizer
from tunesmith.corpus.truecase import Truecaser, capitalized
from tunesmith.decoding import TranslationModel
from tunesmith.io import read_lines, write_lines

PAIRS = [
    ("Ich trinke Tee.", "I drink tea."),
    ("Ich trinke Kaffee.", "I drink coffee."),
    ("Heute trinke ich Tee.", "Today I drink tea."),
    ("Der Kaffee ist heiß!", "The coffee is hot!"),
    ("Anna trinkt Tee, Kaffee und Wasser.", "Anna drinks tea, coffee and water."),
    ("Heute ist der Tee heiß.", "Today the tea is hot."),
]
TEXT = "".join(f"{source}\n" for source, _ in PAIRS)


def run(*words, stdin=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


@pytest.fixture(scope="module")
def raw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("raw")
    for side, name in enumerate(("de", "en")):
        write_lines(folder / name, [pair[side] for pair in PAIRS * 3])
    return folder


def trained(raw, name, *more):
    data = ("--source", raw / "de", "--target", raw / "en", "--order", 3, "--aligner", "hmm", "-q")
    ended = run("train", *data, *more, "-o", raw / name)
    assert ended.exit_code == 0, ended.output
    return raw / name


@pytest.fixture(scope="module")
def model(raw):
    return trained(raw, "moses", "--tokenize", "moses", "--source-language", "de", "--truecase")


WAYS = [
    ("--tokenize", "moses", "--truecase"),
    ("--tokenize", "moses", "--lowercase"),
    ("--tokenize", "13a"),
    ("--tokenize-source", "char", "--tokenize-target", "moses"),
    ("--lowercase",),
    ("--tokenize", "sentencepiece:vocab=60"),
    ("--tokenize", "sentencepiece:vocab=60,type=bpe", "--lowercase"),
]


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_raw_text_in_raw_text_out(raw, way):
    if "sentencepiece" in " ".join(way):
        pytest.importorskip("sentencepiece", reason="the extra sentencepiece is not installed")
    model = trained(raw, "-".join(way).replace(":", "-"), *way)
    found = run("translate", "-m", model, "-q", stdin=TEXT).stdout.splitlines()
    assert len(found) == len(PAIRS)
    if way[-1] in ("--lowercase", "--truecase"):
        assert all(text[:1].isupper() for text in found)
    if way[0] != "--lowercase" and "sentencepiece" not in way[1]:
        assert all(text.endswith((".", "!")) and " ." not in text for text in found)
    assert not any("▁" in text for text in found)
    # The same by hand: tokens in, tokens out, and back.
    opened = TranslationModel.open(model)
    tokens = opened.text.sources(source for source, _ in PAIRS)
    stdin = "".join(f"{line}\n" for line in tokens)
    plain = run("translate", "-m", model, "-q", "--tokenized", stdin=stdin).stdout.splitlines()
    assert run("translate", "-m", model, "-q", "--tokens", stdin=TEXT).stdout.splitlines() == plain
    assert [opened.text.target.restore(line) for line in plain] == found
    assert run("translate", "-m", model, "-q", "--detokenize", stdin=TEXT).stdout.splitlines() == found
    assert run("check", model).exit_code == 0
    data = ("--source", raw / "de", "--target", raw / "en", "--order", 3, "--aligner", "hmm")
    assert run("train", *data, *way, "-o", model).stderr.count("done before") == 5


def test_references_survive_the_way_there_and_back(raw, model):
    text = TranslationModel.open(model).text
    for _, target in PAIRS:
        assert text.target.restore(text.target.process(target)) == target
    assert text.source.process("Der Tee, ich und Anna!") == "der Tee , ich und Anna !"


def test_tuning_processes_dev_and_references_as_the_model_says(raw, model, tmp_path):
    given = ("--rounds", 1, "--k", 100, "-q")
    made = run("tune", "-m", model, "--dev", raw / "de", "--refs", raw / "en", *given, "-o", tmp_path / "raw")
    assert made.exit_code == 0, made.output
    tokens = ("--dev", model / "train.source", "--refs", model / "train.target", "--tokenized")
    same = run("tune", "-m", model, *tokens, *given, "-o", tmp_path / "tokens")
    assert same.exit_code == 0, same.output
    weights = [(tmp_path / name / "weights.tsv").read_text().splitlines()[1:] for name in ("raw", "tokens")]
    assert weights[0] == weights[1]
    shown = []
    for text, refs, more in ((raw / "de", raw / "en", ()), (tokens[1], tokens[3], ("--tokenized",))):
        judged = ("--test", text, "--refs", refs, *more, "-q", "-f", "json")
        found = run("report", tmp_path / "raw", "-m", model, *judged)
        reused = run("features", "reused", "-m", model, "--test", text, *more, "-q")
        assert (found.exit_code, reused.exit_code) == (0, 0), found.output + reused.output
        shown.append(([each["score"] for each in json.loads(found.stdout)["test"]["systems"]], reused.stdout))
    assert shown[0] == shown[1]
    opened = TranslationModel.open(model)
    signature = str(opened.signature(opened.options()))
    assert "moses[lang=de" in signature
    assert "+truecase" in signature
    assert "+truecase" in (tmp_path / "raw" / "settings.json").read_text()


@pytest.mark.parametrize("pieces", [False, True])
def test_tuning_says_what_the_metric_counts(raw, model, tmp_path, pieces):
    if pieces:
        pytest.importorskip("sentencepiece", reason="the extra sentencepiece is not installed")
        model = trained(raw, "counted", "--tokenize", "sentencepiece:vocab=60")
    given = ("--dev", raw / "de", "--refs", raw / "en", "--rounds", 1, "--k", 100)
    for more, counted in (((), pieces), (("--subwords", "none"), False)):
        ended = run("tune", "-m", model, *given, *more, "-o", tmp_path / f"run{len(more)}")
        assert ended.exit_code == 0, ended.output
        said = "words, joined from its pieces" if counted else "its tokens"
        assert ended.stderr.count("the metric counts") == ended.stderr.count(f"the metric counts {said}") == 1


def test_leave_one_out_and_lists_take_raw_text(raw, model, tmp_path):
    data = ("--source", raw / "de", "--target", raw / "en")
    assert run("rules", "own", "-m", model, *data, "-q", "-o", tmp_path / "own").exit_code == 0
    left = run("translate", "-m", model, "-q", "--leave-one-out", tmp_path / "own", raw / "de")
    assert left.exit_code == 0, left.output
    lists = run("translate", "-m", model, "-q", "--kbest", 2, stdin=TEXT).stdout.splitlines()
    plain = run("translate", "-m", model, "-q", "--tokens", stdin=TEXT).stdout.splitlines()
    assert lists[0].split(" ||| ")[1] == plain[0]


def test_what_cannot_be_is_refused_in_one_line(raw, model, tmp_path):
    data = ("train", "--source", raw / "de", "--target", raw / "en", "-o", tmp_path / "new")
    for way, said in [
        (("--lowercase", "--truecase"), "cannot be used together"),
        (("--tokenize", "mosses"), "Did you mean 'moses'"),
        (("--tokenize", "moses:vocab=3"), "has no settings"),
        (("--tokenize", "char", "--truecase"), "about words"),
        (("--tokenize", "sentencepiece:vocab=many"), "whole number"),
        (("--tokenize", "sentencepiece:vocab=1"), "vocab must be at least"),
        (("--tokenize", "moses", "--source-language", "German"), "language code"),
    ]:
        ended = run(*data, *way)
        assert (ended.exit_code, said in ended.stderr, ended.stderr.count("\n")) == (2, True, 1), ended.stderr
        assert not (tmp_path / "new").exists()
    (tmp_path / "empty").touch()
    for way in ((), ("--tokenize", "moses"), ("--tokenize", "sentencepiece")):
        empty = ("--source", tmp_path / "empty", "--target", tmp_path / "empty")
        ended = run("train", *empty, "-o", tmp_path / "new", *way)
        assert "there is no sentence pair to train from" in ended.stderr
        assert not (tmp_path / "new").exists()
    with pytest.raises(ConfigError, match="needs a model"):
        make_tokenizer("sentencepiece")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('case = "true"', 'case = "title"', "case must be keep, lower, true, got 'title'"),
        ('truecase = "truecase.source.tsv"', 'truecase = "../x"', "leaves the model directory"),
        ('truecase = "truecase.source.tsv"', 'truecase = "missing"', "does not exist"),
        ('tokenizer = "moses"', "tokenizer = 3", "expected a text in quotes"),
    ],
)
def test_a_description_that_cannot_be_names_its_line(model, tmp_path, before, after, said):
    shutil.copytree(model, tmp_path / "model")
    path = edited(tmp_path / "model" / "system.toml")
    path.write_text(path.read_text().replace(before, after, 1))
    with pytest.raises(FormatError, match=r"system.toml:\d+: .*" + said.replace("[", r"\[")):
        read_system(tmp_path / "model")


def test_a_damaged_table_of_forms_is_noticed(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    table = tmp_path / "model" / "truecase.source.tsv"
    write_lines(table, [*read_lines(table), "no tab"])
    ended = run("translate", "-m", tmp_path / "model", stdin=TEXT)
    assert ended.exit_code == 1
    assert "truecase.source.tsv:" in ended.stderr
    assert run("check", tmp_path / "model").exit_code == 1


def test_true_case_is_learnt_where_no_sentence_begins():
    learnt = Truecaser.learn(["The tea is here . The Tea Company", "Tea and tea ! Anna sees Anna", '" The tea'])
    assert learnt.forms["tea"] == "tea"
    assert "the" not in learnt.forms
    assert " ".join(learnt.apply('" Tea , Anna . Unknown Tea'.split())) == '" tea , Anna . Unknown Tea'  # noqa: SIM905
    assert " ".join(capitalized(list("a . b c"[::2]))) == "A . B c"
