"""Metrics that are a model: batches, caches, sources; the COMET of examples/ with a stand-in for its library."""

import copy
import json
import pickle
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from support.models.toy_decoder import ToyDecoder, toy_data
from typer.main import get_command
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.errors import ConfigError, FormatError
from tunesmith.metrics import ChrF, Segment, SentenceMetric, metric_of, metrics
from tunesmith.metrics.score_cache import ScoreCache, key_of
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.tuning import FileSource, KBestSource, recipes, rerank

EXAMPLE = Path(__file__).parents[3] / "examples" / "comet-metric" / "tunesmith_comet.py"
LINES, REFERENCES = toy_data()
LISTS = ToyDecoder().k_best(LINES, 6)
SOURCES = [f"source of {line}" for line in LINES]


def overlap(source, hypothesis, reference):
    """A stand-in for a neural model: the share of common words, a little less for a source of odd length."""
    one, other = set(hypothesis.split()), set(reference.split())
    return len(one & other) / max(len(one | other), 1) - 0.01 * (len(source) % 2)


@dataclass(frozen=True)
class Overlap(SentenceMetric):
    name: ClassVar[str] = "overlap"
    label: ClassVar[str] = "overlap"
    asked: ClassVar[list[Sequence[Segment]]] = []

    def score_batch(self, segments):
        self.asked.append(segments)
        return [overlap(*each) for each in segments]


@pytest.fixture(autouse=True)
def _nothing_asked():
    Overlap.asked.clear()


def test_a_score_is_the_mean_over_sentences_and_references():
    references = [["a b", "a c"], ["d"]]
    hypotheses, sources = ["a b", "e"], ["xx", "x"]
    by_hand = [np.mean([overlap("xx", "a b", "a b"), overlap("xx", "a b", "a c")]), overlap("x", "e", "d")]
    metric = Overlap()
    assert metric.corpus_score(hypotheses, references, sources) == pytest.approx(np.mean(by_hand))
    rows = metric.prepare_for(references, sources).statistics(hypotheses)
    assert metric.sentence_scores(rows) == pytest.approx(by_hand)


def test_every_segment_is_scored_once_in_batches():
    metric = Overlap(batch_size=4)
    prepared = metric.prepare_for(REFERENCES, SOURCES)
    first = LISTS.with_statistics(prepared).statistics
    seen = [each for batch in Overlap.asked for each in batch]
    assert len(seen) == len(set(seen)) == len({(int(s), LISTS.text(at)) for at, s in enumerate(LISTS.sentence_of)})
    assert {len(batch) for batch in Overlap.asked[:-1]} == {4}
    Overlap.asked.clear()
    assert np.array_equal(LISTS.with_statistics(metric.prepare_for(REFERENCES, SOURCES)).statistics, first)
    assert not Overlap.asked
    assert pickle.loads(pickle.dumps(metric)) == metric


def test_scores_on_disk_are_read_by_the_next_run(tmp_path):
    path = str(tmp_path / "scores.tsv")
    first = Overlap(cache=path).corpus_score(LINES, REFERENCES, SOURCES)
    asked = sum(map(len, Overlap.asked))
    assert Overlap(cache=path).corpus_score(LINES, REFERENCES, SOURCES) == first
    assert sum(map(len, Overlap.asked)) == asked
    whole = Path(path).read_bytes()
    Path(path).write_bytes(whole[:-5])  # killed while it wrote
    assert Overlap(cache=path).corpus_score(LINES, REFERENCES, SOURCES) == first
    assert sum(map(len, Overlap.asked)) == asked + 1
    assert Path(path).read_bytes() == whole


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("hello\n", FormatError, "tsv:1: is not a file of scores"),
        ("# scores of other|version:1\n", ConfigError, "has scores of other"),
        ("{head}\nabc\t1.0\n", FormatError, "tsv:2: expected a key and a score"),
        ("{head}\n{key}\tnan\n", FormatError, "tsv:2: expected a key"),
        ("{head}\n{key}\t1.0\n{key}\n", FormatError, "tsv:3: expected a key"),
    ],
)
def test_damaged_caches_are_refused(tmp_path, text, error, message):
    path = tmp_path / "scores.tsv"
    ScoreCache("mine", path).add([(key_of("a"), 0.5)])
    head = path.read_text().splitlines()[0]
    path.write_text(text.format(head=head, key=key_of("b")))
    with pytest.raises(error, match=message):
        ScoreCache("mine", path)


