"""One list as words, in BPE and in SentencePiece pieces: the same statistics, weights and output."""

import gzip
import json

import numpy as np
import pytest
from support.lists.noisy_lists import made_lists
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.bitext import read_references
from tunesmith.errors import FormatError
from tunesmith.metrics import Bleu, metrics
from tunesmith.search import CandidateSet, ListStream, read_kbest, write_kbest
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.search.lists.pieces import PieceJoiner, join_candidates
from tunesmith.tuning import FileSource, recipes, rerank

KINDS = ("words", "bpe", "sentencepiece")


def run(*words, given=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=given)


def in_pieces(text, kind):
    """Words cut after their second letter."""
    words = text.split()
    if kind == "bpe":
        return " ".join(f"{word[:2]}@@ {word[2:]}" if len(word) > 2 else word for word in words)
    if kind == "sentencepiece":
        return " ".join(f"▁{word[:2]} {word[2:]}".strip() for word in words)
    return text


@pytest.fixture
def data(tmp_path):
    """A list in all forms, and references in all forms."""
    lists, references = made_lists(1)
    for kind in KINDS:
        records = [
            {"id": int(lists.sentence_of[at]), "hypothesis": in_pieces(lists.text(at), kind), "good": row[0],
             "noise": row[1], "score": lists.model_scores[at]}
            for at, row in enumerate(lists.rows().toarray().tolist())
        ]  # fmt: skip
        write_kbest(CandidateSet.from_records(records), tmp_path / f"{kind}.nbest", "cdec")
        lines = [in_pieces(line, kind) for line in references]
        (tmp_path / f"{kind}.en").write_text("\n".join(lines) + "\n")
    return tmp_path


def test_pieces_give_the_weights_and_the_output_of_words(data):
    found = {}
    for kind in KINDS:
        for references in ("words", kind):
            out = data / f"run-{kind}-{references}"
            given = ["--candidates", data / f"{kind}.nbest", "--refs", data / f"{references}.en"]
            held = ["--heldout", data / f"{kind}.nbest", "--heldout-refs", data / f"{references}.en"]
            ended = run("tune", *given, *held, "--recipe", "pro", "-f", "json", "-q", "-o", out)
            assert ended.exit_code == 0, ended.output
            result = json.loads(ended.stdout)
            assert ("subwords" in result["signature"]["dev"]) == (kind != "words")
            chosen = (out / "rounds" / "01" / "chosen.tsv").read_text().splitlines()[1:]
            weights = [line for line in (out / "weights.tsv").read_text().splitlines() if not line.startswith("#")]
            best = run("rerank", "-W", out / "weights.tsv", data / f"{kind}.nbest", "-q")
            mbr = run("rerank", "-W", out / "weights.tsv", "--mbr", "bleu", data / f"{kind}.nbest", "-q")
            oracle = run("candidates", "oracle", data / f"{kind}.nbest", "--refs", data / f"{references}.en", "-q")
            assert best.exit_code == mbr.exit_code == oracle.exit_code == 0
            same = (result["score"], result["judged"], chosen, weights, best.stdout, mbr.stdout, oracle.stdout)
            found[kind, references] = same
    expected = found["words", "words"]
    assert all(each == expected for each in found.values())


def test_evaluate_and_compare_join_words(data):
    scores = set()
    for kind in KINDS:
        for references in ("words", kind):
            (data / "out").write_text((data / f"{kind}.en").read_text().replace("ca", "ba", 3))
            ended = run("evaluate", data / "out", "--refs", data / f"{references}.en", "-f", "json", "-q")
            assert ended.exit_code == 0, ended.output
            [metric] = json.loads(ended.stdout)["metrics"]
            assert metric["signature"].get("subwords", "words") == kind
            scores.add(metric["score"])
    assert len(scores) == 1
    (data / "base.out").write_text("\n".join(["a cat sat"] * 30) + "\n")
    ended = run("compare", data / "base.out", data / "out", "--refs", data / "words.en", "-q", "-f", "json")
    assert json.loads(ended.stdout)["metrics"][0]["systems"][1]["score"] == pytest.approx(scores.pop())
    ended = run("evaluate", data / "sentencepiece.en", "--refs", data / "bpe.en", "--subwords", "none", "-b")
    assert float(ended.stdout) < 1
    ended = run("evaluate", data / "out", "--refs", data / "words.en", "--subwords", "chars")
    assert ended.exit_code != 0
    assert "sentencepiece" in ended.stderr


def test_statistics_of_candidates_and_bayes_risk_are_those_of_words(data):
    references = read_references([data / "words.en"]).sentences
    sets = {kind: read_kbest(data / f"{kind}.nbest") for kind in KINDS}
    for name in ("bleu", "chrf", "ter"):
        prepared = metrics.make(name).prepare(references)
        rows = [join_candidates(each).with_statistics(prepared).statistics for each in sets.values()]
        assert all(np.array_equal(each, rows[0]) for each in rows)
    gains = [BayesRisk(Bleu()).expected_gains(each, each.model_scores) for each in sets.values()]
    assert all(np.array_equal(each, gains[0]) for each in gains)


