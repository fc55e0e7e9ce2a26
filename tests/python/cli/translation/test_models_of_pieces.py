"""A model that was trained on pieces of words: words are printed and measured."""

import json

import numpy as np
import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.subwords import join_line, word_numbers
from tunesmith.decoding import TranslationModel
from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.tuning import KBestSource


def run(*words, stdin=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


def in_pieces(pair, kind):
    """A sentence pair whose target words are cut after the second letter; links go to all pieces of a word."""
    source, target, links = pair
    begin, cut = ("", "@@") if kind == "bpe" else ("▁", "")
    words = [[f"{begin}{word[:2]}{cut}", word[2:]] if word[2:] else [begin + word] for word in target.split()]
    starts = np.cumsum([0, *map(len, words)])
    moved = [
        f"{s}-{at}"
        for s, t in (map(int, link.split("-")) for link in links.split())
        for at in range(starts[t], starts[t + 1])
    ]
    return source, " ".join(piece for word in words for piece in word), " ".join(moved)


@pytest.fixture(scope="module", params=["bpe", "sentencepiece"])
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pieces")
    files = write_pairs(folder, [in_pieces(pair, request.param) for pair in PAIRS])
    ended = run("train", *files, "--order", 3, "-q", "-o", folder / "model")
    assert ended.exit_code == 0, ended.output
    return request.param, folder / "model"


def test_translations_are_words_and_lists_are_pieces(model):
    kind, folder = model
    text = "".join(f"{pair[0]}\n" for pair in PAIRS[:4])
    words = run("translate", "-m", folder, "-q", stdin=text)
    pieces = run("translate", "-m", folder, "-q", "--subwords", "none", stdin=text).stdout.splitlines()
    assert words.exit_code == 0, words.output
    assert words.stdout.splitlines() == [join_line(line, kind) for line in pieces]
    assert words.stdout.splitlines() != pieces
    lists = run("translate", "-m", folder, "-q", "--kbest", 1, stdin=text).stdout.splitlines()
    assert [line.split(" ||| ")[1] for line in lists] == pieces
    joined = run("translate", "-m", folder, "-q", "--alignment", stdin=text).stdout.splitlines()
    as_is = run(
        "translate", "-m", folder, "-q", "--alignment", "--subwords", "none", stdin=text
    ).stdout.splitlines()
    for one, other in zip(joined, as_is, strict=True):
        line, links = other.split(" ||| ")
        numbers = word_numbers(line, kind)
        moved = sorted({(int(s), numbers[int(t)]) for s, t in (link.split("-") for link in links.split())})
        assert one == f"{join_line(line, kind)} ||| {' '.join(f'{s}-{t}' for s, t in moved)}"


def test_tuning_measures_words_and_keeps_features_of_pieces(model):
    kind, folder = model
    decoder = TranslationModel.open(folder).list_decoder()
    lines, references = [pair[0] for pair in PAIRS], [[pair[1]] for pair in PAIRS]
    source = KBestSource(decoder, lines, references, 5)
    assert source.subwords == source.settings()["subwords"] == kind
    found = source.candidates(decoder.weights)
    as_is = KBestSource(decoder, lines, references, 5, subwords="none").candidates(decoder.weights)
    assert len(found) == len(as_is)
    assert all(found.text(at) == join_line(as_is.text(at), kind) for at in range(len(found)))
    assert np.array_equal(found.rows().toarray(), as_is.rows().toarray())
    sums = [each.with_statistics(Bleu().prepare(references)).statistics.sum(axis=0) for each in (found, as_is)]
    words, pieces = (float(Bleu().score(each.astype(float))) for each in sums)
    assert words > 2 * pieces


def test_studies_judge_the_pieces_that_were_asked_for(model, tmp_path):
    kind, folder = model
    (tmp_path / "dev").write_text("".join(f"{pair[0]}\n" for pair in PAIRS))
    (tmp_path / "refs").write_text("".join(f"{in_pieces(pair, kind)[1]}\n" for pair in PAIRS))
    given = ["-m", folder, "--dev", tmp_path / "dev", "--refs", tmp_path / "refs", "--rounds", 1, "--k", 5, "-q"]
    found = {}
    for subwords in (kind, "none"):
        ended = run("tune", *given, "--seeds", 2, "--subwords", subwords, "-o", tmp_path / subwords)
        assert ended.exit_code == 0, ended.output
        outputs = sorted((tmp_path / subwords).rglob("dev.out"))
        assert len(outputs) == 2
        found[subwords] = "".join(path.read_text() for path in outputs)
    marks = "@@" if kind == "bpe" else "▁"
    assert marks in found["none"]
    assert marks not in found[kind]


def test_reports_judge_the_pieces_of_the_run_or_those_asked_for(model, tmp_path):
    """Scores are those of what `translate` prints with the same weights; derivations are of the words shown."""
    kind, folder = model
    marks = "@@" if kind == "bpe" else "▁"
    (tmp_path / "dev").write_text("".join(f"{pair[0]}\n" for pair in PAIRS))
    (tmp_path / "refs").write_text(
        "".join(f"{in_pieces((pair[0], pair[1] + ' indeed', pair[2]), kind)[1]}\n" for pair in PAIRS)
    )
    given = ["-m", folder, "--dev", tmp_path / "dev", "--refs", tmp_path / "refs", "--rounds", 1, "--k", 5, "-q"]
    test = ["-m", folder, "--test", tmp_path / "dev", "--refs", tmp_path / "refs", "-f", "json", "-q"]
    scores = set()
    for tuned in (kind, "none"):
        run_folder = tmp_path / tuned
        ended = run("tune", *given, "--subwords", tuned, "-o", run_folder)
        assert ended.exit_code == 0, ended.output
        for asked in (None, kind, "none"):
            more = [] if asked is None else ["--subwords", asked]
            ended = run("report", run_folder, *test, *more, "-o", tmp_path / "report.html")
            assert ended.exit_code == 0, ended.output
            joined = (asked or tuned) != "none"
            found = json.loads(ended.stdout)
            weights, out = ["-W", run_folder / "weights.tsv"], tmp_path / "out"
            as_asked = ["--subwords", asked or tuned, "-q"]
            assert run("translate", "-m", folder, *weights, *as_asked, tmp_path / "dev", "-o", out).exit_code == 0
            assert (marks in out.read_text()) != joined
            references = [[join_line(line, asked or tuned)] for line in read_lines(tmp_path / "refs")]
            judged = Bleu().corpus_score(read_lines(out), references)
            assert found["test"]["systems"][1]["score"] == pytest.approx(judged)
            scores.add((joined, judged))
            assert "translates:" not in (tmp_path / "report.html").read_text()
    assert len({joined for joined, _ in scores}) == 2 <= len({score for _, score in scores})
