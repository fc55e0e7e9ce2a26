"""The known tuners by name: each a loss, an optimizer, perhaps a regularizer, and the plan of its rounds."""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.registry import Registry
from tunesmith.tuning.groups.partitions import Ranks, Shares
from tunesmith.tuning.groups.plan import GroupedRounds
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.batch import BatchRounds
from tunesmith.tuning.loop.online import OnlineRounds
from tunesmith.tuning.loop.parts import Learner
from tunesmith.tuning.losses import (
    CorpusError,
    ExpectedGain,
    HopeFear,
    OracleMargins,
    PairwiseRanking,
    StructuredHinge,
)
from tunesmith.tuning.optimizers import (
    AdaGrad,
    CuttingPlanes,
    Fobos,
    LargeMargin,
    Lbfgs,
    LineSearch,
    OnlinePassiveAggressive,
    PassiveAggressive,
    StochasticGradient,
)
from tunesmith.tuning.recipe import Recipe
from tunesmith.tuning.regularizers import L1, L2, CumulativeL1, Oscar
from tunesmith.tuning.sources.density import Density

recipes: Registry[Recipe] = Registry("recipe", "tunesmith.recipes")


def _recipe(name: str) -> Callable[[Callable[..., Recipe]], Callable[..., Recipe]]:
    """Register a function that makes a recipe, which then takes parts and settings too; see `Recipe.changed`."""

    def add(make: Callable[..., Recipe]) -> Callable[..., Recipe]:
        own = inspect.signature(make).parameters

        @functools.wraps(make)
        def made(**settings: Any) -> Recipe:
            chosen = {key: settings.pop(key) for key in own if key in settings}
            return make(**chosen).changed(**settings)

        return recipes.register(name)(made)

    return add


@_recipe("mert")
def mert() -> Recipe:
    """Maximise the metric itself by exact line search: for up to a few dozen features (Och 2003)."""
    return Recipe("mert", CorpusError(), LineSearch())


@_recipe("mira")
def mira() -> Recipe:
    """Separate hope from fear, in batches: for any number of features (Cherry and Foster 2012)."""
    return Recipe("mira", HopeFear(), PassiveAggressive())


@_recipe("lattice-mert")
def lattice_mert() -> Recipe:
    """Run MERT on whole search graphs: lattices and forests (Macherey et al. 2008, Kumar et al. 2009), not pruned.

    Derivations that were best somewhere on a line along which a step was made are kept for later rounds.
    """
    return Recipe("lattice-mert", CorpusError(), LineSearch(), graphs=Density(None))


@_recipe("lattice-mira")
def lattice_mira() -> Recipe:
    """Separate hope from fear in search graphs of 50 edges per reference word (Cherry and Foster 2012).

    Hopes and fears are kept for later rounds. For BLEU, also lower-cased or of characters.
    """
    return Recipe("lattice-mira", HopeFear(), PassiveAggressive(passes=30), graphs=Density())


@_recipe("pro")
def pro(*, plain: bool = False) -> Recipe:
    """Rank pairs of candidates: for any number of features (Hopkins and May 2011), with guards.

    The guards are against monsters (pairs accepted at random, half of the way in each round: monsters.md) and
    short output (`brevity`). The penalty is a hundred times that of `L2()`: a weaker one over-fits lists with
    hundreds of sparse features (docs/research/tuners.md has the figures).
    plain: as published, without guards; stopped after 30 iterations from zero instead of regularized (as Cherry
    and Foster 2012 ran it), and with a tenth of the new weights each round (ψ = 0.1).
    """
    if plain:
        loss, optimizer = PairwiseRanking.plain(), Lbfgs(iterations=30, from_zero=True)
        return Recipe("pro --plain", loss, optimizer, plan=BatchRounds(interpolation=0.1))
    return Recipe("pro", PairwiseRanking(), Lbfgs(), L2(strength=1e-2), plan=BatchRounds(interpolation=0.5))


@_recipe("risk")
def risk(*, plain: bool = False) -> Recipe:
    """Maximise the expected sentence metric (minimum risk): for any number of features (Smith and Eisner 2006).

    plain: by stochastic gradient descent on plain BLEU+1, as Cherry and Foster (2012) ran it.
    """
    if plain:
        return Recipe("risk --plain", ExpectedGain(brevity=0.0), StochasticGradient(), L2(strength=1e-3))
    return Recipe("risk", ExpectedGain(), Lbfgs(), L2(strength=1e-3))


