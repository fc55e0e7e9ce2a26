"""Shared by tests of both decoders: random language models, weights and sentences, and features computed twice."""

from __future__ import annotations

import random
from typing import Protocol

import numpy as np
import pytest
from numpy.typing import NDArray

from tunesmith.decoding import Decoder, Translation
from tunesmith.lm import LmOptions, NgramModel

SOURCE, TARGET = "abcd", "ABCDE"


class Recomputing(Protocol):
    """A model that knows the features of a translation from its rules and words alone."""

    @property
    def decoder(self) -> Decoder: ...

    def recomputed(self, one: Translation) -> NDArray[np.float64]: ...


def random_language_model(source: random.Random, order: int) -> NgramModel:
    """Of target words and one that no rule has."""
    text = [" ".join(source.choices(TARGET + "d", k=source.randint(1, 7))) for _ in range(40)]
    return NgramModel.train(text, LmOptions(order=order))


def set_random_weights(decoder: Decoder, source: random.Random) -> NDArray[np.float64]:
    """Any, but good sentences are better, and unknown words worse."""
    weights = np.array([source.uniform(-1, 1) for _ in range(len(decoder.index))])
    for name, value in (("lm", 0.7), ("unknown", -3.0)):
        if (found := decoder.index.find(name)) is not None:
            weights[found] = value
    decoder.set_weights(weights)
    return weights


def sentences(seed: int, count: int = 4, longest: int = 5, words: str = SOURCE + "z") -> list[list[str]]:
    """Of words that rules know, and one that they do not."""
    source = random.Random(seed)
    return [source.choices(words, k=source.randint(1, longest)) for _ in range(count)]


def assert_features(model: Recomputing, one: Translation, tolerance: float = 1e-5) -> None:
    """The features and the score of a translation are those of its rules and words."""
    values = np.zeros(len(model.decoder.index))
    for id, value in one.feature_values().items():
        values[id] = value
    assert values == pytest.approx(model.recomputed(one), rel=tolerance, abs=tolerance)
    assert one.score == pytest.approx(float(values @ model.decoder.weights), abs=tolerance)
