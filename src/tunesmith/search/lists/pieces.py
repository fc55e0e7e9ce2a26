"""Candidates whose words are cut into pieces: which marks they have, and the same candidates with whole words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.corpus.subwords import (
    NAMES,
    WAY_OUT,
    WORD_MARK,
    Subwords,
    check_subwords,
    marks_of,
    mixed_marks,
)
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.words import WordLists

_KINDS: tuple[Subwords, ...] = ("none", "bpe", "sentencepiece")


def vocabulary_subwords(words: Sequence[str]) -> Subwords:
    """Return the kind of pieces that at least a twentieth of a vocabulary has; the other entries may be odd."""
    kinds = [marks_of(word) for word in words]
    found: Subwords = "bpe" if kinds.count("bpe") >= kinds.count("sentencepiece") else "sentencepiece"
    return found if 20 * kinds.count(found) >= len(words) > 0 else "none"


def detect_pieces(candidates: CandidateSet, first: int = 0) -> Subwords:
    """Return the kind of pieces that the marks of candidates show; FormatError where they are of two kinds.

    first: the number of the first sentence, where these are a part of a longer list.
    """
    words = candidates.words
    if words is None or not len(words.ids):
        return "none"
    kinds = np.array([_KINDS.index(marks_of(word)) for word in words.vocabulary], dtype=np.int8)
    if not kinds.any():
        return "none"
    used = kinds[words.ids]
    places = [int(np.argmax(used == kind)) if np.any(used == kind) else None for kind in (1, 2)]
    bpe, sentencepiece = places
    if bpe is not None and sentencepiece is not None:
        one, other = sorted((bpe, sentencepiece))
        raise mixed_marks(_place(candidates, words, one, first), _place(candidates, words, other, first))
    return "bpe" if bpe is not None else "sentencepiece" if sentencepiece is not None else "none"


def _place(candidates: CandidateSet, words: WordLists, at: int, first: int) -> tuple[str, str]:
    candidate = int(np.searchsorted(words.offsets, at, side="right")) - 1
    sentence = int(candidates.sentence_of[candidate])
    own = candidate - int(candidates.offsets[sentence]) + 1
    return f"candidate {own} of sentence {first + sentence + 1}", words.vocabulary[int(words.ids[at])]


def joined_words(words: WordLists, subwords: str) -> WordLists:
    """Return words instead of pieces."""
    if subwords == "none":
        return words
    ids: NDArray[np.uint32] = np.ascontiguousarray(words.ids)
    with core_errors(None):
        return WordLists(*_core.join_pieces(words.vocabulary, ids, words.offsets, _core.SubwordMarks[subwords]))


def join_candidates(candidates: CandidateSet, subwords: str | None = None) -> CandidateSet:
    """Return the candidates with whole words; features, statistics and scores remain those of the pieces.

    subwords: `bpe`, `sentencepiece` or `none`; None for what the marks show.
    """
    return PieceJoiner(subwords).joined(candidates)


class PieceJoiner:
    """Joiner of pieces in lists that come in parts; what the marks of one part show holds for the others.

    subwords: what was asked for, None to look at the marks.   found: what the parts so far are.
    """

    def __init__(self, subwords: str | None = None) -> None:
        check_subwords(subwords)
        self.found: str | None = subwords
        self._asked = subwords
        self._unmarked = False

    def joined(self, candidates: CandidateSet, first: int = 0) -> CandidateSet:
        """Return the candidates of a part with whole words.   first: the number of its first sentence."""
        if candidates.words is None:
            return candidates
        kind = self._kind(candidates, first)
        return candidates if kind == "none" else candidates.replaced(words=joined_words(candidates.words, kind))

    def _kind(self, candidates: CandidateSet, first: int) -> str:
        if self._asked == "sentencepiece" and len(candidates):
            self._check_marked(candidates)
        if self._asked is not None:
            return self._asked
        kind = detect_pieces(candidates, first)
        if kind == "none":
            self._unmarked = self._unmarked or (self.found is None and bool(len(candidates)))
            return self.found or "none"
        if self.found is not None and self.found != kind:
            raise FormatError(
                f"mixed subword marks: from sentence {first + 1} on the lists have marks of {NAMES[kind]}, "
                f"before of {NAMES[self.found]}; {WAY_OUT}"
            )
        if kind == "sentencepiece" and self._unmarked:  # what was given out before may have been pieces too
            raise FormatError(
                f"sentences up to {first} have no subword marks, later ones those of {NAMES[kind]}; {WAY_OUT}"
            )
        self.found = kind
        return kind

    def _check_marked(self, candidates: CandidateSet) -> None:
        """Refuse words without any ▁, which would all become one; a long text of them is not text in pieces."""
        words = candidates.words
        if self._unmarked or words is None:
            return
        if not any(WORD_MARK in words.vocabulary[at] for at in np.unique(words.ids).tolist()):
            raise ConfigError(
                f"--subwords sentencepiece: no candidate has the mark {WORD_MARK} where words begin, so all words "
                "would become one; leave the option out"
            )
        self._unmarked = True
