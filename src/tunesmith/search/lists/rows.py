"""Candidates one by one, in any order of sentences, for what is read in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.search.lists.words import WordLists

# As in cpp/search/lists/list_builder.cpp: numbers far beyond what the candidates make likely are rather a mistake.
_LIKELY_SENTENCES, _LIKELY_PER_CANDIDATE = 1_000_000, 100


class BadRowError(ValueError):
    """Why a candidate cannot be used; who knows the line adds it."""


class RowBuilder:
    """Builder of candidate sets; candidates of a sentence keep their order.

    A candidate is checked before anything of it is kept, so that one with a mistake can be left out whole.
    """

    def __init__(self) -> None:
        self._columns: dict[str, int] = {}
        self._sentences: list[int] = []
        self._texts: list[str] = []
        self._ids: list[int] = []
        self._values: list[float] = []
        self._ends: list[int] = [0]
        self._scores: list[float] = []
        self._rest: list[str] = []

    def __len__(self) -> int:
        return len(self._sentences)

    def add(
        self,
        sentence: int,
        text: str,
        features: Iterable[tuple[str, float]],
        score: float | None = None,
        rest: str = "",
    ) -> None:
        """Keep one candidate; BadRowError if it cannot be one."""
        row = self.checked(sentence, text, features, score, rest)
        columns = self._columns
        self._ids += [columns.setdefault(name, len(columns)) for name in row]
        self._values += row.values()
        self._ends.append(len(self._ids))
        self._sentences.append(sentence)
        self._texts.append(text)
        self._rest.append(rest)
        if score is not None:
            self._scores.append(score)

    def checked(
        self,
        sentence: int,
        text: str,
        features: Iterable[tuple[str, float]],
        score: float | None = None,
        rest: str = "",
    ) -> dict[str, float]:
        """Return the features of a candidate by name without storing them; BadRowError if they are invalid."""
        if sentence < 0:
            raise BadRowError(f"the sentence number {sentence} is not a whole number from 0")
        if sentence > _LIKELY_SENTENCES + _LIKELY_PER_CANDIDATE * len(self):
            raise BadRowError(f"sentence {sentence}: too many sentences without candidates before it")
        if len(self) and (score is not None) != bool(self._scores):
            raise BadRowError(
                "there is no score, the candidates before have one"
                if score is None
                else "there is a score, the candidates before have none"
            )
        if score is not None and not math.isfinite(score):
            raise BadRowError(f"the score {score} is not a finite number")
        check_text(text)
        check_text(rest)
        return self._checked_row(features)

    def _checked_row(self, features: Iterable[tuple[str, float]]) -> dict[str, float]:
        row: dict[str, float] = {}
        for name, value in features:
            if not math.isfinite(value):
                raise BadRowError(f"the value {value} of {name!r} is not a finite number")
            if name in row:
                raise BadRowError(f"the feature {name!r} has two values")
            if name not in self._columns and (not name or name.split() != [name]):
                raise BadRowError(f"the feature name {name!r} is empty or holds white space")
            check_text(name)
            row[name] = value
        return row

    def finish(self) -> CandidateSet:
        """Return all candidates, by rising sentence."""
        from scipy import sparse

        size = len(self)
        sentences = np.array(self._sentences, dtype=np.int64)
        matrix = sparse.csr_matrix(
            (np.array(self._values, dtype=np.float64), np.array(self._ids, dtype=np.int64), np.array(self._ends)),
            shape=(size, len(self._columns)),
        )
        texts: Sequence[str] = self._texts
        rest: Sequence[str] = self._rest
        scores = np.array(self._scores, dtype=np.float64)
        if np.any(np.diff(sentences) < 0):
            order = np.argsort(sentences, kind="stable")
            sentences, matrix = sentences[order], matrix[order]
            texts, rest = [texts[at] for at in order], [rest[at] for at in order]
            scores = scores[order] if len(scores) else scores
        last = int(sentences[-1]) + 1 if size else 0
        return CandidateSet(
            PlainMatrix.from_csr(matrix),
            np.searchsorted(sentences, np.arange(last + 1)),
            features=list(self._columns),
            words=WordLists.from_texts(texts),
            model_scores=scores if len(scores) else None,
            rest=WordLists.from_texts(rest) if any(rest) else None,
        )


def check_text(text: str) -> None:
    """Refuse what could not be written to a file and read again."""
    if "\0" in text:
        raise BadRowError("the text holds the character NUL")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise BadRowError("the text holds half a surrogate pair, which is not a character") from None
