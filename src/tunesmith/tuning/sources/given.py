"""Sources as callers of the library give them: a source, or lists."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tunesmith.checks import kind_of
from tunesmith.config import SYSTEM
from tunesmith.corpus.given_text import GivenReferences
from tunesmith.errors import ConfigError, WrongTypeError
from tunesmith.search.given_lists import GivenCandidates
from tunesmith.search.graphs.formats import NamedGraphs
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.sources.base import CandidateSource
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.graph_files import GraphFileSource
from tunesmith.tuning.sources.lists import FileSource

GivenSource: TypeAlias = CandidateSource | GivenCandidates | NamedGraphs


def source_of(
    given: GivenSource, references: GivenReferences | None = None, what: str = "source"
) -> CandidateSource:
    """Return the source itself, a `FileSource` of lists, or a `GraphFileSource` of search graphs.

    references: of lists that carry neither references nor statistics.   what: the argument in messages.
    """
    if not isinstance(given, type) and isinstance(given, CandidateSource):
        if references is not None:
            raise ConfigError(f"references are for lists; the {what} {type(given).__name__} has its own")
        return given
    if isinstance(given, NamedGraphs):
        return graph_source_of(given, references)
    if isinstance(given, (str, os.PathLike)) and (Path(given) / SYSTEM).exists():
        raise ConfigError(f"{given}: is a model directory; give KBestSource({str(given)!r}, dev, references)")
    if not isinstance(given, (CandidateSet, str, os.PathLike, list, tuple)) and not hasattr(given, "to_dict"):
        raise WrongTypeError(
            f"{what} must be a source such as KBestSource, or lists (a CandidateSet, a file, records) or search "
            f"graphs, got {kind_of(given)}"
        )
    return FileSource(given, references)


def are_graphs(given: object) -> bool:
    """Return whether these are search graphs, or names of files that a recipe for graphs takes as such."""
    if isinstance(given, (list, tuple)):
        return bool(given) and all(isinstance(each, (str, os.PathLike)) for each in given)
    return isinstance(given, (NamedGraphs, str, os.PathLike))


def graph_source_of(
    graphs: Any, references: GivenReferences | None, density: Density | None = None
) -> CandidateSource:
    """Return a source of search graphs or of their files (`are_graphs`), pruned so."""
    if references is None:
        raise ConfigError("search graphs need references: fit(graphs, references=…)")
    return GraphFileSource(graphs, references, density)


def sources_of(
    source: GivenSource,
    train: GivenSource | None,
    references: GivenReferences | None = None,
    train_references: GivenReferences | None = None,
    select: GivenSource | None = None,
) -> dict[str, CandidateSource]:
    """Return the sources of a run by name: dev, and train where it is given.

    select: a separate set that chooses among the weights, which are then learnt on `source`.
    """
    if select is not None:
        if train is not None:
            raise ConfigError(
                "where weights are learnt on train, dev chooses among them: leave out select, or train"
            )
        return {"dev": source_of(select, what="select"), "train": source_of(source, references)}
    sources = {"dev": source_of(source, references)}
    if train is not None:
        sources["train"] = source_of(train, train_references, "train")
    elif train_references is not None:
        raise ConfigError("train_references are those of train, which was not given")
    return sources


def refuse_other_features(sources: Mapping[str, CandidateSource]) -> None:
    """Raise ConfigError where training data has features of its own."""
    one, other = sources["dev"].features, sources.get("train", sources["dev"]).features
    if one is not other and not (len(one) == len(other) and all(map(str.__eq__, one, other))):
        raise ConfigError(
            "development and training data must have the same features in the same order; decode both with one "
            "decoder, or give lists that share an index"
        )
