"""From what was typed about a recipe to a tuner."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.tuning import Recipe, Tuner


class Typed(NamedTuple):
    """What was typed; None or empty where nothing was."""

    recipe: str
    plain: bool
    settings: Sequence[str]
    regularizer: str | None
    fix: Sequence[str]
    bound: Sequence[str]
    penalty: Sequence[str]
    rounds: int | None
    k: int | None
    group: Sequence[str]
    group_with: Sequence[str]
    inner_rounds: int | None
    train_sample: int | None


def chosen_recipe(typed: Typed, metric: Metric | None) -> Recipe:
    """The recipe with everything that was changed about it."""
    from tunesmith.tuning import recipes

    recipe = recipes.get(typed.recipe, plain=typed.plain)
    if typed.regularizer is not None:
        recipe = recipe.with_regularizer(typed.regularizer)
    recipe = _with_grouping(recipe.with_settings(typed.settings), typed)
    return dataclasses.replace(
        recipe,
        metric=recipe.metric if metric is None else metric,
        plan=recipe.plan if typed.rounds is None else recipe.plan.with_rounds(typed.rounds),
        k=recipe.k if typed.k is None else typed.k,
    )


def _with_grouping(recipe: Recipe, typed: Typed) -> Recipe:
    """What was typed about groups; an error for a recipe that makes none."""
    of_grouping = _given(features=tuple(typed.group) or None, shared=tuple(typed.group_with) or None)
    of_plan = _given(inner_rounds=typed.inner_rounds, sample=typed.train_sample)
    if not of_grouping and not of_plan:
        return recipe
    if "grouping" not in recipe.parts:
        options = {"features": "--group", "shared": "--group-with", "inner_rounds": "--inner-rounds",
                   "sample": "--train-sample"}  # fmt: skip
        raise ConfigError(
            f"{', '.join(options[name] for name in of_grouping | of_plan)}: {recipe.name} makes no groups; "
            "--recipe oscar does"
        )
    return recipe.with_part("grouping", **of_grouping).with_part("plan", **of_plan)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def chosen_tuner(recipe: Recipe, typed: Typed, seed: int) -> Tuner:
    """The tuner of a recipe, with the constraints that were typed."""
    from tunesmith.tuning import Constraints, Tuner

    given = (tuple(typed.fix), tuple(typed.bound), tuple(typed.penalty))
    return Tuner.from_recipe(recipe, seed=seed, constraints=Constraints(*given) if any(given) else None)
