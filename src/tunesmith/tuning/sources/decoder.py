"""The k best translations of a decoder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith.features.index import FeatureIndex
from tunesmith.search.lists.candidates import CandidateSet, index_of
from tunesmith.tuning.pools.base import Floats, References
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.sources.base import ListSource, check_decoded
from tunesmith.tuning.sources.digests import references_digest, text_digest
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


class KBestSource(ListSource):
    """The k best translations of a decoder, made again for every weight vector.

    `name` says in settings which decoder it is (its signature); a decoder may have a `signature` instead.
    `own_rules`: the lines are training data, and each is decoded as if it had not been in it (leave-one-out); the
    decoder's `k_best` must take them as `own`.
    """

    fixed = False

    def __init__(
        self,
        decoder: KBestDecoder,
        lines: Sequence[str],
        references: References,
        k: int = 100,
        *,
        start: Floats | None = None,
        name: str | None = None,
        own_rules: LeftOut | None = None,
    ) -> None:
        check_decoded(k, len(lines), references=references)
        if own_rules is not None:
            check_decoded(k, len(lines), own_rules=own_rules)
        self.decoder, self.references, self.k = decoder, references, k
        self.lines: Sequence[str] = list(lines)
        self._own_rules = own_rules
        self.sentences = len(lines)
        own = decoder.weights if start is None and isinstance(decoder, Weighted) else start
        self._start = None if own is None else np.array(own, dtype=np.float64)  # tuning changes the decoder's
        own_name = str(decoder.signature) if isinstance(decoder, Signed) else ""
        self._name = name or own_name or type(decoder).__name__

    def start(self) -> Floats | None:
        """The weights given, or those the decoder came with."""
        return self._start

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        """Weights by number, and the names that the source does not have.

        A decoder may know features that it has not met yet.
        """
        return self.decoder.vector(weights) if isinstance(self.decoder, Naming) else self.features.vector(weights)

    @property
    def sentence_parts(self) -> tuple[NDArray[np.int64], int] | None:
        """The part of the training data that each sentence is in, and how many there are; None without parts."""
        if self._own_rules is None or not isinstance(self.decoder, Parted):
            return None
        parts = self.decoder.parts
        return parts[self._own_rules.pairs[: self.sentences]], int(parts.max()) + 1

    @property
    def features(self) -> FeatureIndex:
        return index_of(self.decoder.features)

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        self.decoder.set_weights(weights)
        return self._k_best(range(self.sentences) if sentences is None else sentences, threads)

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[ListPool]:
        """Decode no more lines at once than the decoder asks for."""
        self.decoder.set_weights(weights)
        chosen = range(self.sentences) if sentences is None else sentences
        size = self.decoder.lines_at_once if isinstance(self.decoder, Blockwise) else len(chosen)
        for begin in range(0, len(chosen), size):
            yield ListPool(self._k_best(chosen[begin : begin + size], threads))

    def _k_best(self, sentences: Sequence[int], threads: int) -> CandidateSet:
        """Decode; decoders that leave nothing out need not know of it."""
        own = {} if self._own_rules is None else {"own": self._own_rules.select(sentences)}
        return self.decoder.k_best([self.lines[at] for at in sentences], self.k, threads=threads, **own)

    def subset(self, sentences: Sequence[int]) -> KBestSource:
        chosen = [int(at) for at in sentences]
        own = None if self._own_rules is None else self._own_rules.select(chosen)
        lines, references = [self.lines[at] for at in chosen], [self.references[at] for at in chosen]
        return KBestSource(
            self.decoder, lines, references, self.k, start=self._start, name=self._name, own_rules=own
        )

    def load(self, folder: Path) -> ListPool:
        load = self.decoder.load if isinstance(self.decoder, Loading) else CandidateSet.load
        return ListPool(load(folder))

    def settings(self) -> dict[str, Any]:
        found = {
            "kind": "k-best",
            "k": self.k,
            "decoder": self._name,
            "sentences": self.sentences,
            "source": text_digest(self.lines),
            "references": references_digest(self.references),
        }
        return found if self._own_rules is None else {**found, "left_out": self._own_rules.signature}
