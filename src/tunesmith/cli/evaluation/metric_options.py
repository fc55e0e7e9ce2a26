"""Options that choose metrics and their settings, and the metrics they make."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option
from tunesmith.cli.options import Lowercase
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric

Tokenize = Annotated[str | None, option(
    "--tokenize NAME",
    "Tokeniser applied to both sides before counting words. \\[default: none, text is tokenised already]"
)]  # fmt: skip
LowerIsBetter = Annotated[bool, option("--lower-is-better", "The numbers of --scores are errors or costs.")]


_SETTINGS = frozenset({"lowercase", "tokenize", "smoothing", "reference_length"})


@dataclass(frozen=True)
class Metrics:
    """Metrics by name with the settings that several of them know; None or False where nothing was typed."""

    metric: Annotated[list[str], option(
        "--metric NAME", "bleu, bleu+1, nist, chrf, chrf++, ter, or precomputed; may be repeated.",
        show_default="bleu",
    )] = field(default_factory=list)  # fmt: skip
    lowercase: Lowercase = False
    tokenize: Tokenize = None
    smoothing: Annotated[str | None, option(
        "--smoothing NAME", "What BLEU does with an order without matches: none, floor, add_k, exp.",
        show_default="exp",
    )] = None  # fmt: skip
    reference_length: Annotated[str | None, option(
        "--reference-length RULE", "BLEU's choice among several: closest, shortest, average.",
        show_default="closest",
    )] = None  # fmt: skip
    scores: Annotated[list[str], option(
        "--scores FILE", "Scores computed elsewhere, one number per line; adds the metric precomputed."
    )] = field(default_factory=list)  # fmt: skip
    lower_is_better: LowerIsBetter = False

    def chosen(self) -> dict[str, Metric]:
        """The metrics by the name typed. Each gets the settings it knows; one that none knows is an error."""
        from tunesmith.metrics import metrics

        wanted = list(dict.fromkeys(self.metric)) or ["bleu"]
        if self.scores and "precomputed" not in wanted:
            wanted.append("precomputed")
        if "precomputed" in wanted and not self.scores:
            raise ConfigError("--metric precomputed needs the file of scores: --scores FILE")
        if self.lower_is_better and not self.scores:
            raise ConfigError("--lower-is-better is about --scores FILE, which was not given")
        given = {
            key: value for key, value in vars(self).items() if key in _SETTINGS and value not in (None, False)
        }
        made: dict[str, Metric] = {}
        unused = set(given)
        for name in wanted:
            if name == "precomputed":
                made[name] = metrics.make(name, lower_is_better=self.lower_is_better)
                continue
            known = inspect.signature(metrics.get(name)).parameters
            made[name] = metrics.make(name, **{key: value for key, value in given.items() if key in known})
            unused -= set(known)
        if unused:
            options = ", ".join("--" + key.replace("_", "-") for key in sorted(unused))
            raise ConfigError(
                f"{options}: not a setting of {', '.join(wanted)}. Leave it out, or add --metric bleu"
            )
        return made


def chosen_metric(name: str | None, lowercase: bool, tokenize: str | None) -> Metric:
    """One metric by name, BLEU where None, with these settings."""
    [metric] = Metrics([] if name is None else [name], lowercase, tokenize).chosen().values()
    return metric
