"""What a source is. A tuner never knows what decoder, file or command its translations come from."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence, Sized
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import at_least, kind_of
from tunesmith.corpus.subwords import join_sources
from tunesmith.errors import ConfigError, WrongTypeError
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath
from tunesmith.metrics import Metric, Prepared
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.tuning.pools.base import Floats, Pool, References
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.weights import Weights

Start: TypeAlias = Weights | Mapping[str, float] | StrPath | Floats | Sequence[float]
"""Start weights by name or by number, or a file of them."""


def named(start: Start) -> TypeGuard[Weights | Mapping[str, float] | StrPath]:
    """Return whether start weights are by name."""
    return isinstance(start, (Weights, Mapping, str, os.PathLike))


def numbers_of(start: Any, what: str = "start") -> Floats:
    """Return a copy of weights by number; ConfigError for anything else."""
    try:
        numbers = np.array(start, dtype=np.float64)
    except (TypeError, ValueError):
        numbers = np.array(0.0)
    if numbers.ndim == 0:
        raise WrongTypeError(f"{what} must be values by name or number, or a file of them, got {kind_of(start)}")
    return numbers


@runtime_checkable
class CandidateSource(Protocol):
    """Translations of the sentences of one data set.

    pool: the class of its pools.
    fixed: the same translations come whatever the weights, so that one round says all.
    references: of each sentence, or None where translations carry their metric statistics.
    lines: the sentences themselves, None where they are not known.   sentences: how many there are.
    features: names of the features known before any translation is; more may come.
    """

    @property
    def pool(self) -> type[Pool]: ...
    @property
    def fixed(self) -> bool: ...
    @property
    def references(self) -> References | None: ...
    @property
    def lines(self) -> Sequence[str] | None: ...
    @property
    def sentences(self) -> int: ...
    @property
    def features(self) -> FeatureIndex: ...

    def start(self) -> Floats | None:
        """Return the weights the source would begin with, None where it knows none."""

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        """Return weights by number, and the names that the source does not have."""

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[Pool]:
        """Yield pools of consecutive sentences under these weights: together all sentences, or the given ones."""

    def load(self, folder: Path) -> Pool:
        """Open a pool of this source that was saved."""

    def settings(self) -> dict[str, Any]:
        """Return what the translations depend on in addition to the weights: settings, and digests of the data."""


class ListSource(ABC):
    """A source of n-best lists: one method, `candidates`, is enough where all of them fit into memory."""

    pool: ClassVar[type[Pool]] = ListPool
    lines: Sequence[str] | None = None
    labels: Sequence[str] | None = None
    """The domain of each sentence, where they are known."""
    whole_text: ClassVar[bool] = False
    """All sentences are decoded at once, and never a few of them."""
    subwords: str = "none"
    """The pieces that candidates came in; their words are joined."""
    asked_subwords: str | None = None
    """The pieces that were asked for; None for what marks show."""

    @property
    @abstractmethod
    def features(self) -> FeatureIndex: ...

    @abstractmethod
    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        """Return candidates under these weights, of all sentences or of the given ones."""

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[ListPool]:
        yield ListPool(self.candidates(weights, sentences, threads=threads))

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        return self.features.vector(weights)

    def load(self, folder: Path) -> ListPool:
        return ListPool(CandidateSet.load(folder))


def prepared_for(metric: Metric, source: CandidateSource) -> Prepared:
    """Return the metric for translations of a source, which must have references.

    Source sentences in pieces are joined to words, as translations are; the source decodes the pieces.
    """
    assert source.references is not None
    lines = source.lines
    if lines is not None and metric.needs_source:
        lines = join_sources(lines, source.asked_subwords if isinstance(source, InPieces) else None)
    return metric.prepare_for(source.references, lines)


def numbered_alike(found: CandidateSet, index: FeatureIndex) -> CandidateSet:
    """Renumber the features of candidates as in `index`, to which missing names are added."""
    from scipy import sparse

    numbers = np.array([index.add(name) for name in found.features], dtype=np.int64)
    matrix = found.matrix
    if not np.array_equal(numbers, np.arange(len(index))):
        rows = found.rows()
        moved = sparse.csr_matrix((rows.data, numbers[rows.indices], rows.indptr), shape=(len(found), len(index)))
        moved.sort_indices()
        matrix = PlainMatrix.from_csr(moved)
    return CandidateSet(matrix, found.offsets, features=index, words=found.words, statistics=found.statistics)


def check_decoded(k: int, sentences: int, **of_each: Sized) -> None:
    """Raise ConfigError unless lists of length k can be made of these sentences, with something for each."""
    at_least(1, k=k)
    if k < 2:
        raise ConfigError(f"k must be at least 2, got {k}: a tuner chooses between candidates")
    for what, given in of_each.items():
        if len(given) != sentences:
            raise ConfigError(
                f"{sentences} sentences to decode and {what.replace('_', ' ')} for {len(given)}; "
                "both must be the same sentences in the same order"
            )
    if not sentences:
        raise ConfigError("there is no sentence to tune on")


@runtime_checkable
class InPieces(Protocol):
    """A source whose sentences may be in pieces of words."""

    @property
    def asked_subwords(self) -> str | None:
        """The pieces that were asked for; None for what marks show."""


@runtime_checkable
class Labelled(Protocol):
    """A source whose sentences may have a domain each."""

    @property
    def labels(self) -> Sequence[str] | None: ...


@runtime_checkable
class WholeText(Protocol):
    """A source that may decode all sentences at once only."""

    @property
    def whole_text(self) -> bool: ...


@runtime_checkable
class ChangingSource(Protocol):
    """A source that decodes again after a few weights have changed, without being given all of them."""

    @property
    def takes_changes(self) -> bool:
        """Whether it does so with its present decoder."""

    def parts_after(
        self, ids: NDArray[np.uint32], values: Floats, sentences: Sequence[int], *, threads: int = 1
    ) -> Iterator[Pool]:
        """Yield `parts` under the weights of the last decoding, some of which have changed to these values."""


@runtime_checkable
class OverlappingSource(Protocol):
    """A source that may decode in another thread while its earlier translations are learnt from."""

    @property
    def overlaps(self) -> bool:
        """Whether it does so with its present decoder."""


@runtime_checkable
class FoldedSource(Protocol):
    """A source of training data that is decoded in held-out folds, each by a model that was made from the others.

    It takes weights with a row for each fold.
    """

    @property
    def sentence_folds(self) -> tuple[NDArray[np.int64], int] | None:
        """The fold of each sentence, and the number of folds; None without folds."""


def sentence_folds(source: CandidateSource) -> tuple[NDArray[np.int64], int]:
    """Return the held-out fold of each sentence of a source, and the number of folds.

    ConfigError without folds.
    """
    folds = source.sentence_folds if isinstance(source, FoldedSource) else None
    if folds is None:
        raise ConfigError(
            "cross_fit is for training data that is decoded in held-out folds: on the "
            "command line --leave-one-out OWN --folds 5; or go without: --set cross_fit=false"
        )
    return folds
