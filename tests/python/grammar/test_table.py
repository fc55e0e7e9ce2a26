"""Whole tables: against the slow twin, sums of probabilities, threads, memory, filters, damage."""

import json
import random
import shutil
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
from grammar_corpus import LIMITS, corpus
from reference.extraction import fisher_minus_log_p, hiero_rules, phrase_rules
from reference.rule_table import best_alignment, collect, lexical_weight, word_probabilities

from tunesmith.alignment import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError, MissingFileError, TunesmithError
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    PhraseOptions,
    RuleTable,
    ScoreOptions,
    extract_rules,
    select_rules,
)


def numbered(table, bitext, alignments):
    """The corpus as ids of the table's vocabularies."""
    return [
        (
            [table.source_vocabulary.id(word) for word in f.split()],
            [table.target_vocabulary.id(word) for word in e.split()],
            set(links),
        )
        for (f, e), links in zip(bitext, alignments, strict=True)
    ]


def as_symbols(words, vocabulary):
    return tuple({"[X,1]": -1, "[X,2]": -2}.get(word, vocabulary.id(word)) for word in words)


def rules_of(table):
    return {
        (as_symbols(rule.source, table.source_vocabulary), as_symbols(rule.target, table.target_vocabulary)): rule
        for rule in table
    }


def digest(folder: Path):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


KINDS = {
    "phrase": (PhraseOptions(4), lambda pair: [[rule] for rule in phrase_rules(*pair, 4, False)]),
    "hiero": (HieroOptions(**LIMITS), lambda pair: [rules for rules in hiero_rules(*pair, **LIMITS) if rules]),
    "hiero, raw counts": (
        HieroOptions(**LIMITS, fractional=False),
        lambda pair: [[rule] for rules in hiero_rules(*pair, **LIMITS) for rule in rules],
    ),
}


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
    labels = [("news", "talk", "web")[at % 3] for at in range(len(bitext))]
    options = ExtractOptions(PhraseOptions(4), ScoreOptions(single_words=False))
    table = extract_rules(bitext, alignments, tmp_path / "rules", options, labels=labels)
    expected = collect(numbered(table, bitext, alignments), KINDS["phrase"][1])
    for key, rule in rules_of(table).items():
        assert rule.labels == tuple(sorted({labels[pair] for pair in expected[key].pairs}))


def test_labels_must_belong_to_the_pairs_and_be_few(tmp_path):
    bitext, alignments = corpus(pairs=70)
    with pytest.raises(FormatError, match="69 labels for 70"):
        extract_rules(bitext, alignments, tmp_path / "rules", labels=["a"] * 69)
    with pytest.raises(ConfigError, match="at most 64"):
        extract_rules(bitext, alignments, tmp_path / "rules", labels=[str(at) for at in range(70)])
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


# Damage


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    bitext, alignments = corpus()
    folder = tmp_path_factory.mktemp("tables") / "rules"
    extract_rules(bitext, alignments, folder, ExtractOptions(HieroOptions(**LIMITS)))
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole, tmp_path / "rules")
    return tmp_path / "rules"


def names(folder):
    return sorted(file.name for file in folder.iterdir() if file.name != "manifest.json")


def test_every_file_missing_or_cut_off_or_too_long_is_noticed_when_opening(whole, tmp_path):
    for name in names(whole):
        for number, damage in enumerate(("missing", "cut", "long", "empty")):
            folder = tmp_path / f"{name}{number}"
            shutil.copytree(whole, folder)
            data = (folder / name).read_bytes()
            if damage == "missing":
                (folder / name).unlink()
            else:
                (folder / name).write_bytes({"cut": data[:-1], "long": data + b"\0", "empty": b""}[damage])
            with pytest.raises(FormatError, match=name):
                RuleTable.open(folder)


def test_every_flipped_bit_is_found_by_verify(whole, copy):
    RuleTable.open(copy).verify()
    rng = random.Random(3)
    for name in names(whole):
        data = bytearray((whole / name).read_bytes())
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        (copy / name).write_bytes(bytes(data))
        with pytest.raises(FormatError, match=name):
            RuleTable.open(copy).verify()
        (copy / name).write_bytes((whole / name).read_bytes())


