"""Whole tables: against the slow twin, sums of probabilities, threads, memory, labels, lookup, signature."""

import json
from collections import defaultdict

import pytest
from reference.rule_table import best_alignment, collect, lexical_weight, word_probabilities
from support.corpora.grammar_corpus import KINDS, LIMITS, corpus, digest, numbered, rules_of

from tunesmith.alignment import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    PhraseOptions,
    RuleTable,
    ScoreOptions,
    extract_rules,
    select_rules,
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_counts_alignments_and_scores_are_those_of_the_slow_twin(kind, seed, tmp_path):
    limits, slowly = KINDS[kind]
    bitext, alignments = corpus(seed=seed)
    options = ExtractOptions(limits, ScoreOptions(single_words=False))
    table = extract_rules(bitext, alignments, tmp_path / "rules", options)
    pairs = numbered(table, bitext, alignments)
    expected = collect(pairs, slowly)
    found = rules_of(table)
    assert set(found) == set(expected)
    assert len(table) == len(expected) == table.unfiltered_rules
    forward, backward = word_probabilities(pairs)
    of_source, of_target = defaultdict(float), defaultdict(float)
    for (f, e), entry in expected.items():
        of_source[f] += entry.joint
        of_target[tuple((min(symbol, 0) and -1) or symbol for symbol in e)] += entry.joint
    for (f, e), entry in expected.items():
        rule = found[f, e]
        unnumbered = tuple(-1 if symbol < 0 else symbol for symbol in e)
        assert rule.joint == pytest.approx(float(entry.joint), rel=1e-9)
        assert rule.source_count == pytest.approx(float(of_source[f]), rel=1e-9)
        assert rule.target_count == pytest.approx(float(of_target[unnumbered]), rel=1e-9)
        assert (rule.occurrences, rule.pairs) == (entry.occurrences, len(entry.pairs))
        links = best_alignment(entry.alignments, len(e), by_target=True)
        assert rule.links == links
        flipped = [(t, s) for s, t in best_alignment(entry.alignments, len(f), by_target=False)]
        assert rule.scores == pytest.approx(
            (
                float(entry.joint / of_target[unnumbered]),
                lexical_weight(e, f, flipped, backward),
                float(entry.joint / of_source[f]),
                lexical_weight(f, e, links, forward),
            ),
            rel=1e-6,
        )


@pytest.mark.parametrize("kind", KINDS)
def test_probabilities_sum_to_one_in_both_directions(kind, tmp_path):
    bitext, alignments = corpus()
    options = ExtractOptions(KINDS[kind][0], ScoreOptions(single_words=False))
    table = extract_rules(bitext, alignments, tmp_path / "rules", options)
    given_source, given_target = defaultdict(float), defaultdict(float)
    for rule in table:
        given_source[rule.source] += rule.scores[2]
        given_target[tuple("[X]" if word.startswith("[X") else word for word in rule.target)] += rule.scores[0]
    assert {round(total, 5) for total in given_source.values()} == {1.0}
    assert {round(total, 5) for total in given_target.values()} == {1.0}


@pytest.mark.parametrize(
    ("rules", "smoothing"),
    [(PhraseOptions(4), "none"), (HieroOptions(**LIMITS), "kneser-ney"), (HieroOptions(), "good-turing")],
)
def test_threads_and_memory_change_no_byte(rules, smoothing, tmp_path):
    bitext, alignments = corpus(pairs=1500, longest=12)
    options = ExtractOptions(rules, ScoreOptions(smoothing, significance=0.0))
    labels = ["even" if at % 2 == 0 else "odd" for at in range(len(bitext))]
    tables = []
    spilled = set()

    def look(what, done, total):
        if what == "collecting" and list(tmp_path.glob(".*.partial/scratch/part-*")):
            spilled.add(at)

    for at, (threads, memory) in enumerate([(1, 4 << 30), (3, 4 << 30), (1, 1 << 20), (2, 1 << 20), (2, 3 << 20)]):
        extract_rules(bitext, alignments, tmp_path / str(at), options, labels=labels, threads=threads,
                      memory=memory, progress=look)  # fmt: skip
        tables.append(digest(tmp_path / str(at)))
    assert all(table == tables[0] for table in tables)
    assert {2, 3} <= spilled <= {2, 3, 4}
    assert sorted(file.name for file in tmp_path.iterdir()) == ["0", "1", "2", "3", "4"]  # nothing left behind


