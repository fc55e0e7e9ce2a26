"""Options of `tunesmith tune` about the recipe, and the tuner that they make."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli import options
from tunesmith.cli.declaring import option
from tunesmith.cli.evaluation import metric_options
from tunesmith.cli.tuning.tuning_input import TRAINING
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric
    from tunesmith.tuning import Recipe, Tuner

RECIPE = "Recipe"


@dataclass(frozen=True)
class RecipeOptions:
    """A recipe by name and what is changed about it; None or empty where nothing is."""

    train_sample: Annotated[int | None, option(
        "--train-sample N", "Training sentences decoded in a round, others in each.",
        TRAINING, show_default="all", min=1,
    )] = None  # fmt: skip
    group: Annotated[list[str], option(
        "--group NAME", "Features that are grouped, a name or pattern; may be repeated.",
        TRAINING, show_default="id:*",
    )] = field(default_factory=list)  # fmt: skip
    group_with: Annotated[list[str], option(
        "--group-with NAME", "Features that rules share, such as 'lexical_alignment:*': what training data teach "
        "about them decides the group of a rule too. May be repeated.", TRAINING
    )] = field(default_factory=list)  # fmt: skip
    inner_rounds: Annotated[int | None, option(
        "--inner-rounds", "Times that dev is tuned on and decoded with one set of groups.",
        TRAINING, show_default="the recipe's", min=1,
    )] = None  # fmt: skip
    recipe: Annotated[str, option("--recipe", "mert, mira, pro, risk, svm, oscar, …", RECIPE)] = "mira"
    settings: Annotated[list[str], option(
        "--set KEY=VALUE", "A setting of the recipe's loss or optimizer; may be repeated.", RECIPE
    )] = field(default_factory=list)  # fmt: skip
    regularizer: Annotated[str | None, option(
        "--regularizer NAME:KEY=VALUE,…", "Such as oscar:l1=1e-3,l2=1e-5, or none.",
        RECIPE, show_default="the recipe's",
    )] = None  # fmt: skip
    plain: Annotated[bool, option(
        "--plain --as-printed", "The algorithm as published, no safety, nothing corrected (pro, risk, oscar).",
        RECIPE,
    )] = False  # fmt: skip
    fix: Annotated[list[str], option(
        "--fix NAME", "Features that keep their weight; a name, or a beginning and *.", RECIPE
    )] = field(default_factory=list)  # fmt: skip
    bound: Annotated[list[str], option(
        "--bound NAME>=X", "Features whose weight has a bound, such as 'lm>=0'.", RECIPE
    )] = field(default_factory=list)  # fmt: skip
    penalty: Annotated[list[str], option(
        "--penalty NAME=X", "Features whose penalty is multiplied, such as 'id:*=2'.", RECIPE
    )] = field(default_factory=list)  # fmt: skip
    rounds: Annotated[int | None, option("--rounds", "At most.", RECIPE, show_default="the recipe's", min=1)] = (
        None
    )
    k: Annotated[int | None, option("--k", "List length.", RECIPE, show_default="the recipe's", min=2)] = None
    metric: Annotated[str | None, option(
        "--metric NAME", "What is tuned towards: bleu, ter, chrf, …", RECIPE, show_default="bleu"
    )] = None  # fmt: skip
    lowercase: options.Lowercase = False
    tokenize: metric_options.Tokenize = None

    def chosen(self, given_scores: Metric | None) -> Recipe:
        """The recipe with all changes. given_scores: the metric of scores computed elsewhere."""
        from tunesmith.tuning import recipes

        recipe = recipes.get(self.recipe, plain=self.plain)
        if self.regularizer is not None:
            recipe = recipe.with_regularizer(self.regularizer)
        recipe = self._with_grouping(recipe.with_settings(self.settings))
        metric = given_scores or recipe.metric
        if given_scores is None and (self.metric is not None or self.lowercase or self.tokenize is not None):
            metric = metric_options.chosen_metric(self.metric, self.lowercase, self.tokenize)
        return dataclasses.replace(
            recipe,
            metric=metric,
            plan=recipe.plan if self.rounds is None else recipe.plan.with_rounds(self.rounds),
            k=recipe.k if self.k is None else self.k,
        )

    def _with_grouping(self, recipe: Recipe) -> Recipe:
        """Change what was typed about groups; an error for a recipe that makes none."""
        of_grouping = _given(features=tuple(self.group) or None, shared=tuple(self.group_with) or None)
        of_plan = _given(inner_rounds=self.inner_rounds, sample=self.train_sample)
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

    def tuner(self, recipe: Recipe, seed: int) -> Tuner:
        """The tuner of a recipe, with the constraints that were typed."""
        from tunesmith.tuning import Constraints, Tuner

        given = (tuple(self.fix), tuple(self.bound), tuple(self.penalty))
        return Tuner.from_recipe(recipe, seed=seed, constraints=Constraints(*given) if any(given) else None)


def _given(**options: Any) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}
