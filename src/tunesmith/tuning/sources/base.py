"""What a source of candidates is: a tuner never knows what decoder, file or command is behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.feature_names import FeatureNames

Floats = NDArray[np.float64]
References = Sequence[Sequence[str]]


class CandidateSource(Protocol):
    """Candidates of the sentences of one data set.

    fixed: the same candidates come whatever the weights, so that one round says all.
    references: those of each sentence, or None where candidates carry their metric statistics.
    """

    @property
    def fixed(self) -> bool:
        """Whether the weights have no influence on which candidates come."""

    @property
    def references(self) -> References | None:
        """The references of each sentence."""

    @property
    def sentences(self) -> int:
        """How many sentences there are."""

    @property
    def features(self) -> FeatureNames:
        """The names of the features known before any candidate is; more may come."""

    def start(self) -> Floats | None:
        """The weights the source would begin with, None where it knows none."""

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        """Candidates under these weights, of all sentences or of the given ones."""

    def load(self, folder: Path) -> CandidateSet:
        """Open candidates of this source that were saved."""

    def settings(self) -> dict[str, Any]:
        """What the candidates depend on besides the weights: settings, and digests of the data."""


@runtime_checkable
class PartsSource(CandidateSource, Protocol):
    """A source that hands out its sentences part by part, so that they need not all be in memory."""

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[CandidateSet]:
        """What `candidates` gives, cut into sets of consecutive sentences."""


def sentence_parts(source: CandidateSource) -> tuple[NDArray[np.int64], int]:
    """The part of the training data that each sentence of a source is in, and how many parts there are.

    ConfigError without parts. Such a source takes weights with a row for each part.
    """
    parts: tuple[NDArray[np.int64], int] | None = getattr(source, "sentence_parts", None)
    if parts is None:
        raise ConfigError(
            "cross_fit is for training data that is decoded in parts, by models that have not read them: on the "
            "command line --leave-one-out OWN --parts 5; or go without: --set cross_fit=false"
        )
    return parts
