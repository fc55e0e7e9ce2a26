"""Lists as neural systems give them, made from a text: damaged lines with log-probabilities that agree closely.

Five models (two forward, right to left, reverse, language model) see the same damage, each with noise of its own,
and score a text by the sum over its words; `pieces` and `words` are its lengths.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet


def made_lists(lines: Sequence[str], seed: int = 1, each: int = 60) -> CandidateSet:
    """Lists of `each` candidates for every line, measured by BLEU with the line as reference."""
    random = np.random.default_rng(seed)
    vocabulary = sorted({word for line in lines for word in line.split()})
    records = []
    for sentence, line in enumerate(lines):
        hard = min(0.25 + 0.15 * random.gamma(2, 1), 0.9)
        for _ in range(each):
            words, changed, left_out, added = _damaged(line.split(), random.beta(2, 3) * hard, vocabulary, random)
            size, noise = len(words), random.normal(size=7)
            common = -0.55 * size - 0.5 * changed - 0.9 * added - 0.1 * left_out + 0.3 * noise[0] * size**0.5
            features = {
                "fwd": common + 0.5 * noise[1],
                "fwd2": common + 0.6 * noise[2],
                "r2l": common - 0.2 * left_out + 0.8 * noise[3],
                "rev": -len(line.split()) - 0.6 * changed - 0.5 * left_out - 0.1 * added + 0.9 * noise[4],
                "lm": -2.5 * size - changed - 0.8 * added + 1.5 * noise[5],
                "pieces": float(round(1.25 * size + 0.5 * noise[6]) + 1),
                "words": float(size),
            }
            records.append({"id": sentence, "hypothesis": " ".join(words), **features})
    return CandidateSet.from_records(records).with_statistics(Bleu().prepare([[line] for line in lines]))


def _damaged(
    words: Sequence[str], share: float, vocabulary: Sequence[str], random: np.random.Generator
) -> tuple[list[str], int, int, int]:
    """The words with about this share of them changed, left out or followed by another; how many of each."""
    found: list[str] = []
    counts = [0, 0, 0, 0]
    for word in words:
        at = random.random() / share
        kind = 0 if at < 0.6 else 1 if at < 0.9 else 2 if at < 1 else 3
        other = vocabulary[int(random.integers(len(vocabulary)))]
        found += [[other], [], [word, other], [word]][kind]
        counts[kind] += 1
    return found, counts[0], counts[1], counts[2]
