"""Protocols of decoders that make n-best lists for tuners, required and optional."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import kind_of
from tunesmith.corpus.text_files import Lines
from tunesmith.errors import WrongTypeError
from tunesmith.execution import Packet, Work
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.services import service
from tunesmith.tuning.pools.base import Floats
from tunesmith.weights import Weights


@runtime_checkable
class KBestDecoder(Protocol):
    """Interface that `KBestSource` requires of a decoder. Protocols below are optional."""

    @property
    def features(self) -> FeatureIndex | Sequence[str]: ...

    def set_weights(self, weights: Floats) -> None:
        """Set the weights. A decoder that has `parts` also accepts a row of weights for each part."""

    def k_best(self, lines: Sequence[str], k: int, *, threads: int = 1) -> CandidateSet:
        """Return the k best distinct derivations of each line, best first."""


@runtime_checkable
class Weighted(Protocol):
    """A decoder with weights, from which tuning starts."""

    @property
    def weights(self) -> Floats: ...


@runtime_checkable
class Signed(Protocol):
    """A decoder with a signature: model, options, version."""

    @property
    def signature(self) -> object: ...


@runtime_checkable
class Naming(Protocol):
    """A decoder that knows features which have not occurred yet."""

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        """Return weights by number, and the names that it does not have."""


@runtime_checkable
class Worded(Protocol):
    """A decoder that knows its target words: subword pieces are joined for the metric."""

    @property
    def target_words(self) -> Sequence[str]: ...


@runtime_checkable
class Loading(Protocol):
    """A decoder that opens its saved lists, which need its features."""

    def load(self, folder: Path) -> CandidateSet: ...


@runtime_checkable
class Blockwise(Protocol):
    """A decoder with a block size, so that progress can be shown."""

    @property
    def lines_at_once(self) -> int: ...


@runtime_checkable
class Folded(Protocol):
    """A decoder of several models, each made without one fold of the training data."""

    @property
    def folds(self) -> NDArray[np.int64]:
        """Fold of each pair of the training data."""


@runtime_checkable
class Resting(Protocol):
    """A decoder, or a source of its lists, that gives back memory when it is not used for a while."""

    def rest(self) -> None:
        """Give memory back. Later results are the same."""


@runtime_checkable
class Updating(Protocol):
    """A decoder that can change single weights, at a cost independent of the number of weights."""

    def update_weights(self, ids: NDArray[np.uint32], values: Floats) -> None: ...


@runtime_checkable
class Overlapping(Protocol):
    """A decoder that says whether it can decode in another thread, one call at a time.

    Meanwhile its earlier lists are learnt from, and the names of its features are read.
    """

    @property
    def overlaps(self) -> bool: ...


@runtime_checkable
class Described(Protocol):
    """A decoder with a description, so that other processes can make its lists."""

    @property
    def describe(self) -> Callable[[int, Floats], Work[Lines, CandidateSet]] | None: ...
    @property
    def receive(self) -> Callable[[Packet], CandidateSet] | None: ...


@runtime_checkable
class Listing(Protocol):
    """A decoder or model that makes its list decoder: those of `tunesmith.decoding`."""

    def list_decoder(self) -> KBestDecoder: ...


class LeftOut(Protocol):
    """Leave-one-out data of a decoder, sentence by sentence: `LeaveOneOutCounts` of `tunesmith.grammar`."""

    @property
    def signature(self) -> str:
        """Signature of the data that is left out."""

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Number of each sentence's pair in the training data."""

    def __len__(self) -> int: ...

    def select(self, sentences: Sequence[int]) -> LeftOut:
        """Return the data to leave out for these sentences."""

    def of_pairs(self, pairs: Sequence[int]) -> LeftOut:
        """Return the data to leave out for sentences that are these pairs."""


def k_best_decoder(given: KBestDecoder | StrPath | Any) -> KBestDecoder:
    """Return the list decoder of a model directory, a decoder or an object; ConfigError for anything else."""
    if isinstance(given, (str, os.PathLike)):
        found: KBestDecoder = service("list decoder of a model")(given)
        return found
    if isinstance(given, Listing) and not isinstance(given, type):
        return given.list_decoder()
    if isinstance(given, type) or not isinstance(given, KBestDecoder):
        raise WrongTypeError(
            "decoder must be a model directory, a decoder, or an object with features, set_weights and k_best, "
            f"got {kind_of(given)}"
        )
    return given