@_recipe("forest-risk")
def forest_risk() -> Recipe:
    """Minimise risk over all derivations of search graphs of 50 edges per reference word (Li and Eisner 2009).

    The gain is BLEU of the corpus at expected counts. Graphs of a round replace those of earlier ones: a
    derivation that was kept and is in the newer graph too would count twice. The penalty is a hundredth of that of
    `risk`: weights must be long for a whole graph to have as little doubt as a list (docs/research/tuners.md).
    """
    return Recipe("forest-risk", ExpectedGain(), Lbfgs(), L2(strength=1e-5), graphs=Density())


@_recipe("svm")
def svm() -> Recipe:
    """Train a latent structured SVM: for any number of features (Cherry and Foster 2012, section 3.2)."""
    return Recipe("svm", StructuredHinge(), CuttingPlanes(), L2(strength=1e-2))


@_recipe("ramp")
def ramp() -> Recipe:
    """Minimise the ramp loss between hope and fear: for any number of features (Gimpel and Smith 2012, Eq. 8).

    What their Rampion minimises, by other means: each convex problem is solved and not only stepped on, and the
    penalty pulls towards 0 and not towards the start.
    """
    loss = StructuredHinge(oracle="model+gain", sentence_bleu="plus_one")
    return Recipe("ramp", loss, CuttingPlanes(), L2(strength=1e-2))


@_recipe("oscar")
def oscar() -> Recipe:
    """Group features by online OSCAR on training data, tune groups on dev: Algorithm 1 of Liu et al. (2013).

    As published, with the sign in line 4 of their Algorithm 2 corrected (oscar.md): groups on the published
    pairs, tuned by `pro --plain`. `shares` is what we made of it; docs/research/liu2013.md compares both.
    """
    pairs = dataclasses.replace(PairwiseRanking.plain(), classifier="hinge")
    learn = Grouping(Learner(pairs, Fobos(), Oscar.published()))
    plan = GroupedRounds(learn, interpolation=0.1)
    return dataclasses.replace(pro(plain=True), name="oscar", plan=plan)


@_recipe("shares")
def shares() -> Recipe:
    """Learn shares of one group's weight on training data, and tune the group on dev: our algorithm.

    It follows Liu et al. (2013) in learning on training data and tuning on dev, Flanigan et al. (2013) in tuning
    there how much all that was learnt counts, and differs in all else (grouping.md). The training data is
    decoded in held-out folds, as Wuebker et al. (2010) leave out own counts, from the second round on with
    cross-fitting. What is learnt, by batch from pairs of candidates (Hopkins and May 2011), is the share that each
    feature has of one group's weight. `mira` (Cherry and Foster 2012) tunes that weight on dev together with those
    of the dense features. Without start weights, the dense features are tuned first. All sparse features of the
    model are grouped; the feature set `shares` has those that were tried. docs/research/liu2013.md has what this
    gains.
    """
    pairs = PairwiseRanking(pairs=200, keep=20, min_gain=0.0, accept="largest", gain="corpus")
    learner = Learner(pairs, Lbfgs(iterations=60, from_zero=True, scaled=True), L2(1e-4))
    grouping = Grouping(learner, Shares(bins=1), features=(), support=3)
    plan = GroupedRounds(grouping, rounds=3, dense_rounds=10, cross_fit=True)
    return dataclasses.replace(mira(), name="shares", plan=plan)


@_recipe("grouped")
def grouped() -> Recipe:
    """Group features by rank of the weights that training data gives them, and tune groups on dev with guards.

    Algorithm 1 of Liu et al. (2013) with other parts: weights are the minimum of a smooth loss on guarded pairs
    instead of the last ones of online learning, groups are few and large. The training lists must be of sentences
    that are new to the model: decode them with leave-one-out (docs/research/liu2013.md).
    """
    plan = GroupedRounds(_ranked(), rounds=3, interpolation=0.5, inner_rounds=3)
    return dataclasses.replace(pro(), name="grouped", plan=plan)


@_recipe("grouped-mira")
def grouped_mira() -> Recipe:
    """Tune the groups of `grouped` on dev by `mira`; start them from what it gave to the default features.

    MIRA has no penalty: more than a handful of groups over-fit a development set of 500 sentences.
    """
    plan = GroupedRounds(_ranked(), rounds=3, inner_rounds=3)
    return dataclasses.replace(mira(), name="grouped-mira", plan=plan)


