"""Metrics that can be counted edge by edge in a search graph."""

from __future__ import annotations

from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric, WordNgrams
from tunesmith.tuning.pools.graph_model import GraphModel


def refuse_pieces(model: GraphModel, what: str) -> None:
    """Raise ConfigError where words of the graphs are pieces that the metric joins. what: what counts n-grams."""
    if model.subwords != "none":
        raise ConfigError(
            f"{what} by n-grams of the graphs' own words, which are pieces here: take lattice-mert, or tune "
            "towards the pieces (--subwords none, with references in pieces)"
        )


def word_ngrams_of(metric: Metric, what: str, recipe: str) -> WordNgrams:
    """Return what the metric counts; ConfigError where that is not n-grams of words.

    what: what needs it.   recipe: what tunes on lists instead.
    """
    if metric.word_ngrams is None:
        raise ConfigError(
            f"the {what} needs a metric that counts n-grams of the words, such as bleu without tokenisation, not "
            f"{metric.label}; tune on n-best lists instead (--recipe {recipe})"
        )
    return metric.word_ngrams
