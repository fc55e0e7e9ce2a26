"""The k best translations of a decoder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.feature_names import FeatureNames, vector_by_name
from tunesmith.tuning.sources.base import Floats, References
from tunesmith.tuning.sources.digests import references_digest, text_digest
from tunesmith.weights import Weights


@runtime_checkable
class KBestDecoder(Protocol):
    """What `KBestSource` asks of a decoder.

    Where it has `weights`, tuning starts from them; where it has `load`, that opens lists of its own that were
    saved; where it has `lines_at_once`, it is given no more lines than that, and progress is seen.
    """

    @property
    def features(self) -> FeatureNames:
        """The names of its features."""

    def set_weights(self, weights: Floats) -> None:
        """Use these weights from now on. A decoder that has `parts` takes a row of weights for each part too."""

    def k_best(self, lines: Sequence[str], k: int, *, threads: int = 1) -> CandidateSet:
        """The k best different derivations of each line, best first."""


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


class KBestSource:
    """The k best translations of a decoder, made anew for every weight vector.

    `name` says in settings which decoder it is (its signature); a decoder that has a `signature` tells itself.
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
        if k < 2:
            raise ConfigError(f"k = {k}: a tuner chooses between candidates, so lists of at least 2 are needed")
        if len(lines) != len(references):
            raise ConfigError(
                f"{len(lines)} sentences to decode and references for {len(references)}; "
                "both must be the same sentences in the same order"
            )
        if not lines:
            raise ConfigError("there is no sentence to tune on")
        if own_rules is not None and len(own_rules) != len(lines):
            raise ConfigError(
                f"{len(lines)} sentences to decode and own rules for {len(own_rules)}; "
                "both must be the same sentences in the same order"
            )
        self.decoder, self.lines, self.references, self.k = decoder, list(lines), references, k
        self._own_rules = own_rules
        self.sentences = len(lines)
        own = getattr(decoder, "weights", None) if start is None else start
        self._start = None if own is None else np.array(own, dtype=np.float64)  # tuning changes the decoder's
        self._name = name or str(getattr(decoder, "signature", "")) or type(decoder).__name__

    def start(self) -> Floats | None:
        """The weights given, or those the decoder came with."""
        return self._start

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        """Weights by number, and the names that the source does not have.

        A decoder may know features that it has not met yet.
        """
        by_decoder = getattr(self.decoder, "vector", None)
        if by_decoder is None:
            return vector_by_name(self.features, weights)
        found: tuple[Floats, list[str]] = by_decoder(weights)
        return found

    @property
    def sentence_parts(self) -> tuple[NDArray[np.int64], int] | None:
        """The part of the training data that each sentence is in, and how many there are; None without parts."""
        parts, own = getattr(self.decoder, "parts", None), self._own_rules
        if parts is None or own is None:
            return None
        return parts[own.pairs[: self.sentences]], int(parts.max()) + 1

    @property
    def features(self) -> FeatureNames:
        """Those of the decoder."""
        return self.decoder.features

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        """Decode, all or the given sentences."""
        self.decoder.set_weights(weights)
        return self.decoder.k_best(self._lines(sentences), self.k, threads=threads, **self._left_out(sentences))

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[CandidateSet]:
        """Decode no more lines at once than the decoder likes."""
        self.decoder.set_weights(weights)
        chosen = range(self.sentences) if sentences is None else sentences
        size = int(getattr(self.decoder, "lines_at_once", len(chosen)))
        for begin in range(0, len(chosen), size):
            part = chosen[begin : begin + size]
            yield self.decoder.k_best(self._lines(part), self.k, threads=threads, **self._left_out(part))

    def subset(self, sentences: Sequence[int]) -> KBestSource:
        """The same decoder for these sentences alone."""
        chosen = [int(at) for at in sentences]
        own = None if self._own_rules is None else self._own_rules.select(chosen)
        references = [self.references[at] for at in chosen]
        return KBestSource(
            self.decoder,
            self._lines(chosen),
            references,
            self.k,
            start=self._start,
            name=self._name,
            own_rules=own,
        )

    def _lines(self, sentences: Sequence[int] | None) -> Sequence[str]:
        return self.lines if sentences is None else [self.lines[at] for at in sentences]

    def _left_out(self, sentences: Sequence[int] | None) -> dict[str, Any]:
        """Decoders that leave nothing out need not know of it."""
        if self._own_rules is None:
            return {}
        return {"own": self._own_rules if sentences is None else self._own_rules.select(sentences)}

    def load(self, folder: Path) -> CandidateSet:
        """By the decoder where it has a way of its own: its lists may need its features."""
        load: Callable[[Path], CandidateSet] = getattr(self.decoder, "load", CandidateSet.load)
        return load(folder)

    def settings(self) -> dict[str, Any]:
        """Decoder, k, and digests of both sides of the data."""
        found = {
            "kind": "k-best",
            "k": self.k,
            "decoder": self._name,
            "sentences": self.sentences,
            "source": text_digest(self.lines),
            "references": references_digest(self.references),
        }
        return found if self._own_rules is None else {**found, "left_out": self._own_rules.signature}
