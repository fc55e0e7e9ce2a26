"""From what was typed about a recipe to a tuner."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

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


def chosen_recipe(typed: Typed, metric: Metric | None) -> Recipe:
    """The recipe with everything that was changed about it."""
    from tunesmith.tuning import recipes

    recipe = recipes.get(typed.recipe, plain=typed.plain)
    if typed.regularizer is not None:
        recipe = recipe.with_regularizer(typed.regularizer)
    recipe = recipe.with_settings(typed.settings)
    return dataclasses.replace(
        recipe,
        metric=recipe.metric if metric is None else metric,
        rounds=recipe.rounds if typed.rounds is None else typed.rounds,
        k=recipe.k if typed.k is None else typed.k,
    )


def chosen_tuner(recipe: Recipe, typed: Typed, seed: int) -> Tuner:
    """The tuner of a recipe, with the constraints that were typed."""
    from tunesmith.tuning import Constraints, Tuner

    given = (tuple(typed.fix), tuple(typed.bound), tuple(typed.penalty))
    return Tuner.from_recipe(recipe, seed=seed, constraints=Constraints(*given) if any(given) else None)
