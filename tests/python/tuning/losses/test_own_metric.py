"""A metric that declares to be like BLEU is treated as BLEU, whoever wrote it."""

from dataclasses import dataclass
from dataclasses import replace as changed

import numpy as np
import pytest
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.metrics import Bleu, BleuSmoothing, ChrF, Metric, Precomputed, Ter, bleu_gains
from tunesmith.search import CandidateSet
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.tuning import KBestSource, Tuner
from tunesmith.tuning.pools.gains import lengths_of, sentence_gains
from tunesmith.tuning.recipes import recipes

LINES, REFERENCES = toy_data()


@dataclass(frozen=True)
class Undeclared(Metric):
    """BLEU as a user writes it, declaring nothing to tuners."""

    name = "own"
    label = "own"
    width = 10

    def prepare(self, references):
        return Bleu().prepare(references)

    def score(self, statistics):
        return Bleu().score(statistics)

    def sentence_scores(self, rows):
        return Bleu().sentence_scores(rows)

    def settings(self):
        return {}


class Declared(Undeclared):
    """The same with everything a tuner may ask; scores of many corpora at once are left to the kernels."""

    bleu_smoothing = BleuSmoothing("exp")

    def sentence_gains(self, rows, *, brevity=0.0, sentence_bleu="plus_one"):
        return bleu_gains(rows, brevity, sentence_bleu)

    def lengths(self, rows):
        return rows[:, 0].astype(np.float64)

    def score(self, statistics):
        assert np.ndim(statistics) == 1
        return super().score(statistics)


def tuned(recipe, metric):
    """Weights and scores of all rounds, as bytes."""
    made = changed(recipes.make(recipe), metric=metric).with_settings("rounds=3")
    tuner = Tuner.from_recipe(made).fit(KBestSource(ToyDecoder(), LINES, REFERENCES, k=12))
    scores = [row.score for row in tuner.history_]
    return np.array(tuner.weights_.array).tobytes(), np.array(scores).tobytes()


@pytest.mark.parametrize("recipe", ["mert", "mira", "pro", "risk", "svm"])
def test_a_declared_metric_gives_the_bytes_of_bleu(recipe):
    assert not issubclass(Declared, Bleu)
    assert tuned(recipe, Declared()) == tuned(recipe, Bleu())


@pytest.mark.parametrize("recipe", ["mira", "pro"])
def test_it_is_the_declaration_that_counts(recipe):
    assert tuned(recipe, Undeclared()) != tuned(recipe, Bleu())


def candidates():
    return KBestSource(ToyDecoder(), LINES, REFERENCES, k=12).candidates(np.zeros(3))


def test_gains_and_lengths_are_those_the_metric_declares():
    lists = candidates().with_statistics(Bleu().prepare(REFERENCES))
    for brevity in (0.0, 0.5):
        for version in ("plus_one", "interpolated"):
            expected = sentence_gains(lists, Bleu(), brevity, version)
            assert sentence_gains(lists, Declared(), brevity, version).tobytes() == expected.tobytes()
            assert sentence_gains(lists, Undeclared(), brevity, version).tobytes() != expected.tobytes()
    bare = CandidateSet(lists.matrix, lists.offsets, features=lists.features, statistics=lists.statistics)
    words = np.diff(lists.words.offsets)
    assert lengths_of(bare, Declared()).tolist() == lengths_of(bare, Bleu()).tolist() == words.tolist()
    assert lengths_of(lists, Undeclared()).tolist() == words.tolist()
    assert not lengths_of(bare, Undeclared()).any()


def test_bayes_risk_asks_for_the_same_gains():
    lists = candidates()
    scores = lists.scores(np.ones(3))
    expected = BayesRisk(Bleu()).expected_gains(lists, scores)
    assert BayesRisk(Declared()).expected_gains(lists, scores).tobytes() == expected.tobytes()
    assert BayesRisk(Undeclared()).expected_gains(lists, scores).tobytes() != expected.tobytes()


def test_gains_of_other_metrics_are_shares_of_a_perfect_score_and_errors_are_negative():
    lines, references = ["the cat sat", "a dog"], [["the cat sat"], ["the cat sat"]]
    for metric in (ChrF(), Ter()):
        gains = metric.sentence_gains(metric.prepare(references).statistics(lines))
        assert gains[0] == pytest.approx(1.0 if metric.higher_is_better else 0.0)
        assert gains[1] < gains[0]
        assert metric.bleu_smoothing is None
        assert metric.lengths(np.ones((2, metric.width))) is None
    comet = Precomputed(full_score=1.0)
    assert comet.sentence_gains(comet.statistics(np.array([0.25, 0.5]))).tolist() == [0.25, 0.5]


def test_gains_leave_rows_as_they_are():
    rows = Bleu().prepare(REFERENCES).statistics(LINES)
    before = rows.copy()
    bleu_gains(rows, 0.5)
    assert np.array_equal(rows, before)
