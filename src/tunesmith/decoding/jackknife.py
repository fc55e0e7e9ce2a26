"""Training data decoded with language models that have not read it (jackknifing), and without its own rules."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import whole_number
from tunesmith.decoding.candidate_arrays import join_batches
from tunesmith.decoding.candidates import FoundLists, ListDecoder
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.model import TranslationModel
from tunesmith.decoding.options import SearchOptions
from tunesmith.errors import ConfigError
from tunesmith.grammar import OwnRules
from tunesmith.search.lists.taking import sentences_in_order


class JackknifeDecoder(ListDecoder):
    """The training data in parts, of which each is translated by its own decoder.

    decoders: alike but for their language models; that of a part has read the other parts alone.
    parts: of each sentence pair of the training data, the number of its decoder.
    """

    def __init__(self, decoders: Sequence[Decoder], parts: NDArray[np.int64], name: str = "") -> None:
        if not decoders or any(each.features is not decoders[0].features for each in decoders):
            raise ConfigError("decoders of the parts of the training data must share one feature matrix")
        if len(parts) and not 0 <= parts.min() <= parts.max() < len(decoders):
            raise ConfigError(f"parts must be numbers from 0 to {len(decoders) - 1}, of the decoders")
        super().__init__(decoders[0], f"{name}|jackknife:{len(decoders)}-{zlib.crc32(parts.tobytes()):08x}")
        self.decoders, self.parts = tuple(decoders), parts

    @classmethod
    def train(
        cls,
        model: TranslationModel,
        target: Sequence[str],
        parts: int | NDArray[np.int64] = 5,
        options: SearchOptions | None = None,
    ) -> JackknifeDecoder:
        """Return the model with a language model for every part, estimated from the target sides of the others.

        They have the order of the model's one, and read no other text than `target`, all of the training data.
        parts: of each sentence pair (`unrelated_parts` of `tunesmith.corpus.parts`), or how many consecutive ones.
        """
        if len(model.language_models) != 1:
            raise ConfigError(
                f"{model.folder}: has {len(model.language_models)} language models; it must have one, estimated "
                "from the training data"
            )
        part = _numbered(parts, len(target))
        ((name, known),) = model.language_models.items()
        limits = model.options() if options is None else options
        decoders = []
        for held_out in range(int(part.max()) + 1):
            text = [target[at] for at in np.flatnonzero(part != held_out).tolist()]
            lm = known.retrained(text)
            decoders.append(replace(model, language_models={name: lm}).decoder(options=limits))
        return cls(decoders, part, str(model.signature(limits)))

    def set_weights(self, weights: NDArray[np.float64]) -> None:
        """Use these from now on, for every part; a row for each part where there are rows."""
        if weights.ndim == 2 and len(weights) != len(self.decoders):
            raise ConfigError(f"weights for {len(weights)} parts; there are {len(self.decoders)}")
        for part, decoder in enumerate(self.decoders):
            decoder.set_weights(weights if weights.ndim == 1 else weights[part])

    def found(
        self,
        lines: Iterable[str],
        k: int,
        *,
        distinct: bool = False,
        threads: int = 1,
        own: OwnRules | None = None,
    ) -> FoundLists:
        """Return the k best derivations of each line, best first. own: says which sentence pairs the lines are."""
        if own is None:
            raise ConfigError("which part of the training data a line is from must be known; give its own rules")
        if len(self.parts) != len(own.arrays["lines"]):
            raise ConfigError(
                f"own rules of {len(own.arrays['lines'])} sentence pairs, language models for {len(self.parts)}; "
                "both must be of all the training data"
            )
        if own.parts is not None and not np.array_equal(own.parts, self.parts):
            raise ConfigError("own rules and language models leave out different parts of the training data")
        text = list(lines)
        own.check_lines(text if self.decoder.domains is None else self.decoder.domains.split(text)[0])
        parts = self.parts[own.pairs[: len(text)]]
        order = np.argsort(parts, kind="stable")
        ordered = [text[at] for at in order.tolist()]
        batches = self._batches(ordered, parts[order], k, distinct, threads, own.select(order))
        arrays = join_batches(batches, self.decoder.table.target_vocabulary)
        lists = sentences_in_order(self.candidate_set(arrays), np.argsort(order, kind="stable"))
        return FoundLists(lists, arrays.met)

    def _batches(
        self, lines: Sequence[str], parts: NDArray[np.int64], k: int, distinct: bool, threads: int, own: OwnRules
    ) -> Iterator[dict[str, Any]]:
        """Decode consecutive lines of one part together, with the decoder of that part."""
        cuts = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(lines)]
        for begin, end in pairwise(cuts):
            if begin < end:
                chosen = own.select(range(begin, end))
                decoder = self.decoders[int(parts[begin])]
                yield from decoder.array_batches(lines[begin:end], k, distinct, threads, chosen)


def _numbered(parts: int | NDArray[np.int64], sentences: int) -> NDArray[np.int64]:
    """Return the part of each sentence: as given, or consecutive ones as equal as can be."""
    if isinstance(parts, int):
        whole_number(2, sentences, parts=parts)
        return np.arange(sentences) * parts // sentences
    if len(parts) != sentences:
        raise ConfigError(f"there are {sentences} sentences, and parts of {len(parts)}")
    if not sentences or parts.min() < 0 or parts.min() == parts.max():
        raise ConfigError("there must be at least two parts, numbered from 0")
    return np.ascontiguousarray(parts, dtype=np.int64)