def test_what_cannot_be_scored_is_one_sentence():
    with pytest.raises(ConfigError, match="overlap looks at the source sentences: give them too"):
        Overlap().prepare(REFERENCES)
    with pytest.raises(ConfigError, match="1 source sentences and references for 8"):
        Overlap().prepare_for(REFERENCES, ["one"])

    @dataclass(frozen=True)
    class Broken(Overlap):
        def score_batch(self, segments):
            return [float("nan")]

    with pytest.raises(ConfigError, match="must give a finite score for each of 1 segments"):
        Broken().corpus_score(["a"], [["a"]], ["b"])

    @dataclass(frozen=True)
    class Failing(Overlap):
        def score_batch(self, segments):
            raise RuntimeError("out of memory")

    with pytest.raises(
        ConfigError, match=r"metric overlap failed: RuntimeError: out of memory \(.*test_scored.py:\d+\)"
    ):
        Failing().corpus_score(["a"], [["a"]], ["b"])


def test_sources_in_pieces_are_words_for_the_metric_alone():
    pieces = [f"so@@ urce of {line}" for line in LINES]
    source = FileSource(LISTS, REFERENCES, sources=pieces, subwords="bpe")
    tuner = recipes.mira(metric=Overlap(), rounds=1).fit(source)
    score = tuner.score(LISTS, REFERENCES, sources=pieces, subwords="bpe")
    assert score == tuner.score(LISTS, REFERENCES, sources=SOURCES)
    assert {each.source for batch in Overlap.asked for each in batch} == set(SOURCES)
    assert list(source.lines) == pieces
    decoded = KBestSource(ToyDecoder(), pieces, REFERENCES, k=5, subwords="bpe")
    Overlap.asked.clear()
    recipes.mira(metric=Overlap(), rounds=1).fit(decoded)
    assert {each.source for batch in Overlap.asked for each in batch} == set(SOURCES)
    assert list(decoded.lines) == pieces


def test_tuning_reranking_and_oracles_work_with_it():
    metric = Overlap()
    tuner = recipes.mira(metric=metric).fit(FileSource(LISTS, REFERENCES, sources=SOURCES))
    assert tuner.history_.best.score > tuner.history_[0].score
    assert tuner.score(LISTS, REFERENCES, sources=SOURCES) == pytest.approx(tuner.history_.best.score)
    decoded = recipes.pro(metric=metric, rounds=2).fit(KBestSource(ToyDecoder(), LINES, REFERENCES, k=5))
    assert decoded.history_.best.score > decoded.history_[0].score  # a decoder knows its source
    scores = LISTS.scores(LISTS.features.vector(tuner.weights_)[0])
    gains = BayesRisk(metric).expected_gains(LISTS, scores, sources=SOURCES)
    at = int(LISTS.offsets[1])
    mass = np.exp(scores[:at] - scores[:at].max())
    texts = [LISTS.text(each) for each in range(at)]
    mass /= mass.sum()
    by_hand = [sum(overlap(SOURCES[0], a, texts[j]) * mass[j] for j in range(at)) for a in texts]
    assert gains[:at] == pytest.approx(by_hand)
    assert len(rerank(LISTS, tuner.weights_, mbr=metric, sources=SOURCES)) == len(LINES)
    with pytest.raises(ConfigError, match="looks at the source"):
        recipes.mira(metric=metric).fit(FileSource(LISTS, REFERENCES))


@pytest.fixture
def comet(monkeypatch):
    """A stand-in for the library of COMET."""

    class Model:
        def predict(self, data, batch_size, gpus, progress_bar):
            return SimpleNamespace(scores=[overlap(each["src"], each["mt"], each["ref"]) for each in data])

    library = SimpleNamespace(
        download_model=lambda name: f"{name}.ckpt", load_from_checkpoint=lambda path: Model()
    )
    monkeypatch.setitem(sys.modules, "comet", library)
    monkeypatch.setattr(metrics, "_factories", dict(metrics._factories))


