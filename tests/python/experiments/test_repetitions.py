"""Means, deviations and tests over repetitions recompute from the statistics they were made of."""

import statistics

import numpy as np
import pytest

from tunesmith.evaluation.bootstrap import paired_bootstrap
from tunesmith.experiments.repetitions import SAMPLES, deviation, judged, mean
from tunesmith.metrics import Bleu


def rows(seed, sentences=40):
    """Statistics of sentences of 8 words, of which more are right with some seeds than with others."""
    random = np.random.default_rng(seed)
    references = [[" ".join(f"w{at}{j}" for j in range(8))] for at in range(sentences)]
    texts = [
        " ".join(word if random.random() < 0.8 else "x" for word in reference[0].split())
        for reference in references
    ]
    found = Bleu().prepare(references).statistics(texts, np.arange(sentences))
    return np.asarray(found, dtype=np.float64)


def test_mean_and_deviation_are_those_of_the_standard_library():
    values = [44.1, 43.7, 45.0, 44.4]
    assert mean(values) == pytest.approx(statistics.mean(values))
    assert deviation(values) == pytest.approx(statistics.stdev(values))
    assert deviation([44.1]) is None


def test_repetitions_are_paired_by_name():
    metric = Bleu()
    base = {"full": rows(1), "sample-1": rows(2), "sample-2": rows(3)}
    found = judged(metric, {"full": rows(4), "sample-2": rows(5)}, base)
    assert found.scores == (metric.score(rows(4).sum(axis=0)), metric.score(rows(5).sum(axis=0)))
    means = mean(found.scores) - mean([float(metric.score(each.sum(axis=0))) for each in base.values()])
    assert found.difference.score == pytest.approx(means)
    pairs = [(rows(1), rows(4)), (rows(3), rows(5))]
    assert found.difference.p_bootstrap == pytest.approx(
        np.median([paired_bootstrap(metric, *pair, SAMPLES).p_value for pair in pairs])
    )


def test_a_tuning_does_not_differ_from_itself():
    runs = {"full": rows(1), "sample-1": rows(2)}
    found = judged(Bleu(), runs, runs)
    assert found.difference.score == 0.0
    assert found.difference.p_bootstrap == found.difference.p_randomization == 1.0


def test_no_repetition_in_common_compares_the_first():
    found = judged(Bleu(), {"seed-1": rows(1)}, {"full": rows(1)})
    assert found.difference.p_randomization == 1.0
    assert found.deviation is None
