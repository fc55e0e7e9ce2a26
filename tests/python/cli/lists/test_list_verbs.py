"""`candidates`, `rerank` and `tune` on lists of other toolkits, as a user runs them."""

import json
import re

import numpy as np
import pytest
from support.lists.noisy_lists import VOCABULARY, made_lists
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.metrics import Bleu, metrics
from tunesmith.search import CandidateSet, read_kbest, write_kbest
from tunesmith.tuning import BatchRounds, FileSource, recipes
from tunesmith.weights import Weights


def run(*words, given=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=given)


@pytest.fixture
def data(tmp_path):
    for name, seed in (("dev", 1), ("test", 2)):
        lists, references = made_lists(seed)
        write_kbest(lists, tmp_path / f"{name}.nbest", "cdec")
        (tmp_path / f"{name}.en").write_text("\n".join(references) + "\n")
    return tmp_path


def recipes_for_lists():
    """All that need neither training data nor rule identities."""
    plans = {name: recipes.recipes.make(name).plan for name in recipes.recipes}
    lists = [name for name in plans if recipes.recipes.make(name).graphs is None]
    return [name for name in lists if isinstance(plans[name], BatchRounds) and name != "l1"]


@pytest.mark.parametrize("recipe", recipes_for_lists())
def test_every_recipe_tunes_lists_and_the_result_reranks_others(data, recipe):
    options = ["--recipe", recipe, "--heldout", data / "test.nbest", "--heldout-refs", data / "test.en"]
    more = ["--also", "chrf", "-o", data / "run", "-f", "json", "-q"]
    ended = run("tune", "--candidates", data / "dev.nbest", "--refs", data / "dev.en", *options, *more)
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    assert found["score"] > found["start_score"]
    judged = {(each["data"], each["metric"]): each for each in found["judged"]}
    assert set(judged) == {("dev", "chrF"), ("held-out", "BLEU"), ("held-out", "chrF")}
    ended = run("rerank", "-W", data / "run" / "weights.tsv", data / "test.nbest", "-q")
    assert ended.exit_code == 0, ended.output
    output, references = ended.stdout.splitlines(), (data / "test.en").read_text().splitlines()
    for metric in ("bleu", "chrf"):
        score = metrics.make(metric).corpus_score(output, [[text] for text in references])
        each = judged["held-out", metrics.get(metric).label]
        assert score == pytest.approx(each["score"])
        assert each["score"] > each["start"]
    assert json.loads((data / "run" / "heldout.json").read_text()) == found["judged"]
    page = (data / "run" / "report.html").read_text()
    for each in found["judged"]:
        cells = [each["data"], each["metric"], f"{each['start']:.2f}", f"{each['score']:.2f}"]
        assert re.search(".*".join(f">{re.escape(cell)}<" for cell in cells), page), cells


def test_held_out_scores_of_another_run_are_not_on_the_page(data):
    given = ["tune", "--candidates", data / "dev.nbest", "--refs", data / "dev.en", "-q", "-o", data / "run"]
    held_out = ["--heldout", data / "test.nbest", "--heldout-refs", data / "test.en"]
    assert run(*given, *held_out).exit_code == 0
    page = (data / "run" / "report.html").read_text()
    assert ">held-out<" in page
    assert "Judge by a test set" not in page
    assert run(*given, "--restart").exit_code == 0
    page = (data / "run" / "report.html").read_text()
    assert ">held-out<" not in page
    assert "Judge by a test set: tunesmith tune … --heldout" in page


@pytest.mark.parametrize("recipe", ["mert", "mira", "pro"])
def test_scores_of_another_program_are_tuned_towards(data, recipe):
    lists = read_kbest(data / "dev.nbest")
    bad = [lists.text(at).split().count("x") / 4 for at in range(len(lists))]
    (data / "comet").write_text("".join(f"{1 - each}\n" for each in bad))
    (data / "errors").write_text("".join(f"{each}\n" for each in bad))
    options = ["--candidates", data / "dev.nbest", "--recipe", recipe, "-q", "-f", "json"]
    up = run("tune", *options, "--scores", data / "comet", "-o", data / "up")
    assert up.exit_code == 0, up.output
    assert json.loads(up.stdout)["score"] > json.loads(up.stdout)["start_score"] + 0.1
    down = run("tune", *options, "--scores", data / "errors", "--lower-is-better", "-o", data / "down")
    assert down.exit_code == 0, down.output
    assert json.loads(down.stdout)["score"] < json.loads(down.stdout)["start_score"] - 0.1
    (data / "short").write_text("1\n2\n")
    short = run("tune", *options, "--scores", data / "short", "-o", data / "none")
    assert (short.exit_code, "2 scores for 240 hypotheses" in short.stderr) == (1, True), short.output


