"""The known tuners by name: each a loss, an optimizer, perhaps a regularizer, and the plan of its rounds."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.metrics.base import Metric
from tunesmith.registry import Registry
from tunesmith.settings import NOT_TYPED, parse_named, parse_settings, typed_settings, with_values
from tunesmith.tuning import compat
from tunesmith.tuning.groups.partitions import Ranks, Shares
from tunesmith.tuning.groups.plan import GroupedRounds
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.batch import BatchRounds
from tunesmith.tuning.loop.parts import Learner
from tunesmith.tuning.loop.plan import Planner
from tunesmith.tuning.losses import CorpusError, ExpectedGain, HopeFear, PairwiseRanking, StructuredHinge
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.optimizers import (
    CuttingPlanes,
    Fista,
    Fobos,
    Lbfgs,
    LineSearch,
    PassiveAggressive,
    StochasticGradient,
)
from tunesmith.tuning.optimizers.base import Optimizer
from tunesmith.tuning.regularizers import L1, L2, CumulativeL1, Oscar, regularizers
from tunesmith.tuning.regularizers.base import Differentiable, Penalty

if TYPE_CHECKING:
    from tunesmith.tuning.sources.base import CandidateSource
    from tunesmith.tuning.tuner import Tuner


@dataclass(frozen=True)
class Recipe:
    """A composition that has been tried.

    plan: what a run does, round by round.   k: candidates per sentence and round.
    penalised: patterns of the features that have a penalty; all without them.
    """

    name: str = field(metadata=NOT_TYPED)
    loss: Loss[Any, Any] = field(metadata=NOT_TYPED)
    optimizer: Optimizer[Any, Any] = field(metadata=NOT_TYPED)
    regularizer: Penalty | None = field(default=None, metadata=NOT_TYPED)
    metric: Metric = field(default_factory=Bleu, metadata=NOT_TYPED)
    plan: Planner = field(default_factory=BatchRounds, metadata=NOT_TYPED)
    k: int = 100
    penalised: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        at_least(1, k=self.k)
        compat.check(self.loss, self.regularizer, self.optimizer, self.metric)

    def with_settings(self, settings: str | Iterable[str]) -> Recipe:
        """The recipe with other settings, such as `keep=100,min_gain=0.1`.

        A name is looked up in the recipe itself, its plan, the loss, the optimizer, the regularizer, and in the
        parts of the plan; where two of them have it (and to be clear anyway) say which: `optimizer.tol=1e-6`,
        `grouping.loss.keep=100`. `l2=0.1` is the strength of the penalty `L2`, `l1=0.1` that of `L1`.
        `partition=ranks:bins=5` is another partition, `partition=random` fills the recipe's by chance.
        """
        recipe = self
        for name, text in parse_settings(settings):
            recipe = recipe._with_setting(name, text)
        return recipe

    def _with_setting(self, name: str, text: str) -> Recipe:
        if isinstance(self.regularizer, _STRENGTH_OF.get(name, ())):
            name = "regularizer.strength"
        parts = self.parts
        known = {each: typed_settings(part) for each, part in parts.items()}
        part, _, own = name.rpartition(".")
        found = [each for each, names in known.items() if own in names and part in ("", each)]
        if len(found) > 1:
            raise ConfigError(
                f"{name} is a setting of {' and '.join(found)}: say which, such as {found[-1]}.{name}"
            )
        if not found:
            every = ", ".join(f"{each}.{setting}" for each, names in known.items() for setting in names)
            raise ConfigError(f"{self.name} has no setting {name!r}. It has: {every}")
        instead = {"l2d": "none"} if own == "l2" and "l2d" in known[found[0]] else {}  # two ways to say one thing
        return self._replaced(found[0], with_values(parts[found[0]], {own: text, **instead}))

    @property
    def parts(self) -> Mapping[str, Any]:
        """Parts with settings, by the names that users give them, such as `recipe`, `plan` and `loss`."""
        return {name: reduce(getattr, path, self) for name, path in self._paths().items()}

    def with_part(self, name: str, **values: Any) -> Recipe:
        """The recipe with other values of the fields of a part."""
        return self._replaced(name, dataclasses.replace(self.parts[name], **values))

    def _replaced(self, name: str, part: Any) -> Recipe:
        path = self._paths()[name]
        for end in range(len(path), 0, -1):
            part = dataclasses.replace(reduce(getattr, path[: end - 1], self), **{path[end - 1]: part})
        recipe: Recipe = part
        return recipe

    def _paths(self) -> Mapping[str, tuple[str, ...]]:
        """Fields that lead to each part with settings, by the name that a user gives it."""
        paths: dict[str, tuple[str, ...]] = {"recipe": ()}
        paths |= {each: (each,) for each in ("plan", "loss", "optimizer", "regularizer")}
        return paths | {name: ("plan", *path) for name, path in self.plan.parts().items()}

    def fit(self, source: CandidateSource, *, seed: int = 1, **options: Any) -> Tuner:
        """A tuner with these parts, fitted; options are those of `Tuner.fit`."""
        from tunesmith.tuning.tuner import Tuner

        return Tuner.from_recipe(self, seed=seed).fit(source, **options)

    def with_regularizer(self, text: str | None) -> Recipe:
        """The recipe with another regularizer, such as `oscar:l1=1e-3,l2=1e-5`, or `none`.

        Where the regularizer has no gradient, Fista takes the place of Lbfgs.
        """
        if text is None or text == "none":
            return dataclasses.replace(self, regularizer=None)
        name, settings = parse_named(text)
        regularizer = with_values(regularizers.make(name), settings)
        optimizer = self.optimizer
        if isinstance(optimizer, Lbfgs) and not isinstance(regularizer, Differentiable):
            optimizer = Fista()
        return dataclasses.replace(self, regularizer=regularizer, optimizer=optimizer)


_STRENGTH_OF: dict[str, tuple[type, ...]] = {"l1": (L1, CumulativeL1), "l2": (L2,)}


recipes: Registry[Recipe] = Registry("recipe", "tunesmith.recipes")


@recipes.register("mert")
def mert() -> Recipe:
    """The metric itself, by exact line search: for up to a few dozen features (Och 2003)."""
    return Recipe("mert", CorpusError(), LineSearch())


@recipes.register("mira")
def mira() -> Recipe:
    """Hope and fear in batches: for any number of features (Cherry and Foster 2012)."""
    return Recipe("mira", HopeFear(), PassiveAggressive())


@recipes.register("pro")
def pro(*, plain: bool = False) -> Recipe:
    """Pairwise ranking: for any number of features (Hopkins and May 2011), with guards.

    The guards are against monsters (pairs accepted at random, half of the way in each round: docs/monsters.md) and
    short output (`brevity`). The penalty is a hundred times that of `L2()`: a weaker one over-fits lists with
    hundreds of sparse features (docs/tuning.md has the figures).
    plain: as published, without guards; stopped after 30 iterations from zero instead of regularized (as Cherry
    and Foster 2012 ran it), and with a tenth of the new weights each round (ψ = 0.1).
    """
    if plain:
        loss, optimizer = PairwiseRanking.plain(), Lbfgs(iterations=30, from_zero=True)
        return Recipe("pro --plain", loss, optimizer, plan=BatchRounds(interpolation=0.1))
    return Recipe("pro", PairwiseRanking(), Lbfgs(), L2(strength=1e-2), plan=BatchRounds(interpolation=0.5))


@recipes.register("risk")
def risk(*, plain: bool = False) -> Recipe:
    """The expected sentence metric, minimum risk: for any number of features (Smith and Eisner 2006).

    plain: by stochastic gradient descent on plain BLEU+1, as Cherry and Foster (2012) ran it.
    """
    if plain:
        return Recipe("risk --plain", ExpectedGain(brevity=0.0), StochasticGradient(), L2(strength=1e-3))
    return Recipe("risk", ExpectedGain(), Lbfgs(), L2(strength=1e-3))


@recipes.register("svm")
def svm() -> Recipe:
    """A latent structured SVM: for any number of features (Cherry and Foster 2012, section 3.2)."""
    return Recipe("svm", StructuredHinge(), CuttingPlanes(), L2(strength=1e-2))


@recipes.register("ramp")
def ramp() -> Recipe:
    """The ramp loss between hope and fear: for any number of features (Gimpel and Smith 2012, Eq. 8).

    What their Rampion minimises, by other means: each convex problem is solved and not only stepped on, and the
    penalty pulls towards 0 and not towards the start.
    """
    loss = StructuredHinge(oracle="model+gain", sentence_bleu="plus_one")
    return Recipe("ramp", loss, CuttingPlanes(), L2(strength=1e-2))


@recipes.register("oscar")
def oscar(*, plain: bool = False) -> Recipe:
    """Groups of features learnt on training data, then tuned on dev (Liu et al. 2013), corrected.

    The training data is decoded in held-out folds, from the second round on with cross-fitting. What is learnt
    (by batch, not online) is the share that each feature has of one group's weight. `mira` tunes that weight on
    dev together with those of the dense features: start from what it gave to them. Group what rules have in common
    in addition to the rules: `--group 'id:*' --group 'source_triggers:*'`. docs/liu2013.md has what this gains,
    and what the printed method does not.

    plain: Algorithms 1 and 2 as printed: groups by online OSCAR on the published pairs, tuned by `pro --plain`.
    """
    if plain:
        pairs = dataclasses.replace(PairwiseRanking.plain(), classifier="hinge")
        learn = Grouping(Learner(pairs, Fobos(), Oscar.published()))
        plan = GroupedRounds(learn, interpolation=0.1)
        return dataclasses.replace(pro(plain=True), name="oscar --as-printed", plan=plan)
    pairs = PairwiseRanking(pairs=200, keep=20, min_gain=0.0, accept="largest", gain="corpus")
    learner = Learner(pairs, Lbfgs(iterations=60, from_zero=True, scaled=True), L2(1e-4))
    plan = GroupedRounds(Grouping(learner, Shares(bins=1), support=3), rounds=3, cross_fit=True)
    return dataclasses.replace(mira(), name="oscar", plan=plan)


@recipes.register("grouped")
def grouped() -> Recipe:
    """Groups of features by rank of the weights that training data gives them, tuned on dev with guards.

    Algorithm 1 of Liu et al. (2013) with other parts: weights are the minimum of a smooth loss on guarded pairs
    instead of the last ones of online learning, groups are few and large. The training lists must be of sentences
    that are new to the model: decode them with leave-one-out (docs/liu2013.md).
    """
    plan = GroupedRounds(_ranked(), rounds=3, interpolation=0.5, inner_rounds=3)
    return dataclasses.replace(pro(), name="grouped", plan=plan)


@recipes.register("grouped-mira")
def grouped_mira() -> Recipe:
    """The groups of `grouped`, tuned on dev by `mira`; start them from what it gave to the default features.

    MIRA has no penalty: more than a handful of groups over-fit a development set of 500 sentences.
    """
    plan = GroupedRounds(_ranked(), rounds=3, inner_rounds=3)
    return dataclasses.replace(mira(), name="grouped-mira", plan=plan)


def _ranked() -> Grouping:
    """Few and large groups by rank."""
    return Grouping(Learner(PairwiseRanking(), Lbfgs(), L2(1e-4)), Ranks(bins=5))


@recipes.register("l1")
def l1() -> Recipe:
    """Pairwise ranking by the hinge loss with a cumulative L1 penalty on sparse features (Tsuruoka et al. 2009).

    The pairs are those of pro --plain; features that do not fit `penalised` (rule identities) are not penalised.
    """
    loss = dataclasses.replace(PairwiseRanking.plain(), classifier="hinge")
    return Recipe("l1", loss, Fobos(), CumulativeL1(), penalised=("id:*",))


PLAIN = ("pro", "risk", "oscar")


def get(name: str, *, plain: bool = False) -> Recipe:
    if plain and name not in PLAIN:
        raise ConfigError(
            f"only {', '.join(PLAIN[:-1])} and {PLAIN[-1]} have a plain version, {name} has none: leave out "
            "--plain (--as-printed)"
        )
    return recipes.make(name, plain=True) if plain else recipes.make(name)