@pytest.mark.parametrize("name", ["source_offsets", "source_rules", "target_offsets", "link_offsets"])
@pytest.mark.parametrize("value", [2**40, 2**63 + 5, 2**64 - 1])
def test_impossible_offsets_are_errors_not_crashes(copy, name, value):
    from tunesmith.grammar.moses import moses_blocks
    from tunesmith.grammar.statistics import table_statistics

    data = np.frombuffer((copy / name).read_bytes(), dtype="<u8").copy()
    data[3] = value
    (copy / name).write_bytes(data.tobytes())
    table = RuleTable.open(copy)
    uses = [
        lambda: list(table),
        lambda: [table[at] for at in range(len(table))],
        lambda: list(moses_blocks(table)),
        lambda: select_rules(table, copy.parent / "out"),
    ]
    if name.startswith("source"):
        uses.append(lambda: table_statistics(table))
        uses.append(lambda: select_rules(table, copy.parent / "out", only_for=["f1 f2 f3"], top=1))
    for use in uses:
        with pytest.raises(FormatError, match="rules"):
            use()


def test_impossible_symbols_are_errors_not_crashes(whole, copy):
    from tunesmith.grammar.moses import moses_blocks

    for name in ("source_symbols", "target_symbols"):
        symbols = np.frombuffer((whole / name).read_bytes(), dtype="<i4").copy()
        symbols[0] = -7
        (copy / name).write_bytes(symbols.tobytes())
        for use in (list, lambda table: list(moses_blocks(table))):
            with pytest.raises(FormatError):
                use(RuleTable.open(copy))
        (copy / name).write_bytes((whole / name).read_bytes())
    symbols = np.frombuffer((whole / "target_symbols").read_bytes(), dtype="<i4").copy()
    symbols[0] = 10**6
    (copy / "target_symbols").write_bytes(symbols.tobytes())
    with pytest.raises(FormatError, match="not in the vocabulary"):
        list(RuleTable.open(copy))
    with pytest.raises(FormatError):
        list(moses_blocks(RuleTable.open(copy)))


MANIFESTS = {
    "not JSON": lambda m: "{",
    "a list": lambda m: "[]",
    "empty": lambda m: "",
    "deep": lambda m: "[" * 100000,
    "another format": lambda m: json.dumps({**m, "format": "other"}),
    "newer": lambda m: json.dumps({**m, "format_version": 2}),
    "version text": lambda m: json.dumps({**m, "format_version": "1"}),
    "version 0": lambda m: json.dumps({**m, "format_version": 0}),
    "no kind": lambda m: json.dumps({key: value for key, value in m.items() if key != "kind"}),
    "another kind": lambda m: json.dumps({**m, "kind": "tree"}),
    "no numbers": lambda m: json.dumps({**m, "numbers": {}}),
    "negative": lambda m: json.dumps({**m, "numbers": {**m["numbers"], "rules": -1}}),
    "huge": lambda m: json.dumps({**m, "numbers": {**m["numbers"], "rules": 10**30}}),
    "one rule more": lambda m: json.dumps({**m, "numbers": {**m["numbers"], "rules": m["numbers"]["rules"] + 1}}),
    "one side less": lambda m: json.dumps(
        {**m, "numbers": {**m["numbers"], "sources": m["numbers"]["sources"] - 1}}
    ),
    "scores without names": lambda m: json.dumps({**m, "score_names": []}),
    "no files": lambda m: json.dumps({**m, "files": {}}),
    "a file elsewhere": lambda m: json.dumps({**m, "files": {**m["files"], "../x": {"bytes": 0, "crc32": "0"}}}),
    "files without sizes": lambda m: json.dumps({**m, "files": dict.fromkeys(m["files"], 3)}),
    "labels are numbers": lambda m: json.dumps({**m, "labels": [1]}),
    "totals are a list": lambda m: json.dumps({**m, "totals": []}),
    "totals are texts": lambda m: json.dumps({**m, "totals": {"rules": "x"}}),
    "a signature is a text": lambda m: json.dumps({**m, "signature": "x"}),
    "settings are a number": lambda m: json.dumps({**m, "settings": 1}),
    "selections are a number": lambda m: json.dumps({**m, "settings": {"selections": 1}}),
    "moses is a number": lambda m: json.dumps({**m, "moses": 5}),
    "counts are a text": lambda m: json.dumps({**m, "moses": {"counts": "x"}}),
    "counts are negative": lambda m: json.dumps({**m, "moses": {"counts": -1}}),
    "a label with a blank": lambda m: json.dumps({**m, "moses": {"label": "a b"}}),
}


