"""Resampling against full enumeration where that is possible."""

import numpy as np
import pytest
from reference.made_up import damaged, references
from reference.resampling import exact_bootstrap, exact_randomization, monte_carlo_error

from tunesmith.evaluation.bootstrap import bootstrap_scores, paired_bootstrap
from tunesmith.evaluation.randomization import approximate_randomization
from tunesmith.metrics import Bleu, ChrF, Precomputed, Ter

METRICS = [Bleu(), ChrF(), Ter(), Precomputed(), Precomputed(lower_is_better=True)]


def tiny_pair(metric, n, seed):
    """Rows of two systems on n sentences."""
    if isinstance(metric, Precomputed):
        random = np.random.default_rng(seed)
        base = random.normal(size=n)
        return metric.statistics(base), metric.statistics(base + random.normal(0.3, 0.7, size=n))
    refs = references(n, seed)
    first = [sentence[0] for sentence in refs]
    prepared = metric.prepare(refs)
    return tuple(prepared.statistics(damaged(first, rate, seed + at)) for at, rate in ((1, 0.4), (2, 0.25)))


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.label)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_paired_bootstrap_approaches_full_enumeration(metric, n):
    base, system = tiny_pair(metric, n, seed=n)
    exact = exact_bootstrap(metric, base, system, 20000)
    found = paired_bootstrap(metric, base, system, samples=20000, seed=3)
    assert found.wins == pytest.approx(exact["wins"], abs=monte_carlo_error(exact["wins"], 20000))
    assert found.ties == pytest.approx(exact["ties"], abs=monte_carlo_error(exact["ties"], 20000))
    for p, (low, high) in ((found.p_value, exact["p_value"]), (found.p_two_sided, exact["p_two_sided"])):
        assert low - monte_carlo_error(low, 20000) <= p <= high + monte_carlo_error(high, 20000)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.label)
@pytest.mark.parametrize("n", [1, 2, 5, 10])
def test_approximate_randomization_approaches_full_enumeration(metric, n):
    base, system = tiny_pair(metric, n, seed=10 + n)
    exact = exact_randomization(metric, base, system)
    found = approximate_randomization(metric, base, system, trials=20000, seed=3)
    assert found.p_value == pytest.approx(exact, abs=monte_carlo_error(exact, 20000))


def test_one_sentence_can_prove_nothing():
    base, system = tiny_pair(Bleu(), 1, seed=1)
    assert approximate_randomization(Bleu(), base, system, trials=100).p_value == 1


def test_resamples_have_as_many_sentences_as_the_corpus():
    metric = Precomputed()
    rows = metric.statistics(np.arange(7.0))
    scores = bootstrap_scores(metric, rows, samples=500)
    assert np.allclose(7 * scores, np.round(7 * scores))  # sums of seven whole numbers
    assert scores.min() >= 0
    assert scores.max() <= 6
