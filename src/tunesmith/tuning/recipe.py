"""A composition of parts that has been tried, and how its settings are changed by name."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.metrics.base import Metric, metric_of
from tunesmith.settings import NOT_TYPED, parse_named, parse_settings, typed_settings, with_values
from tunesmith.tuning import compat
from tunesmith.tuning.capabilities import missing
from tunesmith.tuning.loop.batch import BatchRounds
from tunesmith.tuning.loop.plan import Planner
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.differences import Ranked
from tunesmith.tuning.objectives import Objective
from tunesmith.tuning.optimizers import AdaGrad, Fista, Lbfgs, OnlineFobos
from tunesmith.tuning.optimizers.base import Optimizer
from tunesmith.tuning.pools.base import Sums
from tunesmith.tuning.pools.word_ngrams import word_ngrams_of
from tunesmith.tuning.regularizers import L1, L2, CumulativeL1, regularizers
from tunesmith.tuning.regularizers.base import Differentiable, Penalty, Shrinking
from tunesmith.tuning.sources.density import Density

if TYPE_CHECKING:
    from tunesmith.corpus.given_text import GivenReferences
    from tunesmith.tuning.sources.given import GivenSource
    from tunesmith.tuning.tuner import Tuner


@dataclass(frozen=True)
class Recipe:
    """A composition that has been tried.

    plan: what a run does, round by round.   k: candidates per sentence and round.
    penalised: patterns of the features that have a penalty; all without them.
    graphs: search graphs are tuned on, pruned so; None for n-best lists.
    """

    name: str = field(metadata=NOT_TYPED)
    loss: Loss[Any, Any] = field(metadata=NOT_TYPED)
    optimizer: Optimizer[Any, Any] = field(metadata=NOT_TYPED)
    regularizer: Penalty | None = field(default=None, metadata=NOT_TYPED)
    metric: Metric = field(default_factory=Bleu, metadata=NOT_TYPED)
    plan: Planner = field(default_factory=BatchRounds, metadata=NOT_TYPED)
    k: int = 100
    penalised: tuple[str, ...] = ()
    graphs: Density | None = field(default=None, metadata=NOT_TYPED)

    def __post_init__(self) -> None:
        at_least(1, k=self.k)
        compat.check(self.loss, self.regularizer, self.optimizer, self.metric)
        if self.graphs is not None and self.loss.pool is Sums:
            word_ngrams_of(self.metric, "expected gain of search graphs", "risk")

    def with_settings(self, settings: str | Iterable[str]) -> Recipe:
        """Return the recipe with other settings, such as `keep=100,min_gain=0.1`.

        A name is looked up in the recipe itself, its plan, the loss, the optimizer, the regularizer, and in the
        parts of the plan; where two of them have it (and to be clear anyway) say which: `optimizer.tol=1e-6`,
        `grouping.loss.keep=100`. `l2=0.1` is the strength of the penalty `L2`, `l1=0.1` that of `L1`.
        `partition=ranks:bins=5` is another partition, `partition=random` fills the recipe's by chance.
        """
        recipe = self
        for name, text in parse_settings(settings):
            recipe = recipe._with_setting(name, text)
        return recipe

    def changed(self, **values: Any) -> Recipe:
        """Return the recipe with other parts or settings: `step_cap=0.1`, `optimizer__tol=1e-6`, `metric=ChrF()`.

        Names are those of `with_settings`, with two underscores for a dot; `loss`, `optimizer`, `regularizer`,
        `metric` and `plan` are parts. A metric may be given by its name, a regularizer as text.
        """
        recipe = self
        for name, value in values.items():
            if name == "metric":
                recipe = dataclasses.replace(recipe, metric=metric_of(value))
            elif name == "regularizer" and isinstance(value, str):
                recipe = recipe.with_regularizer(value)
            elif name in _PARTS:
                recipe = dataclasses.replace(recipe, **{name: value})
            else:
                recipe = recipe._with_setting(name.replace("__", "."), value)
        return recipe

    def _with_setting(self, name: str, value: Any) -> Recipe:
        if isinstance(self.regularizer, _STRENGTH_OF.get(name, ())):
            name = "regularizer.strength"
        parts = self.parts
        known = {each: typed_settings(part) for each, part in parts.items()}
        part, _, own = name.rpartition(".")
        found = [each for each, names in known.items() if own in names and part in ("", each)]
        if not found and not isinstance(value, str):  # what only Python sets, such as patterns of features
            fields = {
                each: [field.name for field in dataclasses.fields(has)] for each, has in parts.items() if has
            }
            found = [each for each, names in fields.items() if own in names and part in ("", each)]
        if len(found) > 1:
            raise ConfigError(
                f"{name} is a setting of {' and '.join(found)}: say which, such as {found[-1]}.{name}"
            )
        if not found:
            raise ConfigError(f"{self.name} has no setting {name!r}{_closest(name, known)}")
        instead = {"l2d": "none"} if own == "l2" and "l2d" in known[found[0]] else {}  # two ways to say one thing
        before = parts[found[0]]
        if value is None or isinstance(value, (str, int, float, np.number, np.bool_)):
            return self._replaced(found[0], with_values(before, {own: str(value), **instead}))
        return self._replaced(found[0], dataclasses.replace(before, **{own: value}))

    @property
    def parts(self) -> Mapping[str, Any]:
        """Parts with settings, by the names that users give them, such as `recipe`, `plan` and `loss`."""
        return {name: reduce(getattr, path, self) for name, path in self._paths().items()}

    def with_part(self, name: str, **values: Any) -> Recipe:
        """Return the recipe with other values of the fields of a part."""
        return self._replaced(name, dataclasses.replace(self.parts[name], **values))

    def _replaced(self, name: str, part: Any) -> Recipe:
        path = self._paths()[name]
        for end in range(len(path), 0, -1):
            part = dataclasses.replace(reduce(getattr, path[: end - 1], self), **{path[end - 1]: part})
        recipe: Recipe = part
        return recipe

    def _paths(self) -> Mapping[str, tuple[str, ...]]:
        """Return fields that lead to each part with settings, by the name that a user gives it."""
        paths: dict[str, tuple[str, ...]] = {"recipe": ()}
        paths |= {each: (each,) for each in ("plan", "loss", "optimizer", "regularizer", "graphs")}
        return paths | {name: ("plan", *path) for name, path in self.plan.parts().items()}

    def fit(
        self, source: GivenSource, references: GivenReferences | None = None, *, seed: int = 1, **options: Any
    ) -> Tuner:
        """Fit a tuner with these parts to a source, lists or search graphs; options are those of `Tuner.fit`.

        A recipe that tunes on graphs also takes the names of their files, and prunes as its density says.
        """
        from tunesmith.tuning.sources.given import are_graphs, graph_source_of
        from tunesmith.tuning.tuner import Tuner

        if self.graphs is not None and are_graphs(source):
            source, references = graph_source_of(source, references, self.graphs), None
        return Tuner.from_recipe(self, seed=seed).fit(source, references, **options)

    def with_regularizer(self, text: str | None) -> Recipe:
        """Return the recipe with another regularizer, such as `oscar:l1=1e-3,l2=1e-5`, or `none`.

        Where the regularizer has no gradient, Fista takes the place of Lbfgs; where it ties weights or is paid as
        a running total, OnlineFobos that of AdaGrad, for losses of pairs.
        """
        if text is None or text == "none":
            return dataclasses.replace(self, regularizer=None)
        name, settings = parse_named(text)
        regularizer = with_values(regularizers.make(name), settings)
        optimizer = self.optimizer
        if isinstance(optimizer, Lbfgs) and not isinstance(regularizer, Differentiable):
            optimizer = Fista()
        ranks = not missing(self.loss.objective, Ranked, Objective)
        if isinstance(optimizer, AdaGrad) and ranks and not isinstance(regularizer, Shrinking):
            optimizer = OnlineFobos()
        return dataclasses.replace(self, regularizer=regularizer, optimizer=optimizer)


_PARTS = ("loss", "optimizer", "regularizer", "plan")


def _closest(name: str, known: Mapping[str, Iterable[str]]) -> str:
    """Return the end of a message about an unknown setting: the closest one, and all by part."""
    own = name.rpartition(".")[2]
    close = difflib.get_close_matches(own, [each for names in known.values() for each in names], n=1, cutoff=0.5)
    every = ", ".join(f"{part}.{setting}" for part, names in known.items() for setting in names)
    return f".{f' Did you mean {close[0]!r}?' if close else ''} It has: {every}"


_STRENGTH_OF: dict[str, tuple[type, ...]] = {"l1": (L1, CumulativeL1), "l2": (L2,)}
