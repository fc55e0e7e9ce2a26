"""`tunesmith translate` as a user runs it, on a model that a few sentences make."""

import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs
from support.damage.resealed import edited
from support.processes.processes import default_signals
from support.processes.waiting import HANGS
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.features import templates
from tunesmith.io import read_lines, write_lines
from tunesmith.search import read_kbest


def run(*words, stdin=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("translate")
    files = write_pairs(folder)
    trained = run("train", *files, "--order", 3, "--features", "default,id", "-q", "-o", folder / "model")
    assert trained.exit_code == 0, trained.output
    return folder / "model"


def test_one_translation_a_line_whatever_the_line(model):
    lines = ["ich trinke tee", "", "der tee ist heiß", "völlig unbekannt", "\u200b \u00a0x", "ich\ttrinke  tee"]
    ended = run("translate", "-m", model, "-q", stdin="".join(f"{line}\n" for line in lines))
    assert ended.exit_code == 0, ended.output
    found = ended.stdout.split("\n")
    assert len(found) == len(lines) + 1
    assert (found[0], found[1], found[3], found[5]) == ("i drink tea", "", "völlig unbekannt", "i drink tea")
    assert set(found[2].split()) == {"the", "tea", "is", "hot"}


def test_a_very_long_line(model):
    ended = run("translate", "-m", model, "-q", "--pop-limit", 5, stdin="ich trinke tee " * 100 + "\n")
    assert ended.stdout.split().count("tea") == 100


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory that is kept")
def test_threads_without_memory_end_in_one_line(model):
    """An exception in a thread that has no memory even for itself must not end the process."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (340 << 20, 340 << 20))

    command = [sys.executable, "-m", "tunesmith", "translate", "-m", model, "-q", "--kbest", "1000", "-j", "8"]
    text = ("ich trinke tee " * 12 + "\n") * 64
    ended = subprocess.run(command, input=text, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert ended.returncode in (0, 1)
    if ended.returncode == 1:
        assert ended.stderr.startswith("tunesmith: out of memory"), ended.stderr
        assert ended.stderr.count("\n") == 1


def test_threads_do_not_change_the_output(model):
    text = "".join(f"{line}\n" for pair in PAIRS for line in (pair[0], f"{pair[0]} heute"))
    text += "tee\n" * 32 + "qwertz\n" * 32  # which features fire differs from what is decoded at once
    one = run("translate", "-m", model, "--kbest", 5, stdin=text).stdout
    assert one == run("translate", "-m", model, "--kbest", 5, "-j", 3, stdin=text).stdout
    assert one.startswith("0 ||| ")
    for name in ("translation:p(f|e)", "word_penalty", "glue_penalty", "unknown", "lm"):  # dense: in every line
        assert all(f" {name}= " in line for line in one.splitlines())
    assert not re.search(r" id:\S+= 0 ", one)  # sparse: where they fire


def test_n_best_lists_read_back_and_agree_with_the_best(model, tmp_path):
    lines = [pair[0] for pair in PAIRS]
    write_lines(tmp_path / "in", lines)
    best = run("translate", "-m", model, tmp_path / "in").stdout.splitlines()
    assert run("translate", "-m", model, "--kbest", 4, "--distinct", tmp_path / "in", "-o",
               tmp_path / "out.gz").exit_code == 0  # fmt: skip
    lists = read_kbest(tmp_path / "out.gz")
    assert lists.sentences == len(lines)
    assert [lists.text(int(first)) for first in lists.offsets[:-1]] == best
    for sentence in range(lists.sentences):
        texts = [lists.text(candidate) for candidate in lists.candidates_of(sentence)]
        assert len(set(texts)) == len(texts) <= 4
        scores = lists.model_scores[lists.offsets[sentence] : lists.offsets[sentence + 1]]
        assert all(a >= b for a, b in itertools.pairwise(scores))
    weights = dict(line.split("\t") for line in read_lines(model / "weights.tsv")[2:])
    vector = [float(weights.get(name, 0)) for name in lists.features]
    assert lists.scores(vector) == pytest.approx(lists.model_scores, abs=1e-4)
    # n-best of length one too
    assert run("translate", "-m", model, "--kbest", 1, tmp_path / "in").stdout.count("\n") == len(lines)


def test_an_explanation_adds_up(model):
    ended = run("translate", "-m", model, "--explain", stdin="heute trinke ich qwertz\n")
    assert ended.exit_code == 0, ended.output
    text = ended.stdout
    assert "unknown word: qwertz" in text
    score = float(text.split("score: ")[1].split()[0])
    table = text.split("feature ")[1].splitlines()[1:]
    assert sum(float(row.split()[-1]) for row in table if row) == pytest.approx(score, abs=2e-3)


@pytest.mark.parametrize("line", ["|||", "a ||| b", "<s> tee </s>", "[X,1] [X][X]", "\x01 \x7f", "", "= a="])
def test_words_that_look_like_format_read_back(model, tmp_path, line):
    write_lines(tmp_path / "in", ["tee", line, "tee"])
    assert run("translate", "-m", model, "--kbest", 2, tmp_path / "in", "-o", tmp_path / "out").exit_code == 0
    lists = read_kbest(tmp_path / "out")
    best = [lists.text(int(first)) for first in lists.offsets[:-1]]
    plain = run("translate", "-m", model, tmp_path / "in").stdout.splitlines()
    assert [text.replace("&#124;", "|") for text in best] == plain
    assert [len(text.split()) for text in plain] == [1, len(line.split()), 1]


def test_a_line_too_long_is_named(model, tmp_path):
    write_lines(tmp_path / "in", ["tee", "tee " * 65534])
    for more in ([], ["--kbest", 2], ["--explain"]):
        ended = run("translate", "-m", model, *more, tmp_path / "in", "-o", tmp_path / "out")
        assert ended.exit_code == 1
        assert f"{tmp_path / 'in'}:2: a line of 65534 words" in ended.output
        assert not (tmp_path / "out").exists()


def test_alignment_and_running_text(model):
    assert (
        run("translate", "-m", model, "--alignment", stdin="ich trinke tee\n").stdout
        == "i drink tea ||| 0-0 1-1 2-2\n"
    )
    assert run("translate", "-m", model, "--detokenize", stdin="tee , bitte\n").stdout == "tea, bitte\n"


def test_weights_of_unknown_features_are_told_or_refused(model, tmp_path):
    write_lines(tmp_path / "w", ["# mine", "lm\t1", "nonsense\t2"])
    ended = run("translate", "-m", model, "-W", tmp_path / "w", stdin="tee\n")
    assert (ended.exit_code, ended.stdout) == (0, "tea\n")
    assert "nonsense" in ended.stderr
    strict = run("translate", "-m", model, "-W", tmp_path / "w", "--strict", stdin="tee\n")
    assert (strict.exit_code, strict.stdout) == (2, "")


@pytest.mark.parametrize("line", ["lm\tnan", "lm\tinf", "lm", "lm\t1\t2", "lm\tmuch"])
def test_weights_that_are_no_numbers(model, tmp_path, line):
    write_lines(tmp_path / "w", ["# mine", line])
    ended = run("translate", "-m", model, "-W", tmp_path / "w", stdin="tee\n")
    assert ended.exit_code == 1
    assert f"{tmp_path / 'w'}:2" in ended.output


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "which model"),
        (["-m", "nowhere"], "nowhere"),
        (["-m", "{model}", "--kbest", "3", "--explain"], "cannot be used together"),
        (["-m", "{model}", "--kbest", "3", "--timeout", "1"], "--pop-limit"),
        (["-m", "{model}", "--distinct"], "--kbest"),
        (["-m", "{model}", "--alignment", "--detokenize"], "--detokenize"),
        (["-m", "{model}", "--timeout", "-1"], "timeout"),
        (["-m", "{model}", "--pop-limit", "100000000"], "pop_limit"),
        (["-m", "{model}", "--kbest", "99999999999999999999"], "k must"),
        (["-m", "{model}", "-W", "missing.tsv"], "missing.tsv"),
        (["-m", "{model}", "--features-from", "missing.py"], "missing.py"),
    ],
)
def test_wrong_usage_is_told_before_any_work(model, words, said):
    ended = run("translate", *(word.replace("{model}", str(model)) for word in words), stdin="tee\n")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert said in ended.output


def test_a_model_with_a_missing_part(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "model" / "lm.bin").unlink()
    ended = run("translate", "-m", tmp_path / "model", stdin="tee\n")
    assert ended.exit_code != 0
    assert "lm.bin" in ended.output


def test_parts_that_do_not_belong_together_are_told(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    write_lines(tmp_path / "text", [pair[0] for pair in PAIRS])
    assert (
        run("lm", "train", tmp_path / "text", "--order", 2, "-q", "-o", tmp_path / "model" / "lm.bin").exit_code
        == 0
    )
    ended = run("translate", "-m", tmp_path / "model", stdin="tee\n")
    assert (ended.exit_code, ended.stdout) == (0, "tea\n")
    assert "lm.bin: knows 0 of the" in ended.stderr
    assert "knows" not in run("translate", "-m", model, stdin="tee\n").stderr


@pytest.mark.parametrize("line", ["# none", "other\t1", "lm\t0"])
def test_weights_that_are_all_zero_are_refused(model, tmp_path, line):
    write_lines(tmp_path / "w", ["# mine", line])
    ended = run("translate", "-m", model, "-W", tmp_path / "w", stdin="tee\n")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert f"{tmp_path / 'w'}: has no weight other than 0 for a feature of {model}" in ended.stderr


def test_limits_of_the_model_that_cannot_work_name_its_file(model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    with edited(tmp_path / "model" / "system.toml").open("a") as system:
        system.write("\n[decoder]\npop_limit = 1000000\n")
    ended = run("translate", "-m", tmp_path / "model", stdin="tee\n")
    assert (ended.exit_code, ended.stdout) == (2, "")
    assert f"{tmp_path / 'model' / 'system.toml'}: pop_limit" in ended.output


@pytest.mark.parametrize("more", [[], ["--explain"], ["--kbest", 3], ["--kbest", 1]])
def test_lines_that_a_limit_cut_short_are_told(model, tmp_path, more):
    shutil.copytree(model, tmp_path / "model")
    with edited(tmp_path / "model" / "system.toml").open("a") as system:
        system.write("\n[decoder]\nmax_pops = 5\n")
    ended = run("translate", "-m", tmp_path / "model", *more, stdin="tee\nich trinke tee\n")
    assert ended.exit_code == 0
    assert "line 2: a limit of the search was reached" in ended.stderr
    assert "line 1:" not in ended.stderr


@pytest.mark.parametrize("limit", ["--max-pops", "--max-edges", "--max-bytes"])
def test_limits_of_one_line_on_the_command_line(model, limit):
    ended = run("translate", "-m", model, limit, 5, "--profile", stdin="ich trinke tee\n")
    assert ended.exit_code == 0
    assert "line 1: a limit of the search was reached" in ended.stderr
    assert f"{limit.strip('-').replace('-', '_')}=5" in ended.stderr  # the signature
    free = run("translate", "-m", model, limit, 0, stdin="ich trinke tee\n")
    assert (free.stdout, "limit" in free.stderr) == ("i drink tea\n", False)


@pytest.mark.parametrize("more", [[], ["--kbest", 2]])
def test_a_line_with_too_many_words_is_named_with_the_way_out(model, more):
    lines = "tee\nich trinke tee\n"
    ended = run("translate", "-m", model, "--max-words", 2, *more, stdin=lines)
    assert ended.exit_code == 0
    assert "line 2: a limit of the search was reached: words after the first 2 are" in ended.stderr
    assert "--max-words" in ended.stderr
    assert "line 1" not in ended.stderr
    free = run("translate", "-m", model, "--max-words", 3, *more, stdin=lines)
    assert "limit" not in free.stderr


def test_a_profile_has_the_seconds_of_every_feature(model, tmp_path, monkeypatch):
    monkeypatch.setattr(templates, "_factories", dict(templates._factories))
    shutil.copytree(model, tmp_path / "model")
    with edited(tmp_path / "model" / "system.toml").open("a") as system:
        system.write('\n[[features]]\ntemplate = "source_length"\n')
    (tmp_path / "mine.py").write_text(
        "from tunesmith.features import RuleFeature, register\n"
        '@register("source_length")\nclass Mine(RuleFeature):\n'
        "    def __call__(self, rule):\n        yield 'words', float(len(rule.source))\n"
    )
    given = ("-m", tmp_path / "model", "--features-from", tmp_path / "mine.py")
    ended = run("translate", *given, "--profile", "-q", stdin="ich trinke tee\n")
    assert ended.exit_code == 0, ended.stderr
    seconds = dict(re.findall(r"^  (.+?)  +([0-9.]+) s$", ended.stderr, re.MULTILINE))
    assert {"feature lm", "feature source_length, all rules", "local scores, target sides"} <= set(seconds)
    assert ended.stdout == "i drink tea\n"


def test_a_time_limit_is_in_the_signature(model):
    ended = run("translate", "-m", model, "--timeout", 60, stdin="tee\n")
    assert ended.stdout == "tea\n"
    assert "timeout=60" in ended.stderr


def test_an_interrupt_ends_in_one_line(model):
    command = [sys.executable, "-m", "tunesmith", "translate", "-m", str(model)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=default_signals)  # fmt: skip
    assert process.stdin is not None
    process.stdin.write(b"tee\n" * 64)
    process.stdin.flush()
    assert process.stdout is not None
    for _ in range(64):
        assert process.stdout.readline() == b"tea\n"  # and then it waits for more
    os.kill(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=HANGS)
    assert process.returncode == 130
    assert errors.decode().strip().splitlines()[-1] == "tunesmith: interrupted"


def test_training_sentences_without_their_own_pair(model, tmp_path):
    data = ("--source", model.parent / "f", "--target", model.parent / "e")
    made = run("rules", "own", "-m", model, *data, "-o", tmp_path / "own")
    assert made.exit_code == 0, made.output
    assert "5 sentence pairs with" in made.stderr
    again = run("rules", "own", "-m", model, *data, "-o", tmp_path / "own")  # what is there is opened
    assert again.exit_code == 0
    text = "".join(f"{pair[0]}\n" for pair in PAIRS)
    plain = run("translate", "-m", model, "-q", stdin=text).stdout.splitlines()
    assert plain[4] == "the coffee is hot"
    own = ("--leave-one-out", tmp_path / "own")
    without = run("translate", "-m", model, "-q", *own, stdin=text).stdout.splitlines()
    assert without[4] == "der coffee ist heiß"  # no other pair has these words
    lists = run("translate", "-m", model, "-q", "--kbest", 3, *own, stdin=text).stdout
    assert lists == run("translate", "-m", model, "-q", "--kbest", 3, "-j", 2, *own, stdin=text).stdout
    firsts = {line.split(" ||| ")[0]: line.split(" ||| ")[1] for line in reversed(lists.splitlines())}
    assert [firsts[str(at)] for at in range(5)] == without
    assert run("translate", "-m", model, "-q", *own, "--explain", stdin=f"{PAIRS[0][0]}\n").exit_code == 0
    wrong = run("translate", "-m", model, "-q", *own, stdin="der tee\n")
    assert wrong.exit_code == 2
    assert "line 1 is not the source of sentence pair 1" in wrong.stderr
    for more in ((), ("--kbest", 2), ("--explain",)):
        ended = run("translate", "-m", model, "-q", *own, *more, stdin=text * 20)
        assert ended.exit_code == 2
        assert "leave-one-out counts for 5 lines and more lines" in ended.stderr
    flipped = bytearray((tmp_path / "own" / "rule_counts").read_bytes())
    flipped[3] ^= 1
    (tmp_path / "own" / "rule_counts").write_bytes(flipped)
    ended = run("translate", "-m", model, "-q", *own, stdin=text)
    assert ended.exit_code == 1
    assert "rule_counts: the checksum is" in ended.stderr
    assert run("rules", "own", "-m", model, *data, "-o", tmp_path / "own").exit_code == 0  # it is made again
    assert run("translate", "-m", model, "-q", *own, stdin=text).stdout.splitlines() == without


def test_leave_one_out_counts_need_the_data_of_the_model(model, tmp_path):
    data = write_pairs(tmp_path, PAIRS[:4])
    ended = run("rules", "own", "-m", model, *data, "-o", tmp_path / "own")
    assert ended.exit_code == 2
    assert "was made from another source" in ended.stderr
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    ended = run("rules", "own", "-m", model, *data, "-o", tmp_path / "other")
    assert ended.exit_code == 2
    assert "other data" in ended.stderr
