"""A decoder for tests of tuning: small, deterministic, and its lists depend on the weights."""

import numpy as np

from tunesmith.search import CandidateSet

WORDS = [f"w{number}" for number in range(12)]


class ToyDecoder:
    """Every line has `pool` possible translations with random features; the k best by the weights are its list.

    The first feature says how many words are right, so that there is something to learn; the second is noise, the
    third the length. Values are quarters, so that no score depends on the order of a sum.
    """

    signature = "toy decoder"

    def __init__(self, features=3, pool=40, seed=7, on_decode=lambda: None):
        self.features = [f"f{number}" for number in range(features)]
        self.weights = np.zeros(features)
        self.calls, self._pool, self._seed, self._on_decode = 0, pool, seed, on_decode

    def set_weights(self, weights):
        self.weights = np.array(weights)

    def translations(self, line):
        """All translations of a line: words, features."""
        random = np.random.default_rng([self._seed, *line.encode()])
        right = line.split()
        texts, rows = [], []
        for _ in range(self._pool):
            kept = [word if random.random() < 0.6 else str(random.choice(WORDS)) for word in right]
            kept = kept[: len(kept) - int(random.integers(0, 3))] or right[:1]
            good = sum(a == b for a, b in zip(kept, right, strict=False))
            row = np.round(4 * random.standard_normal(len(self.features))) / 4
            row[0], row[2] = good + row[0] / 4, -len(kept)
            texts.append(" ".join(kept))
            rows.append(row)
        return texts, np.array(rows)

    def k_best(self, lines, k, *, threads=1):
        self.calls += 1
        self._on_decode()
        found, offsets, matrix = [], [0], []
        for line in lines:
            texts, rows = self.translations(line)
            order = np.argsort(-(rows @ self.weights), kind="stable")[:k]
            found += [texts[at] for at in order]
            matrix.append(rows[order])
            offsets.append(len(found))
        return CandidateSet.from_matrix(np.concatenate(matrix), offsets, texts=found, names=self.features)


def toy_data(sentences=8, seed=3, words=(4, 9)):
    """Lines and their references."""
    random = np.random.default_rng(seed)
    lines = [" ".join(random.choice(WORDS, size=int(random.integers(*words)))) for _ in range(sentences)]
    return lines, [[line] for line in lines]
