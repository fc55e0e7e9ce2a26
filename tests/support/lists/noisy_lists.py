"""Lists of damaged references, with a feature that knows the damage."""

import numpy as np

from tunesmith.search import CandidateSet

VOCABULARY = ["the", "a", "cat", "dog", "sat", "ran", "on", "under", "mat", "tree"]


def made_lists(seed, sentences=30, each=8):
    """References, and candidates that are damaged references; one feature knows the damage, one does not."""
    random = np.random.default_rng(seed)
    references, records = [], []
    for sentence in range(sentences):
        reference = list(random.choice(VOCABULARY, size=random.integers(5, 10)))
        references.append(" ".join(reference))
        for _ in range(each):
            words = list(reference)
            damage = int(random.integers(0, 4))
            for at in random.choice(len(words), size=damage, replace=False):
                words[at] = "x"
            noise = float(np.round(random.normal(), 3))
            records.append(
                {"id": sentence, "hypothesis": " ".join(words), "good": -damage + 0.25 * noise, "noise": noise,
                 "score": noise}
            )  # fmt: skip
    return CandidateSet.from_records(records), references
