"""What must hold of the paired tests on any data."""

import subprocess
import sys

import numpy as np
import pytest
from reference.made_up import damaged, references
from reference.resampling import monte_carlo_error

from tunesmith import ConfigError
from tunesmith.evaluation import resample
from tunesmith.evaluation.significance import (
    approximate_randomization,
    bootstrap_scores,
    confidence_interval,
    paired_bootstrap,
)
from tunesmith.metrics import Bleu, ChrF, MeanBleuPlusOne, Nist, Precomputed, Ter

METRICS = [Bleu(), MeanBleuPlusOne(), Nist(), ChrF(), Ter()]
REFERENCES = references(60, seed=2)
FIRST = [sentence[0] for sentence in REFERENCES]
BASE, SYSTEM = damaged(FIRST, 0.32, seed=1), damaged(FIRST, 0.24, seed=2)


@pytest.fixture(params=METRICS, ids=lambda metric: metric.label)
def pair(request):
    metric = request.param
    prepared = metric.prepare(REFERENCES)
    return metric, prepared.statistics(BASE), prepared.statistics(SYSTEM)


def test_identical_systems_are_not_different(pair):
    metric, base, _ = pair
    found = paired_bootstrap(metric, base, base.copy(), samples=200)
    assert (found.p_value, found.p_two_sided, found.wins, found.ties) == (1, 1, 0, 1)
    assert approximate_randomization(metric, base, base.copy(), trials=200).p_value == 1


def test_swapping_base_and_system_keeps_p(pair):
    metric, base, system = pair
    there, back = paired_bootstrap(metric, base, system), paired_bootstrap(metric, system, base)
    assert there.p_value == back.p_value
    assert there.p_two_sided == back.p_two_sided
    assert there.wins + there.ties + back.wins == pytest.approx(1)
    there, back = (approximate_randomization(metric, *both) for both in ((base, system), (system, base)))
    assert there == back


def test_the_order_of_sentences_does_not_matter(pair):
    metric, base, system = pair
    order = np.random.default_rng(0).permutation(len(base))
    for test in (
        lambda *rows: paired_bootstrap(metric, *rows, samples=4000).p_two_sided,
        lambda *rows: approximate_randomization(metric, *rows, trials=4000).p_value,
    ):
        one, other = test(base, system), test(base[order], system[order])
        assert one == pytest.approx(other, abs=1.5 * monte_carlo_error(one, 4000))


def test_the_seed_decides(pair):
    metric, base, system = pair
    assert np.array_equal(bootstrap_scores(metric, base, 50, 7), bootstrap_scores(metric, base, 50, 7))
    assert not np.array_equal(bootstrap_scores(metric, base, 50, 7), bootstrap_scores(metric, base, 50, 8))
    first = [approximate_randomization(metric, base, system, 500, seed).p_value for seed in range(4)]
    assert first == [approximate_randomization(metric, base, system, 500, seed).p_value for seed in range(4)]


def test_block_size_does_not_matter(pair, monkeypatch):
    metric, base, system = pair
    before = paired_bootstrap(metric, base, system, 300), approximate_randomization(metric, base, system, 300)
    monkeypatch.setattr(resample, "_BLOCK", 1000)
    after = paired_bootstrap(metric, base, system, 300), approximate_randomization(metric, base, system, 300)
    assert before == after


def test_all_systems_and_metrics_see_the_same_resamples():
    one, other = np.eye(5), np.eye(5)[::-1]
    assert np.array_equal(resample.bootstrap_sums(one, 40, 1), resample.bootstrap_sums(other, 40, 1)[:, ::-1])
    assert np.array_equal(resample.swap_sums(one, 40, 1), resample.swap_sums(other, 40, 1)[:, ::-1])
    assert np.all(resample.bootstrap_sums(one, 40, 1).sum(axis=1) == 5)


def test_fair_coins_and_fair_draws():
    coins = resample.swap_sums(np.eye(11), 8000, 1)
    assert set(np.unique(coins)) == {0, 1}
    assert coins.mean(axis=0) == pytest.approx(0.5, abs=0.03)
    assert np.abs(np.corrcoef(coins.T) - np.eye(11)).max() < 0.06
    draws = resample.bootstrap_sums(np.eye(11), 8000, 1)
    assert draws.mean(axis=0) == pytest.approx(1, abs=0.06)
    assert draws.var(axis=0) == pytest.approx(10 / 11, rel=0.1)  # binomial


