"""Options that choose metrics and their settings, and the metrics they make."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option
from tunesmith.cli.options import DETAILS, Lowercase, Subwords
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Metric, Prepared

Tokenize = Annotated[str | None, option(
    "--tokenize NAME",
    "Tokeniser applied to both sides before counting words. \\[default: none, text is tokenised already]",
    DETAILS,
)]  # fmt: skip
LowerIsBetter = Annotated[
    bool, option("--lower-is-better", "The numbers of --scores are errors or costs.", DETAILS)
]


Source = Annotated[str | None, option("--source FILE", "Source text, for metrics that look at it.", DETAILS)]

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
    subwords: Subwords = None
    smoothing: Annotated[str | None, option(
        "--smoothing NAME", "What BLEU does with an order without matches: none, floor, add_k, exp.", DETAILS,
        show_default="exp",
    )] = None  # fmt: skip
    reference_length: Annotated[str | None, option(
        "--reference-length RULE", "Which reference length BLEU takes: closest, shortest, average.", DETAILS,
        show_default="closest",
    )] = None  # fmt: skip
    scores: Annotated[list[str], option(
        "--scores FILE", "Scores computed elsewhere, one number per line; adds the metric precomputed."
    )] = field(default_factory=list)  # fmt: skip
    lower_is_better: LowerIsBetter = False
    source: Source = None

    def prepared(self, metric: Metric, references: Sequence[Sequence[str]]) -> Prepared:
        """Prepare references for a metric, with source sentences if given and if the metric looks at them."""
        return metric.prepare_for(references, words_of_source(self.source, metric, self.subwords))

    def chosen(self) -> dict[str, Metric]:
        """Return the metrics by the name typed.

        Each gets the settings it knows; one that none knows is an error.
        """
        from tunesmith.metrics import metrics
        from tunesmith.settings import merged_settings, parse_named, read_settings

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
            base, typed = parse_named(name)
            known = inspect.signature(metrics.get(base)).parameters
            settings = {key: value for key, value in given.items() if key in known}
            own = read_settings(metrics.get(base), typed, base)
            made[name] = metrics.make(base, **merged_settings(own, settings, base))
            unused -= set(known)
        if unused:
            options = ", ".join("--" + key.replace("_", "-") for key in sorted(unused))
            raise ConfigError(
                f"{options}: not a setting of {', '.join(wanted)}. Leave it out, or add --metric bleu"
            )
        return made


def words_of_source(path: str | None, metric: Metric, subwords: str | None) -> Sequence[str] | None:
    """Return the source sentences of a file, pieces joined; None without a file or where the metric needs none."""
    from tunesmith.corpus.subwords import join_sources
    from tunesmith.io import read_lines

    if path is None or not metric.needs_source:
        return None
    return join_sources(read_lines(path), subwords, path)


def chosen_metric(name: str | None, lowercase: bool, tokenize: str | None) -> Metric:
    """Return one metric by name, BLEU where None, with these settings."""
    [metric] = Metrics([] if name is None else [name], lowercase=lowercase, tokenize=tokenize).chosen().values()
    return metric
