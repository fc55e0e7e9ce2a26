"""Transferable description of a recipe: its name and all changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import msgspec

from tunesmith.errors import ConfigError
from tunesmith.metrics import Metric, metrics
from tunesmith.settings import merged_settings, parse_named, read_settings
from tunesmith.tuning import Constraints, Recipe, Tuner, recipes


class RecipeSpec(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A recipe by name, with changes; None or empty for no change.

    settings: such as `keep=100`.
    regularizer: such as `oscar:l1=1e-3`, or `none`. group, group_with, inner_rounds, train_sample: for recipes
        that group features.   fix, bound, penalty: constraints, as in the options of `tune`.   metric,
        metric_settings: by name, with settings that differ from the defaults.
    """

    name: str = "mira"
    plain: bool = False
    settings: tuple[str, ...] = ()
    regularizer: str | None = None
    group: tuple[str, ...] = ()
    group_with: tuple[str, ...] = ()
    inner_rounds: int | None = None
    train_sample: int | None = None
    fix: tuple[str, ...] = ()
    bound: tuple[str, ...] = ()
    penalty: tuple[str, ...] = ()
    rounds: int | None = None
    k: int | None = None
    metric: str | None = None
    metric_settings: dict[str, bool | int | float | str] = {}

    def open(self) -> Recipe:
        """Make the recipe; ConfigError for unknown settings."""
        recipe = recipes.get(self.name, plain=self.plain)
        if self.regularizer is not None:
            recipe = recipe.with_regularizer(self.regularizer)
        recipe = self._with_grouping(recipe.with_settings(self.settings))
        return dataclasses.replace(
            recipe,
            metric=recipe.metric if self.metric is None else _metric(self.metric, self.metric_settings),
            plan=recipe.plan if self.rounds is None else recipe.plan.with_rounds(self.rounds),
            k=recipe.k if self.k is None else self.k,
        )

    def _with_grouping(self, recipe: Recipe) -> Recipe:
        """Apply changes of groups; an error for a recipe without groups."""
        of_grouping = _given(features=self.group or None, shared=self.group_with or None)
        of_plan = _given(inner_rounds=self.inner_rounds, sample=self.train_sample)
        if not of_grouping and not of_plan:
            return recipe
        if "grouping" not in recipe.parts:
            options = {"features": "--group", "shared": "--group-with", "inner_rounds": "--inner-rounds",
                       "sample": "--train-sample"}  # fmt: skip
            raise ConfigError(
                f"{', '.join(options[name] for name in of_grouping | of_plan)}: {recipe.name} makes no groups; "
                "--recipe shares and --recipe oscar do"
            )
        return recipe.with_part("grouping", **of_grouping).with_part("plan", **of_plan)

    def tuner(self, recipe: Recipe, seed: int) -> Tuner:
        """Return the tuner of a recipe (this one, or a variation) with the constraints of this description."""
        given = (self.fix, self.bound, self.penalty)
        return Tuner.from_recipe(recipe, seed=seed, constraints=Constraints(*given) if any(given) else None)


def _metric(name: str, settings: Mapping[str, Any]) -> Metric:
    """Make a metric from a name, which may have settings (`chrf:beta=3`), and further settings."""
    named, typed = parse_named(name)
    own = read_settings(metrics.get(named), typed, named)
    return metrics.make(named, **merged_settings(own, settings, named))


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
