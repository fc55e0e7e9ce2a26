"""Weights as they travel to another opening of the same model: few bytes for each that is not 0."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from tunesmith.decoding.decoder import Decoder
from tunesmith.errors import ConfigError
from tunesmith.weights import Weights

Floats = NDArray[np.float64]


class NumberedWeights(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Weights that are not 0.

    ids, values: of features of rules, by number: uint32 and float64, little-endian. Every opening of a model
    numbers them alike.   named: of features of the search, whose numbers depend on what was decoded before.
    """

    ids: bytes
    values: bytes
    named: dict[str, float]

    @classmethod
    def of(cls, weights: Floats, decoder: Decoder) -> NumberedWeights:
        """Return weights by the numbers of a decoder."""
        columns = decoder.features.columns
        ids = np.flatnonzero(weights[:columns]).astype("<u4")
        named = {
            decoder.index.name(columns + at): value for at, value in enumerate(weights[columns:].tolist()) if value
        }
        return cls(ids.tobytes(), weights[ids].astype("<f8").tobytes(), named)

    def vector(self, decoder: Decoder) -> Floats:
        """Return the weights by the numbers of another decoder of the model; ConfigError if they cannot be."""
        vector, unknown = decoder.vector(Weights.from_mapping(self.named))
        if unknown:
            raise ConfigError(f"weights of features that the model does not have: {', '.join(unknown[:3])}")
        if len(self.ids) % 4 or len(self.values) != 2 * len(self.ids):
            raise ConfigError("numbered weights are cut off")
        ids, values = np.frombuffer(self.ids, dtype="<u4"), np.frombuffer(self.values, dtype="<f8")
        columns = decoder.features.columns
        if len(ids) and int(ids.max()) >= columns:
            raise ConfigError(f"weight {int(ids.max())} of a model with {columns} features of rules")
        vector[ids] = values
        return vector
