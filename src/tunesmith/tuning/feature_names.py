"""Feature names: patterns, and weights by name."""

from __future__ import annotations

import re
from fnmatch import translate

import numpy as np
from numpy.typing import NDArray

from tunesmith.features.index import FeatureIndex
from tunesmith.tuning.growth import grown
from tunesmith.weights import Weights

SHOWN = 1000
"""Number of features up to which zero weights are also written; beyond it, they are omitted."""


def matching(features: FeatureIndex, *patterns: str) -> NDArray[np.int64]:
    """Return numbers of the features that match names or patterns such as `id:*`, distinct and ascending."""
    found = [_matching(features, pattern) for pattern in patterns]
    return found[0] if len(found) == 1 else np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))


def _matching(features: FeatureIndex, pattern: str) -> NDArray[np.int64]:
    literal = re.match(r"[^*?[]*", pattern)
    assert literal is not None
    if any("\ud800" <= letter <= "\udfff" for letter in pattern):  # invalid text, which no name contains
        return np.empty(0, dtype=np.int64)
    exact = features.find(pattern)
    if exact is not None or literal[0] == pattern:
        return np.array([] if exact is None else [exact], dtype=np.int64)
    found = features.with_prefix(literal[0])
    if pattern[literal.end() :] == "*":  # avoids making millions of names that all match
        return found
    form = re.compile(translate(pattern))
    return np.array([at for at in found.tolist() if form.match(features.name(at))], dtype=np.int64)


def weights_by_name(features: FeatureIndex, vector: NDArray[np.float64], signature: str) -> Weights:
    """Return these weights by name, in the order of the features."""
    zeros = len(vector) <= SHOWN
    return features.weights(grown(vector, len(features)), signature=signature, zeros=zeros)