def test_results_do_not_depend_on_blas_threads():
    """Statistics that are not whole numbers, in new processes, since BLAS reads its threads when it is loaded."""
    program = (
        "import numpy as np; from tunesmith.evaluation.resample import bootstrap_sums, swap_sums;"
        "rows = np.random.default_rng(0).normal(size=(3000, 12));"
        "print(bootstrap_sums(rows, 60, 1).tobytes().hex(), swap_sums(rows, 60, 1).tobytes().hex())"
    )
    seen = set()
    for threads in ("1", "2", "4"):
        variables = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), threads)
        command = [sys.executable, "-c", f"import os; os.environ.update({variables!r}); {program}"]
        seen.add(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert len(seen) == 1


def p_values_under_the_null(test, experiments=300, n=60):
    """Of two equally good systems on ever new sentences."""
    metric, random = Precomputed(), np.random.default_rng(11)
    found = []
    for seed in range(experiments):
        difficulty = random.normal(size=n)
        base, system = (metric.statistics(difficulty + random.normal(size=n)) for _ in range(2))
        found.append(test(metric, base, system, seed))
    return np.sort(found)


def distance_from_uniform(p_values):
    """Kolmogorov and Smirnov's D; 1.63 / sqrt(n) is its 99 % quantile."""
    n = len(p_values)
    return max(np.abs(p_values - np.arange(n) / n).max(), np.abs(p_values - np.arange(1, n + 1) / n).max())


def test_p_of_randomization_is_uniform_under_the_null():
    found = p_values_under_the_null(lambda m, b, s, seed: approximate_randomization(m, b, s, 400, seed).p_value)
    assert distance_from_uniform(found) < 1.63 / np.sqrt(len(found))


def test_two_sided_p_of_the_bootstrap_is_uniform_under_the_null():
    found = p_values_under_the_null(lambda m, b, s, seed: paired_bootstrap(m, b, s, 400, seed).p_two_sided)
    assert distance_from_uniform(found) < 1.63 / np.sqrt(len(found))


def test_p_in_the_manner_of_sacrebleu_is_not_uniform_but_about_half():
    """The documented pitfall: 5 % asked for, about 10 % of equal systems called different."""
    found = p_values_under_the_null(lambda m, b, s, seed: paired_bootstrap(m, b, s, 400, seed).p_value)
    assert found.max() < 0.55
    assert 0.06 < np.mean(found < 0.05) < 0.16


def test_the_interval_covers_the_truth_about_as_often_as_promised():
    metric, random = Precomputed(), np.random.default_rng(3)
    covered = 0
    for seed in range(300):
        interval = confidence_interval(metric, metric.statistics(random.normal(size=80)), 300, seed, level=0.9)
        covered += interval.low <= 0 <= interval.high
    assert 0.84 <= covered / 300 <= 0.95


def test_a_higher_level_gives_a_wider_interval(pair):
    metric, base, _ = pair
    widths = [confidence_interval(metric, base, level=level).half_width for level in (0.5, 0.9, 0.99)]
    assert widths == sorted(widths)
    assert widths[0] > 0


def test_lower_is_better_turns_wins_around():
    random = np.random.default_rng(0)
    scores = random.normal(size=(2, 50))
    scores[1] += 0.3
    for lower in (False, True):
        metric = Precomputed(lower_is_better=lower)
        found = paired_bootstrap(metric, *(metric.statistics(each) for each in scores))
        assert (found.wins > 0.5) == (not lower)


@pytest.mark.parametrize("shape", [(0, 10), (10,), (4, 4)])
def test_rows_that_cannot_be_paired(shape):
    with pytest.raises(ConfigError, match="statistics of shape"):
        paired_bootstrap(Bleu(), np.ones((5, 10)) if shape == (4, 4) else np.zeros(shape), np.zeros(shape))


@pytest.mark.parametrize("call", [confidence_interval, bootstrap_scores])
def test_no_samples(call):
    with pytest.raises(ConfigError, match="samples must be at least 1, got 0"):
        call(Bleu(), np.ones((5, 10)), samples=0)


def test_no_trials():
    with pytest.raises(ConfigError, match="trials must be at least 1, got 0"):
        approximate_randomization(Bleu(), np.ones((5, 10)), np.ones((5, 10)), trials=0)


@pytest.mark.parametrize("level", [0, 1, 95])
def test_levels_are_shares(level):
    with pytest.raises(ConfigError, match="between 0 and 1"):
        confidence_interval(Bleu(), np.ones((5, 10)), level=level)
