"""Parts that fit, parts that do not, and settings as users type them."""

from dataclasses import replace

import numpy as np
import pytest

from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Bleu
from tunesmith.tuning import capabilities, compat, recipes
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.losses import CorpusError, ExpectedGain, HopeFear, PairwiseRanking, StructuredHinge
from tunesmith.tuning.losses.base import losses
from tunesmith.tuning.objectives import Descending, Objective
from tunesmith.tuning.optimizers import (
    CuttingPlanes,
    Fista,
    Fobos,
    Lbfgs,
    LineSearch,
    PassiveAggressive,
    StochasticGradient,
)
from tunesmith.tuning.optimizers.batch_oscar import BatchOscar
from tunesmith.tuning.pools.base import Pool, Sums
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.recipe import Recipe
from tunesmith.tuning.regularizers import L1, L2, Oscar

FITTING = [
    (CorpusError(), None, LineSearch()),
    (HopeFear(), None, PassiveAggressive()),
    (StructuredHinge(), L2(), CuttingPlanes()),
    (ExpectedGain(), None, StochasticGradient()),
    (ExpectedGain(), L2(), StochasticGradient()),
    *[(loss, reg, Lbfgs()) for loss in (PairwiseRanking(), ExpectedGain()) for reg in (None, L2())],
    *[(loss, reg, Fista()) for loss in (PairwiseRanking(), ExpectedGain()) for reg in (None, L1(), L2(), Oscar())],
]


@pytest.mark.parametrize(("loss", "regularizer", "optimizer"), FITTING, ids=repr)
def test_what_fits_passes(loss, regularizer, optimizer):
    compat.check(loss, regularizer, optimizer, Bleu())


@pytest.mark.parametrize(
    ("loss", "regularizer", "optimizer", "message"),
    [
        (
            CorpusError(), None, Fista(),
            r"Fista cannot minimize CorpusError: it needs value_and_grad\(\), CorpusError has envelope\(\)\. "
            r"Use LineSearch, or a loss such as \w+\.",
        ),
        (PairwiseRanking(), None, LineSearch(), r"needs envelope\(\).* Use Fista or Fobos or Lbfgs"),
        (HopeFear(), None, Lbfgs(), "Use PassiveAggressive"),
        (HopeFear(), L2(), PassiveAggressive(), "PassiveAggressive takes no regularizer, got L2. Leave"),
        (CorpusError(), L1(), LineSearch(), "LineSearch takes no regularizer"),
        (
            PairwiseRanking(), L1(), Lbfgs(),
            r"L1 has prox\(\) and strengths\(\)\. Use Fista or Fobos or Consensus or ShardedFobos, or .* L2",
        ),
        (PairwiseRanking(), Oscar(), Lbfgs(), "Use Fista"),
        (StructuredHinge(), None, CuttingPlanes(), "CuttingPlanes cannot do without a penalty. Use L2"),
        (StructuredHinge(), L2(0.0), CuttingPlanes(), "CuttingPlanes cannot do without a penalty. Use L2"),
        (StructuredHinge(), L1(), CuttingPlanes(), r"needs curvature\(\), .* or a regularizer such as L2"),
        (StructuredHinge(), L2(), Lbfgs(), r"has cutting_planes\(\) and value_and_oracles\(\)\. Use Cut"),
        (PairwiseRanking(), L2(), StochasticGradient(), "a loss such as ExpectedGain"),
        (ExpectedGain(), Oscar(), StochasticGradient(), "Use Fista"),
        ("mira", None, Lbfgs(), "str is not a loss"),
        (HopeFear(), None, "mira", "str is not an optimizer"),
        (PairwiseRanking(), "l2", Lbfgs(), "str is not a regularizer"),
    ],
)  # fmt: skip
def test_what_does_not_fit_fails_at_once(loss, regularizer, optimizer, message):
    with pytest.raises(ConfigError, match=message):
        compat.check(loss, regularizer, optimizer, Bleu())


@pytest.mark.parametrize("optimizer", [Fobos(), BatchOscar()], ids=repr)
def test_pairs_that_count_differently_are_not_for_every_optimizer(optimizer):
    compat.check(PairwiseRanking(), Oscar(), optimizer, Bleu())
    with pytest.raises(
        ConfigError,
        match=r"needs pairs\(\), PairwiseRanking has value_and_grad\(\)\. Use Fista or Lbfgs, or PairwiseRanking "
        r"with gain=sentence\.",
    ):
        compat.check(PairwiseRanking(gain="corpus"), Oscar(), optimizer, Bleu())
    with pytest.raises(ConfigError, match=r"needs strengths\(\)"):
        compat.check(PairwiseRanking(), L2(), optimizer, Bleu())