def _ranked() -> Grouping:
    """Return a grouping in few and large groups by rank."""
    return Grouping(Learner(PairwiseRanking(), Lbfgs(), L2(1e-4)), Ranks(bins=5))


@_recipe("l1")
def l1() -> Recipe:
    """Rank pairs by the hinge loss with a cumulative L1 penalty on sparse features (Tsuruoka et al. 2009).

    The pairs are those of pro --plain; features that do not fit `penalised` (rule identities) are not penalised.
    """
    loss = dataclasses.replace(PairwiseRanking.plain(), classifier="hinge")
    return Recipe("l1", loss, Fobos(), CumulativeL1(), penalised=("id:*",))


@_recipe("expected-bleu")
def expected_bleu() -> Recipe:
    """Maximise expected BLEU online, by AdaGrad with an L1 penalty: any number of features (Green et al. 2014).

    Gains are BLEU+1 times the reference length, the scale that their penalty of 0.001 belongs to. Where dev is
    also what is learnt on, it chooses the epoch too kindly: give another set that chooses (`--select`).
    """
    loss = ExpectedGain(brevity=0.0, by_length="reference")
    return Recipe("expected-bleu", loss, AdaGrad(), L1(1e-3), plan=OnlineRounds())


@_recipe("online-pro")
def online_pro() -> Recipe:
    """Rank pairs online, by AdaGrad with an L1 penalty (Green et al. 2013, 2014).

    Pairs are those of `pro`, fewer of them; the penalty is that of Green et al.
    """
    return Recipe("online-pro", PairwiseRanking(pairs=500, keep=15), AdaGrad(), L1(1e-2), plan=OnlineRounds())


@_recipe("online-mira")
def online_mira(*, plain: bool = False) -> Recipe:
    """Run MIRA online with kept oracles: 10 oracles × 10 rivals of 1000 (Watanabe et al. 2007), with guards.

    Oracles are best by score and gain, rivals by score without gain, and every margin has its own slack, as
    their Eq. 3 has it. As Eq. 4 prints it, all of a step goes to the pair that lacks most, which is the oracle
    that the model likes least; tuners.md has what that costs. Gains are BLEU of the whole text, or of
    documents (`--set document=50`, lines of each). C is not printed there; ours belongs to gains times reference
    words. The average is over all sentences of all epochs.
    plain: as printed: oracles by gain alone, the k best as rivals, the sum of all multipliers bounded.
    """
    plan = OnlineRounds(rounds=50, batch=1, keep="average", average="run")
    if plain:
        return Recipe("online-mira --plain", OracleMargins.plain(), LargeMargin.plain(), plan=plan, k=1000)
    return Recipe("online-mira", OracleMargins(), LargeMargin(), plan=plan, k=1000)


@_recipe("mixed-mira")
def mixed_mira() -> Recipe:
    """Separate hope from fear online, in shards mixed after each epoch (Cherry and Foster 2012, `mira`).

    Eight shards, which are part of the data and have nothing to do with threads. A sentence is decoded with the
    weights that the one before it in its shard has left. The average is over all steps of all shards.
    """
    plan = OnlineRounds(rounds=15, batch=1, shards=8, keep="average", average="run")
    return Recipe("mixed-mira", HopeFear(), OnlinePassiveAggressive(), plan=plan)


@_recipe("lattice-mixed-mira")
def lattice_mixed_mira() -> Recipe:
    """Run `mixed-mira` with hope and fear from the search graph of each sentence (Cherry and Foster 2012).

    Graphs have 50 edges per reference word; no derivation is kept.
    """
    return dataclasses.replace(mixed_mira(), name="lattice-mixed-mira", graphs=Density())


PLAIN = ("pro", "risk", "online-mira")


def get(name: str, *, plain: bool = False, **settings: Any) -> Recipe:
    """Return a recipe by its name, built in or of a package, with changes as by `Recipe.changed`."""
    if plain and name not in PLAIN:
        known = f"{', '.join(PLAIN[:-1])} and {PLAIN[-1]}"
        raise ConfigError(f"only {known} have a plain version, {name} has none: leave out --plain")
    recipe = recipes.make(name, plain=True) if plain else recipes.make(name)
    return recipe.changed(**settings)
