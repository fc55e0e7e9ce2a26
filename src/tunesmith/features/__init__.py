"""Features: templates, their names and numbers, and the matrix F of the features of every rule."""

from tunesmith.features import rules, search  # noqa: F401 (our templates register themselves)
from tunesmith.features.base import (
    Batch,
    RuleFeature,
    SearchFeature,
    SentenceFeature,
    SpanFeature,
    SpecialRule,
    StateFeature,
    register,
    templates,
)
from tunesmith.features.domains import Domains
from tunesmith.features.featureset import FeatureSet, domains_of, split_features
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.features.names import escape, join_words
from tunesmith.features.presets import PRESETS
from tunesmith.features.python_features import features_from
from tunesmith.features.specs import TemplateSpec, parse_features
from tunesmith.features.start import START, start_weights

__all__ = [
    "PRESETS",
    "START",
    "Batch",
    "Domains",
    "FeatureIndex",
    "FeatureMatrix",
    "FeatureSet",
    "RuleFeature",
    "SearchFeature",
    "SentenceFeature",
    "SpanFeature",
    "SpecialRule",
    "StateFeature",
    "TemplateSpec",
    "domains_of",
    "escape",
    "features_from",
    "join_words",
    "parse_features",
    "register",
    "split_features",
    "start_weights",
    "templates",
]
