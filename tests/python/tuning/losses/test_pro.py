"""PRO: its loss against NumPy and scikit-learn, gains of the corpus."""

import numpy as np
import pytest
from reference import tuning as slow
from support.lists.tuning_lists import random_lists, random_set

from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu, BleuPlusOne
from tunesmith.search import CandidateSet
from tunesmith.tuning import recipes
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.losses import PairwiseRanking
from tunesmith.tuning.losses.pairwise_ranking import RankedPairs
from tunesmith.tuning.optimizers import Fobos, Lbfgs
from tunesmith.tuning.pools.gains import corpus_gains
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.recipe import Recipe
from tunesmith.tuning.regularizers import L2, Oscar


def test_plain_uses_plain_bleu_plus_one():
    candidates = random_set(2, sentences=30)
    pairs = PairwiseRanking.plain().prepare(ListPool(candidates), Bleu(), 1)
    gains = BleuPlusOne().scores(candidates.statistics.astype(float))
    assert np.all(gains[pairs.better] - gains[pairs.worse] > 0.05)


@pytest.mark.parametrize("classifier", ["logistic", "hinge"])
@pytest.mark.parametrize("longest", [6, 200])
def test_loss_is_that_of_the_differences(classifier, longest):
    """Long lists have few used rows, short ones many: both ways to score them are met."""
    matrix, offsets, statistics = random_lists(4, sentences=20, longest=longest, sparse=8)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    sampled = PairwiseRanking(keep=8, classifier=classifier).prepare(ListPool(candidates), Bleu(), 1)
    differences = matrix[sampled.better] - matrix[sampled.worse]
    for seed in range(3):
        w = np.random.default_rng(seed).normal(size=12)
        value, gradient = sampled.value_and_grad(w)
        assert value == pytest.approx(slow.pair_loss(differences, w, classifier, 0.1), rel=1e-12)
        threaded = sampled.value_and_grad(w, threads=2)
        assert threaded[0] == value
        assert np.array_equal(threaded[1], gradient)


def weighted_pairs(seed=4, **options):
    matrix, offsets, statistics = random_lists(seed, sentences=20, sparse=8)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    sampled = PairwiseRanking(keep=8, gain="corpus", min_gain=0.0, **options).prepare(
        ListPool(candidates), Bleu(), 1
    )
    return matrix[sampled.better] - matrix[sampled.worse], sampled


def test_gains_of_the_corpus_are_what_its_metric_gains():
    """One candidate taken for another in a corpus of mean candidates: the metric moves by the difference."""
    matrix, offsets, statistics = random_lists(3, sentences=200)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    gains = corpus_gains(candidates, Bleu())
    rows = statistics.astype(float)
    total = np.add.reduceat(rows / np.diff(offsets)[candidates.sentence_of][:, None], offsets[:-1]).sum(0)
    score = float(Bleu().score(total))
    for first, second in zip(offsets[:-1], offsets[1:] - 1, strict=True):
        change = rows[second] - rows[first]
        moved = (float(Bleu().score(total + 1e-3 * change)) - score) / 1e-3
        assert moved * candidates.sentences / 100 == pytest.approx(gains[second] - gains[first], abs=2e-3)


def test_errors_count_less_the_fewer_they_are():
    """A metric of errors has gains of the other sign."""
    from tunesmith.metrics import Ter

    rows = np.array([[1.0, 10.0], [4.0, 10.0], [2.0, 10.0], [2.0, 10.0]])
    candidates = CandidateSet.from_matrix(np.eye(4), [0, 2, 4], statistics=rows)
    gains = corpus_gains(candidates, Ter())
    assert gains[0] - gains[1] == pytest.approx(3 / 10)
    assert gains[2] == gains[3]


def test_gains_below_zero_are_gains():
    """Scores from elsewhere may be negative, as those of COMET are; the mean of a corpus is linear in them."""
    from tunesmith.metrics import Precomputed

    scores = np.array([-1.0, 0.0, -0.4, -0.6])
    candidates = CandidateSet.from_matrix(np.eye(4), [0, 2, 4], statistics=np.column_stack([scores, np.ones(4)]))
    gains = corpus_gains(candidates, Precomputed())
    assert gains - gains[0] == pytest.approx((scores + 1.0) / Precomputed().scale)


@pytest.mark.parametrize("classifier", ["logistic", "hinge"])
def test_pairs_of_corpus_gains_count_by_their_gain(classifier):
    differences, sampled = weighted_pairs(classifier=classifier)
    gains = corpus_gains(sampled.candidates, Bleu())
    weights = gains[sampled.better] - gains[sampled.worse]
    assert np.all(weights > 0)
    w = np.random.default_rng(1).normal(size=12)
    losses = np.array([slow.pair_loss(each[None], w, classifier, 0.1) for each in differences])
    value, gradient = sampled.value_and_grad(w)
    assert value == pytest.approx(weights @ losses / weights.sum(), rel=1e-12)
    step = 1e-6 * np.eye(12)
    slopes = [(sampled.value_and_grad(w + d)[0] - sampled.value_and_grad(w - d)[0]) / 2e-6 for d in step]
    assert gradient == pytest.approx(slopes, abs=1e-7)
    half = np.arange(sampled.candidates.sentences) % 2 == 0
    kept = half[sampled.candidates.sentence_of[sampled.better]]
    assert np.array_equal(sampled.of_sentences(half).weights, weights[kept])


