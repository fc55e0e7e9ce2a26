"""Tables of some rules: those that can match, the most frequent ones, the significant ones."""

from collections import defaultdict

import numpy as np
import pytest
from reference.extraction import fisher_minus_log_p
from reference.rule_table import collect
from support.corpora.grammar_corpus import KINDS, LIMITS, corpus, numbered, rules_of

from tunesmith.errors import ConfigError
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    PhraseOptions,
    ScoreOptions,
    extract_rules,
    select_rules,
)


def matches(source, words):
    """Slowly: whether the words and gaps of a source side can cover a part of the sentence."""
    if not source:
        return True
    if source[0].startswith("[X"):
        return any(matches(source[1:], words[at:]) for at in range(1, len(words) + 1))
    return bool(words) and words[0] == source[0] and matches(source[1:], words[1:])


@pytest.mark.parametrize("limits", [PhraseOptions(4), HieroOptions(**{**LIMITS, "adjacent": True})])
def test_filtering_keeps_what_can_match_with_its_scores(limits, tmp_path):
    bitext, alignments = corpus(pairs=150)
    text = [*corpus(pairs=6, seed=7)[0].source, "never seen", ""]
    options = ExtractOptions(limits)
    whole = extract_rules(bitext, alignments, tmp_path / "whole", options)
    early = extract_rules(bitext, alignments, tmp_path / "early", options, only_for=text)
    late = select_rules(whole, tmp_path / "late", only_for=text)
    sentences = [line.split() for line in text]
    expected = [
        rule
        for rule in whole
        if any(matches(rule.source, words[at:]) for words in sentences for at in range(len(words)))
    ]
    assert 0 < len(expected) < len(whole)
    assert list(early) == list(late) == expected
    assert early.unfiltered_rules == late.unfiltered_rules == len(whole)
    for name in ("source_symbols", "target_symbols", "scores", "links", "source_rules", "target_offsets"):
        assert np.array_equal(early.array(name), late.array(name)), name


@pytest.mark.parametrize("top", [1, 2, 5])
def test_top_keeps_the_most_frequent_rules_of_each_source_side(top, tmp_path):
    bitext, alignments = corpus(pairs=150)
    whole = extract_rules(bitext, alignments, tmp_path / "whole", ExtractOptions(PhraseOptions(3)))
    options = ExtractOptions(PhraseOptions(3), ScoreOptions(top=top))
    early = extract_rules(bitext, alignments, tmp_path / "early", options)
    late = select_rules(whole, tmp_path / "late", top=top)
    assert list(early) == list(late)
    groups = defaultdict(list)
    for rule in whole:
        groups[rule.source].append(rule)
    for source, group in groups.items():
        kept = early.lookup(source)
        assert len(kept) == min(top, len(group))
        assert sum(rule.joint for rule in kept) == sum(sorted((rule.joint for rule in group), reverse=True)[:top])


def contains(words, phrase):
    return any(tuple(words[at : at + len(phrase)]) == phrase for at in range(len(words)))


@pytest.mark.parametrize(("pairs", "words"), [(100, 12), (400, 3)])
def test_significance_is_fishers_test_on_the_pairs_that_contain_both_sides(pairs, words, tmp_path):
    """Johnson et al. 2007, section 2: containment, whatever the alignment; here by looking at every pair."""
    bitext, alignments = corpus(pairs=pairs, words=words)
    options = ExtractOptions(PhraseOptions(3), ScoreOptions(significance=0.0, single_words=False))
    table = extract_rules(bitext, alignments, tmp_path / "all", options)
    source, target = [f.split() for f in bitext.source], [e.split() for e in bitext.target]
    with_source = {f: {at for at, it in enumerate(source) if contains(it, f)} for f in {r.source for r in table}}
    with_target = {e: {at for at, it in enumerate(target) if contains(it, e)} for e in {r.target for r in table}}
    more = 0
    for value, rule in zip(table.array("significance"), table, strict=True):
        f, e = with_source[rule.source], with_target[rule.target]
        p = fisher_minus_log_p(len(f & e), len(f), len(e), len(bitext))
        assert value == pytest.approx(max(0.0, p), rel=1e-5, abs=1e-6)
        more += len(f & e) > rule.pairs
        assert rule.significance == value
    assert more > 0
    assert table.manifest["settings"]["significance_counts"] == "containment"


