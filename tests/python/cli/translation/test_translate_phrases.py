"""`tunesmith translate` with a phrase-based model, as a user runs it."""

import shutil

import pytest
from support.corpora.tea_corpus import write_pairs
from support.damage.resealed import edited
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.decoding import PhraseDecoder, load_decoder
from tunesmith.io import read_lines, write_lines
from tunesmith.search import read_kbest

TEXT = "ich trinke tee\n\nder tee ist heiß\nvöllig unbekannt\nheute trinke ich kaffee\n"


def run(*words, stdin=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("phrases")
    files = write_pairs(folder)
    trained = run("train", "--kind", "phrase", *files, "--order", 3, "-q", "-o", folder / "model")
    assert trained.exit_code == 0, trained.output
    return folder / "model"


def test_a_line_for_every_line(model):
    ended = run("translate", "-m", model, "-q", stdin=TEXT)
    assert ended.exit_code == 0, ended.output
    first, empty, hot, unknown, today, end = ended.stdout.split("\n")
    assert (first, empty, unknown, end) == ("i drink tea", "", "völlig unbekannt", "")
    assert set(hot.split()) == {"the", "tea", "is", "hot"}
    assert set(today.split()) == {"i", "drink", "coffee", "today"}


def test_a_derivation_is_a_row_of_phrases(model):
    ended = run("translate", "-m", model, "-q", "--explain", stdin="heute trinke ich tee\n")
    rows = ended.stdout.split("\n\n")[1].splitlines()[1:]
    assert rows[0].split()[:2] == ["0-0", "<s>"]
    assert rows[-1].split()[:2] == ["0-4", "</s>"]
    target = [word for row in rows[1:-1] for word in row.split("|||")[1].split()[:-2]]
    assert " ".join(target) == ended.stdout.splitlines()[1].removeprefix("translation: ")
    table = ended.stdout.split("\n\n")[2].splitlines()[1:]
    score = float(ended.stdout.split("score: ")[1].split()[0])
    assert sum(float(row.split()[-1]) for row in table) == pytest.approx(score, abs=1e-3)
    assert {"distortion", "reordering:previous-monotone"} & {row.split()[0] for row in table}


def test_lists_have_all_dense_features_and_do_not_depend_on_threads(model, tmp_path):
    one = run("translate", "-m", model, "--kbest", 5, stdin=TEXT).stdout
    assert one == run("translate", "-m", model, "--kbest", 5, "-j", 3, stdin=TEXT).stdout
    for name in ("lm", "distortion", "reordering:previous-swap", "reordering:next-discontinuous", "unknown"):
        assert all(f" {name}= " in line for line in one.splitlines())
    (tmp_path / "nbest").write_text(one, encoding="utf-8")
    assert len(read_kbest(tmp_path / "nbest")) == len(one.splitlines())


def test_limits_of_the_search(model):
    monotone = run("translate", "-m", model, "-q", "--distortion-limit", 0, "--alignment",
                   stdin="heute trinke ich tee\n")  # fmt: skip
    assert monotone.exit_code == 0, monotone.output
    for words in (["--stack-limit", 1, "--pop-limit", 1], ["--distortion-limit", -1], ["--max-length", 1],
                  ["--punctuation-walls"], ["--max-pops", 3]):  # fmt: skip
        ended = run("translate", "-m", model, "-q", *words, stdin=TEXT)
        assert ended.exit_code == 0, ended.output
        assert ended.stdout.startswith("i drink tea\n")


def test_forced_phrases(model):
    forced = ["--force", "tee ||| green  tea", "--force", "heute |||"]
    ended = run("translate", "-m", model, "-q", *forced, stdin="heute trinke ich tee\n")
    assert ended.exit_code == 0, ended.output
    assert "green tea" in ended.stdout
    assert "today" not in ended.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--force", "tee"], "expected 'source ||| target'"),
        (["--force", " ||| tea"], "expected 'source ||| target'"),
        (["--force", "a ||| b ||| c"], "expected 'source ||| target'"),
        (["--force", "a ||| b", "--force", "a ||| c"], "two forced phrases"),
        (["--force", "a ||| \udcff"], "is not UTF-8 text"),
        (["--max-span", 5], "phrase-based search has no option 'max_span'"),
        (["--stack-limit", 70000], "stack_limit must be"),
        (["--distortion-limit", -2], "-2 is not in the range x>=-1"),
    ],
)
def test_what_cannot_be_is_said(words, message, model):
    ended = run("translate", "-m", model, "-q", *words, stdin="tee\n")
    assert ended.exit_code == 2
    assert message in " ".join(ended.output.split())


def test_a_model_may_say_so_itself(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    lines = read_lines(edited(tmp_path / "model" / "system.toml"))
    write_lines(tmp_path / "model" / "system.toml", [*lines, "stack_limit = 7", "punctuation_walls = true"])
    decoder = load_decoder(tmp_path / "model")
    assert isinstance(decoder, PhraseDecoder)
    assert decoder.options.settings()["stack_limit"] == 7
    assert decoder.options.settings()["punctuation_walls"]
    write_lines(tmp_path / "model" / "system.toml", [*lines, "punctuation_walls = 1"])
    ended = run("translate", "-m", tmp_path / "model", stdin="tee\n")
    assert ended.exit_code == 1
    assert "must be true or false, got" in ended.output
