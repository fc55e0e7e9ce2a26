"""Options of `tunesmith tune` about the recipe."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.declaring import option
from tunesmith.cli.evaluation import metric_options
from tunesmith.cli.tuning.tuning_input import TRAINING

if TYPE_CHECKING:
    from tunesmith.jobs.recipe import RecipeSpec
    from tunesmith.metrics import Precomputed

RECIPE = "Recipe"


@dataclass(frozen=True)
class RecipeOptions:
    """A recipe by name and what is changed about it; None or empty where nothing is."""

    train_sample: Annotated[int | None, option(
        "--train-sample N", "Training sentences decoded in a round, other ones in each round.",
        TRAINING, show_default="all", min=1,
    )] = None  # fmt: skip
    group: Annotated[list[str], option(
        "--group NAME", "Features that are grouped, a name or pattern; may be repeated.",
        TRAINING, show_default="id:*; shares: all that are sparse",
    )] = field(default_factory=list)  # fmt: skip
    group_with: Annotated[list[str], option(
        "--group-with NAME", "Features that rules share, such as 'lexical_alignment:*': what training data teach "
        "about them decides the group of a rule too. May be repeated.", TRAINING
    )] = field(default_factory=list)  # fmt: skip
    inner_rounds: Annotated[int | None, option(
        "--inner-rounds", "Times that dev is tuned on and decoded with one set of groups.",
        TRAINING, show_default="the recipe's", min=1,
    )] = None  # fmt: skip
    recipe: Annotated[str, option("--recipe NAME", "mert, mira, pro, expected-bleu, shares, oscar, …")] = "mira"
    settings: Annotated[list[str], option(
        "--set KEY=VALUE", "A setting of the recipe's loss or optimizer; may be repeated.", RECIPE
    )] = field(default_factory=list)  # fmt: skip
    regularizer: Annotated[str | None, option(
        "--regularizer NAME:KEY=VALUE,…", "Such as oscar:l1=1e-3,l2=1e-5, or none.",
        RECIPE, show_default="the recipe's",
    )] = None  # fmt: skip
    plain: Annotated[bool, option(
        "--plain", "The algorithm as published, without guards (pro, risk, online-mira).", RECIPE
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
    rounds: Annotated[int | None, option("--rounds N", "Most rounds.", show_default="the recipe's", min=1)] = None
    k: Annotated[int | None, option("--k", "List length.", RECIPE, show_default="the recipe's", min=2)] = None
    metric: Annotated[str | None, option(
        "--metric NAME", "Metric to tune towards: bleu, ter, chrf, …", show_default="bleu"
    )] = None  # fmt: skip
    lowercase: options.Lowercase = False
    tokenize: metric_options.Tokenize = None

    def spec(self, given_scores: Precomputed | None) -> RecipeSpec:
        """Return the recipe with all changes. given_scores: the metric of scores computed elsewhere."""
        from tunesmith.jobs.recipe import RecipeSpec

        metric, settings = self.metric, {}
        if given_scores is not None:
            metric, settings = "precomputed", asdict(given_scores)
        elif self.metric is not None or self.lowercase or self.tokenize is not None:
            metric_options.chosen_metric(self.metric, self.lowercase, self.tokenize)  # says what is wrong
            metric = self.metric or "bleu"
            typed = {"lowercase": self.lowercase, "tokenize": self.tokenize}
            settings = {name: value for name, value in typed.items() if value}
        return RecipeSpec(
            name=self.recipe,
            plain=self.plain,
            settings=tuple(self.settings),
            regularizer=self.regularizer,
            group=tuple(self.group),
            group_with=tuple(self.group_with),
            inner_rounds=self.inner_rounds,
            train_sample=self.train_sample,
            fix=tuple(self.fix),
            bound=tuple(self.bound),
            penalty=tuple(self.penalty),
            rounds=self.rounds,
            k=self.k,
            metric=metric,
            metric_settings=settings,
        )
