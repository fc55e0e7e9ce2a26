"""The models of sil-thot through our interface."""

import random
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from tunesmith import ConfigError, FormatError
from tunesmith.alignment import AlignerOptions, align
from tunesmith.alignment.aligner import MODELS
from tunesmith.cli.main import app
from tunesmith.corpus.bitext import Bitext, read_bitext

WORDS = {"我": "i", "你": "you", "喝": "drink", "茶": "tea", "买": "buy", "书": "book", "很": "very", "大": "big"}


def made_up(size: int, seed: int = 1) -> tuple[Bitext, list[set[tuple[int, int]]]]:
    """Sentences translated word by word in another order, with their true links."""
    rng = random.Random(seed)
    source, target, truth = [], [], []
    for _ in range(size):
        words = rng.sample(list(WORDS), rng.randint(2, 6))
        order = list(range(len(words)))
        rng.shuffle(order)
        source.append(" ".join(words))
        target.append(" ".join(WORDS[words[i]] for i in order))
        truth.append({(i, j) for j, i in enumerate(order)})
    return Bitext(source, target), truth


@pytest.mark.parametrize("model", MODELS)
def test_every_model_finds_a_word_by_word_translation(model):
    bitext, truth = made_up(400)
    found = align(bitext, AlignerOptions(model), threads=1).joined
    right = sum(len(set(pair) & true) for pair, true in zip(found, truth, strict=True))
    links = len(found.source)
    assert right / links > 0.9
    assert right / sum(map(len, truth)) > 0.75


def test_threads_and_repetition_change_nothing_and_progress_is_counted():
    bitext, _ = made_up(200)
    one = align(bitext, AlignerOptions(iterations=3), threads=1)
    seen = []
    two = align(
        bitext, AlignerOptions(iterations=3), threads=2, progress=lambda done, total: seen.append((done, total))
    )
    assert (one.forward, one.backward, one.joined) == (two.forward, two.backward, two.joined)
    assert seen == [(i, 6) for i in range(1, 7)]


@pytest.mark.parametrize("model", ["fast_align", "thot_hmm"])
def test_text_of_some_size_has_the_same_links_every_time(model, tmp_path):
    """Threads of sil-thot, if there were several, would add up counts in another order each time."""
    made = CliRunner().invoke(app, ["phrasebook", "--pairs", "1500", "-q", "-o", str(tmp_path / "corpus")])
    assert made.exit_code == 0
    bitext = read_bitext(tmp_path / "corpus/train.zh", tmp_path / "corpus/train.en")
    options = AlignerOptions(model, iterations=3)
    first, *others = (align(bitext, options, threads=2) for _ in range(3))
    for other in others:
        assert (first.forward, first.backward) == (other.forward, other.backward)


def test_pairs_without_words_or_too_long_get_no_links_and_are_noted():
    bitext, _ = made_up(50)
    texts = Bitext([*bitext.source, "", "我", "我 " * 201], [*bitext.target, "i", " ", "i " * 201])
    result = align(texts, AlignerOptions("thot_hmm"), threads=1)
    assert result.joined[50] == result.joined[51] == result.joined[52] == []
    assert result.notes == (
        "2 sentence pairs with an empty side got no links",
        "1 sentence pair longer than 100 words got no links",
    )
    long = align(texts, AlignerOptions(), threads=1)
    assert long.joined[52], "eflomal takes 200-token sentences"


def test_punctuation_alone_is_aligned():
    bitext, _ = made_up(30)
    texts = Bitext([*bitext.source, "。 。"], [*bitext.target, ". ."])
    assert len(align(texts, threads=1).joined) == 31


def test_what_cannot_be_aligned_is_refused():
    with pytest.raises(FormatError, match="no sentence pair with words on both sides"):
        align(Bitext(["", "a"], ["b", ""]))
    with pytest.raises(ConfigError, match=r"unknown aligner 'giza'\. Known: hmm, ibm1, "):
        AlignerOptions("giza")
    with pytest.raises(ConfigError, match="symmetrization must be"):
        AlignerOptions(symmetrization="both")
    with pytest.raises(ConfigError, match="iterations must be at least 1"):
        AlignerOptions(iterations=0)
    with pytest.raises(ConfigError, match="seed"):
        AlignerOptions(seed=-1)


