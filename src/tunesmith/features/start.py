"""Weights to start tuning from, as papers and Moses give them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tunesmith.checks import one_of
from tunesmith.features.base import DenseFeature, SpecialFeature, templates
from tunesmith.features.names import template_of
from tunesmith.signature import Signature
from tunesmith.weights import Weights


@dataclass(frozen=True)
class StartWeights:
    """Weights by template; templates that are not named have `dense` if they are dense, and 0 otherwise.

    `word_penalty` multiplies minus the number of words, here as in Moses and Phrasal: a weight of -1 is a bonus of
    1 for every word. `unknown` is the same for all translations of a sentence whose unknown words have no other
    way, so any weight will do; -1 keeps words from passing through where there is another way.
    """

    source: str
    templates: dict[str, float]
    dense: float = 0.0


START = {
    "moses": StartWeights(
        "defaults of train-model.perl",
        {"translation": 0.2, "lm": 0.5, "word_penalty": -1.0, "rule_penalty": 0.2, "glue_penalty": 1.0,
         "distortion": 0.3, "reordering": 0.3, "unknown": -1.0},
    ),
    "cherry2012": StartWeights(
        "Cherry and Foster 2012, section 4.2", {"translation": 1.0, "lm": 1.0, "distortion": 1.0, "unknown": -1.0}
    ),
    "green2014": StartWeights(
        "Green et al. 2014, footnote 8", {"lm": 0.5, "word_penalty": -1.0, "unknown": -1.0}, dense=0.2
    ),
}  # fmt: skip
START["liu2013"] = START["moses"]  # the paper starts from tuned weights and does not say where that tuning started


INDICATORS = "translation:missing."  # of joined tables (grammar/join.py): what they are worth is not known


def start_weights(preset: str, names: Iterable[str], *, lms: Sequence[str] = ("lm",)) -> Weights:
    """Return the weights of a preset for these features; features at 0 are left out.

    `lms` are the names of language models. Sparse features need not be named: they start at 0 everywhere.
    """
    one_of(START, preset=preset)
    start = START[preset]
    values = {}
    for name in names:
        template = "lm" if name in lms else template_of(name)
        if name.startswith(INDICATORS):
            continue
        values[name] = start.templates.get(template, start.dense if is_dense(template) else 0.0)
    signature = Signature("start", {"preset": preset})
    return Weights.from_mapping({name: value for name, value in values.items() if value}, str(signature))


def is_dense(template: str) -> bool:
    """Return whether the features of a template are few and nearly every translation has them."""
    if template in ("lm", "distortion", "reordering"):  # of the search
        return True
    if template not in templates:
        return False
    factory = templates.get(template)
    if isinstance(factory, type) and issubclass(factory, DenseFeature | SpecialFeature):
        return True
    return bool(getattr(factory, "dense", False))
