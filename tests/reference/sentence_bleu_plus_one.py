"""BLEU+1 from its definition, in plain Python."""

from __future__ import annotations

import math
from collections import Counter


def ngrams(words, n):
    return Counter(tuple(words[at : at + n]) for at in range(len(words) - n + 1))


def bleu_plus_one(hypothesis, references, extensions=False):
    """Lin and Och (2004); `extensions` of Nakov et al. (2012): +1 at order 1 and in the length, grounding."""
    words = hypothesis.split()
    others = [reference.split() for reference in references]
    if not words:
        return 0.0
    closest = min((abs(len(other) - len(words)), len(other)) for other in others)[1]
    logs = grounds = 0.0
    for n in range(1, 5):
        counts = ngrams(words, n)
        best = Counter()
        for other in others:
            best |= ngrams(other, n)
        match, total = sum((counts & best).values()), sum(counts.values())
        add = 1 if n > 1 or extensions else 0
        if match + add == 0:
            return 0.0
        logs += math.log((match + add) / (total + add)) / 4
        grounds += math.log(add / (total + add)) / 4 if add else -math.inf
    length = closest + 1 if extensions else closest
    penalty = min(1.0, math.exp(1 - length / len(words)))
    precision = math.exp(logs) - (math.exp(grounds) if extensions else 0.0)
    return penalty * precision