def test_significance_of_hierarchical_rules_counts_the_pairs_they_were_extracted_from(tmp_path):
    bitext, alignments = corpus(pairs=60)
    options = ExtractOptions(HieroOptions(**LIMITS), ScoreOptions(significance=0.0, single_words=False))
    table = extract_rules(bitext, alignments, tmp_path / "all", options)
    expected = collect(numbered(table, bitext, alignments), KINDS["hiero"][1])
    of_source, of_target = defaultdict(set), defaultdict(set)
    for (f, e), entry in expected.items():
        of_source[f] |= entry.pairs
        of_target[tuple(max(symbol, -1) for symbol in e)] |= entry.pairs
    for value, (f, e) in zip(table.array("significance"), rules_of(table), strict=True):
        unnumbered = tuple(max(symbol, -1) for symbol in e)
        p = fisher_minus_log_p(
            len(expected[f, e].pairs), len(of_source[f]), len(of_target[unnumbered]), len(bitext)
        )
        assert value == pytest.approx(max(0.0, p), rel=1e-5, abs=1e-6)
    assert table.manifest["settings"]["significance_counts"] == "extraction"


def test_rules_below_the_significance_are_left_out(tmp_path):
    bitext, alignments = corpus(pairs=100)
    options = ExtractOptions(PhraseOptions(3), ScoreOptions(significance=0.0, single_words=False))
    table = extract_rules(bitext, alignments, tmp_path / "all", options)
    pruned = ExtractOptions(PhraseOptions(3), ScoreOptions(significance=3.0, single_words=False))
    kept = extract_rules(bitext, alignments, tmp_path / "kept", pruned)
    assert len(kept) == int((table.array("significance") >= 3).sum())
    assert kept.unfiltered_rules == len(table)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["all", "kept"]
    plain = extract_rules(bitext, alignments, tmp_path / "plain", ExtractOptions(PhraseOptions(3)))
    with pytest.raises(ConfigError, match="extract the table with --significance"):
        select_rules(plain, tmp_path / "no", significance=1.0)


def test_top_is_chosen_among_the_significant_rules_early_and_late(tmp_path):
    bitext, alignments = corpus(pairs=150, words=6)
    whole = extract_rules(bitext, alignments, tmp_path / "whole",
                          ExtractOptions(PhraseOptions(3), ScoreOptions(significance=0.0)))  # fmt: skip
    early = extract_rules(bitext, alignments, tmp_path / "early",
                          ExtractOptions(PhraseOptions(3), ScoreOptions(top=1, significance=1.0)))  # fmt: skip
    late = select_rules(whole, tmp_path / "late", top=1, significance=1.0)
    assert list(early) == list(late)
    significant = select_rules(whole, tmp_path / "significant", significance=1.0)
    other_way = select_rules(select_rules(whole, tmp_path / "top", top=1), tmp_path / "other", significance=1.0)
    assert len(other_way) < len(late) == significant.source_sides
    assert early.manifest["settings"]["scores"]["top"] == 1


def test_rules_in_normal_form_keep_the_scores_they_have_among_all(tmp_path):
    bitext, alignments = corpus(pairs=150)
    whole = extract_rules(bitext, alignments, tmp_path / "whole", ExtractOptions(HieroOptions(**LIMITS)))
    chosen = select_rules(whole, tmp_path / "chosen", normal_form=True)

    def normal(rule):
        gaps = [symbol.startswith("[X") for symbol in rule.target]
        return gaps == sorted(gaps)

    expected = [rule for rule in whole if normal(rule)]
    assert any(len(rule.target) > 1 and rule.target[-1].startswith("[X") for rule in expected)
    assert list(chosen) == expected
    assert len(expected) < len(whole)
    own = extract_rules(
        bitext, alignments, tmp_path / "own", ExtractOptions(HieroOptions(**{**LIMITS, "normal_form": True}))
    )
    sides = {(rule.source, rule.target) for rule in chosen}
    assert sides == {(rule.source, rule.target) for rule in own}  # the same rules with other counts
    assert not np.array_equal(chosen.array("scores"), own.array("scores"))


@pytest.mark.parametrize("more", [{}, {"top": 2}, {"top": 1, "significance": 1.0}])
def test_counts_of_all_rules_are_extraction_and_then_a_choice(more, tmp_path):
    bitext, alignments = corpus(pairs=150)
    significance = ScoreOptions(significance=0.0 if "significance" in more else None)
    all_rules = ExtractOptions(HieroOptions(**LIMITS), significance)
    whole = extract_rules(bitext, alignments, tmp_path / "whole", all_rules)
    chosen = select_rules(whole, tmp_path / "chosen", normal_form=True, **more)
    normal = HieroOptions(**{**LIMITS, "normal_form": True})
    options = ExtractOptions(normal, ScoreOptions(**more), counts_of_all=True)
    table = extract_rules(bitext, alignments, tmp_path / "table", options)
    assert list(table) == list(chosen)
    assert table.manifest["signature"] == chosen.manifest["signature"]  # so that leave-one-out counts alike
    assert table.unfiltered_rules == len(whole)


def test_counts_of_all_rules_need_rules_in_normal_form():
    with pytest.raises(ConfigError, match="normal form"):
        ExtractOptions(HieroOptions(), counts_of_all=True)
    with pytest.raises(ConfigError, match="normal form"):
        ExtractOptions(PhraseOptions(), counts_of_all=True)
