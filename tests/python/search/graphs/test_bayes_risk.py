"""Minimum Bayes risk against its definition, and lists taken apart and sorted."""

import itertools

import numpy as np
import pytest

from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu, metrics
from tunesmith.metrics.sentence_bleu import BleuPlusOne
from tunesmith.search import CandidateSet
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.search.lists.taking import sorted_by

TEXTS = ["a b c d", "a b d c", "a b c d", "x y", "the cat sat", "the cat sat down", "the dog sat"]
OFFSETS = [0, 4, 4, 7]
SCORES = np.array([-1.0, -0.5, -2.0, -0.1, 3.0, 2.5, 2.0])


def lists(texts=TEXTS, offsets=OFFSETS):
    return CandidateSet.from_matrix(np.arange(len(texts), dtype=float)[:, None], offsets, texts=texts)


@pytest.mark.parametrize("name", ["bleu", "chrf", "ter", "bleu+1"])
@pytest.mark.parametrize("scale", [0.0, 1.0, 2.5])
def test_expected_gains_are_those_of_the_definition(name, scale):
    """Σ_j p_j · gain(i, j) over all candidates j, each with its own probability."""
    metric = metrics.make(name)
    expected = []
    for begin, end in itertools.pairwise(OFFSETS):
        weights = np.exp(scale * SCORES[begin:end])
        for hypothesis in TEXTS[begin:end]:
            gains = []
            for reference in TEXTS[begin:end]:
                rows = metric.prepare([[reference]]).statistics([hypothesis])
                if isinstance(metric, Bleu):
                    gains.append(BleuPlusOne().scores(rows)[0])
                else:
                    sign = 1 if metric.higher_is_better else -1
                    gains.append(sign * metric.sentence_scores(rows)[0] / 100)
            expected.append(np.dot(weights / weights.sum(), gains))
    found = BayesRisk(metric, scale).expected_gains(lists(), SCORES)
    assert np.allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("scale", [1e308, -1e308])
def test_an_enormous_scale_leaves_the_likeliest(scale):
    """All mass on the candidates with the best score (the worst, below 0): no overflow on the way."""
    scores = np.sign(scale) * SCORES
    best = np.concatenate(
        [np.where(part == part.max(), 0.0, -1000.0) for part in np.split(scores, OFFSETS[1:-1]) if len(part)]
    )
    risk = BayesRisk(metrics.make("chrf"), scale)
    found = risk.expected_gains(lists(), SCORES)
    assert np.array_equal(found, BayesRisk(risk.metric).expected_gains(lists(), best))


def test_threads_and_blocks_change_nothing(monkeypatch):
    c = lists()
    risk = BayesRisk(Bleu())
    found = risk.expected_gains(c, SCORES)
    assert risk.expected_gains(c, SCORES, threads=2).tobytes() == found.tobytes()
    monkeypatch.setattr("tunesmith.search.lists.bayes_risk._AT_ONCE", 2)
    assert np.array_equal(risk.expected_gains(c, SCORES), found)


def test_lists_with_empty_candidates_and_wrong_scores():
    found = BayesRisk(Bleu()).expected_gains(lists(["", "a"], [0, 2]), np.zeros(2))
    assert np.isfinite(found).all()
    with pytest.raises(ConfigError, match="scores of shape"):
        BayesRisk(Bleu()).expected_gains(lists(), SCORES[:3])
    with pytest.raises(ConfigError, match="finite"):
        BayesRisk(Bleu(), float("nan"))


def test_lists_are_sorted_and_cut():
    c = sorted_by(lists(), SCORES, most=2)
    assert c.offsets.tolist() == [0, 2, 2, 4]
    assert [c.text(at) for at in range(4)] == ["x y", "a b d c", "the cat sat", "the cat sat down"]
    assert c.model_scores.tolist() == [-0.1, -0.5, 3.0, 2.5]
    assert c.rows().toarray().reshape(-1).tolist() == [3, 1, 4, 5]
    same = sorted_by(lists(), np.zeros(7))
    assert same.rows().toarray().reshape(-1).tolist() == list(range(7))


def test_what_is_taken_is_what_was_there():
    c = lists().with_statistics(Bleu().prepare([["a b c d"], ["x"], ["the cat"]]))
    taken = c.take([6, 0, 0], [0, 1, 3])
    assert [taken.text(at) for at in range(3)] == [TEXTS[6], TEXTS[0], TEXTS[0]]
    assert np.array_equal(taken.statistics, c.statistics[[6, 0, 0]])
    assert len(c.take([], [0])) == 0
    with pytest.raises(ConfigError, match="candidates must be from 0 to 6"):
        c.take([7], [0, 1])
