"""Weights by number and by name. Names come as a list, or as an index that makes millions of them on request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.weights import Weights

Floats = NDArray[np.float64]


class FeatureNames(Protocol):
    """Names in the order of their numbers: a list of texts, or a `FeatureIndex`."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...


SHOWN = 1000
"""Up to so many features a weight of zero is written too; beyond, a feature without weight is not named."""


def name_of(features: Any, number: int) -> str:
    """The name of a feature."""
    name = features.name(number) if hasattr(features, "name") else features[number]
    return str(name)


def matching(features: Any, pattern: str) -> NDArray[np.int64]:
    """Numbers of the features that a name, or a pattern such as `id:*`, stands for; rising."""
    literal = re.match(r"[^*?[]*", pattern)
    assert literal is not None
    if hasattr(features, "find"):
        exact = features.find(pattern)
        if exact is not None or literal[0] == pattern:
            return np.array([] if exact is None else [exact], dtype=np.int64)
        found: NDArray[np.int64] = features.with_prefix(literal[0])
        if pattern[literal.end() :] == "*":  # millions of names need not be made to know that they fit
            return found
    else:
        exact_places = [number for number, name in enumerate(features) if name == pattern]
        if exact_places or literal[0] == pattern:
            return np.array(exact_places, dtype=np.int64)
        found = np.arange(len(features))
    form = re.compile(translate(pattern))
    return np.array([at for at in found.tolist() if form.match(name_of(features, at))], dtype=np.int64)


def weights_by_name(features: Any, vector: Floats, signature: str) -> Weights:
    """These weights with their names, in the order of the features."""
    zeros = len(vector) <= SHOWN
    if hasattr(features, "weights"):
        whole = np.concatenate([vector, np.zeros(len(features) - len(vector))])
        found: Weights = features.weights(whole, signature=signature, zeros=zeros)
        return found
    numbers = range(len(vector)) if zeros else np.flatnonzero(vector).tolist()
    return Weights.from_mapping({name_of(features, at): float(vector[at]) for at in numbers}, signature)


def vector_by_name(features: Any, weights: Weights | Mapping[str, float]) -> tuple[Floats, list[str]]:
    """The weights in the order of the features, zero where there is none; and the names no feature has."""
    if hasattr(features, "vector"):
        given = weights if isinstance(weights, Weights) else Weights.from_mapping(weights)
        found: tuple[Floats, list[str]] = features.vector(given)
        return found
    names: Sequence[str] = features
    number = {name: at for at, name in enumerate(names)}
    vector, unknown = np.zeros(len(names)), []
    for name, value in weights.items():
        if name in number:
            vector[number[name]] = value
        else:
            unknown.append(name)
    return vector, unknown