def test_python_does_the_same_in_three_lines(data):
    tuner = recipes.mira().fit(FileSource(data / "dev.nbest", data / "dev.en"))
    ended = run("tune", "--candidates", data / "dev.nbest", "--refs", data / "dev.en", "-q", "-o", data / "run")
    assert ended.exit_code == 0, ended.output
    assert tuner.weights_ == Weights.read(data / "run" / "weights.tsv")


def test_references_in_the_list_are_enough(data):
    lines = [json.loads(line) for line in converted(data, "json").splitlines()]
    references = (data / "dev.en").read_text().splitlines()
    text = "".join(json.dumps({**line, "references": [references[line["id"]]]}) + "\n" for line in lines)
    (data / "dev.jsonl").write_text(text)
    ended = run("tune", "--candidates", data / "dev.jsonl", "-q", "-o", data / "run")
    assert ended.exit_code == 0, ended.output
    joined = run("tune", "--candidates", data / "dev.nbest", "--refs", data / "dev.en", "-q", "-o", data / "other")
    assert ended.stdout == joined.stdout


def converted(data, to):
    ended = run("candidates", "convert", "--to", to, data / "dev.nbest", "-q")
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_convert_says_what_it_read_and_keeps_everything(data):
    ended = run("candidates", "convert", "--to", "travatar", given=(data / "dev.nbest").read_text())
    assert ended.exit_code == 0, ended.output
    assert "<stdin>: cdec (features such as" in ended.stderr
    back = run("candidates", "convert", "--to", "cdec", given=ended.stdout)
    assert back.stdout == (data / "dev.nbest").read_text()
    lost = run("candidates", "convert", "--to", "fairseq", data / "dev.nbest", "-o", data / "out")
    assert (lost.exit_code, "--lossy" in lost.stderr) == (2, True)
    assert not (data / "out").exists()
    ended = run("candidates", "convert", "--to", "fairseq", "--lossy", data / "dev.nbest", "-o", data / "out")
    assert read_kbest(data / "out").model_scores.tolist() == read_kbest(data / "dev.nbest").model_scores.tolist()
    itself = run("candidates", "convert", data / "out", "-o", data / "out")
    assert (itself.exit_code, "is an input" in itself.stderr) == (2, True)


def test_merge_has_each_candidate_once(data):
    (data / "more.nbest").write_text("0 ||| something new ||| good=1 other=2 ||| 5\n")
    (data / "same.nbest").write_text((data / "dev.nbest").read_text())
    ended = run("candidates", "merge", data / "dev.nbest", data / "same.nbest", data / "more.nbest")
    assert ended.exit_code == 0, ended.output
    lines = (data / "dev.nbest").read_text().splitlines()
    assert f"{len(set(lines)) + 1} different candidates of {2 * len(lines) + 1}" in ended.stderr
    assert "0 ||| something new ||| good=1 other=2 ||| 5" in ended.stdout.splitlines()
    assert "left out" not in ended.stderr
    (data / "aligned.nbest").write_text("0 ||| a b ||| good= 1 ||| 5 ||| 0-0 1-1\n")
    ended = run("candidates", "merge", data / "aligned.nbest")
    assert "alignments, and whatever else follows the scores, are left out" in ended.stderr


def test_sort_brings_lists_into_order(data):
    lines = (data / "dev.nbest").read_text().splitlines()
    shuffled = [lines[at] for at in np.random.default_rng(1).permutation(len(lines))]
    (data / "shuffled").write_text("\n".join(shuffled))
    refused = run("candidates", "stats", data / "shuffled")
    assert (refused.exit_code, "tunesmith candidates sort" in refused.stderr) == (1, True)
    ended = run("candidates", "sort", data / "shuffled", "-q")
    assert ended.stdout.splitlines() == sorted(shuffled, key=lambda line: int(line.split()[0]))
    by_score = run("candidates", "sort", "--by-score", data / "shuffled", "-q").stdout.splitlines()
    keys = [(int(line.split()[0]), -float(line.split()[-1])) for line in by_score]
    assert keys == sorted(keys)
    (data / "shuffled").write_text("\n".join([*shuffled[:9], "7 ||| bad", *shuffled[9:]]))
    bad = run("candidates", "sort", data / "shuffled")
    assert (bad.exit_code, "shuffled:10: there are 2 fields" in bad.stderr) == (1, True), bad.stderr
    skipped = run("candidates", "sort", "--skip-bad", data / "shuffled")
    assert "shuffled:10: left out: there are 2 fields" in skipped.stderr
    assert skipped.stdout == ended.stdout