def test_curvature_is_not_known_by_every_loss():
    compat.check(PairwiseRanking(gain="corpus"), L2(), Lbfgs(scaled=True), Bleu())
    with pytest.raises(ConfigError, match="which know their curvature, not for ExpectedGain"):
        compat.check(ExpectedGain(), L2(), Lbfgs(scaled=True), Bleu())


class Graphs:
    """A pool that has the sums over its translations and no lists."""

    def expectation(self, metric, *, scale, entropy, brevity, sentence_bleu):
        """Not used."""


class Lists:
    """A pool of lists and nothing more."""

    candidates: object

    def project(self, groups):
        """Not used."""

    zero_columns = support = project


def test_a_pool_that_lacks_what_a_loss_needs():
    for loss in map(losses.make, losses):
        compat.check_pool(loss, ListPool)
    compat.check_pool(ExpectedGain(), Graphs)
    compat.check_pool(PairwiseRanking(), Lists)
    with pytest.raises(
        ConfigError, match=r"^ExpectedGain needs a pool with expectation\(\) \(Sums\), Lists has none\."
    ):
        compat.check_pool(ExpectedGain(), Lists)
    with pytest.raises(ConfigError, match=r"envelope\(\) \(Envelopes\), Graphs has none\. Use ExpectedGain\."):
        compat.check_pool(CorpusError(), Graphs)


def test_what_a_protocol_asks_for():
    """Properties count as methods do; what every objective has does not."""
    assert capabilities.members(Descending) == {"columns", "sentences", "value", "descend"}
    assert capabilities.missing(Graphs, Sums, Pool) == frozenset()
    assert capabilities.missing(Graphs, Descending, Objective) == {"sentences", "value", "descend"}


def test_a_metric_must_be_one():
    with pytest.raises(ConfigError, match="not a metric"):
        compat.check(HopeFear(), None, PassiveAggressive(), "bleu")


def test_recipes_by_name():
    assert isinstance(recipes.get("mert").optimizer, LineSearch)
    assert recipes.get("mira") == recipes.mira()
    assert recipes.get("pro", plain=True).loss == PairwiseRanking.plain()
    assert isinstance(recipes.get("risk", plain=True).optimizer, StochasticGradient)
    printed = recipes.get("online-mira", plain=True)
    assert (printed.loss.oracle, printed.loss.rival, printed.optimizer.bound) == ("gain", "model", "sum")
    assert recipes.get("svm").loss.oracle == "gain"
    assert recipes.get("ramp").loss.oracle == "model+gain"
    with pytest.raises(ConfigError, match="Did you mean 'mira'"):
        recipes.get("miira")
    with pytest.raises(ConfigError, match="only pro, risk and online-mira have a plain version"):
        recipes.get("mert", plain=True)


def test_oscar_is_algorithm_1_of_the_paper():
    """Liu et al. (2013): groups learnt online on training data in 20 passes, tuned by PRO; λ2 for d = 500,000."""
    recipe, printed = recipes.oscar(), recipes.pro(plain=True)
    assert (recipe.loss, recipe.optimizer, recipe.regularizer) == (
        printed.loss,
        printed.optimizer,
        printed.regularizer,
    )
    learner = recipe.plan.grouping.learner
    assert learner.optimizer == Fobos(passes=20, rate=1.0, delay=0.0, iterate="last", start="weights")
    assert learner.regularizer == Oscar(l1=1e-10, l2d=0.015)
    assert learner.regularizer.l2d / 500_000 == pytest.approx(3e-8)
    assert learner.loss == replace(PairwiseRanking.plain(), classifier="hinge")
    assert not recipe.plan.cross_fit


