"""Options that choose metrics and their settings, and the metrics they make."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric

Metrics = Annotated[
    list[str],
    typer.Option(
        "--metric",
        help="bleu, bleu+1, nist, chrf, chrf++, ter, or precomputed; may be repeated. \\[default: bleu]",
        metavar="NAME",
        show_default=False,
    ),
]
Tokenize = Annotated[
    str | None,
    typer.Option(
        "--tokenize",
        help="Tokeniser applied to both sides before counting words. \\[default: none, text is tokenised already]",
        metavar="NAME",
        show_default=False,
    ),
]
Smoothing = Annotated[
    str | None,
    typer.Option(
        "--smoothing",
        help="What BLEU does with an order without matches: none, floor, add_k, exp. \\[default: exp]",
        metavar="NAME",
        show_default=False,
    ),
]
ReferenceLength = Annotated[
    str | None,
    typer.Option(
        "--reference-length",
        help="BLEU's choice among several: closest, shortest, average. \\[default: closest]",
        metavar="RULE",
        show_default=False,
    ),
]
Scores = Annotated[
    list[str],
    typer.Option(
        "--scores",
        help="Scores computed elsewhere, one number per line; adds the metric precomputed.",
        metavar="FILE",
        show_default=False,
    ),
]
LowerIsBetter = Annotated[
    bool, typer.Option("--lower-is-better", help="The numbers of --scores are errors or costs.")
]


def chosen_metrics(
    names: Sequence[str], settings: Mapping[str, object], *, scores: bool, lower_is_better: bool
) -> dict[str, Metric]:
    """The metrics by the name typed. Each gets those settings it knows; a setting that none knows is an error."""
    from tunesmith.metrics import metrics

    wanted = list(dict.fromkeys(names)) or ["precomputed" if scores else "bleu"]
    if scores and "precomputed" not in wanted:
        wanted.append("precomputed")
    if "precomputed" in wanted and not scores:
        raise ConfigError("--metric precomputed needs the file of scores: --scores FILE")
    if lower_is_better and not scores:
        raise ConfigError("--lower-is-better is about --scores FILE, which was not given")
    given = {key: value for key, value in settings.items() if value is not None and value is not False}
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