def test_three_thirds_are_as_much_as_one(tmp_path):
    # "a b" → "x y": three times one of three rules that share a count, once alone. The greater alignment is kept.
    bitext = Bitext(["a b"] * 4, ["x y"] * 4)
    shared, alone = {(0, 0), (1, 1)}, {(0, 0), (0, 1), (1, 1)}
    alignments = WordAlignments.from_links([shared] * 3 + [alone])
    options = ExtractOptions(HieroOptions(min_gap=1, max_gaps=1))
    (rule,) = extract_rules(bitext, alignments, tmp_path / "rules", options).lookup("a b")
    assert (rule.joint, rule.occurrences, rule.links) == (2.0, 4, ((0, 0), (1, 1)))


def test_labels_are_those_of_the_sentence_pairs(tmp_path):
    bitext, alignments = corpus()
    labels = [("news", "talk", "web", "news/web")[at % 4] for at in range(len(bitext))]
    options = ExtractOptions(PhraseOptions(4), ScoreOptions(single_words=False))
    table = extract_rules(bitext, alignments, tmp_path / "rules", options, labels=labels)
    expected = collect(numbered(table, bitext, alignments), KINDS["phrase"][1])
    for key, rule in rules_of(table).items():
        of_pairs = {label for pair in expected[key].pairs for label in labels[pair].split("/")}
        assert rule.labels == tuple(sorted(of_pairs))


def test_labels_must_belong_to_the_pairs_and_be_few(tmp_path):
    bitext, alignments = corpus(pairs=70)
    with pytest.raises(FormatError, match="69 labels for 70"):
        extract_rules(bitext, alignments, tmp_path / "rules", labels=["a"] * 69)
    with pytest.raises(ConfigError, match="at most 64"):
        extract_rules(bitext, alignments, tmp_path / "rules", labels=[str(at) for at in range(70)])
    with pytest.raises(FormatError, match=r"the label 'a/' has an empty part"):
        extract_rules(bitext, alignments, tmp_path / "rules", labels=["a/"] * 70)
    assert list(tmp_path.iterdir()) == []


def test_a_word_known_from_longer_rules_only_gets_a_rule(tmp_path):
    bitext = Bitext(["a b", "c"], ["x y", "z"])
    alignments = WordAlignments.from_links([{(0, 0), (0, 1), (1, 0)}, {(0, 0)}])
    table = extract_rules(bitext, alignments, tmp_path / "rules", ExtractOptions(PhraseOptions()))
    assert [str(rule).split(" ||| ")[1] for rule in table.lookup("a")] == ["x"]
    made = table.lookup("b")[0]
    assert (made.target, made.links, made.occurrences, made.pairs, made.joint) == (("x",), ((0, 0),), 0, 0, 0)
    assert made.scores == pytest.approx((0.5, 0.5, 1, 1))
    assert table.manifest["totals"]["made_single_words"] == 2
    without = ExtractOptions(PhraseOptions(), ScoreOptions(single_words=False))
    assert extract_rules(bitext, alignments, tmp_path / "without", without).lookup("a") == []


@pytest.mark.parametrize("unaligned", [8, 200])
def test_a_lexical_weight_too_small_for_a_number_stays_positive(unaligned, tmp_path):
    # p(u | NULL) is about 1e-6 for each of the unaligned words: their product is below float, then below double.
    rare = " ".join(f"u{at}" for at in range(unaligned))
    bitext = Bitext(["a b"] + ["f"] * 4000, [f"x {rare} y"] + ["g " + "n " * 250] * 4000)
    alignments = WordAlignments.from_links([{(0, 0), (1, unaligned + 1)}] + [{(0, 0)}] * 4000)
    options = ExtractOptions(PhraseOptions(unaligned + 2, tight=True))
    table = extract_rules(bitext, alignments, tmp_path / "rules", options)
    (rule,) = table.lookup("a b")
    assert 0 < rule.scores[3] < 1e-44
    assert (table.array("scores") > 0).all()


