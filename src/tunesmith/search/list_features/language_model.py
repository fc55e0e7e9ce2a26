"""The probability that a language model gives to a candidate."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tunesmith.errors import ConfigError, FormatError, MissingExtraError
from tunesmith.io import open_bytes
from tunesmith.lm import load_model
from tunesmith.search.list_features.base import Floats, ListFeature, list_features
from tunesmith.search.lists.candidates import CandidateSet

_AT_ONCE = 100_000  # texts that exist at once
_KENLM = b"mmap lm http://kheafield.com/code"

Scorer = Callable[[Sequence[str]], tuple[Floats, Floats]]
"""log10 probabilities and numbers of unknown words, one of each for every text."""


@list_features.register("lm")
@dataclass(frozen=True)
class LanguageModel(ListFeature):
    """ln p(words </s> | <s>), by ARPA text, a binary file of tunesmith, or one of KenLM (which needs its library).

    A binary file of tunesmith may be a class language model.

    name: of the feature, for several models.
    """

    path: str = ""
    name: str = "lm"

    def columns(self, candidates: CandidateSet, *, threads: int = 1) -> Mapping[str, Floats]:
        """Return the natural logarithm, and the number of unknown words as `NAME:unknown`."""
        if not self.path:
            raise ConfigError("which model? Give lm:path=FILE")
        log10, unknown = np.empty(len(candidates)), np.empty(len(candidates))
        score = self._scorer(threads)
        for begin in range(0, len(candidates), _AT_ONCE):
            texts = [candidates.text(at) for at in range(begin, min(begin + _AT_ONCE, len(candidates)))]
            log10[begin : begin + len(texts)], unknown[begin : begin + len(texts)] = score(texts)
        return {self.name: log10 * math.log(10), f"{self.name}:unknown": unknown}

    def _scorer(self, threads: int) -> Scorer:
        with open_bytes(self.path) as stream:
            of_kenlm = stream.read(len(_KENLM)) == _KENLM
        if of_kenlm:
            return _KenlmScorer(self.path)
        model = load_model(self.path)

        def score(texts: Sequence[str]) -> tuple[Floats, Floats]:
            found = model.score(texts, threads=threads)
            return found.log10, found.unknown.astype(np.float64)

        return score


class _KenlmScorer:
    def __init__(self, path: str) -> None:
        try:
            import kenlm
        except ImportError:
            raise MissingExtraError("a binary model of KenLM", "kenlm", "kenlm") from None
        try:
            self._model = kenlm.Model(str(Path(path)))
        except (OSError, RuntimeError):
            raise FormatError(
                "KenLM cannot read this binary model; it is damaged or of another version. Make it again with "
                "build_binary, or give the ARPA file",
                path=path,
            ) from None

    def __call__(self, texts: Sequence[str]) -> tuple[Floats, Floats]:
        scores = [list(self._model.full_scores(text)) for text in texts]
        log10 = [sum(value for value, _, _ in each) for each in scores]
        return np.array(log10), np.array([float(sum(unknown for _, _, unknown in each)) for each in scores])