def test_statistics_and_oracle_are_those_of_brute_force(data):
    ended = run("candidates", "stats", data / "dev.nbest", "--refs", data / "dev.en", "-f", "json", "-q")
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    lists, references = read_kbest(data / "dev.nbest"), (data / "dev.en").read_text().splitlines()
    assert (found["sentences"], found["candidates"], found["smallest"], found["largest"]) == (30, 240, 8, 8)
    x = lists.rows().toarray()
    scored = lists.with_statistics(Bleu().prepare([[text] for text in references]))
    from tunesmith.metrics.sentence_bleu import BleuPlusOne

    gains = BleuPlusOne().scores(scored.statistics.astype(float)).reshape(30, 8)
    for row, column in zip(found["features"], x.T, strict=True):
        inside = column.reshape(30, 8) - column.reshape(30, 8).mean(axis=1, keepdims=True)
        quality = gains - gains.mean(axis=1, keepdims=True)
        assert row["correlation"] == pytest.approx(np.corrcoef(inside.ravel(), quality.ravel())[0, 1])
        assert row["mean"] == pytest.approx(column.mean())
        assert row["deviation"] == pytest.approx(column.std())
        assert (row["minimum"], row["maximum"]) == (column.min(), column.max())
    for worst in (False, True):
        best = gains.argmin(axis=1) if worst else gains.argmax(axis=1)
        texts = [lists.text(8 * sentence + at) for sentence, at in enumerate(best.tolist())]
        options = ["--worst"] if worst else []
        ended = run("candidates", "oracle", data / "dev.nbest", "--refs", data / "dev.en", *options)
        assert ended.stdout.splitlines() == texts
        score = Bleu().corpus_score(texts, [[text] for text in references])
        assert found["bounds"]["anti_oracle" if worst else "oracle"] == pytest.approx(score)
        assert f"oracle: BLEU {score:.2f}" in ended.stderr
    text = run("candidates", "stats", data / "dev.nbest", "--top", 1).stdout
    assert "cdec: 240 candidates of 30 sentences" in text
    assert "and 1 more features" in text


def test_rerank_writes_lists_and_minimum_bayes_risk(data):
    (data / "w").write_text("good\t1\nunheard\t2\n")
    ended = run("rerank", "-W", data / "w", "--to", "json", "--k", 3, data / "test.nbest")
    assert ended.exit_code == 0, ended.output
    assert "1 weights are of features that the lists do not have: unheard" in ended.stderr
    rows = [json.loads(line) for line in ended.stdout.splitlines()]
    assert len(rows) == 90
    assert all(row["score"] == pytest.approx(row["features"].get("good", 0.0), rel=1e-6) for row in rows)
    best = run("rerank", "-W", data / "w", data / "test.nbest", "-q").stdout.splitlines()
    assert best == [rows[at]["hypothesis"] for at in range(0, 90, 3)]
    agreed = run("rerank", "--mbr", "chrf", "--scale", 0, data / "test.nbest", "-q")
    assert agreed.exit_code == 0, agreed.output
    assert len(agreed.stdout.splitlines()) == 30


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["rerank", "-W", "w", "--k", "2"], "--to DIALECT"),
        (["rerank", "--mbr", "blue"], "Did you mean 'bleu'"),
        (["rerank", "-W", "w", "--source", "w"], "--source is for metrics of --mbr METRIC"),
        (
            ["rerank", "-W", "w", "--mbr", "chrf", "--source", "w"],
            "1 source sentences, the lists have more",
        ),
        (["rerank", "--mbr", "chrf", "--source", "long"], "long: has 40 source sentences, the lists have 30"),
        (["rerank", "--dialect", "mosse"], "Did you mean 'moses'"),
        (["candidates", "oracle"], "needs references"),
        (["tune", "--heldout-refs", "x", "--refs", "dev.en", "-o", "r", "--candidates"], "belongs to --heldout"),
        (["tune", "--heldout", "dev.nbest", "--refs", "dev.en", "-o", "r", "--candidates"], "--heldout-refs"),
        (["tune", "--lower-is-better", "--refs", "dev.en", "-o", "r", "--candidates"], "about --scores"),
    ],
)
def test_what_cannot_work_is_told(data, monkeypatch, words, message):
    monkeypatch.chdir(data)
    (data / "w").write_text("good\t1\n")
    (data / "long").write_text("a\n" * 40)
    ended = run(*words, "test.nbest")
    assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output


