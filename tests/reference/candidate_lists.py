"""Candidates as plain Python objects: the twin of CandidateSet for merging, and of factored matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tunesmith.search import CandidateSet, FactoredMatrix

Candidate = tuple[str | None, tuple[tuple[str, float], ...], tuple[float, ...]]
"""Words, features by name (sorted, without zeros), statistics."""


def listed(candidates: CandidateSet) -> list[list[Candidate]]:
    """For each sentence its candidates."""
    rows = candidates.rows().tocsr()
    names = list(candidates.features)
    out: list[list[Candidate]] = []
    for sentence in range(candidates.sentences):
        out.append([])
        for c in candidates.candidates_of(sentence):
            row = rows[c].tocoo()
            features = tuple(
                sorted((names[j], float(v)) for j, v in zip(row.col, row.data, strict=True) if v != 0)
            )
            words = None if candidates.words is None else candidates.text(c)
            numbers = () if candidates.statistics is None else tuple(map(float, candidates.statistics[c]))
            out[-1].append((words, features, numbers))
    return out


def merged(sets: Sequence[list[list[Candidate]]]) -> list[list[Candidate]]:
    """Each candidate once, those of earlier sets first."""
    out: list[list[Candidate]] = []
    for sentence in range(max(map(len, sets))):
        both = [c for one in sets if sentence < len(one) for c in one[sentence]]
        out.append(list(dict.fromkeys(both)))
    return out


def multiplied_out(matrix: FactoredMatrix) -> NDArray[np.float64]:
    """D·F + s as a dense matrix, by the definition."""
    out = np.zeros((matrix.rows, matrix.columns))
    f = np.zeros((matrix.rule_features.rows, matrix.columns))
    for rule in range(len(f)):
        for column, value in matrix.rule_features.row(rule):
            f[rule, column] = value
    for sentence in range(len(matrix.sentences) - 1):
        rules = matrix.list[matrix.list_offsets[sentence] : matrix.list_offsets[sentence + 1]]
        for c in range(matrix.sentences[sentence], matrix.sentences[sentence + 1]):
            for place in matrix.places[matrix.rule_offsets[c] : matrix.rule_offsets[c + 1]]:
                out[c] += f[rules[place]]
            out[c, matrix.state_ids] += matrix.states[c]
            for i in range(matrix.pair_offsets[c], matrix.pair_offsets[c + 1]):
                out[c, matrix.pair_ids[i]] += matrix.pair_values[i]
    return out
