"""Held-out folds: training data decoded with language models that have not read it, and without its own rules."""

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
from tunesmith.grammar import LeaveOneOutCounts
from tunesmith.search.lists.taking import sentences_in_order


class HeldOutDecoder(ListDecoder):
    """The training data in folds, of which each is translated by its own decoder.

    decoders: alike but for their language models; that of a fold has read the other folds alone.
    folds: of each sentence pair of the training data, the number of its decoder.
    """

    def __init__(self, decoders: Sequence[Decoder], folds: NDArray[np.int64], name: str = "") -> None:
        if not decoders or any(each.features is not decoders[0].features for each in decoders):
            raise ConfigError("decoders of the folds of the training data must share one feature matrix")
        if len(folds) and not 0 <= folds.min() <= folds.max() < len(decoders):
            raise ConfigError(f"folds must be numbers from 0 to {len(decoders) - 1}, of the decoders")
        super().__init__(decoders[0], f"{name}|held-out:{len(decoders)}-{zlib.crc32(folds.tobytes()):08x}")
        self.decoders, self.folds = tuple(decoders), folds
        self._rests = False

    @classmethod
    def train(
        cls,
        model: TranslationModel,
        target: Sequence[str],
        folds: int | NDArray[np.int64] = 5,
        options: SearchOptions | None = None,
    ) -> HeldOutDecoder:
        """Return the model with a language model for every fold, estimated from the target sides of the others.

        They have the order of the model's one, and read no other text than `target`, all of the training data.
        folds: of each sentence pair (`unrelated_folds` of `tunesmith.corpus.folds`), or how many consecutive ones.
        """
        if len(model.language_models) != 1:
            raise ConfigError(
                f"{model.folder}: has {len(model.language_models)} language models; it must have one, estimated "
                "from the training data"
            )
        fold = _numbered(folds, len(target))
        ((name, known),) = model.language_models.items()
        limits = model.options() if options is None else options
        decoders = []
        for held_out in range(int(fold.max()) + 1):
            text = [target[at] for at in np.flatnonzero(fold != held_out).tolist()]
            lm = known.retrained(text)
            decoders.append(replace(model, language_models={name: lm}).decoder(options=limits))
        return cls(decoders, fold, str(model.signature(limits)))

    def set_weights(self, weights: NDArray[np.float64]) -> None:
        """Use these from now on, for every fold; a row for each fold where there are rows."""
        if weights.ndim == 2 and len(weights) != len(self.decoders):
            raise ConfigError(f"weights for {len(weights)} folds; there are {len(self.decoders)}")
        for fold, decoder in enumerate(self.decoders):
            decoder.set_weights(weights if weights.ndim == 1 else weights[fold])
        self._rests = False

    def rest(self) -> None:
        """Give back memory of earlier sentences, of every fold; it takes seconds to have it again."""
        for decoder in self.decoders:
            decoder.rest()
        self._rests = True

    def searched(
        self,
        lines: Iterable[str],
        k: int,
        distinct: bool = False,
        threads: int = 1,
        leave_one_out: LeaveOneOutCounts | None = None,
    ) -> FoundLists:
        """Return `found` without copies of features for domains.

        leave_one_out: says which sentence pairs the lines are.
        """
        if leave_one_out is None:
            raise ConfigError(
                "which fold of the training data a line is from must be known; give its leave-one-out counts"
            )
        if len(self.folds) != len(leave_one_out.arrays["lines"]):
            raise ConfigError(
                f"leave-one-out counts of {len(leave_one_out.arrays['lines'])} sentence pairs, language models "
                f"for {len(self.folds)}; both must be of all the training data"
            )
        if leave_one_out.folds is not None and not np.array_equal(leave_one_out.folds, self.folds):
            raise ConfigError(
                "leave-one-out counts and language models leave out different folds of the training data"
            )
        if self._rests:
            self.set_weights(np.array([each.weights for each in self.decoders]))
        text = list(lines)
        leave_one_out.check_lines(text if self.decoder.domains is None else self.decoder.domains.split(text)[0])
        folds = self.folds[leave_one_out.pairs[: len(text)]]
        order = np.argsort(folds, kind="stable")
        ordered = [text[at] for at in order.tolist()]
        batches = self._batches(ordered, folds[order], k, distinct, threads, leave_one_out.select(order))
        arrays = join_batches(batches, self.decoder.table.target_vocabulary)
        back = np.argsort(order, kind="stable")
        lists = sentences_in_order(self.candidate_set(arrays), back)
        domains = arrays.domains[back] if len(arrays.domains) else arrays.domains
        return FoundLists(lists, arrays.met, arrays.limited[back], domains)

    def _batches(
        self,
        lines: Sequence[str],
        folds: NDArray[np.int64],
        k: int,
        distinct: bool,
        threads: int,
        leave_one_out: LeaveOneOutCounts,
    ) -> Iterator[dict[str, Any]]:
        """Decode consecutive lines of one fold together, with the decoder of that fold."""
        cuts = [0, *(np.flatnonzero(np.diff(folds)) + 1).tolist(), len(lines)]
        for begin, end in pairwise(cuts):
            if begin < end:
                chosen = leave_one_out.select(range(begin, end))
                decoder = self.decoders[int(folds[begin])]
                yield from decoder.array_batches(lines[begin:end], k, distinct, threads, chosen)


def _numbered(folds: int | NDArray[np.int64], sentences: int) -> NDArray[np.int64]:
    """Return the fold of each sentence: as given, or consecutive ones as equal as can be."""
    if isinstance(folds, int):
        whole_number(2, sentences, folds=folds)
        return np.arange(sentences) * folds // sentences
    if len(folds) != sentences:
        raise ConfigError(f"there are {sentences} sentences, and folds of {len(folds)}")
    if not sentences or folds.min() < 0 or folds.min() == folds.max():
        raise ConfigError("there must be at least two folds, numbered from 0")
    return np.ascontiguousarray(folds, dtype=np.int64)
