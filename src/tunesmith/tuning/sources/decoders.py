"""What a decoder must have to make n-best lists for tuners, and what it may have."""

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


class KBestDecoder(Protocol):
    """What `KBestSource` asks of a decoder. The protocols below say what else it may have."""

    @property
    def features(self) -> FeatureIndex | Sequence[str]: ...

    def set_weights(self, weights: Floats) -> None:
        """Use these weights from now on. A decoder that has `parts` takes a row of weights for each part too."""

    def k_best(self, lines: Sequence[str], k: int, *, threads: int = 1) -> CandidateSet:
        """The k best different derivations of each line, best first."""


@runtime_checkable
class Weighted(Protocol):
    """A decoder with weights, from which tuning starts."""

    @property
    def weights(self) -> Floats: ...


@runtime_checkable
class Signed(Protocol):
    """A decoder that says what it is: model, options, version."""

    @property
    def signature(self) -> object: ...


@runtime_checkable
class Naming(Protocol):
    """A decoder that knows features which it has not met yet."""

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        """Weights by number, and the names that it does not have."""


@runtime_checkable
class Worded(Protocol):
    """A decoder that knows its words: where they are pieces, they are joined for the metric."""

    @property
    def target_words(self) -> Sequence[str]: ...


@runtime_checkable
class Loading(Protocol):
    """A decoder that opens its saved lists, which need its features."""

    def load(self, folder: Path) -> CandidateSet: ...


@runtime_checkable
class Blockwise(Protocol):
    """A decoder that is given no more lines at once than it asks for, so that progress is seen."""

    @property
    def lines_at_once(self) -> int: ...


@runtime_checkable
class Parted(Protocol):
    """A decoder of several models, each made without a part of the training data."""

    @property
    def parts(self) -> NDArray[np.int64]:
        """The part of each pair of the training data."""


@runtime_checkable
class Updating(Protocol):
    """A decoder that changes single weights, at a cost that does not depend on the number of the others."""

    def update_weights(self, ids: NDArray[np.uint32], values: Floats) -> None: ...


@runtime_checkable
class Described(Protocol):
    """A decoder with a description, so that other processes can make its lists."""

    @property
    def describe(self) -> Callable[[int, Floats], Work[Lines, CandidateSet]] | None: ...
    @property
    def receive(self) -> Callable[[Packet], CandidateSet] | None: ...


@runtime_checkable
class Listing(Protocol):
    """A decoder or a model that makes the decoder of lists that tuners use: those of `tunesmith.decoding`."""

    def list_decoder(self) -> KBestDecoder: ...


class LeftOut(Protocol):
    """What the decoder leaves out of its model, sentence by sentence: `OwnRules` of `tunesmith.grammar`."""

    @property
    def signature(self) -> str:
        """Changes with what is left out."""

    @property
    def pairs(self) -> NDArray[np.int64]:
        """Which pair of the training data each sentence is."""

    def __len__(self) -> int: ...

    def select(self, sentences: Sequence[int]) -> LeftOut:
        """What is left out of these sentences."""

    def of_pairs(self, pairs: Sequence[int]) -> LeftOut:
        """What is left out of sentences that are these pairs."""


def k_best_decoder(given: KBestDecoder | StrPath | Any) -> KBestDecoder:
    """The decoder that is meant by a model directory, a decoder or an object; ConfigError for any other."""
    if isinstance(given, (str, os.PathLike)):
        found: KBestDecoder = service("list decoder of a model")(given)
        return found
    if isinstance(given, Listing) and not isinstance(given, type):
        return given.list_decoder()
    missing = [name for name in ("features", "set_weights", "k_best") if not hasattr(given, name)]
    if missing or isinstance(given, type):
        raise WrongTypeError(
            "decoder must be a model directory, a decoder, or an object with features, set_weights and k_best, "
            f"got {kind_of(given)}"
        )
    decoder: KBestDecoder = given
    return decoder
