"""The verbs of the corpus layer, as a user runs them: streams, exit codes, and no half-written file."""

import gzip
import json
import os
import pty
import subprocess
import sys

import pytest
from support.processes.shell import Shell, bad, good
from support.processes.waiting import HANGS


@pytest.fixture
def shell(tmp_path):
    return Shell(tmp_path)


def test_tokenize_and_back(shell):
    tokens = good(shell("tokenize", stdin="Hello, Mr. Smith!\n\nIt's 5%.\n"))
    assert tokens == "Hello , Mr. Smith !\n\nIt 's 5 % .\n"
    assert good(shell("detokenize", stdin=tokens)) == "Hello, Mr. Smith!\n\nIt's 5%.\n"


def test_tokenize_options(shell):
    assert good(shell("tokenize", "--tokenizer", "13a", "--lowercase", stdin="It's, No.")) == "it's , no .\n"
    assert good(shell("tokenize", "--tokenizer", "zh", stdin="我爱北京")) == "我 爱 北京\n"
    assert good(shell("tokenize", "--language", "fr", stdin="l'eau")) == "l' eau\n"
    assert good(shell("detokenize", "--tokenizer", "zh", stdin="我 爱 Python 3")) == "我爱Python 3\n"


def test_files_and_gzip_in_and_out(shell):
    (shell.folder / "in.gz").write_bytes(gzip.compress(b"a,b.\r\n"))
    good(shell("tokenize", "in.gz", "-o", "out.gz", "--tokenizer", "13a"))
    assert gzip.decompress((shell.folder / "out.gz").read_bytes()) == b"a , b .\n"
    assert good(shell("tokenize", "-", "--tokenizer", "char", stdin=gzip.compress(b"ab"))) == "a b\n"


@pytest.mark.parametrize("verb", ["tokenize", "detokenize", "vocab"])
def test_bad_data_is_one_line_and_code_1(shell, verb):
    (shell.folder / "in").write_bytes(b"a\n\xff\n")
    assert bad(shell(verb, "in", "-o", "out"), 1).startswith("in:2: byte 1 of the line (0xff) is not UTF-8")
    assert shell.names() == ["in"]
    run = shell(verb, stdin=b"\xff\n")
    assert run.returncode == 1
    assert b"<stdin>:1: " in run.stderr


@pytest.mark.parametrize("verb", ["tokenize", "detokenize", "vocab"])
def test_bad_usage_is_code_2(shell, verb):
    assert "no such file" in bad(shell(verb, "nothing"), 2)
    assert "create it first" in bad(shell(verb, "-o", "no/out", stdin="a\n"), 2)
    assert shell(verb, "--no-such-option", stdin="a\n").returncode == 2
    assert shell.names() == []


def test_unknown_tokeniser_and_language(shell):
    assert "Did you mean 'moses'?" in bad(shell("tokenize", "--tokenizer", "mosess", stdin="a"), 2)
    assert "not a language code" in bad(shell("detokenize", "--language", "English", stdin="a"), 2)


@pytest.mark.parametrize("verb", ["tokenize", "detokenize", "vocab"])
def test_a_terminal_is_told_what_is_expected(verb):
    ours, theirs = pty.openpty()
    try:
        code = "from tunesmith.cli.entry import run; run()"
        run = subprocess.run(
            [sys.executable, "-c", code, verb], stdin=theirs, capture_output=True, check=False, timeout=HANGS
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert run.returncode == 2
    assert b"on standard input or as a file, for example: tunesmith " + verb.encode() in run.stderr


@pytest.mark.parametrize("verb", ["tokenize", "detokenize", "vocab"])
def test_a_reader_that_leaves_is_no_error(shell, verb):
    code = "from tunesmith.cli.entry import run; run()"
    words = b"".join(b"word%d and more\n" % i for i in range(200_000))
    (shell.folder / "in").write_bytes(words)
    command = [sys.executable, "-c", code, verb, "in"] + (["--tokenizer", "none"] if verb != "vocab" else [])
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=shell.folder) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
    assert errors == b""
    assert process.returncode == 0


