"""Cross-validation on lists: every sentence is judged by weights of the other folds, and nothing else changes."""

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
from support.lists.noisy_lists import made_lists
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.errors import ConfigError
from tunesmith.evaluation.cross_validation import cross_validate, folds_of
from tunesmith.metrics import Bleu, SentenceMetric
from tunesmith.search import write_kbest
from tunesmith.tuning import FileSource, Tuner, recipes
from tunesmith.tuning.pools.lists import ListPool


@pytest.fixture(scope="module")
def source():
    lists, references = made_lists(1)
    return FileSource(lists, [[line] for line in references])


@pytest.fixture
def tuner():
    return Tuner.from_recipe(recipes.pro(), seed=3)


def test_folds_are_a_seeded_partition():
    fold = folds_of(23, 5, 1)
    assert sorted(np.bincount(fold).tolist()) == [4, 4, 5, 5, 5]
    assert np.array_equal(fold, folds_of(23, 5, 1))
    assert not np.array_equal(fold, folds_of(23, 5, 2))
    with pytest.raises(ConfigError, match="folds must be at least 2"):
        folds_of(23, 1, 1)
    with pytest.raises(ConfigError, match="30 folds of 23 sentences"):
        folds_of(23, 30, 1)


def test_every_fold_is_judged_by_weights_of_the_others(source, tuner):
    found = cross_validate(tuner, source, folds=3)
    fold = folds_of(source.sentences, 3, tuner.seed)
    lists = source.candidates(np.zeros(0)).with_statistics(Bleu().prepare(source.references))
    pooled = 0
    for row in found.folds:
        own = np.flatnonzero(fold == row.fold - 1)
        weights = Tuner.from_recipe(recipes.pro(), seed=3).fit(source.subset(np.flatnonzero(fold != row.fold - 1)))
        best = ListPool(lists).best(lists.features.vector(weights.weights_)[0])
        assert row.sentences == len(own)
        assert row.score == pytest.approx(float(Bleu().score(best.statistics[own].sum(axis=0).astype(float))))
        texts = best.texts()
        assert [found.texts[at] for at in own] == [texts[at] for at in own]
        first = lists.statistics[lists.offsets[own]].sum(axis=0).astype(float)
        assert row.start_score == pytest.approx(float(Bleu().score(first)))
        pooled = pooled + best.statistics[own].sum(axis=0)
    assert found.score == pytest.approx(float(Bleu().score(np.asarray(pooled, dtype=float))))
    scores = [row.score for row in found.folds]
    assert (found.mean, found.deviation) == pytest.approx((np.mean(scores), np.std(scores, ddof=1)))
    assert found.score > found.start_score
    assert found.p_value < 0.05
    assert not hasattr(tuner, "weights_")
    measured = cross_validate(tuner, lists, folds=3)
    assert measured.folds == found.folds


@dataclass(frozen=True)
class Known(SentenceMetric):
    """Words of the reference, divided by the number that the source sentence ends with."""

    name: ClassVar[str] = "known"
    label: ClassVar[str] = "known"

    def score_batch(self, segments):
        return [len({*hypothesis.split()} & {*reference.split()}) / int(source.split()[-1])
                for source, hypothesis, reference in segments]  # fmt: skip

    def settings(self):
        return {}


def test_metrics_look_at_the_source_and_restart_leaves_no_old_folds(source, tmp_path):
    lists = source.candidates(np.zeros(0))
    sources = [f"length {len(each[0].split())}" for each in source.references]
    known = FileSource(lists, source.references, sources=sources)
    found = cross_validate(Tuner.from_recipe(recipes.pro(metric=Known())), known, 3, output=tmp_path)
    assert found.score == pytest.approx(Known().corpus_score(found.texts, source.references, sources))
    (tmp_path / "fold-3" / "notes.txt").write_text("mine")
    (tmp_path / "fold-old").mkdir()
    again = Tuner.from_recipe(recipes.pro(metric=Known()))
    cross_validate(again, known, 2, output=tmp_path, restart=True)
    names = {"fold-1", "fold-2", "fold-3", "fold-old", "cross-validation.json", "heldout.out"}
    assert {path.name for path in tmp_path.iterdir()} == names
    assert [path.name for path in (tmp_path / "fold-3").iterdir()] == ["notes.txt"]
    (tmp_path / "fold-3" / "notes.txt").unlink()
    (tmp_path / "fold-3").rmdir()
    cross_validate(again, known, 3, output=tmp_path, restart=True)
    cross_validate(again, known, 2, output=tmp_path, restart=True)
    assert {path.name for path in tmp_path.iterdir()} == names - {"fold-3"}


def test_the_command_resumes_and_says_what_python_says(source, tuner, tmp_path):
    write_kbest(source.candidates(np.zeros(0)), tmp_path / "dev.nbest", "cdec")
    (tmp_path / "dev.en").write_text("".join(f"{each[0]}\n" for each in source.references))
    given = ["tune", "--candidates", tmp_path / "dev.nbest", "--refs", tmp_path / "dev.en", "--recipe", "pro"]

    def run(*more):
        return CliRunner().invoke(app, [str(word) for word in (*given, "--seed", 3, "-q", *more)])

    ended = run("--cross-validate", 3, "-o", tmp_path / "folds", "-f", "json")
    assert ended.exit_code == 0, ended.output
    result = json.loads(ended.stdout)
    expected = cross_validate(tuner, source, folds=3)
    assert result["folds"] == [vars(row) for row in expected.folds]
    assert (result["p_value"], result["mean"]) == (expected.p_value, expected.mean)
    assert json.loads((tmp_path / "folds" / "cross-validation.json").read_text())["score"] == expected.score
    assert (tmp_path / "folds" / "heldout.out").read_text().splitlines() == list(expected.texts)
    before = (tmp_path / "folds" / "fold-2" / "weights.tsv").stat().st_mtime_ns
    assert run("--cross-validate", 3, "-o", tmp_path / "folds", "-f", "json").stdout == ended.stdout
    assert (tmp_path / "folds" / "fold-2" / "weights.tsv").stat().st_mtime_ns == before
    for more, message in (
        (["--cross-validate", 2, "-o", tmp_path / "folds"], "--restart"),
        (["--cross-validate", 1, "-o", tmp_path / "new"], "at least 2"),
        (["--cross-validate", 3, "--seeds", 2, "-o", tmp_path / "new"], "leave out"),
        (["--cross-validate", 3, "-o", tmp_path / "folds" / "fold-1"], "directory of one run"),
    ):
        refused = run(*more)
        assert refused.exit_code != 0
        assert message in refused.stderr
    text = run("--cross-validate", 3, "-o", tmp_path / "folds").stdout
    assert f"BLEU mean {expected.mean:.2f} SD {expected.deviation:.2f} over 3 folds" in text
