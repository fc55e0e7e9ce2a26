"""Twin of cpp/lm: interpolated modified Kneser-Ney with dictionaries, to be read next to Chen and Goodman (1998).

Conventions of lmplz: n-grams that begin with <s> keep their raw counts; unigrams are interpolated with the uniform
distribution over all words but <s>; <s> has probability 1. Probabilities here are plain, not logarithms.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

Ngram = tuple[str, ...]
SPECIAL = ("<unk>", "<s>", "</s>")


def with_word(context: Ngram, word: str) -> Ngram:
    """The n-gram of a context and the word after it."""
    return (*context, word)


@dataclass
class Model:
    """probability[ngram] of its last word after the others; backoff[context]; discounts by order."""

    order: int
    vocabulary: list[str]
    probability: dict[Ngram, float]
    backoff: dict[Ngram, float]
    discounts: list[tuple[float, float, float]]

    def score(self, context: Ngram, word: str) -> float:
        """p(word | context), backing off where the n-gram is not there."""
        context = context[max(0, len(context) - self.order + 1) :]
        if with_word(context, word) in self.probability:
            return self.probability[with_word(context, word)]
        if not context:
            return self.probability[("<unk>",)]
        return self.backoff.get(context, 1.0) * self.score(context[1:], word)


def raw_counts(sentences: Iterable[Sequence[str]], order: int) -> list[Counter[Ngram]]:
    """How often each n-gram of order 1 … occurs in <s> words </s>; <s> is never the last word."""
    counts: list[Counter[Ngram]] = [Counter() for _ in range(order)]
    for sentence in sentences:
        words = ("<s>", *sentence, "</s>")
        for end in range(2, len(words) + 1):
            for n in range(1, min(order, end) + 1):
                counts[n - 1][words[end - n : end]] += 1
    return counts


def adjusted_counts(raw: list[Counter[Ngram]]) -> list[dict[Ngram, int]]:
    """Distinct words on the left; raw at the highest order and after <s>."""
    adjusted: list[dict[Ngram, int]] = []
    for n, counts in enumerate(raw, 1):
        if n == len(raw):
            adjusted.append(dict(counts))
            continue
        left = Counter(longer[1:] for longer in raw[n])
        adjusted.append({g: counts[g] if g[0] == "<s>" else left[g] for g in counts})
    return adjusted


def discounts(
    counts: Iterable[int], fallback: tuple[float, float, float] | None
) -> tuple[float, float, float] | None:
    """Equation (26), or the fallback."""
    n = Counter(counts)
    if not (n[1] and n[2] and n[3]):
        return fallback
    y = n[1] / (n[1] + 2 * n[2])
    estimated = tuple(i - (i + 1) * y * n[i + 1] / n[i] for i in (1, 2, 3))
    if not all(0 < d <= i for i, d in enumerate(estimated, 1)):
        return fallback
    return estimated[0], estimated[1], estimated[2]


def estimate(
    lines: Iterable[str],
    order: int,
    prune: Sequence[int] = (0,),
    vocab_limit: int | None = None,
    fallback: tuple[float, float, float] | None = (0.5, 1.0, 1.5),
) -> Model | None:
    """The whole estimation; None where discounts cannot be estimated and there is no fallback."""
    sentences = [line.split() for line in lines]
    counted = Counter(word for sentence in sentences for word in sentence)
    by_count = sorted(counted, key=lambda word: -counted[word])  # stable: first seen first
    kept_words = set(by_count[:vocab_limit])
    sentences = [[word if word in kept_words else "<unk>" for word in sentence] for sentence in sentences]
    vocabulary = [*SPECIAL, *(word for word in counted if word in kept_words)]

    raw = raw_counts(sentences, order)
    adjusted = adjusted_counts(raw)
    thresholds = [*prune, *[prune[-1]] * (order - len(prune))]
    uniform = 1 / (len(vocabulary) - 1)
    probability: dict[Ngram, float] = {}
    backoff: dict[Ngram, float] = {}
    all_discounts = []
    for n in range(1, order + 1):
        counts = adjusted[n - 1]
        found = discounts(counts.values(), fallback)
        if found is None:
            return None
        all_discounts.append(found)
        followers: dict[Ngram, list[str]] = defaultdict(list)
        for ngram in counts:
            followers[ngram[:-1]].append(ngram[-1])
        for context, words in followers.items():
            kept = [word for word in words if n == 1 or raw[n - 1][with_word(context, word)] > thresholds[n - 1]]
            total = sum(counts[with_word(context, word)] for word in words)
            taken = sum(found[min(counts[with_word(context, word)], 3) - 1] for word in kept)
            lost = sum(counts[with_word(context, word)] for word in words if word not in set(kept))
            gamma = (taken + lost) / total
            if context and kept:
                backoff[context] = gamma
            for word in kept if context else vocabulary:
                count = counts.get(with_word(context, word), 0)
                own = (count - found[min(count, 3) - 1]) / total if count else 0.0
                lower = probability[with_word(context[1:], word)] if context else uniform
                probability[with_word(context, word)] = own + gamma * lower
        if n == 1:
            probability[("<s>",)] = 1.0
    return Model(order, vocabulary, probability, backoff, all_discounts)