def test_vocab_counts_words(shell):
    assert good(shell("vocab", stdin="b a b\nc\n")) == "<unk>\t0\n<s>\t0\n</s>\t0\nb\t2\na\t1\nc\t1\n"
    assert good(shell("vocab", "--limit", "1", stdin="b a b\nc\n")) == "<unk>\t2\n<s>\t0\n</s>\t0\nb\t2\n"
    assert good(shell("vocab", "--min-count", "2", stdin="b a b\nc\n")) == "<unk>\t2\n<s>\t0\n</s>\t0\nb\t2\n"


def test_vocab_of_several_files(shell):
    shell.write(**{"t.2": "b\n", "t.10": "a b\n"})
    good(shell("vocab", "t.*", "-o", "v"))
    assert shell.text("v") == "<unk>\t0\n<s>\t0\n</s>\t0\nb\t2\na\t1\n"
    assert "no file matches this pattern" in bad(shell("vocab", "u.*"), 2)
    assert "given twice" in bad(shell("vocab", "t.2", "t.2"), 2)


def test_vocab_settings_are_checked(shell):
    assert shell("vocab", "--limit", "-1", stdin="a").returncode == 2
    assert shell("vocab", "--min-count", "0", stdin="a").returncode == 2


SOURCE = "a b\n\nc\na b\nd e f g\nx\n"
TARGET = "A B\nX\nC D\nA B\nD\nx\n"


@pytest.fixture
def corpus(shell):
    shell.write(**{"train.zh": SOURCE, "train.en": TARGET})
    return shell


def test_clean_removes_and_reports(corpus):
    run = corpus(
        "clean", "train.zh", "train.en", "-o", "out", "--max-ratio", "3", "--no-duplicates", "--no-identical"
    )
    assert good(run) == ""
    assert corpus.text("out.zh") == "a b\nc\n"
    assert corpus.text("out.en") == "A B\nC D\n"
    table = dict(line.split() for line in run.stderr.decode().splitlines())
    assert table == {
        "pairs": "6",
        "empty": "1",
        "control": "0",
        "too-short": "0",
        "too-long": "0",
        "ratio": "1",
        "long-word": "0",
        "identical": "1",
        "duplicate": "1",
        "kept": "2",
    }


def test_clean_defaults_keep_duplicates_and_identical_sides(corpus):
    good(corpus("clean", "train.zh", "train.en", "-o", "out"))
    assert corpus.text("out.zh") == "a b\nc\na b\nd e f g\nx\n"


def test_clean_lengths(corpus):
    good(corpus("clean", "train.zh", "train.en", "-o", "short", "--max-length", "2", "--max-word-length", "1"))
    assert corpus.text("short.zh") == "a b\nc\na b\nx\n"
    good(corpus("clean", "train.zh", "train.en", "-o", "long", "--min-length", "2"))
    assert corpus.text("long.zh") == "a b\na b\n"


def test_clean_reports_json(corpus):
    run = corpus("clean", "train.zh", "train.en", "-o", "out", "-f", "json")
    result = json.loads(good(run))
    assert run.stderr == b""
    assert result["pairs"] == 6
    assert result["kept"] + sum(result["removed"].values()) == 6
    assert result["written"] == ["out.zh", "out.en"]


def test_clean_into_a_folder_keeps_names(corpus):
    good(corpus("clean", "train.zh", "train.en", "-o", "deep/folder/", "-q"))
    assert corpus.names() == ["deep/folder/train.en", "deep/folder/train.zh", "train.en", "train.zh"]
    (corpus.folder / "there").mkdir()
    good(corpus("clean", "train.zh", "train.en", "-o", "there"))
    assert "there/train.en" in corpus.names()


