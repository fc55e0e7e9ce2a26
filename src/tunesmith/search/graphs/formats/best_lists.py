"""n-best lists of search graphs whose edges have all features."""

from __future__ import annotations

import numpy as np

from tunesmith.search.graphs.derivations import Floats
from tunesmith.search.graphs.formats.reading import NamedGraphs
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.search.lists.words import WordLists


def best_lists(named: NamedGraphs, weights: Floats, k: int = 100, *, distinct: bool = True) -> CandidateSet:
    """Return the k best derivations of each graph with their features and scores.

    An empty list for an empty graph.   distinct: every string once, by its best derivation.
    """
    from scipy import sparse

    columns = len(named.features)
    blocks, words, scores, sizes = [], list[np.ndarray](), list[Floats](), [0]
    for graph in named.graphs:
        found = graph.k_best(named.scores(graph, weights), k, distinct=distinct)
        sums, more = sparse.csr_matrix(found.dense_sums()), found.sparse_sums()
        ids = graph.core.dense_ids
        placed = sparse.csr_matrix((sums.data, ids[sums.indices], sums.indptr), shape=(len(found), columns))
        rest = sparse.csr_matrix((more.values, more.ids, more.offsets), shape=(len(found), columns))
        blocks.append(placed + rest)
        words += [each.words for each in found]
        scores.append(found.scores)
        sizes.append(len(found))
    offsets = np.append(0, np.cumsum([len(each) for each in words], dtype=np.int64))
    numbers = np.concatenate([*words, np.empty(0, np.int32)]).astype(np.uint32)
    matrix = sparse.vstack(blocks, format="csr") if blocks else sparse.csr_matrix((0, columns))
    return CandidateSet(
        PlainMatrix.from_csr(matrix),
        np.cumsum(sizes),
        features=named.features,
        words=WordLists(named.words, numbers, offsets),
        model_scores=np.concatenate([*scores, np.empty(0)]),
    )
