"""Lists that were made before: read once, the same in every round."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from tunesmith.corpus.bitext import expand_paths
from tunesmith.corpus.reference_formats import read_any_references
from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath
from tunesmith.search.graphs.kbest import read_list
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.merging import concatenate
from tunesmith.tuning.pools.base import Floats, References
from tunesmith.tuning.sources.base import ListSource
from tunesmith.tuning.sources.digests import candidates_digest, references_digest


class FileSource(ListSource):
    """Lists that another program made: read once, the same in every round.

    candidates: a set, or a file of any dialect (`dialect` where it is not recognised).
    references: of each sentence, or files of them; needed only where the lists carry neither statistics of a
        metric nor references.
    """

    fixed = True

    def __init__(
        self,
        candidates: CandidateSet | StrPath,
        references: References | StrPath | None = None,
        *,
        dialect: str | None = None,
        start: Floats | None = None,
    ) -> None:
        if not isinstance(candidates, CandidateSet):
            read = read_list(candidates, dialect)
            candidates = read.candidates
            references = read.references if references is None else references
        if isinstance(references, (str, os.PathLike)):
            references = read_any_references(expand_paths([os.fspath(references)])).sentences
        if references is None and candidates.statistics is None:
            raise ConfigError("these lists carry no statistics of a metric; give references, or lists with scores")
        if references is not None and len(references) != candidates.sentences:
            raise ConfigError(
                f"the lists have {candidates.sentences} sentences and there are references for {len(references)}; "
                "give the references of the same sentences in the same order"
            )
        self.references = references if candidates.statistics is None else None
        self.sentences = candidates.sentences
        self._candidates, self._start = candidates, start

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

    def subset(self, sentences: Sequence[int]) -> FileSource:
        """The lists of these sentences alone; their numbers must rise."""
        numbers = np.asarray(sentences, dtype=np.int64)
        cuts = np.flatnonzero(np.diff(numbers) != 1) + 1
        parts = [self._candidates.select(int(each[0]), int(each[-1]) + 1) for each in np.split(numbers, cuts)]
        references = None if self.references is None else [self.references[at] for at in numbers.tolist()]
        return FileSource(concatenate(parts), references, start=self._start)

    def settings(self) -> dict[str, Any]:
        return dict(self._settings)

    @cached_property
    def _settings(self) -> dict[str, Any]:
        found = {"kind": "lists", "digest": candidates_digest(self._candidates)}
        if self.references is not None:
            found["references"] = references_digest(self.references)
        return found
