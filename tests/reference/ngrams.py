"""BLEU and NIST by counting n-grams in dictionaries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

Ngram = tuple[str, ...]


def ngrams(words: Sequence[str], n: int) -> Counter[Ngram]:
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


def different(references: Sequence[str]) -> list[tuple[str, ...]]:
    """The references with different words; repeats pad a file and count once."""
    return list(dict.fromkeys(tuple(reference.split()) for reference in references))


def bleu_statistics(
    hypothesis: str, references: Sequence[str], order: int = 4, length: str = "closest"
) -> list[float]:
    """Hypothesis length, reference length, clipped matches per order, n-grams per order."""
    words = hypothesis.split()
    texts = different(references)
    lengths = [len(text) for text in texts]
    reference_length = {
        "closest": min(lengths, key=lambda x: (abs(x - len(words)), x)),
        "shortest": min(lengths),
        "average": sum(lengths) / len(lengths),
    }[length]
    matches, totals = [], []
    for n in range(1, order + 1):
        counts = ngrams(words, n)
        most: Counter[Ngram] = Counter()
        for text in texts:
            most |= ngrams(text, n)
        matches.append(float(sum((counts & most).values())))
        totals.append(float(sum(counts.values())))
    return [float(len(words)), float(reference_length), *matches, *totals]


def nist(hypotheses: Sequence[str], references: Sequence[Sequence[str]], order: int = 5) -> float:
    """Doddington (2002), Eq. 2 and 3, with several references as in mteval-v13a."""
    everywhere: Counter[Ngram] = Counter()
    total_words = 0
    distinct = [different(sentence) for sentence in references]
    for sentence in distinct:
        for text in sentence:
            total_words += len(text)
            for n in range(1, order + 1):
                everywhere += ngrams(text, n)

    def information(ngram: Ngram) -> float:
        above = everywhere[ngram[:-1]] if len(ngram) > 1 else total_words
        return math.log2(above / everywhere[ngram])

    score = 0.0
    for n in range(1, order + 1):
        gained, seen = 0.0, 0
        for hypothesis, sentence in zip(hypotheses, distinct, strict=True):
            counts = ngrams(hypothesis.split(), n)
            seen += sum(counts.values())
            most: Counter[Ngram] = Counter()
            for text in sentence:
                most |= ngrams(text, n)
            gained += sum(information(ngram) * count for ngram, count in (counts & most).items())
        score += gained / seen if seen else 0.0
    length = sum(len(hypothesis.split()) for hypothesis in hypotheses)
    reference = sum(sum(map(len, sentence)) / len(sentence) for sentence in distinct)
    ratio = min(length / reference, 1.0) if reference else 0.0
    penalty = math.exp(math.log(0.5) / math.log(1.5) ** 2 * math.log(ratio) ** 2) if ratio else 0.0
    return score * penalty
