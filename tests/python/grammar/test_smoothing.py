"""Smoothed probabilities: against the formulas, and their sums."""

import random
from collections import defaultdict

import numpy as np
import pytest
from reference.good_turing import smoothed_counts
from support.corpora.grammar_corpus import LIMITS, corpus

from tunesmith.alignment import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import FormatError
from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, ScoreOptions, extract_rules

KINDS = {
    "phrase": PhraseOptions(3),
    "hiero": HieroOptions(**LIMITS),
    "hiero, raw counts": HieroOptions(**LIMITS, fractional=False),
}


def reordered(pairs=300):
    """Words in any order, each linked to its translation, so that rules have their gaps in both orders."""
    rng = random.Random(1)
    source, target, links = [], [], []
    for _ in range(pairs):
        f = [rng.randrange(5) for _ in range(rng.randint(2, 6))]
        order = rng.sample(range(len(f)), len(f))
        source.append(" ".join(f"f{word}" for word in f))
        target.append(" ".join(f"e{f[at] // rng.choice((1, 1, 2))}" for at in order))
        links.append({(at, place) for place, at in enumerate(order)})
    return Bitext(source, target), WordAlignments.from_links(links)


def extracted(kind, smoothing, folder):
    options = ExtractOptions(KINDS[kind], ScoreOptions(smoothing, single_words=False))
    return extract_rules(*reordered(), folder / smoothing, options)


def without_numbers(target):
    return tuple("[X]" if word.startswith("[X,") else word for word in target)


def swapped(rule):
    return [word for word in rule.target if word.startswith("[X,")][:1] == ["[X,2]"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("smoothing", ["good-turing", "kneser-ney"])
def test_smoothing_takes_from_seen_rules_and_never_exceeds_one(kind, smoothing, tmp_path):
    before, after = extracted(kind, "none", tmp_path), extracted(kind, smoothing, tmp_path)
    scores = after.array("scores")
    assert (scores > 0).all()
    sums = np.add.reduceat(scores[:, 2], after.array("source_rules")[:-1].astype(int))
    assert (sums < 1).any()
    assert (sums <= 1 + 1e-6).all()
    assert np.array_equal(before.array("joint_counts"), after.array("joint_counts"))
    assert np.array_equal(before.array("scores")[:, [1, 3]], scores[:, [1, 3]])


@pytest.mark.parametrize("kind", KINDS)
def test_kneser_ney_sums_to_one_in_both_directions(kind, tmp_path):
    """Foster et al. 2006: what is taken from seen rules goes to all other sides by how many rules they have.

    Given a target side, a source side comes with the order of the gaps, as a target side does given a source side.
    """
    rules = list(extracted(kind, "kneser-ney", tmp_path))
    n = [sum(rule.occurrences == r for rule in rules) for r in range(5)]
    y = n[1] / (n[1] + 2 * n[2])
    discount = [0, 1 - 2 * y * n[2] / n[1], 2 - 3 * y * n[3] / n[2], 3 - 4 * y * n[4] / n[3]]

    def taken(rule):
        return rule.joint * discount[min(rule.occurrences, 3)] / rule.occurrences

    both_orders = 0
    for given_of, other_of, column in (
        (lambda rule: rule.source, lambda rule: rule.target, 2),
        (lambda rule: without_numbers(rule.target), lambda rule: (rule.source, swapped(rule)), 0),
    ):
        groups, rules_of = defaultdict(dict), defaultdict(int)
        for rule in rules:
            assert other_of(rule) not in groups[given_of(rule)]
            groups[given_of(rule)][other_of(rule)] = rule
            rules_of[other_of(rule)] += 1
        for group in list(groups.values())[:300]:
            both_orders += column == 2 and len({without_numbers(each.target) for each in group.values()}) < len(
                group
            )
            total_count = sum(rule.joint for rule in group.values())
            freed = sum(map(taken, group.values()))
            total = 0.0
            for other, count in rules_of.items():
                p = backing = freed * count / len(rules) / total_count
                if other in group:
                    rule = group[other]
                    p = rule.scores[column]
                    assert p == pytest.approx((rule.joint - taken(rule)) / total_count + backing, rel=1e-5)
                total += p
            assert total == pytest.approx(1, rel=1e-5)
    assert (both_orders > 0) == (kind != "phrase")


@pytest.mark.parametrize("kind", KINDS)
def test_good_turing_is_that_of_gale_and_sampson(kind, tmp_path):
    rules = list(extracted(kind, "good-turing", tmp_path))
    smoothed = smoothed_counts([rule.occurrences for rule in rules])
    assert smoothed[1] < 0.9
    for rule in rules:
        part = rule.joint * smoothed[rule.occurrences] / rule.occurrences
        assert rule.scores[2] == pytest.approx(part / rule.source_count, rel=1e-5)
        assert rule.scores[0] == pytest.approx(part / rule.target_count, rel=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_good_turing_never_turns_the_order_of_two_rules_round(seed, tmp_path):
    options = ExtractOptions(PhraseOptions(3), ScoreOptions("good-turing", single_words=False))
    table = extract_rules(*corpus(pairs=80, seed=seed, words=4), tmp_path / "rules", options)
    groups = defaultdict(list)
    for rule in table:
        groups[rule.source].append((rule.joint, rule.scores[2]))
    for group in groups.values():
        ordered = [p for _, p in sorted(group)]
        assert ordered == sorted(ordered)


@pytest.mark.parametrize("smoothing", ["good-turing", "kneser-ney"])
def test_counts_that_allow_no_estimate_are_refused_with_the_reason(smoothing, tmp_path):
    bitext, alignments = corpus(pairs=60)
    twice = Bitext(bitext.source * 2, bitext.target * 2), WordAlignments.from_links([*alignments, *alignments])
    equal = Bitext(["a", "b"], ["x", "y"]), WordAlignments.from_links([{(0, 0)}] * 2)
    options = ExtractOptions(PhraseOptions(3), ScoreOptions(smoothing))
    reason = {"kneser-ney": "no rule has the count 1", "good-turing": "all rules occur equally often"}[smoothing]
    with pytest.raises(FormatError, match=reason):
        extract_rules(*(twice if smoothing == "kneser-ney" else equal), tmp_path / "rules", options)
    assert list(tmp_path.iterdir()) == []
    empty = Bitext([], []), WordAlignments.from_links([])
    assert len(extract_rules(*empty, tmp_path / "rules", options)) == 0