def test_the_signature_tells_settings_and_data(tmp_path):
    (bitext, alignments), (other, _) = corpus(), corpus(seed=2)
    changed = Bitext(list(bitext.source), [*bitext.target[:-1], bitext.target[-1].replace("e", "x")])
    fewer = WordAlignments.from_links([*list(alignments)[:-1], set()])
    rules = PhraseOptions(3)
    runs = [
        (bitext, alignments, ExtractOptions(rules, ScoreOptions(significance=0.0)), None, None),
        (bitext, alignments, ExtractOptions(rules, ScoreOptions(significance=1.0)), None, None),
        (bitext, alignments, ExtractOptions(rules), None, None),
        (bitext, alignments, ExtractOptions(rules, ScoreOptions(single_words=False)), None, None),
        (bitext, alignments, ExtractOptions(rules, ScoreOptions(lexical_decimals=7)), None, None),
        (bitext, alignments, ExtractOptions(rules, ScoreOptions(top=1)), None, None),
        (bitext, alignments, ExtractOptions(rules, ScoreOptions("good-turing")), None, None),
        (bitext, alignments, ExtractOptions(PhraseOptions(2)), None, None),
        (changed, alignments, ExtractOptions(rules), None, None),
        (bitext, fewer, ExtractOptions(rules), None, None),
        (bitext, alignments, ExtractOptions(rules), ["a"] * len(bitext), None),
        (bitext, alignments, ExtractOptions(rules), ["b"] * len(bitext), None),
        (bitext, alignments, ExtractOptions(rules), None, other.source[:2]),
        (bitext, alignments, ExtractOptions(rules), None, other.source[:3]),
    ]
    signatures = []
    for at, (pairs, links, options, labels, only_for) in enumerate(runs):
        table = extract_rules(pairs, links, tmp_path / str(at), options, labels=labels, only_for=only_for)
        signatures.append(json.dumps(table.manifest["signature"]))
    assert len(set(signatures)) == len(runs)
    whole = RuleTable.open(tmp_path / "0")
    for at, chosen in enumerate([{"top": 1}, {"top": 2}, {"min_joint": 2.0}, {"significance": 2.0},
                                 {"only_for": ["f1"]}, {"only_for": ["f2"]}]):  # fmt: skip
        small = select_rules(whole, tmp_path / f"small{at}", **chosen)
        signatures.append(json.dumps(small.manifest["signature"]))
        assert small.manifest["settings"]["scores"] == whole.manifest["settings"]["scores"]
    again = select_rules(small, tmp_path / "again", top=1)
    assert [each["top"] for each in again.manifest["settings"]["selections"]] == [0, 1]
    assert len(set(signatures)) == len(runs) + 6


def test_lookup_finds_every_source_side_and_nothing_else(tmp_path):
    bitext, alignments = corpus()
    table = extract_rules(bitext, alignments, tmp_path / "rules", ExtractOptions(HieroOptions(**LIMITS)))
    everything = list(table)
    for rule in everything:
        assert rule in table.lookup(rule.source)
        assert rule in table.lookup(" ".join(rule.source))
    assert [table[at] for at in range(len(table))] == everything
    for unknown in ("nothing", "f1 f1 f1 f1 f1 f1 f1", "[X,1]", ""):
        assert table.lookup(unknown) == []
    with pytest.raises(IndexError):
        table[len(table)]


def test_empty_corpora_and_corpora_without_links_give_empty_tables(tmp_path):
    for at, bitext in enumerate([Bitext([], []), Bitext(["a b", ""], ["c", ""])]):
        links = WordAlignments.from_links([set()] * len(bitext))
        for kind in (PhraseOptions(), HieroOptions()):
            table = extract_rules(bitext, links, tmp_path / f"{at}{kind.kind}", ExtractOptions(kind))
            assert (len(table), list(table), table.lookup("a")) == (0, [], [])
            assert len(select_rules(table, tmp_path / "smaller", top=1)) == 0
            table.verify()
