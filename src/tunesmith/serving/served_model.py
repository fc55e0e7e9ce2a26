"""A model directory as the server uses it: one decoder for each file of weights."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from tunesmith.config import WEIGHTS
from tunesmith.corpus.subwords import join_line
from tunesmith.corpus.text_files import labelled
from tunesmith.corpus.text_processing import TextProcessing
from tunesmith.decoding import Decoder, TranslationModel
from tunesmith.errors import ConfigError
from tunesmith.serving.answers import Texts, answer
from tunesmith.serving.messages import ModelAnswer, Translated, WeightsAnswer
from tunesmith.serving.refusals import RefusedError
from tunesmith.weights import Weights

MODEL_WEIGHTS = "model"
"""Name of the weights that come with the model directory."""
_SLIDERS = 40
"""Dense features that are described with their weights."""


@dataclass(frozen=True)
class Wanted:
    """What is asked of a sentence; sentences that want the same are decoded together."""

    weights: str
    changes: tuple[tuple[str, float], ...] = ()
    nbest: int = 1
    distinct: bool = False
    features: bool = False
    alignment: bool = False
    explain: bool = False
    tokenized: bool = False
    label: str = ""


class ServedModel:
    """A model with its decoders. Several threads may call it; they decode one after the other.

    weights: files by name; the first is the default. Without any, the weights of the model directory.
    options: of the search, in place of the model's.
    """

    def __init__(
        self,
        model: TranslationModel,
        weights: Mapping[str, Path] | None = None,
        *,
        threads: int = 1,
        **options: float | None,
    ) -> None:
        self.model, self._threads = model, threads
        self._options = model.options(**options)
        self._files = dict(weights) if weights else {MODEL_WEIGHTS: model.folder / WEIGHTS}
        self._lock = threading.Lock()
        self._read = {name: self._weights(name) for name in self._files}
        self._decoders = {name: model.decoder(read, self._options) for name, read in self._read.items()}
        for name in self._files:
            self._check_alive(name, self._decoders[name].weights)
        self._changed: dict[str, Decoder] = {}

    @property
    def names(self) -> list[str]:
        """Names of the served weights, the default first."""
        return list(self._files)

    def check(self, wanted: Wanted) -> None:
        """Refuse names of weights and features that are not served."""
        decoder = self._decoders.get(wanted.weights)
        if decoder is None:
            raise RefusedError(404, f"no weights are called {wanted.weights!r}; served: {', '.join(self.names)}")
        for name, value in wanted.changes:
            if not np.isfinite(value):
                raise RefusedError(400, f"changes: the weight of {name!r} must be a finite number, got {value}")
            if decoder.index.find(name) is None:
                raise RefusedError(400, f"changes: the model has no feature {name!r}")

    def check_label(self, label: str) -> None:
        """Refuse a label that is not a domain of the model, and none where it has some."""
        if self.domains is None and label:
            raise RefusedError(400, "label: this model has no domains; leave the label out")
        if self.domains is not None and label not in self.domains:
            seen = f"got {label!r}" if label else "the request has none"
            raise RefusedError(400, f"label: a domain of the model is needed, {', '.join(self.domains)}; {seen}")

    @property
    def domains(self) -> list[str] | None:
        """Labels of the model's domains; None for a model without."""
        found = self._decoders[self.names[0]].domains
        return None if found is None else list(found.names)

    @property
    def text(self) -> TextProcessing:
        """Processing of raw text to tokens and back."""
        return self.model.text

    def is_raw(self, wanted: Wanted) -> bool:
        """Return whether sentences are raw text, which `text` makes into tokens first."""
        return bool(self.text) and not wanted.tokenized

    def decode(self, wanted: Wanted, lines: Sequence[str]) -> list[Translated]:
        """Translate lines of tokens that want the same."""
        with self._lock, self._decoder(wanted) as decoder:
            given = list(lines) if decoder.domains is None else labelled(lines, [wanted.label] * len(lines))
            decodings = decoder.k_best(given, wanted.nbest, distinct=wanted.distinct, threads=self._threads)
            texts = self._texts(decoder, raw=self.is_raw(wanted))
            return [
                answer(line, decoding, decoder, texts, wanted)
                for line, decoding in zip(lines, decodings, strict=True)
            ]

    def reload(self) -> list[str]:
        """Read all files of weights again and return their names; after an error all old weights stay."""
        read = {name: self._weights(name) for name in self._files}
        for name, weights in read.items():
            self._check_alive(name, self._decoders[name].vector(weights)[0])
        with self._lock:
            for name, weights in read.items():
                self._decoders[name].set_weights(weights)
            self._read = read
            self._changed.clear()
        return self.names

    def scores_of(self, name: str) -> Weights:
        """Return the weights that rank posted lists."""
        self.check(Wanted(name))
        return self._read[name]

    def describe(self) -> ModelAnswer:
        """Say what is served."""
        return ModelAnswer(
            model=self.model.folder.resolve().name,
            kind=self.model.system.kind,
            signature=str(self.model.signature(self._options)),
            raw_text=bool(self.text),
            weights=[self._described(name) for name in self._files],
            domains=self.domains,
        )

    def _described(self, name: str) -> WeightsAnswer:
        weights = self._read[name]
        dense = {feature: weights.get(feature) for feature in self._dense_names}
        return WeightsAnswer(name, weights.signature, int(np.count_nonzero(weights.array)), dense)

    @cached_property
    def _dense_names(self) -> list[str]:
        """Features that the model directory has start weights for, which people know by name."""
        return self.model.start_weights().names[:_SLIDERS]

    def _weights(self, name: str) -> Weights:
        return Weights.read(self._files[name])

    def _check_alive(self, name: str, vector: np.ndarray) -> None:
        if not np.any(vector):
            raise ConfigError(
                f"{self._files[name]}: no weight other than 0 for a feature of {self.model.folder}, so all "
                "translations score alike. Name weights of this model with -W"
            )

    def _texts(self, decoder: Decoder, *, raw: bool) -> Texts:
        """Return the function from the tokens of a translation to what people read."""
        if raw:
            return self.text.target.restore
        pieces = "none" if self.text else decoder.subwords
        return lambda tokens: join_line(tokens, pieces)

    @contextlib.contextmanager
    def _decoder(self, wanted: Wanted) -> Iterator[Decoder]:
        """Open the decoder of the named weights; for changed ones a second decoder, whose weights are restored."""
        if not wanted.changes:
            yield self._decoders[wanted.weights]
            return
        if wanted.weights not in self._changed:
            self._changed[wanted.weights] = self.model.decoder(self._read[wanted.weights], self._options)
        decoder = self._changed[wanted.weights]
        ids = [decoder.index.add(name) for name, _ in wanted.changes]
        before = decoder.weights[ids]
        decoder.update_weights(ids, [value for _, value in wanted.changes])
        try:
            yield decoder
        finally:
            decoder.update_weights(ids, before)