def test_mean_squares_are_those_of_the_differences():
    differences, sampled = weighted_pairs()
    found = sampled.mean_squares()
    assert found == pytest.approx(np.average(differences**2, axis=0, weights=sampled.weights), rel=1e-12)
    assert np.array_equal(found, sampled.mean_squares(threads=2))
    plain = RankedPairs(sampled.candidates, sampled.better, sampled.worse)
    assert plain.mean_squares() == pytest.approx(np.mean(differences**2, axis=0), rel=1e-12)


def test_scaled_weights_have_the_same_optimum_in_fewer_iterations():
    """Features a thousand times apart in size; bounds and a fixed weight stay what they are."""
    matrix, offsets, statistics = random_lists(9, sentences=40, sparse=8)
    matrix = matrix * np.logspace(-2, 2, 12)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics, names=[f"f{at}" for at in range(12)])
    sampled = PairwiseRanking().prepare(ListPool(candidates), Bleu(), 1)
    start = np.full(12, 1e-4)
    limits = Constraints(bounds=("f3>=0", "f3<=0.001"), fixed=("f5",)).resolve(candidates.features, start)
    found = [
        Lbfgs(tol=1e-12, iterations=3000, scaled=scaled).minimize(sampled, L2(1e-4), start, seed=1, limits=limits)
        for scaled in (False, True)
    ]
    assert found[1].value == pytest.approx(found[0].value, rel=1e-7)
    assert found[1].weights == pytest.approx(found[0].weights, rel=1e-2, abs=1e-4)
    assert found[1].weights[5] == 1e-4
    assert 0 <= found[1].weights[3] <= 0.001
    assert 2 * found[1].details["iterations"] < found[0].details["iterations"]


def test_what_cannot_work_together_is_told_before_any_work():
    pairs = PairwiseRanking(gain="corpus", classifier="hinge")
    with pytest.raises(ConfigError, match="gain=sentence"):
        Recipe("x", pairs, Fobos(), Oscar.published())
    with pytest.raises(ConfigError, match="gain=sentence"):
        recipes.oscar().with_settings("grouping.loss.gain=corpus")
    with pytest.raises(ConfigError, match="losses of pairs"):
        recipes.risk().with_settings("scaled=true")


def test_optimum_is_that_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression

    matrix, offsets, statistics = random_lists(9, sentences=40)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    sampled = PairwiseRanking().prepare(ListPool(candidates), Bleu(), 1)
    strength = 0.01
    fitted = Lbfgs(tol=1e-9, iterations=500).minimize(sampled, L2(strength), np.zeros(4), seed=1)
    differences = matrix[sampled.better] - matrix[sampled.worse]
    both = np.concatenate([differences, -differences])  # both signs of every pair, as published
    signs = np.repeat([1, -1], len(differences))
    judge = LogisticRegression(C=1 / (strength * len(both)), fit_intercept=False, tol=1e-10, max_iter=10_000)
    assert np.allclose(judge.fit(both, signs).coef_[0], fitted.weights, atol=1e-5)


def test_nothing_to_rank_is_said():
    matrix, offsets, statistics = random_lists(1)
    statistics[:] = statistics[0]
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    with pytest.raises(ConfigError, match="nothing to rank"):
        PairwiseRanking().prepare(ListPool(candidates), Bleu(), 1)
    with pytest.raises(ConfigError, match="no statistics"):
        PairwiseRanking().prepare(ListPool(CandidateSet.from_matrix(matrix, offsets)), Bleu(), 1)


def test_pairs_that_do_not_fit_are_refused():
    candidates = random_set(1)
    with pytest.raises(ValueError, match="two sentences"):
        RankedPairs(candidates, np.array([0]), np.array([len(candidates) - 1]))
    with pytest.raises(ValueError, match="order of sentences"):
        RankedPairs(candidates, np.array([len(candidates) - 1, 0]), np.array([len(candidates) - 1, 0]))
    with pytest.raises(ValueError, match="order of sentences"):
        RankedPairs(candidates, np.array([-3]), np.array([0]))
    with pytest.raises(ValueError, match="as many"):
        RankedPairs(candidates, np.array([0]), np.array([0, 1]))
    with pytest.raises(ValueError, match="features"):
        RankedPairs(candidates, np.array([0]), np.array([0])).value_and_grad(np.zeros(3))
    for weights, told in (
        ([1.0, 2.0], "every pair"),
        ([0.0], "above 0"),
        ([np.inf], "above 0"),
        ([np.nan], "above 0"),
    ):
        with pytest.raises(ValueError, match=told):
            RankedPairs(candidates, np.array([0]), np.array([0]), weights=np.array(weights))


@pytest.mark.parametrize(
    "bad",
    [
        {"pairs": 0}, {"keep": 0}, {"min_gain": -1.0}, {"max_gain": 0.0}, {"outliers": -1.0}, {"accept": "x"},
        {"classifier": "x"}, {"smoothing": -1.0}, {"brevity": -1.0}, {"max_length_difference": float("nan")},
    ],
)  # fmt: skip
def test_bad_settings_are_refused(bad):
    with pytest.raises(ConfigError, match=next(iter(bad))):
        PairwiseRanking(**bad)