def test_clean_gzip_and_standard_input(corpus):
    (corpus.folder / "train.zh.gz").write_bytes(gzip.compress(SOURCE.encode()))
    good(corpus("clean", "train.zh.gz", "-", "-o", "out", stdin=TARGET))
    assert gzip.decompress((corpus.folder / "out.zh.gz").read_bytes()) == b"a b\nc\na b\nd e f g\nx\n"
    assert corpus.text("out.target") == "A B\nC D\nA B\nD\nx\n"


def test_clean_writes_what_it_removed(corpus):
    good(corpus("clean", "train.zh", "train.en", "-o", "out", "--removed", "why.tsv", "--no-duplicates"))
    assert corpus.text("why.tsv") == "2\tempty\t\tX\n4\tduplicate\ta b\tA B\n"
    run = corpus("clean", "train.zh", "train.en", "-o", "out", "--removed", "-", "-q")
    assert good(run) == "2\tempty\t\tX\n"
    assert run.stderr == b""


def test_clean_says_what_it_trimmed(shell):
    shell.write(**{"t.zh": "a\n", "t.en": "A\n\n\n"})
    run = shell("clean", "t.zh", "t.en", "-o", "out")
    assert run.stderr.startswith(b"tunesmith: note: t.en: 2 blank lines at the end left out\n")
    assert shell("clean", "t.zh", "t.en", "-o", "out", "-q").stderr == b""


def test_clean_refuses_before_it_writes(corpus):
    cases = {
        ("train.zh", "train.en", "-o", "train"): "two are the same file",
        ("train.zh", "train.en", "-o", "."): "two are the same file",
        ("train.zh", "train.en", "-o", "out", "--removed", "train.zh"): "two are the same file",
        ("train.zh", "train.en", "-o", "out", "--removed", "out.en"): "two are the same file",
        ("train.zh", "train.zh", "-o", "out"): "two are the same file",
        ("train.zh", "nothing", "-o", "out/"): "no such file",
        ("-", "-", "-o", "out"): "given twice",
        ("train.zh", "train.en", "-o", "no/out"): "create it first",
        ("train.zh", "train.en", "-o", "out", "--removed", "-", "-f", "json"): "both write to standard output",
    }
    for words, message in cases.items():
        assert message in bad(corpus("clean", *words), 2)
    assert corpus("clean", "train.zh", "train.en").returncode == 2
    assert corpus("clean", "train.zh", "train.en", "-o", "out", "--max-ratio", "0.5").returncode == 2
    assert corpus.names() == ["train.en", "train.zh"]
    assert not (corpus.folder / "out").exists()
    assert corpus.text("train.zh") == SOURCE


def test_clean_of_unequal_sides_is_bad_data(shell):
    shell.write(**{"t.zh": "a\nb\n", "t.en": "A\n"})
    message = bad(shell("clean", "t.zh", "t.en", "-o", "out", "--removed", "why"), 1)
    assert message.startswith("t.zh:2: t.zh has 2 lines, t.en has 1 line")
    assert shell.names() == ["t.en", "t.zh"]


def test_clean_writes_all_files_or_none(corpus):
    (corpus.folder / "out.en").mkdir()
    assert "is a folder" in bad(corpus("clean", "train.zh", "train.en", "-o", "out", "--removed", "why"), 2)
    assert corpus.names() == ["train.en", "train.zh"]


def test_verbs_are_listed_in_the_order_of_the_data(shell):
    text = good(shell("--help"))
    places = [text.index(f" {verb} ") for verb in ("tokenize", "detokenize", "clean", "vocab")]
    assert places == sorted(places)


def test_evaluate_takes_a_different_number_of_references_for_each_sentence(shell):
    shell.write(
        **{"r.0": "a b c d\n\ne f g h\n", "r.1": "a b c\nx y z w\ne f g\n", "out": "a b c d\nx y z w\ne f\n"}
    )
    run = shell("evaluate", "out", "--refs", "r.0", "r.1")
    assert "nrefs:1-2" in good(run)
    assert b"tunesmith: note: 1 empty reference line" in run.stderr