def test_settings_are_found_where_they_belong():
    settings = "keep=100,min_gain=0.1,rounds=3,iterations=7,strength=0.5,outliers=2,max_gain=none"
    changed = recipes.pro().with_settings(settings)
    assert changed.loss == PairwiseRanking(keep=100, min_gain=0.1, outliers=2.0)
    assert changed.plan.rounds == 3
    assert changed.optimizer == Lbfgs(iterations=7)
    assert changed.regularizer == L2(0.5)
    assert recipes.pro().with_settings(["loss.keep=4", "loss.accept=largest"]).loss.keep == 4
    assert recipes.pro().with_settings("from_zero=yes").optimizer.from_zero is True
    assert recipes.pro().with_settings("") == recipes.pro()
    assert recipes.pro().with_settings("l2=0.5") == recipes.pro().with_settings("regularizer.strength=0.5")
    assert recipes.l1().with_settings("l1=0.5").regularizer.strength == 0.5
    assert (
        recipes.oscar().with_settings("l1=0.5").plan.grouping.learner.regularizer.l1 == 0.5
    )  # a setting of that name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kep=3", r"pro has no setting 'kep'. Did you mean 'keep'. It has: .*loss\.keep"),
        ("keep", "cannot be read"),
        ("keep=many", "keep must be a whole number, got 'many'"),
        ("min_gain=x", "min_gain must be a number, got 'x'"),
        ("accept=all", "accept must be random or largest, got 'all'"),
        ("from_zero=7", "from_zero must be yes or no, got '7'"),
        ("keep=0", "keep must be from 1 to .*, got 0"),
        ("name=x", "no setting 'name'"),
        ("rounds=0", "at least 1"),
    ],
)
def test_settings_that_cannot_be(text, message):
    with pytest.raises(ConfigError, match=message):
        recipes.pro().with_settings(text)


def test_a_setting_of_two_parts_asks_for_more():
    recipe = Recipe("mine", ExpectedGain(), Fista(), replace(L1(), strength=0.1))
    assert recipe.with_settings("optimizer.tol=0.5").optimizer.tol == 0.5
    both = Recipe("mine", PairwiseRanking(smoothing=0.0), Lbfgs(), L2())
    with pytest.raises(ConfigError, match="has no setting"):
        both.with_settings("regularizer.tol=1")


def test_another_regularizer_brings_its_optimizer():
    assert recipes.pro().with_regularizer("oscar:l1=1e-3,l2=1e-5").regularizer == Oscar(1e-3, 1e-5)
    assert isinstance(recipes.pro().with_regularizer("l1").optimizer, Fista)
    assert isinstance(recipes.pro().with_regularizer("l2:strength=1").optimizer, Lbfgs)
    assert recipes.pro().with_regularizer("none").regularizer is None
    assert isinstance(recipes.risk().with_regularizer("oscar").optimizer, Fista)
    assert recipes.svm().with_regularizer("l2:strength=2").regularizer == L2(2.0)
    with pytest.raises(ConfigError, match="takes no regularizer"):
        recipes.mira().with_regularizer("l2")
    with pytest.raises(ConfigError, match="cannot do without a penalty"):
        recipes.svm().with_regularizer("none")
    with pytest.raises(ConfigError, match="Did you mean 'oscar'"):
        recipes.pro().with_regularizer("oscr")
    with pytest.raises(ConfigError, match="L1 has no setting 'l1'"):
        recipes.pro().with_regularizer("l1:l1=3")


def test_constraints_by_name_and_pattern():
    names = FeatureIndex(["lm", "lm2", "id:a_b", "id:[x]"])
    limits = Constraints(
        fixed=("lm",), bounds=("id:* >= 0", "id:a_b<=1"), penalties=("id:*=2", "lm2 = 0")
    ).resolve(names, np.array([0.5, 1.0, 2.0, 3.0]))
    assert limits.fixed.tolist() == [True, False, False, False]
    assert limits.lower.tolist() == [0.5, -np.inf, 0, 0]
    assert limits.upper.tolist() == [0.5, np.inf, 1, np.inf]
    assert limits.factors.tolist() == [1, 0, 2, 2]
    assert limits.clip(np.array([9.0, 9.0, 9.0, -9.0])).tolist() == [0.5, 9, 1, 0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"bounds": ("lm>0",)}, "bound 'lm>0' cannot be read"),
        ({"bounds": ("lm>=x",)}, "cannot be read"),
        ({"bounds": ("lm>=nan",)}, "cannot be read"),
        ({"penalties": ("lm",)}, "penalty 'lm' cannot be read"),
        ({"penalties": ("lm=-1",)}, "at least 0"),
    ],
)
def test_constraints_that_cannot_be_read(settings, message):
    with pytest.raises(ConfigError, match=message):
        Constraints(**settings)


def test_constraints_that_no_feature_has():
    for constraints in (
        Constraints(fixed=("ml",)),
        Constraints(bounds=("id:*>=0",)),
        Constraints(penalties=("x=1",)),
    ):
        with pytest.raises(ConfigError, match="no feature is called"):
            constraints.resolve(FeatureIndex(["lm"]), np.zeros(1))
    with pytest.raises(ConfigError, match="no weight of lm is between 1 and 0"):
        Constraints(bounds=("lm>=1", "lm<=0")).resolve(FeatureIndex(["lm"]), np.zeros(1))
