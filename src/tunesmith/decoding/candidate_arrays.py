"""n-best lists of many lines as flat arrays, without an object per translation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.vocab import Vocabulary

_OFFSETS = ("sentences", "rule_offsets", "pair_offsets", "word_offsets")
_VALUES = ("scores", "rules", "states", "pair_ids", "pair_values", "words", "limited", "domains")


@dataclass(frozen=True, eq=False)
class CandidateArrays:
    """n-best lists as arrays.

    Line s has the candidates `sentences[s]` to `sentences[s + 1]`, best first; offsets are per candidate.

    scores: of the model.
    rule_offsets, rules: rules used, ascending, one for each use. state_ids, states: dense features across rules
        (language models), a row per candidate, unweighted. pair_offsets, pair_ids, pair_values: sparse features
        across rules. vocabulary, word_offsets, words: numbers of words, with offsets per candidate.
    limited: of each line, whether a limit cut its search short. domains: of each line, in a model with domains.
    met: distinct sparse features across rules of all hypotheses of the searches, in the order of the lines.
    """

    sentences: NDArray[np.int64]
    scores: NDArray[np.float64]
    rule_offsets: NDArray[np.int64]
    rules: NDArray[np.uint32]
    state_ids: NDArray[np.uint32]
    states: NDArray[np.float32]
    pair_offsets: NDArray[np.int64]
    pair_ids: NDArray[np.uint32]
    pair_values: NDArray[np.float32]
    word_offsets: NDArray[np.int64]
    words: NDArray[np.uint32]
    limited: NDArray[np.bool_]
    vocabulary: list[str]
    met: NDArray[np.uint32]
    domains: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.scores)

    def text(self, candidate: int) -> str:
        begin, end = self.word_offsets[candidate : candidate + 2].tolist()
        return " ".join(self.vocabulary[word] for word in self.words[begin:end].tolist())


def join_batches(batches: Iterable[Mapping[str, Any]], target: Vocabulary) -> CandidateArrays:
    """Join results of the core for batches of lines. Copied unknown words get new numbers."""
    vocabulary = target.words
    known = len(vocabulary)
    number: dict[str, int] = {}
    offsets: dict[str, list[NDArray[np.int64]]] = {name: [np.zeros(1, np.int64)] for name in _OFFSETS}
    values: dict[str, list[NDArray[Any]]] = {name: [] for name in _VALUES}
    state_ids = np.empty(0, np.uint32)
    met: dict[int, None] = {}
    for batch in batches:
        met.update(dict.fromkeys(batch["met"].tolist()))
        passed = [number.setdefault(word, known + len(number)) for word in batch["new_words"]]
        new_number = np.concatenate([np.arange(known), passed]).astype(np.uint32)
        for name in _OFFSETS:
            offsets[name].append(batch[name][1:] + offsets[name][-1][-1])
        for name in _VALUES:
            values[name].append(new_number[batch["words"]] if name == "words" else batch[name])
        state_ids = batch["state_ids"]
    joined: dict[str, Any] = {name: np.concatenate(parts) for name, parts in offsets.items()}
    kinds = {"scores": np.float64, "states": np.float32, "pair_values": np.float32, "limited": np.uint8,
             "domains": np.int64}  # fmt: skip
    for name, parts in values.items():
        joined[name] = np.concatenate(parts) if parts else np.empty(0, kinds.get(name, np.uint32))
    joined["limited"] = joined["limited"].astype(np.bool_)
    joined["states"] = joined["states"].reshape(len(joined["scores"]), len(state_ids))
    joined["met"] = np.array(list(met), dtype=np.uint32)
    return CandidateArrays(state_ids=state_ids, vocabulary=[*vocabulary, *number], **joined)
