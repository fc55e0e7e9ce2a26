"""What a feature of lists is, and how its values become columns."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.features import SentenceFeature
from tunesmith.features.base import templates
from tunesmith.features.names import full_name
from tunesmith.features.python_features import failures_of
from tunesmith.registry import Registry
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.settings import parse_named, read_settings

Floats = NDArray[np.float64]


class ListFeature(ABC):
    """A feature that sees whole lists. A frozen dataclass of its settings."""

    @abstractmethod
    def columns(self, candidates: CandidateSet, *, threads: int = 1) -> Mapping[str, Floats]:
        """Return values of every candidate, by the name of the feature."""

    @property
    def needs_source(self) -> bool:
        """Whether the feature looks at source sentences too; see `columns_for`."""
        return False

    def columns_for(
        self, candidates: CandidateSet, sources: Sequence[str] | None, *, threads: int = 1
    ) -> Mapping[str, Floats]:
        """Call `columns` where source sentences may be known. A feature that needs them overrides it."""
        return self.columns(candidates, threads=threads)


list_features: Registry[ListFeature] = Registry("feature of lists", "tunesmith.list_features")

AnyFeature = ListFeature | SentenceFeature


def make_feature(text: str) -> tuple[str, AnyFeature]:
    """Return a feature as users type it, `agreement:metric=chrf,scale=2`, with its name.

    Either a list feature of tunesmith or a `SentenceFeature` that the user's file has registered.
    """
    name, values = parse_named(text)
    if name not in list_features and name in templates:
        factory: Any = templates.get(name)
        if not issubclass(factory, SentenceFeature):
            raise ConfigError(f"the template {name} looks at rules; candidates of a list show none of theirs")
    else:
        factory = list_features.get(name)
    return name, factory(**read_settings(factory, values, name))


def add_features(
    candidates: CandidateSet,
    features: Sequence[tuple[str, AnyFeature]],
    sources: Sequence[str] | None = None,
    *,
    threads: int = 1,
) -> CandidateSet:
    """Return the candidates with more columns.   sources: text of each sentence, for features that look at it."""
    from scipy import sparse

    if candidates.words is None:
        raise ConfigError("these candidates have no words, only features")
    found: dict[str, Floats] = {}
    for name, feature in features:
        if isinstance(feature, SentenceFeature):
            columns: Mapping[str, Floats] = _sentence_columns(name, feature, candidates, sources)
        else:
            columns = feature.columns_for(candidates, sources, threads=threads)
        for column, values in columns.items():
            if column in found or column in candidates.features:
                raise ConfigError(f"the lists have a feature {column!r} already")
            if values.shape != (len(candidates),) or not np.isfinite(values).all():
                raise ConfigError(f"the feature {column!r} has values that are not finite numbers")
            found[column] = values
    names = [*list(candidates.features)[: candidates.columns], *found]
    more = sparse.csr_matrix(np.column_stack(list(found.values()))) if found else None
    rows = candidates.rows()
    rows.data[:] = short_values(candidates, rows.data)  # the numbers of the file, where floats stand for them
    matrix = rows if more is None else sparse.hstack([rows, more], format="csr")
    stated = candidates.matrix.stated if isinstance(candidates.matrix, PlainMatrix) else None
    if stated is not None:  # and so is what is added
        stated = np.concatenate([stated, np.arange(candidates.columns, len(names), dtype=np.uint32)])
    return candidates.replaced(matrix=PlainMatrix.from_csr(matrix, stated), features=names)


def _sentence_columns(
    name: str, feature: SentenceFeature, candidates: CandidateSet, sources: Sequence[str] | None
) -> dict[str, Floats]:
    if sources is not None and len(sources) < candidates.sentences:
        raise ConfigError(f"the lists have {candidates.sentences} sentences, the source text {len(sources)}")
    columns: dict[str, Floats] = {}
    for at, sentence in enumerate(candidates.sentence_of.tolist()):
        source = [] if sources is None else sources[sentence].split()
        with failures_of(name):
            for detail, value in feature(source, candidates.text(at).split()):
                column = columns.setdefault(full_name(name, detail), np.zeros(len(candidates)))
                column[at] += value
    return columns