@pytest.fixture
def files(tmp_path):
    """Sources, references and lists as files."""
    (tmp_path / "dev.zh").write_text("\n".join(SOURCES) + "\n")
    (tmp_path / "dev.en").write_text("\n".join(line for [line] in REFERENCES) + "\n")
    records = [
        {"id": int(s), "hypothesis": LISTS.text(at),
         "features": dict(zip(LISTS.features, LISTS.rows([at]).toarray()[0], strict=True)), "score": 0.0}
        for at, s in enumerate(LISTS.sentence_of)
    ]  # fmt: skip
    (tmp_path / "dev.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
    return tmp_path


def ran(*words):
    ended = CliRunner().invoke(app, [str(word) for word in words])
    assert ended.exit_code == 0, ended.output
    return ended.stdout


def test_the_example_is_a_metric_wherever_one_is_named(comet, files):
    """`--metric-from` in every verb with a metric: evaluate, oracle, minimum Bayes risk, tuning."""
    more = ["--metric-from", EXAMPLE, "--source", files / "dev.zh", "-q"]
    name = f"comet:batch_size=8,cache={files / 'scores.tsv'}"
    lists, refs = files / "dev.jsonl", ["--refs", files / "dev.en"]
    best = ran("candidates", "oracle", lists, *refs, "--metric", name, *more)
    (files / "best.out").write_text(best)
    score = ran("evaluate", files / "best.out", *refs, "--metric", name, "-w", 6, "-b", *more)
    expected = [
        max(overlap(SOURCES[s], LISTS.text(at), REFERENCES[s][0]) for at in LISTS.candidates_of(s))
        for s in range(LISTS.sentences)
    ]
    assert float(score) == pytest.approx(np.mean(expected), abs=1e-6)
    run = ["-o", files / "run", "-f", "json"]
    found = json.loads(ran("tune", "--candidates", lists, *refs, "--metric", name, *run, *more))
    assert (found["metric"], found["score"] > found["start_score"]) == ("COMET", True)
    chosen = ran("rerank", "-W", files / "run/weights.tsv", "--mbr", name, lists, *more).splitlines()
    metric = metric_of(name)
    assert chosen == rerank(LISTS, files / "run/weights.tsv", mbr=metric, sources=SOURCES)
    assert copy.deepcopy(metric) == metric


def test_sources_in_the_lists_are_enough_and_missing_ones_are_told_before_tuning(comet, files):
    name, refs = "comet:batch_size=8", ["--refs", files / "dev.en"]
    more = ["--metric-from", EXAMPLE, "-q"]
    records = [json.loads(line) for line in (files / "dev.jsonl").read_text().splitlines()]
    carried = "".join(json.dumps({**each, "source": SOURCES[each["id"]]}) + "\n" for each in records)
    (files / "carried.jsonl").write_text(carried)
    plain, own = (["tune", "--candidates", files / each, *refs] for each in ("dev.jsonl", "carried.jsonl"))
    judged = ["--heldout-refs", files / "dev.en", "--also", name]

    def result(run, *words):
        shown = json.loads(ran(*words, *more, "-o", files / run, "-f", "json"))
        return {key: shown[key] for key in ("score", "start_score", "metric")}

    expected = result("one", *plain, "--metric", name, "--source", files / "dev.zh")
    assert result("two", *own, "--metric", name) == expected
    train = ["--train-candidates", files / "carried.jsonl", "--train-refs", files / "dev.en"]
    assert result("both", *own, *train, "--metric", name)["start_score"] == expected["start_score"]
    result("three", *own, "--heldout", files / "carried.jsonl", *judged)
    metrics_of = [each["metric"] for each in json.loads((files / "three" / "heldout.json").read_text())]
    assert metrics_of.count("COMET") == 2
    for words, message in (
        ([*plain, "--also", name], "--also: COMET looks at source sentences: give --source FILE"),
        ([*own, "--heldout", files / "dev.jsonl", *judged], "which these held-out lists do not have"),
        ([*own, "--heldout", files / "dev.jsonl", *judged[:2], "--metric", name], "which these held-out lists"),
    ):
        ended = CliRunner().invoke(app, [str(word) for word in (*words, *more, "-o", files / "four")])
        assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output
        assert not (files / "four").exists()


def test_files_that_cannot_be_run_are_refused(files):
    (files / "broken.py").write_text("x = 1\nraise ValueError('no')\n")
    text, wrong = str(files / "dev.en"), {"none.py": "no such file", "broken.py": "broken.py:2: ValueError: no"}
    for name, message in wrong.items():
        ended = CliRunner().invoke(app, ["evaluate", text, "--metric-from", str(files / name), "--refs", text])
        assert (ended.exit_code, message in ended.output) == (2, True)


def test_fields_are_the_settings_of_a_metric_but_for_what_no_score_depends_on():
    @dataclass(frozen=True)
    class Sized(Overlap):
        size: int = 3
        kind: str | None = None

    assert Overlap(batch_size=2).settings() == {}
    assert Sized(batch_size=2, cache="x", size=4).settings() == {"size": 4, "kind": "None"}


def test_names_of_metrics_take_settings():
    assert metric_of("chrf:beta=3,word_order=2") == ChrF(beta=3, word_order=2)
    with pytest.raises(ConfigError, match="chrf has no setting 'gamma'"):
        metric_of("chrf:gamma=1")


def test_every_verb_with_a_model_or_a_metric_takes_files_of_users():
    seen = {}

    def walk(command, path):
        for name, each in getattr(command, "commands", {}).items():
            walk(each, (*path, name))
        names = {each.name for each in command.params}
        seen[" ".join(path)] = names
        assert ("features_from" in names) >= ("model" in names), path
        assert ("metric_from" in names) >= bool({"metric", "bayes_risk", "also"} & names), path

    walk(get_command(app), ())
    assert "features_from" not in seen["lm query"] | seen["lm convert"]
    assert "features_from" in seen["tune"] & seen["report"] & seen["groups show"] & seen["features reused"]
    assert "metric_from" in seen["tune"] & seen["report"] & seen["rerank"] & seen["candidates oracle"]
