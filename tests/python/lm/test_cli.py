"""`tunesmith lm`: streams, exit codes, and no half-written file whatever happens."""

import contextlib
import gzip
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.models.lm_text import parse_arpa, random_lines
from support.processes.processes import default_signals
from support.processes.waiting import HANGS, until

from tunesmith.lm import LmOptions, NgramModel, estimate

TEXT = "".join(line + "\n" for line in random_lines(300, 40, seed=1))


def run(*words, stdin=TEXT, cwd=None):
    ran = subprocess.run(
        [sys.executable, "-m", "tunesmith", "lm", *map(str, words)],
        input=stdin.encode() if isinstance(stdin, str) else stdin, capture_output=True, cwd=cwd, check=False,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stderr.decode()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lm")
    (folder / "text").write_text(TEXT)
    (folder / "text.gz").write_bytes(gzip.compress(TEXT.encode()))
    estimate(TEXT.splitlines(), LmOptions(order=3)).write_arpa(folder / "lm.arpa")
    NgramModel.load(folder / "lm.arpa").save(folder / "lm.bin")
    return folder


def test_train_from_stream_to_stream(folder):
    code, out, err = run("train", "--order", "3")
    assert code == 0
    assert out == (folder / "lm.arpa").read_bytes()
    assert "300 sentences" in err
    assert run("train", "--order", "3", "-q")[1:] == (out, "")


@pytest.mark.parametrize("text", ["text", "text.gz", "-"])
@pytest.mark.parametrize("output", ["new.arpa", "new.arpa.gz"])
def test_train_from_file_to_file(folder, tmp_path, text, output):
    code, out, _ = run("train", text if text == "-" else folder / text, "--order", 3, "-o", tmp_path / output)
    assert (code, out) == (0, b"")
    data = (tmp_path / output).read_bytes()
    assert (gzip.decompress(data) if output.endswith("gz") else data) == (folder / "lm.arpa").read_bytes()


def test_several_files_are_one_text(folder, tmp_path):
    lines = TEXT.splitlines(keepends=True)
    (tmp_path / "a").write_text("".join(lines[:100]))
    (tmp_path / "b").write_text("".join(lines[100:]))
    assert run("train", tmp_path / "a", tmp_path / "b", "--order", 3)[1] == (folder / "lm.arpa").read_bytes()
    (tmp_path / "b").write_text("w1\nw2 <s>\n")
    code, _, err = run("train", tmp_path / "a", tmp_path / "b")
    assert code == 1
    assert err.startswith(f"tunesmith: {tmp_path}/b:2: <s> is a word of the text")


def test_options_reach_the_estimation(tmp_path):
    options = LmOptions(
        order=4, prune=(0, 0, 1), vocab_limit=20, fallback=(0.4, 0.8, 1.2), memory=10**6, temporary=str(tmp_path)
    )
    expected = b"".join(estimate(TEXT.splitlines(), options).arpa())
    words = ["--order", 4, "--prune", "0 0 1", "--vocab-limit", 20, "--fallback", "0.4,0.8,1.2"]
    assert run("train", *words, "--memory", "1M", "--temporary", tmp_path)[1] == expected


# The command says at its end what memory it had at most; `wait4` would count that of its parent too.
MEASURED = """
import sys
from pathlib import Path
from tunesmith.cli.entry import run
try:
    run()
finally:
    print("\\npeak", Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0], file=sys.stderr)
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured on Linux only")
def test_memory_is_kept(tmp_path):
    # 1.5 M tokens of 5-grams: 40 MB of counts and twice as much of estimates, over the interpreter's 40.
    rng = np.random.default_rng(1)
    words = np.minimum(rng.zipf(1.3, (75_000, 20)), 20_000).tolist()
    (tmp_path / "text").write_text("".join(" ".join(map(str, line)) + "\n" for line in words))
    command = [sys.executable, "-c", MEASURED, "lm", "train", "-o", tmp_path / "lm.arpa", tmp_path / "text"]
    peaks = {}
    for memory in ("100M", "4G"):
        ran = subprocess.run([*command, "--memory", memory], capture_output=True, text=True, check=True)
        assert "note: --memory" not in ran.stderr
        peaks[memory] = int(ran.stderr.split("\npeak ")[1]) / 1024
    assert 20 < peaks["100M"] <= 100
    assert peaks["4G"] > 120  # so the limit was felt


def test_too_little_memory_is_told():
    code, _, err = run("train", "--memory", "1M")
    assert code == 0
    assert err.startswith("tunesmith: note: --memory 1M cannot be kept: the program itself needs up to 100M\n")
    assert "cannot be kept" not in run("train", "--memory", "100M")[2]


def test_special_words_can_be_skipped():
    assert (
        run("train", "--special", "skip", "--order", 2, stdin="a <s> b\n")[1]
        == run("train", "--order", 2, stdin="a b\n")[1]
    )


def test_train_binary(folder, tmp_path):
    assert run("train", "--binary", "--order", 3, "-o", tmp_path / "lm.bin")[0] == 0
    assert (tmp_path / "lm.bin").read_bytes() == (folder / "lm.bin").read_bytes()
    assert run("train", "--binary", "--order", 3)[1] == (folder / "lm.bin").read_bytes()


def test_fallbacks_are_announced():
    code, _, err = run("train", "--order", 2, stdin="a b\nb a\n")
    assert code == 0
    assert "note: order 2: the discounts cannot be estimated" in err
    code, out, err = run("train", "--order", 2, "--fallback", "none", stdin="a b\nb a\n")
    assert (code, out) == (1, b"")
    assert "--fallback 0.5,1,1.5" in err


def test_convert(folder, tmp_path):
    assert run("convert", folder / "lm.arpa", "-o", tmp_path / "lm.bin")[0] == 0
    assert (tmp_path / "lm.bin").read_bytes() == (folder / "lm.bin").read_bytes()
    code, out, _ = run("convert", "-", "-o", "-", stdin=(folder / "lm.arpa").read_bytes())
    assert (code, out) == (0, (folder / "lm.bin").read_bytes())
    assert run("convert", folder / "lm.bin", "-o", tmp_path / "again.bin")[0] == 0


@pytest.mark.parametrize("model", ["lm.arpa", "lm.bin"])
def test_query(folder, model):
    lines = ["w0 w1 unseen", "", "w3"]
    scores = NgramModel.load(folder / model).score(lines)
    stdin = "".join(line + "\n" for line in lines)
    code, out, _ = run("query", "-m", folder / model, "-f", "json", stdin=stdin)
    assert code == 0
    assert json.loads(out) == {
        "sentences": 3, "tokens": 7, "unknown_words": 1, "log10": pytest.approx(scores.log10.sum()),
        "perplexity": pytest.approx(scores.perplexity), "without_unknown": pytest.approx(scores.perplexity_known),
    }  # fmt: skip
    text = run("query", "-m", folder / model, "-w", 2, stdin=stdin)[1].decode()
    assert f"perplexity          {scores.perplexity:.2f}\n" in text
    by_sentence = run("query", "-m", folder / model, "--sentence-level", "-j", 2, stdin=stdin)[1].decode()
    assert by_sentence.splitlines() == [f"{x:.4f}\t{n}" for x, n in zip(scores.log10, scores.unknown, strict=True)]
    by_word = run("query", "-m", folder / model, "--word-level", stdin=stdin)[1].decode().splitlines()
    assert [line.split("\t")[0] for line in by_word] == ["w0", "w1", "unseen", "</s>", "</s>", "w3", "</s>"]


def test_query_of_special_words(folder):
    stdin = "w0 <s> w1\nw1</s>\n</s>\nw2 <unk>\n"
    code, _, err = run("query", "-m", folder / "lm.bin", "--word-level", stdin=stdin)
    assert code == 0
    assert err == "tunesmith: note: 2 lines hold <s> or </s>, which were scored as words of the text\n"


def test_json_without_infinity(folder, tmp_path):
    lines = (folder / "lm.arpa").read_text().splitlines(keepends=True)
    lines = ["-1e30\t<unk>\t0\n" if "<unk>" in line else line for line in lines]
    (tmp_path / "lm.arpa").write_text("".join(lines))
    code, out, _ = run("query", "-m", tmp_path / "lm.arpa", "-f", "json", stdin="w0 unseen\n")
    assert code == 0
    found = json.loads(out, parse_constant=lambda name: pytest.fail(name))
    assert found["perplexity"] is None
    assert found["without_unknown"] > 1


def test_query_of_nothing(folder):
    code, out, _ = run("query", "-m", folder / "lm.bin", stdin="")
    assert code == 0
    assert b"perplexity          -\n" in out
    assert json.loads(run("query", "-m", folder / "lm.bin", "-f", "json", stdin="")[1])["perplexity"] is None


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["train", "--order", "10"], 2, "order must be from 1 to 9, got 10"),
        (["train", "--prune", "x"], 2, "--prune takes whole numbers"),
        (["train", "--prune", "1"], 2, "words are not pruned"),
        (["train", "--fallback", "1"], 2, "--fallback takes three numbers"),
        (["train", "--memory", "much"], 2, "'much' is not a size"),
        (["train", "--memory", "99999999999T"], 2, "'99999999999T' is not a size"),
        (["train", "--memory", "9" * 400], 2, "is not a size"),
        (["train", "--prune", "0 99999999999999999999999"], 2, "a pruning threshold must be below 2**63"),
        (["train", "--vocab-limit", "99999999999999999999999"], 2, "vocab_limit must be below 2**63"),
        (["train", "missing"], 2, "missing: no such file"),
        (["train", "-o", "no/such/folder"], 2, "does not exist"),
        (["train", "--special", "maybe"], 2, "maybe"),
        (["train", "--memory", "1K", "--temporary", "missing"], 1, "no temporary file can be made"),
        (["query", "-m", "missing"], 2, "missing: no such file"),
        (["query"], 2, "--model"),
        (["query", "-m", "/dev/zero"], 1, "/dev/zero:1: expected \\data\\"),
        (["query", "-m", "-"], 2, "cannot both come from standard input"),
        (["query", "-m", "-", "text", "-"], 2, "cannot both come from standard input"),
        (["query", "-m", "text", "-"], 1, "text:1: expected \\data\\"),
        (["query", "-m", "lm.bin", "--sentence-level", "--word-level"], 2, "cannot be given together"),
        (["convert", "text", "-o", "new.bin"], 1, "text:1:"),
        (["convert", "lm.arpa", "-o", "new.bin.gz"], 2, "cannot be gzip"),
        (["convert", "lm.arpa"], 2, "--output"),
        (["unknown"], 2, "unknown"),
    ],
)
def test_errors_are_one_line_and_an_exit_code(folder, words, code, message):
    before = sorted(folder.iterdir())
    seen, out, err = run(*words, cwd=folder)
    assert seen == code
    assert message in err
    assert out == b""
    assert "Traceback" not in err
    assert sorted(folder.iterdir()) == before


def test_bad_text_leaves_no_file(tmp_path):
    for stdin in (b"a\n\xff\n", b"", b"a <s>\n"):
        code, _, err = run("train", "-o", tmp_path / "lm.arpa", stdin=stdin)
        assert code == 1
        assert err.startswith("tunesmith: <stdin>")
    assert list(tmp_path.iterdir()) == []


def test_a_binary_model_is_not_written_to_a_terminal(folder):
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "tunesmith", "lm", "convert", str(folder / "lm.arpa"), "-o", "-"]
    ran = subprocess.run(words, stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(ours)
    os.close(theirs)
    assert ran.returncode == 2
    assert b"name a file with -o" in ran.stderr


def has_deleted_file(process: int, folder: Path) -> bool:
    """Whether the process holds a file of the folder that has no name."""
    with contextlib.suppress(OSError):
        return any(folder in each.readlink().parents for each in Path(f"/proc/{process}/fd").iterdir())
    return False


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="open files are listed on Linux only")
def test_ctrl_c_leaves_nothing(tmp_path):
    (tmp_path / "temporary").mkdir()
    words = ["train", "-o", tmp_path / "lm.arpa", "--memory", "100K", "--temporary", tmp_path / "temporary"]
    process = subprocess.Popen(
        [sys.executable, "-m", "tunesmith", "lm", *map(str, words)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=default_signals,
    )
    process.stdin.write(TEXT.encode() * 100)
    process.stdin.flush()  # far more than a pipe holds: the process is reading now
    until(lambda: has_deleted_file(process.pid, tmp_path / "temporary"))  # counts went to disk
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert err.splitlines()[-1] == b"tunesmith: interrupted"
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_reader_that_stops_early_is_no_error(folder):
    command = f"{sys.executable} -m tunesmith lm train --order 3 -q {folder}/text | head -n 2"
    ran = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert parse_arpa(ran.stdout)[0]


def test_an_output_is_looked_at_before_the_work(folder, tmp_path):
    text = folder / "lm.arpa"
    before = text.read_bytes()
    for words in (
        ["convert", text, "-o", text],
        ["train", text, "-o", text],
        ["train", text, "-o", tmp_path / "no/x"],
    ):
        ran = subprocess.run(
            [sys.executable, "-m", "tunesmith", "lm", *map(str, words)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 2
        assert len(ran.stderr.splitlines()) == 1
    assert text.read_bytes() == before
