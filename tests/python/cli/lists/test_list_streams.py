"""Lists as people with other systems have them, through verbs that work part by part."""

import gzip
import json
import subprocess
import sys
import threading

import pytest
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.search import read_kbest

# Ids with gaps, an empty hypothesis, the same hypothesis twice, sentences without candidates.
MARIAN = """\
0 ||| a b ||| F0= -1 ||| -1
0 |||  ||| F0= -0.5 ||| -2
0 ||| a b ||| F0= -1 ||| -1
3 ||| c d ||| F0= -3 ||| -3
3 ||| c e ||| F0= -2.5 ||| -2.5
7 ||| x ||| F0= -1 ||| -1
"""


def run(*words, given=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=given)


def long_list(sentences=400, each=10):
    return "".join(
        f"{at} ||| w{at} v{i} ||| F0= {-i - 1} ||| {-i}\n" for at in range(sentences) for i in range(each)
    )


@pytest.mark.parametrize("packed", [False, True])
def test_gaps_empty_and_repeated_hypotheses(tmp_path, packed):
    (tmp_path / "w").write_text("F0\t1\n")
    data = gzip.compress(MARIAN.encode()) if packed else MARIAN.encode()
    (tmp_path / "list").write_bytes(data)
    for words, given in ((["rerank", tmp_path / "list"], None), (["rerank"], data), (["rerank", "-"], data)):
        ended = run(*words, "-q", given=given)
        assert ended.stdout.split("\n") == ["a b", "", "", "c e", "", "", "", "x", ""]
    assert run("rerank", "-W", tmp_path / "w", tmp_path / "list", "-q").stdout.split("\n")[:2] == ["", ""]
    ended = run("rerank", "--mbr", "chrf", "--scale", 0, tmp_path / "list")
    assert ended.exit_code == 0, ended.output
    assert "5 sentences without candidates have an empty line" in ended.stderr
    assert ended.stdout.split("\n")[0] == "a b"
    for name, texts in (("r1", ["a b", "q", "q", "c d", "q", "q", "q", "x"]), ("r2", ["a b", "", "q", *"cqqqx"])):
        (tmp_path / name).write_text("".join(text + "\n" for text in texts))
    references = ["--refs", tmp_path / "r1", tmp_path / "r2"]
    ended = run("candidates", "oracle", tmp_path / "list", *references, "-q")
    assert ended.stdout.split("\n") == ["a b", "", "", "c d", "", "", "", "x", ""]
    ended = run(
        "tune", "--metric", "chrf", "--candidates", tmp_path / "list", *references, "-q", "-o", tmp_path / "run"
    )
    assert ended.exit_code == 0, ended.output
    (tmp_path / "short").write_text("a b\n")
    ended = run("candidates", "oracle", tmp_path / "list", "--refs", tmp_path / "short")
    assert (ended.exit_code, "references for 1" in ended.stderr) == (2, True), ended.output


def test_an_empty_input_gives_an_empty_output():
    for words in (["rerank"], ["candidates", "convert", "--to", "json"], ["candidates", "sort", "--by-score"]):
        ended = run(*words, "-q", given="")
        assert (ended.exit_code, ended.stdout) == (0, ""), ended.output


def test_sentences_that_come_twice_are_told_with_the_way_out(tmp_path):
    lines = MARIAN.splitlines()
    (tmp_path / "list").write_text("\n".join([*lines[3:], *lines[:3]]))
    ended = run("rerank", tmp_path / "list")
    assert (ended.exit_code, "list:4: sentence 0 follows sentence 7" in ended.stderr) == (1, True)
    assert "tunesmith candidates sort" in ended.stderr
    ended = run("candidates", "sort", tmp_path / "list", "-q")
    assert ended.stdout == MARIAN.replace("|||  |||", "||| |||")


@pytest.mark.parametrize("verb", [["rerank"], ["candidates", "convert", "--to", "json"]])
def test_output_begins_before_the_input_ends(verb):
    """More is written only after something was read; a verb that waits for the end would wait for ever."""
    command = [sys.executable, "-m", "tunesmith", *verb, "-q"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        began = threading.Event()

        def write():  # while output is read: both pipes may be full
            process.stdin.write(long_list())
            process.stdin.flush()
            began.wait()
            process.stdin.close()

        writer = threading.Thread(target=write)
        writer.start()
        first = process.stdout.readline()
        began.set()
        rest = process.stdout.read()
        writer.join()
    assert process.returncode == 0
    assert (first if verb == ["rerank"] else json.loads(first)["hypothesis"] + "\n") == "w0 v0\n"
    assert rest.count("\n") == (399 if verb == ["rerank"] else 3999)


@pytest.mark.parametrize("to", ["moses", "marian", "json", "sockeye", "flat", "fairseq"])
def test_long_lists_are_converted_reranked_and_sorted_as_short_ones(tmp_path, to):
    (tmp_path / "list").write_text(long_list())
    (tmp_path / "w").write_text("F0\t-1\n")
    ended = run("candidates", "convert", "--to", to, "--lossy", tmp_path / "list", "-o", tmp_path / "out", "-q")
    assert ended.exit_code == 0, ended.output
    lists = read_kbest(tmp_path / "out", to)
    assert (lists.sentences, len(lists)) == (400, 4000)
    assert [lists.text(at) for at in (0, 3999)] == ["w0 v0", "w399 v9"]
    again = run("rerank", "-W", tmp_path / "w", "--to", to, "--lossy", "--k", 2, tmp_path / "list", "-q")
    assert again.exit_code == 0, again.output
    (tmp_path / "best").write_text(again.stdout)
    best = read_kbest(tmp_path / "best", to)
    assert [best.text(at) for at in (0, 1, 798)] == ["w0 v9", "w0 v8", "w399 v9"]
    assert best.model_scores[0] == 10


def test_weights_of_another_system_are_told_before_anything_is_written(tmp_path):
    (tmp_path / "w").write_text("lm\t1\n")
    ended = run("rerank", "-W", tmp_path / "w", "-q", given=long_list())
    assert (ended.exit_code, ended.stdout) == (2, "")
    late = long_list() + "400 ||| late ||| F0= 1 lm= 1 ||| 0\n"
    ended = run("rerank", "-W", tmp_path / "w", "-q", given=late)
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.split("\n")[-2] == "late"


def test_features_are_added_part_by_part(tmp_path):
    (tmp_path / "list").write_text(long_list())
    ended = run("candidates", "features", "--add", "length", "--add", "rank", tmp_path / "list", "-q")
    assert ended.exit_code == 0, ended.output
    lines = ended.stdout.splitlines()
    assert lines[0] == "0 ||| w0 v0 ||| F0= -1 length= 2 rank= 0 ||| 0"
    assert lines[-1] == "399 ||| w399 v9 ||| F0= -10 length= 2 rank= 9 ||| -9"
