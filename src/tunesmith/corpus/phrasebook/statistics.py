"""Statistics of a grammar and a corpus, all computed."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass

from tunesmith.corpus.phrasebook.ambiguity import ambiguous_words
from tunesmith.corpus.phrasebook.corpus import EvalSentence, PhrasebookCorpus
from tunesmith.corpus.phrasebook.derivation import first_way
from tunesmith.corpus.phrasebook.grammar import Rule, SourceWord, Word
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook
from tunesmith.corpus.phrasebook.reordering import has_long_reordering

ZIPF_RANKS = 500
"""Ranks over which the Zipf exponent is fitted; below them counts are too small."""


@dataclass(frozen=True)
class EvaluationStatistics:
    """One evaluation set. `histogram`: number of real references → sentences that have it."""

    sentences: int
    tokens: int
    mean_length: float
    unseen_tokens: int
    unseen_share: float
    mean_references: float
    histogram: dict[int, int]


@dataclass(frozen=True)
class PhrasebookStatistics:
    """Statistics that `tunesmith phrasebook --stats` prints."""

    lexical_entries: int
    """Different (Chinese, English) pairs among the entries without slots."""
    held_out_entries: int
    phrase_rules: int
    patterns: int
    long_reordering_patterns: int
    ambiguous_words: dict[str, list[str]]
    pairs: int
    noisy_pairs: int
    duplicate_share: float
    source_tokens: int
    source_types: int
    target_tokens: int
    target_types: int
    mean_source_length: float
    mean_target_length: float
    zipf_exponent: float
    evaluation: dict[str, EvaluationStatistics]

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def statistics(grammar: Phrasebook, corpus: PhrasebookCorpus) -> PhrasebookStatistics:
    source = Counter(word for pair in corpus.train for word in pair.source.split())
    target = Counter(word for pair in corpus.train for word in pair.target.split())
    inner = [r for c in grammar.classes.values() for r in c.rules if r not in grammar.patterns]
    pairs = len(corpus.train)
    distinct = len({(pair.source, pair.target) for pair in corpus.train})
    return PhrasebookStatistics(
        lexical_entries=len({_lexical(rule) for rule in inner if rule.lexical}),
        held_out_entries=sum(rule.held_out for rule in inner),
        phrase_rules=sum(not rule.lexical for rule in inner),
        patterns=len(grammar.patterns),
        long_reordering_patterns=sum(has_long_reordering(r, grammar) for r in grammar.patterns),
        ambiguous_words=ambiguous_words(grammar),
        pairs=pairs,
        noisy_pairs=len(corpus.noisy),
        duplicate_share=1.0 - distinct / pairs,
        source_tokens=source.total(),
        source_types=len(source),
        target_tokens=target.total(),
        target_types=len(target),
        mean_source_length=source.total() / pairs,
        mean_target_length=target.total() / pairs,
        zipf_exponent=zipf_exponent(source),
        evaluation={name: _evaluation(sentences, source) for name, sentences in corpus.evaluation().items()},
    )


def _lexical(rule: Rule) -> tuple[str, str]:
    """Return Chinese and first English of an entry: the same pair in two classes counts once."""
    source = " ".join(item.text for part in rule.sources[0] for item in part if isinstance(item, SourceWord))
    words = (item for template in rule.alternatives[0] for item in first_way(template))
    return source, " ".join(item.text for item in words if isinstance(item, Word))


def _evaluation(sentences: list[EvalSentence], train: Counter[str]) -> EvaluationStatistics:
    words = [word for sentence in sentences for word in sentence.source.split()]
    unseen = sum(word not in train for word in words)
    counts = Counter(len(sentence.references) for sentence in sentences)
    return EvaluationStatistics(
        sentences=len(sentences),
        tokens=len(words),
        mean_length=len(words) / len(sentences),
        unseen_tokens=unseen,
        unseen_share=unseen / len(words),
        mean_references=sum(n * count for n, count in counts.items()) / len(sentences),
        histogram=dict(sorted(counts.items())),
    )


def zipf_exponent(counts: Counter[str]) -> float:
    """Return the slope of log frequency against log rank, by least squares over the first ranks."""
    frequencies = sorted(counts.values(), reverse=True)[:ZIPF_RANKS]
    x = [math.log(rank) for rank in range(1, len(frequencies) + 1)]
    y = [math.log(frequency) for frequency in frequencies]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((a - mean_x) ** 2 for a in x)
    if spread == 0.0:
        return 0.0
    return -sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
