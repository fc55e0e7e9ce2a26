"""Intervals and paired tests against sacrebleu 2.x, whose random numbers are others than ours."""

import numpy as np
import pytest
import sacrebleu.significance
from reference.made_up import damaged, references
from reference.resampling import monte_carlo_error
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER

from tunesmith.evaluation.bootstrap import confidence_interval, interval_of, paired_bootstrap
from tunesmith.evaluation.randomization import approximate_randomization
from tunesmith.evaluation.resample import swap_sums
from tunesmith.metrics import Bleu, ChrF, Ter

N = 120
REFERENCES = references(N, seed=5)
FIRST = [sentence[0] for sentence in REFERENCES]
STREAMS = [list(stream) for stream in zip(*REFERENCES, strict=True)]
BASE = damaged(FIRST, 0.30, seed=1)
SYSTEMS = {
    "clearly better": damaged(FIRST, 0.15, seed=2),
    "slightly better": [
        b if at % 4 else f for at, (b, f) in enumerate(zip(BASE, damaged(FIRST, 0.2, 3), strict=True))
    ],
    "noise": damaged(FIRST, 0.30, seed=4),
    "clearly worse": damaged(FIRST, 0.5, seed=6),
}
PAIRS = {
    "BLEU": (Bleu(), lambda: BLEU(tokenize="none", force=True)),
    "chrF": (ChrF(), CHRF),
    "TER": (Ter(), TER),
}


@pytest.fixture(params=PAIRS, scope="module")
def judged(request):
    """Our metric with rows of the base, and sacrebleu's results by test and system."""
    metric, make = PAIRS[request.param]
    theirs = {}
    for kind, samples in (("bs", 1000), ("ar", 2000)):
        named = [("base", BASE), *SYSTEMS.items()]
        _, results = sacrebleu.significance.PairedTest(
            named, {"m": make()}, STREAMS, test_type=kind, n_samples=samples
        )()
        (key,) = set(results) - {"System"}
        theirs[kind] = dict(zip(["base", *SYSTEMS], results[key], strict=True))
    prepared = metric.prepare(REFERENCES)
    return metric, prepared, prepared.statistics(BASE), theirs


def agree(ours, theirs, n_ours, n_theirs):
    """Within Monte-Carlo error of both, and the same verdict at 0.05 unless 0.05 lies within it."""
    error = monte_carlo_error(theirs, n_theirs) + monte_carlo_error(ours, n_ours)
    assert abs(ours - theirs) <= error
    assert (ours < 0.05) == (theirs < 0.05) or abs(theirs - 0.05) <= error


def share_of_ties(metric, base, system, trials):
    swapped = swap_sums(system - base, trials, seed=1)
    differences = metric.score(base.sum(axis=0) + swapped) - metric.score(system.sum(axis=0) - swapped)
    real = float(metric.score(system.sum(axis=0)) - metric.score(base.sum(axis=0)))
    return np.mean(np.abs(np.abs(differences) - abs(real)) < 1e-9)


@pytest.mark.parametrize("name", SYSTEMS)
def test_paired_bootstrap_agrees(judged, name):
    metric, prepared, base, theirs = judged
    found = paired_bootstrap(metric, base, prepared.statistics(SYSTEMS[name]), samples=4000)
    agree(found.p_value, theirs["bs"][name].p_value, 4000, 1000)


@pytest.mark.parametrize("name", SYSTEMS)
def test_approximate_randomization_agrees(judged, name):
    metric, prepared, base, theirs = judged
    system = prepared.statistics(SYSTEMS[name])
    found = approximate_randomization(metric, base, system, trials=10000)
    # Riezler and Maxwell count trials that equal the real difference, sacrebleu does not. It matters for TER:
    # its differences are whole numbers of edits.
    agree(found.p_value - share_of_ties(metric, base, system, 10000), theirs["ar"][name].p_value, 10000, 2000)
    assert (found.p_value < 0.05) == (theirs["ar"][name].p_value < 0.05)


@pytest.mark.parametrize("name", ["base", *SYSTEMS])
def test_score_and_interval_agree(judged, name):
    metric, prepared, _, theirs = judged
    rows = prepared.statistics({"base": BASE, **SYSTEMS}[name])
    result = theirs["bs"][name]
    assert float(metric.score(rows.sum(axis=0))) == pytest.approx(result.score, abs=1e-9)
    found = confidence_interval(metric, rows, samples=4000)
    assert found.half_width == pytest.approx(float(result.ci), rel=0.12)  # more than three standard errors
    assert found.mean == pytest.approx(float(result.mean), abs=0.1 * float(result.ci))
    assert found.low < result.score < found.high


def test_the_interval_has_the_ranks_of_sacrebleu():
    for n in (1, 2, 39, 40, 41, 1000, 1013):
        scores = np.random.default_rng(n).normal(size=n)
        mean, half = sacrebleu.significance.estimate_ci(scores)
        found = interval_of(scores)
        assert (found.mean, found.half_width) == pytest.approx((mean, half), abs=1e-12)
