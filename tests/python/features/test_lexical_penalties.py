"""Insertion and deletion penalties by their definition, word by word."""

from collections import Counter, defaultdict

import pytest
from reference.features import is_gap

from tunesmith.errors import ConfigError
from tunesmith.features import FeatureSet, SpecialRule
from tunesmith.features.rules.lexical_penalties import DeletionPenalty, InsertionPenalty


def translations(table):
    """Counts of (source word, target word), of links of rules with one word on a side."""
    counts = Counter()
    for rule in table:
        if len(rule.source) == 1 or len(rule.target) == 1:
            for i, j in rule.links:
                counts[rule.source[i], rule.target[j]] += max(rule.occurrences, 1)
    return counts


def bad_words(rule, counts, *, side, threshold, relative):
    """Words of a side whose probability given each word of the other side is below the threshold."""
    given = defaultdict(dict)  # of the other side's word: this side's words with their counts
    for (source, target), count in counts.items():
        one, other = (target, source) if side == "target" else (source, target)
        given[other][one] = count
    own, others = (rule.target, rule.source) if side == "target" else (rule.source, rule.target)

    def good(word, other):
        found = given[other]
        if word not in found:
            return False
        return found[word] >= threshold * (max(found.values()) if relative else sum(found.values()))

    return [
        word
        for word in own
        if not is_gap(word) and not any(good(word, other) for other in others if not is_gap(other))
    ]


@pytest.mark.parametrize("side", ["target", "source"])
@pytest.mark.parametrize(("threshold", "relative"), [(0.5, True), (0.9, True), (0.3, False), (0.0, True)])
def test_every_rule_has_the_words_of_the_definition(table, side, threshold, relative):
    name = "insertion_penalty" if side == "target" else "deletion_penalty"
    settings = f"threshold={threshold},relative={'yes' if relative else 'no'}"
    matrix = FeatureSet.parse(f"{name}:{settings}").compile(table)
    counts, found = translations(table), 0
    for number, rule in enumerate(table):
        bad = bad_words(rule, counts, side=side, threshold=threshold, relative=relative)
        assert matrix.named_row(number) == ({name: float(len(bad))} if bad else {}), rule
        found += len(bad)
    assert found > 0
    for special in SpecialRule:
        assert matrix.named_row(matrix.special(special)) == {}


@pytest.mark.parametrize("made", [InsertionPenalty, DeletionPenalty])
def test_a_threshold_is_a_probability(made):
    with pytest.raises(ConfigError, match="threshold"):
        made(threshold=1.5)
