"""Small random candidate lists for tests of tuners."""

import numpy as np

from tunesmith.search import CandidateSet


def random_lists(seed, sentences=12, longest=9, features=4, whole=False, sparse=0):
    """Features, offsets and BLEU statistics; some lists are short, one is empty, some candidates are equal."""
    random = np.random.default_rng(seed)
    sizes = random.integers(1, longest + 1, size=sentences)
    sizes[sentences // 2] = 0
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    rows = int(offsets[-1])
    matrix = random.normal(size=(rows, features + sparse))
    if sparse:
        matrix[:, features:] *= random.random((rows, sparse)) < 0.2
    if whole:
        matrix = np.round(2 * matrix)
    statistics = np.zeros((rows, 10))
    reference = random.integers(6, 12, size=sentences)
    for s in range(sentences):
        for e in range(offsets[s], offsets[s + 1]):
            length = int(random.integers(5, 13))
            ngrams = np.maximum(length - np.arange(4), 0)
            match = np.minimum(np.sort(random.integers(0, 9, size=4))[::-1], ngrams)
            statistics[e] = [length, reference[s], *match, *ngrams]
    if rows > 3:
        matrix[1] = matrix[0]
        statistics[2] = statistics[0]
    return matrix, offsets, statistics


def random_set(seed, **shape):
    matrix, offsets, statistics = random_lists(seed, **shape)
    return CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
