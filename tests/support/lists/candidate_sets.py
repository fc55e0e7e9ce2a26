"""Random candidate sets for tests, plain and factored."""

from __future__ import annotations

import numpy as np

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.search import CandidateSet, FactoredMatrix


def random_offsets(random, rows, sentences):
    """Some sentences are without candidates."""
    return np.concatenate([[0], np.sort(random.integers(0, rows + 1, size=sentences - 1)), [rows]])


def random_rows(random, rows=40, dense=5, columns=30):
    """Rows with some columns filled everywhere and others rarely."""
    matrix = np.where(random.random((rows, columns)) < 0.15, random.normal(size=(rows, columns)), 0.0)
    for column in random.choice(columns, size=dense, replace=False):
        matrix[:, column] = random.normal(size=rows)
    return matrix


def random_texts(random, rows):
    words = ["a", "b", "ü", "我", "internationalisation"]
    return [" ".join(random.choice(words, size=random.integers(0, 4))) for _ in range(rows)]


def random_rule_features(random, rules=50, dense=3, sparse=20, identity=True):
    """F with a dense block, sparse columns and the identity block; an index whose last two features have state."""
    filled = random.random((rules, sparse)) < 0.2
    starts = np.concatenate([[0], np.cumsum(filled.sum(axis=1))]).astype(np.uint64)
    ids = (np.nonzero(filled)[1] + dense).astype(np.uint32)
    values = random.normal(size=len(ids)).astype(np.float32)
    block = random.normal(size=(rules, dense)).astype(np.float32)
    identity_rows = rules - 4 if identity else 0
    native = _core.FeatureMatrix(block, starts, ids, values, dense + sparse, identity_rows)
    names = [f"rule{column}" for column in range(native.columns)]
    return FeatureMatrix(native, FeatureIndex([*names, "lm", "bigram:a", "bigram:b"]))


def random_factored(random, rule_features, rows=40, sentences=7, texts=True):
    """Candidates that use a few rules each, some of them twice."""
    offsets = random_offsets(random, rows, sentences)
    counts = random.integers(0, 8, size=rows)
    rules = random.integers(0, rule_features.rows, size=counts.sum())
    first = rule_features.columns
    pairs = [
        sorted(random.choice([first + 1, first + 2], size=random.integers(0, 3), replace=False))
        for _ in range(rows)
    ]
    pair_offsets = np.concatenate([[0], np.cumsum([len(ids) for ids in pairs])])
    pair_ids = np.array([id for ids in pairs for id in ids], dtype=np.uint32)
    matrix = FactoredMatrix.from_rules(
        rule_features,
        offsets,
        np.concatenate([[0], np.cumsum(counts)]),
        rules,
        [first],
        random.normal(size=(rows, 1)),
        (pair_offsets, pair_ids, random.integers(1, 4, size=len(pair_ids))),
    )
    words = None
    if texts:
        words = CandidateSet.from_matrix(np.ones((rows, 1)), [0, rows], texts=random_texts(random, rows)).words
    return CandidateSet(matrix, offsets, features=rule_features.index, words=words)
