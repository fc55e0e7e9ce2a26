"""Held-out folds of parallel text: parts without common sentences, each translatable by a model of the others."""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError


def unrelated_folds(bitext: Bitext, folds: int, seed: int = 1) -> NDArray[np.int64]:
    """Assign each sentence pair to a fold, numbered from 0.

    Folds are as equal in size as possible, assignment is random.

    Pairs with equal sources or equal targets are in one fold, so that no sentence occurs in two folds. Sentences
    are compared without case, space, punctuation and symbols. A cluster of pairs that is larger than a fold
    enlarges its fold.
    """
    if not 2 <= folds <= len(bitext):
        raise ConfigError(f"folds must be from 2 to the number of sentence pairs, {len(bitext)}, got {folds}")
    cluster = _clusters(bitext)
    sizes = np.bincount(cluster)
    if len(sizes) < folds:
        raise ConfigError(
            f"folds must be at most {len(sizes)}, the number of clusters of pairs without a common sentence, "
            f"got {folds}"
        )
    order = np.random.default_rng(seed).permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]  # largest first: small clusters even out the sizes
    fold_of = np.empty(len(sizes), dtype=np.int64)
    smallest = [(0, fold) for fold in range(folds)]
    for at in order.tolist():
        size, fold = smallest[0]
        fold_of[at] = fold
        heapq.heapreplace(smallest, (size + int(sizes[at]), fold))
    return fold_of[cluster]


def _clusters(bitext: Bitext) -> NDArray[np.int64]:
    """Number the clusters of pairs from 0: a chain of equal sentences connects the pairs of a cluster."""
    from scipy import sparse
    from scipy.sparse.csgraph import connected_components

    source, target = _numbers(bitext.source), _numbers(bitext.target)
    first = int(source.max()) + 1  # target sentences, as nodes of a graph with an edge for each pair
    size = first + int(target.max()) + 1
    edges = sparse.coo_matrix((np.ones(len(bitext)), (source, first + target)), shape=(size, size))
    component = connected_components(edges, directed=False)[1]
    return np.unique(component[source], return_inverse=True)[1].astype(np.int64)


def _numbers(lines: Sequence[str]) -> NDArray[np.int64]:
    number: dict[str, int] = {}
    return np.array([number.setdefault(_letters(line), len(number)) for line in lines], dtype=np.int64)


def _letters(line: str) -> str:
    """Return the letters with their marks, and the digits; the whole line if it has none."""
    folded = unicodedata.normalize("NFKC", line).casefold()
    return "".join(each for each in folded if each.isalnum() or unicodedata.category(each)[0] == "M") or folded
