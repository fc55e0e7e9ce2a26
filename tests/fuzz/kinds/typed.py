"""What users type: features, recipes, settings, constraints, sweeps, dialects, metrics."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fuzz.kind import Kind, one_file
from tunesmith.experiments.study.sweeps import Sweep, grid, recipes_of
from tunesmith.features.index import FeatureIndex
from tunesmith.features.specs import parse_features
from tunesmith.grammar.reordering import ReorderingOptions
from tunesmith.metrics import metric_of
from tunesmith.search.dialects import make_dialect
from tunesmith.search.list_features.base import make_feature
from tunesmith.tuning import recipes
from tunesmith.tuning.constraints import Constraints


def _text(read: Callable[[str], object]) -> Callable[[Path], object]:
    """A text as it comes from the command line: bytes that are not UTF-8 become lone surrogates."""
    return lambda folder: read(
        (folder / "input").read_bytes().replace(b"\0", b"").decode("utf-8", "surrogateescape")
    )


def _features(text: str) -> None:
    for kind in ("hiero", "phrase"):
        for spec in parse_features(text, kind):
            spec.build()


def _recipe(text: str) -> None:
    name, _, settings = text.partition("\n")
    recipes.get(name).with_settings(settings)


def _regularizer(text: str) -> None:
    recipes.get("pro").with_regularizer(text)


def _constraints(text: str) -> None:
    fixed, _, rest = text.partition("\n")
    bounds, _, penalties = rest.partition("\n")
    import numpy as np

    Constraints((fixed,), (bounds,), (penalties,)).resolve(FeatureIndex(["lm", "id:a", "id:b"]), np.zeros(3))


def _sweep(text: str) -> None:
    recipes_of(recipes.get("pro"), grid([Sweep.parse(each) for each in text.splitlines()]))


_SEPARATORS = (b",", b"=", b":", b".")


def kinds() -> list[Kind]:
    texts = {
        "features": (
            _features,
            ("default,id", "translation,word_pair,length_bin:longest=4", "default,count_bin,id"),
        ),
        "recipe": (
            _recipe,
            ("pro\nkeep=100,min_gain=0.1", "mira\nk=10", "shares\ngrouping.loss.keep=10", "risk\n"),
        ),
        "regularizer": (_regularizer, ("l2:strength=0.1", "oscar:l1=1e-3,l2=1e-5", "none")),
        "constraints": (_constraints, ("lm\nid:*<=1\nid:*=2", "id:a\nlm>=0\nlm=0")),
        "sweep": (_sweep, ("keep=10,20", "keep=1,2\nmin_gain=0.1,0.2")),
        "dialect": (make_dialect, ("flat:n=10", "flat:n=2,scores=x", "moses-dat:scores=y", "json")),
        "list-feature": (make_feature, ("agreement:metric=chrf,scale=2", "length", "posterior", "rank")),
        "metric": (metric_of, ("chrf:beta=3,word_order=2", "bleu:smoothing=exp", "ter")),
        "reordering": (ReorderingOptions.parse, ("hier-mslr-bidirectional-fe", "wbe-msd-forward-fe")),
    }
    return [
        Kind(f"typed-{name}", one_file(*seeds), _text(read), separators=_SEPARATORS)  # type: ignore[arg-type]
        for name, (read, seeds) in texts.items()
    ]