@pytest.mark.parametrize("damage", MANIFESTS)
def test_damaged_manifests_are_recognised(copy, damage):
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(MANIFESTS[damage](manifest))
    with pytest.raises(FormatError) as error:
        RuleTable.open(copy)
    assert "rules/" in str(error.value)
    if damage == "newer":
        assert "update" in str(error.value)


def test_a_table_without_manifest_was_not_finished(copy):
    (copy / "manifest.json").unlink()
    with pytest.raises(FormatError, match="not written to its end"):
        RuleTable.open(copy)
    with pytest.raises(MissingFileError):
        RuleTable.open(copy / "nowhere")


def test_other_data_is_never_replaced_and_a_table_is(copy, tmp_path):
    bitext, alignments = corpus(pairs=5)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("text")
    with pytest.raises(ConfigError, match="other data"):
        extract_rules(bitext, alignments, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "text"
    before = len(RuleTable.open(copy))
    assert len(extract_rules(bitext, alignments, copy)) < before


@pytest.mark.parametrize("manifest", ['{"name": "my web extension"}', "[]", "{", "the table's own"])
def test_a_manifest_alone_makes_no_folder_ours(copy, manifest):
    (copy / "thesis.txt").write_text("text")
    if manifest != "the table's own":
        (copy / "manifest.json").write_text(manifest)
    before = digest(copy)
    with pytest.raises(ConfigError, match="other data"):
        extract_rules(*corpus(pairs=5), copy)
    assert digest(copy) == before
    if manifest != "the table's own":
        (copy / "thesis.txt").unlink()
        with pytest.raises(ConfigError, match="other data"):
            extract_rules(*corpus(pairs=5), copy)


def test_a_table_behind_a_link_is_replaced_and_the_link_stays(copy, tmp_path):
    (tmp_path / "link").symlink_to(copy)
    before = digest(copy)
    table = extract_rules(*corpus(pairs=5), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert digest(copy) != before
    assert len(RuleTable.open(copy)) == len(table)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link", "rules"]


@pytest.mark.parametrize("name", [".", ""])
def test_the_working_folder_is_refused_before_the_work(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="the working folder"):
        extract_rules(*corpus(pairs=5), name, progress=lambda *_: pytest.fail("work was done"))


def test_a_table_that_cannot_be_put_in_place_leaves_the_old_one(copy, tmp_path, monkeypatch):
    before = digest(copy)
    rename = Path.rename

    def fail(self, target):
        if self.name.endswith(".partial"):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    monkeypatch.setattr("tunesmith.io.folders.exchange", lambda one, other: False)  # a disk without it
    with pytest.raises(TunesmithError, match="cannot be written"):
        extract_rules(*corpus(pairs=5), copy)
    assert digest(copy) == before
    assert [file.name for file in tmp_path.iterdir()] == ["rules"]


def test_a_run_that_fails_leaves_the_old_table(copy, tmp_path):
    before = digest(copy)

    def stop(what, done, total):
        if what == "scoring":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extract_rules(*corpus(pairs=5), copy, progress=stop)
    assert digest(copy) == before
    assert [file.name for file in tmp_path.iterdir()] == ["rules"]
