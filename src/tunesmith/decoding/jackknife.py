"""Training data decoded with language models that have not read it (jackknifing), beside own rules left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.decoding.candidate_arrays import join_batches
from tunesmith.decoding.candidates import ListDecoder
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.model import TranslationModel, make_decoder
from tunesmith.decoding.options import SearchOptions
from tunesmith.errors import ConfigError
from tunesmith.grammar import OwnRules
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.search import CandidateSet


class JackknifeDecoder(ListDecoder):
    """The training data in as many consecutive parts as there are decoders; each part is translated by its own.

    decoders: alike but for their language models; that of a part has read the other parts alone.
    """

    def __init__(self, decoders: Sequence[Decoder], name: str = "") -> None:
        if not decoders or any(each.features is not decoders[0].features for each in decoders):
            raise ConfigError("decoders of the parts of the training data must share one feature matrix")
        super().__init__(decoders[0], f"{name}|jackknife:{len(decoders)}")
        self.decoders = tuple(decoders)

    @classmethod
    def train(
        cls,
        model: TranslationModel,
        target: Sequence[str],
        parts: int = 5,
        options: SearchOptions | None = None,
    ) -> JackknifeDecoder:
        """The model with a language model for every part, estimated from the target sides of the others.

        They have the order of the model's one, and read no other text than `target`, all of the training data.
        """
        if len(model.language_models) != 1:
            raise ConfigError(
                f"{model.folder}: has {len(model.language_models)} language models; a model whose only one was "
                "estimated from the training data was expected"
            )
        if not 2 <= parts <= len(target):
            raise ConfigError(f"parts must be from 2 to the number of sentences, {len(target)}, not {parts}")
        ((name, known),) = model.language_models.items()
        part = part_of(np.arange(len(target)), len(target), parts)
        limits = model.options() if options is None else options
        decoders = []
        for held_out in range(parts):
            text = [target[at] for at in np.flatnonzero(part != held_out).tolist()]
            lm = NgramModel.train(text, LmOptions(order=known.order))
            decoders.append(
                make_decoder(
                    model.table, model.features, {name: lm}, model.start_weights(), limits, model.state_features
                )
            )
        return cls(decoders, str(model.signature(limits)))

    def set_weights(self, weights: NDArray[np.float64]) -> None:
        """Use these from now on, for every part."""
        for decoder in self.decoders:
            decoder.set_weights(weights)

    def k_best(
        self,
        lines: Iterable[str],
        k: int,
        *,
        distinct: bool = False,
        threads: int = 1,
        own: OwnRules | None = None,
    ) -> CandidateSet:
        """The k best derivations of each line, best first. own: says which sentence pairs the lines are."""
        if own is None:
            raise ConfigError("which part of the training data a line is from must be known; give its own rules")
        batches = self._batches(list(lines), k, distinct, threads, own)
        return self.candidate_set(join_batches(batches, self.decoder.table.target_vocabulary))

    def _batches(
        self, lines: Sequence[str], k: int, distinct: bool, threads: int, own: OwnRules
    ) -> Iterator[dict[str, Any]]:
        """Lines of one part that follow one another go to its decoder together."""
        own.check_lines(lines)
        parts = part_of(own.pairs[: len(lines)], len(own.arrays["lines"]), len(self.decoders))
        cuts = [0, *(np.flatnonzero(np.diff(parts)) + 1).tolist(), len(lines)]
        for begin, end in pairwise(cuts):
            if begin < end:
                chosen = own.select(range(begin, end))
                decoder = self.decoders[int(parts[begin])]
                yield from decoder.array_batches(lines[begin:end], k, distinct, threads, chosen)


def part_of(pairs: NDArray[np.int64], total: int, parts: int) -> NDArray[np.int64]:
    """The part of each sentence pair: consecutive pairs, parts as equal as can be."""
    return pairs * parts // max(total, 1)
