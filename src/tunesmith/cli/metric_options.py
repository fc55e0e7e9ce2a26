"""Options that choose metrics and their settings, and the metrics they make."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, NamedTuple

from tunesmith.cli.declaring import option
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric

Metrics = Annotated[list[str], option(
    "--metric NAME", "bleu, bleu+1, nist, chrf, chrf++, ter, or precomputed; may be repeated. \\[default: bleu]",
    show_default=False,
)]  # fmt: skip
Tokenize = Annotated[str | None, option(
    "--tokenize NAME",
    "Tokeniser applied to both sides before counting words. \\[default: none, text is tokenised already]"
)]  # fmt: skip
Smoothing = Annotated[str | None, option(
    "--smoothing NAME", "What BLEU does with an order without matches: none, floor, add_k, exp. \\[default: exp]"
)]  # fmt: skip
ReferenceLength = Annotated[str | None, option(
    "--reference-length RULE", "BLEU's choice among several: closest, shortest, average. \\[default: closest]"
)]  # fmt: skip
Scores = Annotated[list[str], option(
    "--scores FILE", "Scores computed elsewhere, one number per line; adds the metric precomputed.",
    show_default=False,
)]  # fmt: skip
LowerIsBetter = Annotated[bool, option("--lower-is-better", "The numbers of --scores are errors or costs.")]


class Settings(NamedTuple):
    """What was typed of the settings that several metrics know; None or False where nothing was."""

    lowercase: bool
    tokenize: str | None
    smoothing: str | None
    reference_length: str | None


def chosen_metrics(
    names: Sequence[str], settings: Settings, *, scores: bool, lower_is_better: bool
) -> dict[str, Metric]:
    """The metrics by the name typed. Each gets those settings it knows; a setting that none knows is an error."""
    from tunesmith.metrics import metrics

    wanted = list(dict.fromkeys(names)) or ["bleu"]
    if scores and "precomputed" not in wanted:
        wanted.append("precomputed")
    if "precomputed" in wanted and not scores:
        raise ConfigError("--metric precomputed needs the file of scores: --scores FILE")
    if lower_is_better and not scores:
        raise ConfigError("--lower-is-better is about --scores FILE, which was not given")
    typed = settings._asdict().items()
    given = {key: value for key, value in typed if value is not None and value is not False}
    made: dict[str, Metric] = {}
    unused = set(given)
    for name in wanted:
        if name == "precomputed":
            made[name] = metrics.make(name, lower_is_better=lower_is_better)
            continue
        known = inspect.signature(metrics.get(name)).parameters
        made[name] = metrics.make(name, **{key: value for key, value in given.items() if key in known})
        unused -= set(known)
    if unused:
        options = ", ".join("--" + key.replace("_", "-") for key in sorted(unused))
        raise ConfigError(f"{options}: not a setting of {', '.join(wanted)}. Leave it out, or add --metric bleu")
    return made


def chosen_metric(name: str | None, lowercase: bool, tokenize: str | None) -> Metric:
    """One metric by name, BLEU where None, with these settings."""
    settings = Settings(lowercase, tokenize, None, None)
    names = [] if name is None else [name]
    [metric] = chosen_metrics(names, settings, scores=False, lower_is_better=False).values()
    return metric