def test_weights_of_another_system_are_told(data):
    (data / "w").write_text("lm\t1\n")
    ended = run("rerank", "-W", data / "w", data / "test.nbest")
    assert (ended.exit_code, "no feature of these lists has a weight" in ended.stderr) == (2, True)


def test_weights_of_0_say_what_to_do(data):
    """Where nothing is better than the first candidates, tuning keeps weights of 0, which cannot choose."""
    lines = [
        f"{at} ||| {word} ||| x=0 ||| 0\n{at} ||| other ||| x=1 ||| 1"
        for at, word in enumerate(("a b c d", "e f g h"))
    ]
    (data / "first.nbest").write_text("\n".join(lines) + "\n")
    (data / "first.en").write_text("a b c d\ne f g h\n")
    given = ("tune", "--candidates", data / "first.nbest", "--refs", data / "first.en", "-o", data / "run")
    ended = run(*given)
    assert ended.exit_code == 0, ended.output
    assert "rerank refuses them" in ended.stderr
    assert "No feature has a weight" in (data / "run/report.html").read_text()
    ended = run("rerank", "-W", data / "run/weights.tsv", data / "first.nbest")
    assert ended.exit_code == 2
    assert "none that are better than the first candidate of each list" in ended.stderr


def test_lists_without_references_ask_for_them(data):
    ended = run("tune", "--candidates", data / "test.nbest", "-o", data / "run")
    assert (ended.exit_code, "lists need references: --refs FILE…" in ended.stderr) == (2, True), ended.output


def with_words_as_features(data, name):
    """Lists with a feature for every word of the vocabulary, those of the training data in another order."""
    lists = read_kbest(data / f"{name}.nbest")
    order = VOCABULARY if name == "dev" else VOCABULARY[::-1]
    records = [
        {"id": int(lists.sentence_of[at]), "hypothesis": lists.text(at), "score": 0.0}
        | {f"w:{word}": lists.text(at).split().count(word) for word in [*order, "x"]}
        | {"good": lists.rows([at]).toarray()[0, 0]}
        for at in range(len(lists))
    ]
    write_kbest(CandidateSet.from_records(records), data / f"{name}.words", "json")


@pytest.mark.parametrize("recipe", ["shares", "oscar", "grouped", "grouped-mira", "l1"])
def test_recipes_of_groups_learn_them_from_lists_of_training_data(data, recipe):
    for name in ("dev", "test"):
        with_words_as_features(data, name)
    train = ["--train-candidates", data / "test.words", "--train-refs", data / "test.en"]
    group = ["--set", "penalised=w:*"] if recipe == "l1" else ["--group", "w:*"]
    if recipe == "shares":  # the gain is that over weights before the dense features are tuned
        group += ["--set", "dense_rounds=0"]
    options = ["--recipe", *recipe.split(), *group, "-o", data / "run", "-q", "-f", "json"]
    ended = run("tune", "--candidates", data / "dev.words", "--refs", data / "dev.en", *train, *options)
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    assert found["score"] > found["start_score"]
    weights = Weights.read(data / "run" / "weights.tsv")
    assert {"good", "w:x"} <= set(weights.names)
    assert dict(weights.items())["w:x"] < 0
    ended = run("rerank", "-W", data / "run" / "weights.tsv", data / "dev.words", "-q")
    references = [[text] for text in (data / "dev.en").read_text().splitlines()]
    assert Bleu().corpus_score(ended.stdout.splitlines(), references) == pytest.approx(found["score"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--recipe", "oscar"], "--train-candidates FILE… --train-refs"),
        (["--train-candidates", "test.nbest", "--scores", "numbers"], "not with --scores"),
        (["--train-refs", "test.en"], "--train-candidates FILE…"),
        (["--train", "test.en", "--train-refs", "test.en"], "--train-candidates FILE…"),
        (["--train-candidates", "test.nbest"], "lists of training data need references: --train-refs FILE"),
    ],
)
def test_training_lists_that_lack_something_are_told(data, monkeypatch, words, message):
    monkeypatch.chdir(data)
    (data / "numbers").write_text("1\n" * 240)
    given = [] if "--scores" in words else ["--refs", "dev.en"]
    ended = run("tune", "--candidates", "dev.nbest", *given, "-o", "run", *words)
    assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output