def test_without_sil_thot_the_built_in_hmm_aligns_and_training_says_so(files, monkeypatch):
    monkeypatch.setattr("tunesmith.alignment.aligner.find_spec", lambda name: None)
    monkeypatch.setitem(sys.modules, "thot.alignment", None)  # importing it fails
    assert AlignerOptions().model == "hmm"
    assert "with hmm, grow-diag-final-and" in run(files / "s", files / "t")[2]
    data = ["--source", files / "s", "--target", files / "t", "--order", 2, "-o", files / "model"]
    trained = CliRunner().invoke(app, ["train", *map(str, data)])
    assert (trained.exit_code, "built-in hmm" in trained.stderr) == (0, True)
    code, _, message = run(files / "s", files / "t", "--aligner", "eflomal")
    assert (code, "or take --aligner hmm" in message) == (2, True)


def test_it_works_from_a_script_without_a_main_guard(tmp_path):
    """Multiprocessing would run the script again; our worker is a separate command."""
    script = tmp_path / "script.py"
    script.write_text(
        "from tunesmith.alignment import align\n"
        "from tunesmith.corpus.bitext import Bitext\n"
        "print(len(align(Bitext(['a b'] * 9, ['x y'] * 9), threads=2).joined))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert ran.stdout == "9\n"


@pytest.fixture
def files(tmp_path):
    bitext, truth = made_up(120)
    (tmp_path / "s").write_text("".join(line + "\n" for line in bitext.source), encoding="utf-8")
    (tmp_path / "t").write_text("".join(line + "\n" for line in bitext.target), encoding="utf-8")
    gold = [" ".join(f"{i}-{j}" for i, j in sorted(pair)) for pair in truth]
    (tmp_path / "gold").write_text("".join(line + "\n" for line in gold))
    return tmp_path


def run(*words: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, ["align", *map(str, words)])
    return result.exit_code, result.stdout, result.stderr


def test_the_verb_prints_alignments_draws_and_judges(files):
    code, links, messages = run(files / "s", files / "t", "-j", 1)
    assert code == 0
    assert len(links.splitlines()) == 120
    assert "aligned 120 sentence pairs with eflomal, grow-diag-final-and" in messages
    (files / "a").write_text(links)
    code, score, _ = run(files / "s", files / "t", "--align", files / "a", "--gold", files / "gold")
    assert (code, score.startswith("AER = ")) == (0, True)
    code, matrix, _ = run(files / "s", files / "t", "--align", files / "a", "--show", 12)
    assert code == 0
    assert "■" in matrix
    code, nothing, _ = run(files / "s", files / "t", "-q", "-o", files / "out.gz", "--lexicon", files / "lex")
    assert (code, nothing) == (0, "")
    assert (files / "out.gz").exists()
    assert (files / "lex.s2t").exists()


def test_mistakes_end_with_their_exit_code_and_leave_nothing_behind(files):
    (files / "short").write_text("a\n")
    code, _, message = run(files / "s", files / "short", "-o", files / "out")
    assert (code, "120" in message) == (1, True)
    (files / "bad").write_text("0-0\n" * 119 + "0-9\n")
    code, _, message = run(files / "s", files / "t", "--align", files / "bad", "-o", files / "out")
    assert (code, "bad:120: link 0-9" in message) == (1, True)
    assert run(files / "s", files / "t", "--aligner", "giza")[0] == 2
    assert run(files / "s", files / "t", "--show", 121)[0] == 2
    assert run(files / "s", files / "missing")[0] == 2
    assert not (files / "out").exists()


def test_existing_directions_are_joined(files):
    (files / "f").write_text("0-0 1-1\n" * 120)
    (files / "b").write_text("0-0\n" * 120)
    words = (files / "s", files / "t", "--forward", files / "f", "--backward", files / "b")
    assert run(*words, "--symmetrize", "intersection")[1] == "0-0\n" * 120
    assert run(*words, "--symmetrize", "union")[1] == "0-0 1-1\n" * 120
    assert run(files / "s", files / "t", "--forward", files / "f")[0] == 2


def test_outputs_are_looked_at_before_the_work(files):
    before = (files / "s").read_bytes()
    code, _, message = run(files / "s", files / "t", "-o", files / "s")
    assert (code, "is an input" in message) == (2, True)
    assert (files / "s").read_bytes() == before
    for words in (["-o", files / "no/folder/x"], ["--lexicon", files / "no/lex"], ["-o", files]):
        code, _, message = run(files / "s", files / "t", *words)
        assert (code, "aligned" in message) == (2, False)
