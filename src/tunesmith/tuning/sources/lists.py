"""Lists that were made before: read once, the same in every round."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tunesmith.corpus.given_text import GivenLines, GivenReferences, lines_of, references_of
from tunesmith.corpus.subwords import join_references
from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.search.dialects import ListFile
from tunesmith.search.given_lists import GivenCandidates, candidates_of
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.merging import concatenate
from tunesmith.search.lists.pieces import PieceJoiner
from tunesmith.tuning.pools.base import Floats
from tunesmith.tuning.sources.base import ListSource, Start, named, numbers_of
from tunesmith.tuning.sources.digests import candidates_digest, references_digest
from tunesmith.weights import Weights


class FileSource(ListSource):
    """Lists that another program made: read once, the same in every round.

    candidates: a set, its folder, records (dictionaries or a table of pandas), or a file of any dialect (`dialect`
        where it is not recognised).
    references: texts of each sentence, or files of them; needed only where the lists carry neither statistics of a
        metric nor references.
    subwords: the pieces that candidates are in, `bpe` (`fa@@ st`), `sentencepiece` (`▁fa st`) or `none`; None for
        what their marks show. Words are joined, features stay as they are; references may be words or pieces.
    start: weights by number or name, or a file of them.
    sources: the source sentences, or their file: for metrics that look at them, and for reports.
    labels: the domain of each sentence, for reports.
    """

    fixed = True

    def __init__(
        self,
        candidates: GivenCandidates,
        references: GivenReferences | None = None,
        *,
        dialect: str | None = None,
        start: Start | None = None,
        sources: GivenLines | None = None,
        subwords: str | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        joiner, self.asked_subwords = PieceJoiner(subwords), subwords
        read = candidates_of(candidates, dialect)
        candidates = read.candidates
        references = read.references if references is None else references
        if references is not None:
            references = references_of(references, candidates.sentences)
        if references is None and candidates.statistics is None:
            raise ConfigError(
                "these lists carry no statistics of a metric; give references, as in fit(lists, references) or "
                "FileSource(lists, references), or lists with scores"
            )
        if references is not None and len(references) != candidates.sentences:
            raise ConfigError(
                f"the lists have {candidates.sentences} sentences and there are references for {len(references)}; "
                "give the references of the same sentences in the same order"
            )
        candidates = joiner.joined(candidates)
        self.subwords = joiner.found or "none"
        if references is not None:
            references, own = join_references(references, joiner.found)
            self.subwords = own if self.subwords == "none" else self.subwords
        self.references = references if candidates.statistics is None else None
        self.sentences = candidates.sentences
        known = read.sources if sources is None else lines_of(sources, "sources")
        if known is not None and len(known) != self.sentences:
            raise ConfigError(
                f"the lists have {self.sentences} sentences and there are {len(known)} source sentences; give the "
                "sources of the same sentences in the same order"
            )
        self.lines, self.labels = known, labels
        self._candidates = candidates
        if start is not None:
            start = self.vector(Weights.of(start))[0] if named(start) else numbers_of(start)
        self._start: Floats | None = start

    def start(self) -> Floats | None:
        return self._start

    @property
    def features(self) -> FeatureIndex:
        return self._candidates.features

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        if sentences is not None:
            raise ConfigError("lists from files are served whole; a recipe of mini-batches needs a decoder")
        return self._candidates

    def given(self) -> ListFile:
        """Return the lists that are tuned on: joined words, with references and sources if they were given."""
        return ListFile(self._candidates, references=self.references, sources=self.lines)

    def subset(self, sentences: Sequence[int]) -> FileSource:
        """Return the lists of these sentences alone; their numbers must rise."""
        numbers = np.asarray(sentences, dtype=np.int64)
        cuts = np.flatnonzero(np.diff(numbers) != 1) + 1
        parts = [self._candidates.select(int(each[0]), int(each[-1]) + 1) for each in np.split(numbers, cuts)]
        references = None if self.references is None else [self.references[at] for at in numbers.tolist()]
        lines = None if self.lines is None else [self.lines[at] for at in numbers.tolist()]
        labels = None if self.labels is None else [self.labels[at] for at in numbers.tolist()]
        found = FileSource(
            concatenate(parts), references, start=self._start, sources=lines, subwords="none", labels=labels
        )
        found.subwords, found.asked_subwords = self.subwords, self.asked_subwords
        return found

    def settings(self) -> dict[str, Any]:
        return dict(self._settings)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        found = {"kind": "lists", "digest": candidates_digest(self._candidates)}
        if self.references is not None:
            found["references"] = references_digest(self.references)
        return found if self.subwords == "none" else {**found, "subwords": self.subwords}