def test_lists_written_again_keep_their_pieces(data):
    ended = run("rerank", "--to", "cdec", data / "sentencepiece.nbest", "-q")
    assert ended.exit_code == 0
    assert "▁" in ended.stdout
    ended = run("rerank", "--subwords", "none", data / "sentencepiece.nbest", "-q")
    assert "▁" in ended.stdout


def test_python_sources_say_what_they_joined(data):
    source = FileSource(data / "bpe.nbest", str(data / "bpe.en"))
    assert source.settings()["subwords"] == source.subset([0, 2, 3]).settings()["subwords"] == "bpe"
    tuner = recipes.mira().fit(source)
    assert "subwords=bpe" in str(tuner.signature_)
    with pytest.raises(FormatError, match="references have marks of SentencePiece"):
        FileSource(data / "bpe.nbest", str(data / "sentencepiece.en"))


@pytest.mark.parametrize("kind", KINDS)
def test_python_predicts_scores_and_reranks_words(data, kind):
    lists = data / f"{kind}.nbest"
    tuner = recipes.mira().fit(lists, references=data / "words.en")
    chosen = tuner.predict(lists, strings=True)
    assert not any("@@" in line or "▁" in line for line in chosen)
    assert chosen == rerank(lists, tuner.weights_) == [read_kbest(data / "words.nbest").text(at)
                                                       for at in tuner.predict(lists)]  # fmt: skip
    assert rerank(lists, tuner.weights_, mbr="bleu") == rerank(data / "words.nbest", tuner.weights_, mbr="bleu")
    for references in ("words", kind):
        assert tuner.score(lists, data / f"{references}.en") == pytest.approx(tuner.history_.best.score)
    as_is = tuner.predict(lists, strings=True, subwords="none")
    assert as_is == rerank(lists, tuner.weights_, subwords="none") == [in_pieces(line, kind) for line in chosen]


def test_mixed_marks_in_lists_are_refused_with_their_place(data):
    text = (data / "bpe.nbest").read_text().splitlines()
    text[9] = text[9].replace("||| ", "||| ▁odd ", 1)
    (data / "mixed.nbest").write_text("\n".join(text) + "\n")
    for verb in (["rerank"], ["candidates", "stats"]):
        ended = run(*verb, data / "mixed.nbest", "-q")
        assert ended.exit_code != 0
        assert "candidate 2 of sentence 2 has '▁odd' of SentencePiece" in ended.stderr
        assert "--subwords" in ended.stderr
    assert run("rerank", data / "mixed.nbest", "-q", "--subwords", "bpe").exit_code == 0


def test_marks_hold_for_all_parts_of_a_list():
    joiner = PieceJoiner()
    one = CandidateSet.from_records([{"id": 0, "hypothesis": "▁fa st", "f": 1.0}])
    bare = CandidateSet.from_records([{"id": 0, "hypothesis": "fa st", "f": 1.0}])
    assert [joiner.joined(each).text(0) for each in (one, bare)] == ["fast", "fast"]
    late = PieceJoiner()
    late.joined(bare)
    with pytest.raises(FormatError, match="sentences up to 7 have no subword marks"):
        late.joined(one, 7)
    bpe = CandidateSet.from_records([{"id": 0, "hypothesis": "fa@@ st", "f": 1.0}])
    with pytest.raises(FormatError, match="from sentence 8 on the lists have marks of BPE"):
        joiner.joined(bpe, 7)
    ended = run("rerank", "--subwords", "sentencepiece", given="0 ||| a b ||| x=1 ||| 1\n")
    assert ended.exit_code != 0
    assert "all words would become one" in ended.stderr


def test_real_neural_lists_are_reranked_as_they_are(shared, tmp_path):
    """Lists of a Transformer in SentencePiece pieces (../shared/reference/README.md, section nmt)."""
    lists, texts = shared / "reference" / "nmt", shared / "data" / "multi30k-de-en"
    if not lists.is_dir():
        pytest.skip("needs the lists in ../shared/reference/nmt, which are not here")
    assert next(ListStream(lists / "val.nbest.gz").parts()).candidates.columns == 7
    for name in ("val", "test_2016_flickr"):  # words joined by hand, the way that people had without --subwords
        with (
            gzip.open(lists / f"{name}.nbest.gz", "rt") as pieces,
            (tmp_path / f"{name}.words").open("w") as words,
        ):
            for line in pieces:
                number, text, rest = line.split(" ||| ", 2)
                words.write(f"{number} ||| {text.replace(' ', '').replace('▁', ' ').strip()} ||| {rest}")
    outputs = []
    for folder, ending in ((lists, "nbest.gz"), (tmp_path, "words")):
        given = ["--candidates", folder / f"val.{ending}", "--refs", texts / "val.en", "--recipe", "mira"]
        ended = run("tune", *given, "-q", "-o", tmp_path / ending)
        assert ended.exit_code == 0, ended.output
        test = folder / f"test_2016_flickr.{ending}"
        ended = run("rerank", "-W", tmp_path / ending / "weights.tsv", test, "-q", "-o", tmp_path / "out")
        assert ended.exit_code == 0, ended.output
        outputs.append((tmp_path / "out").read_text())
    assert outputs[0] == outputs[1]
    ended = run("evaluate", "-b", tmp_path / "out", "--refs", texts / "test_2016_flickr.en", "-q")
    assert float(ended.stdout) == pytest.approx(46.34, abs=0.1)
