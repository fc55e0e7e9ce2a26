"""Lexicalised reordering: orientations against their definition, probabilities, tables of Moses, damaged ones."""

import gzip
import json
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.orientation import LEFT, MONOTONE, RIGHT, SWAP, neighbours, orientations
from support.corpora.grammar_corpus import corpus
from support.damage.resealed import unsealed

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    PhraseOptions,
    ReorderingOptions,
    RuleTable,
    ScoreOptions,
    extract_rules,
    select_rules,
)
from tunesmith.grammar.moses import read_moses
from tunesmith.grammar.moses_reordering import add_reordering, write_reordering
from tunesmith.io import read_lines, write_lines

MODELS = ["word", "phrase", "hier"]
sizes = st.integers(1, 7)
aligned_pairs = st.tuples(sizes, sizes).flatmap(
    lambda size: st.tuples(
        st.just(size), st.sets(st.tuples(st.integers(0, size[0] - 1), st.integers(0, size[1] - 1)), max_size=9)
    )
)


@given(aligned_pairs, st.sampled_from(MODELS), st.integers(1, 7), st.booleans())
def test_orientations_are_those_of_the_definition(pair, model, limit, tight):
    (source_size, target_size), links = pair
    options = PhraseOptions(limit, tight)
    found = _core.phrase_orientations(
        source_size, target_size, list(links), options.native(), getattr(_core.OrientationModel, model)
    )
    beside = neighbours(source_size, target_size, links, model, limit, tight)
    for s0, s1, t0, t1, *orientation in found:
        expected = orientations(((s0, s1), (t0, t1)), source_size, target_size, links, model, beside)
        assert tuple(orientation) == expected, (s0, s1, t0, t1)


def test_the_cases_of_the_papers():
    # a word at a time, in order: monotone everywhere, the edges of the sentences too
    assert all(row[4:] == (MONOTONE, MONOTONE) for row in every([(0, 0), (1, 1), (2, 2)]))
    # two words swapped; what is before the sentence is to the left of word 1 with word 0 in between
    assert orientation_at([(0, 1), (1, 0)], (1, 2, 0, 1)) == (RIGHT, SWAP)
    assert orientation_at([(0, 1), (1, 0)], (0, 1, 1, 2)) == (SWAP, RIGHT)
    # target order 0 2 1 3: from 0 to 2 a jump to the right, from 2 to 1 a swap, from 1 to 3 a jump to the right
    links = [(0, 0), (2, 1), (1, 2), (3, 3)]
    assert orientation_at(links, (2, 3, 1, 2)) == (RIGHT, SWAP)
    assert orientation_at(links, (1, 2, 2, 3)) == (SWAP, RIGHT)
    # target order 0 3 1 2: word 1 comes after word 3, a jump to the left
    links = [(0, 0), (3, 1), (1, 2), (2, 3)]
    assert orientation_at(links, (1, 2, 2, 3)) == (LEFT, MONOTONE)
    assert orientation_at(links, (3, 4, 1, 2)) == (RIGHT, LEFT)


def every(links, model="word", limit=7):
    size = max(s for s, _ in links) + 1, max(t for _, t in links) + 1
    return _core.phrase_orientations(
        *size, links, PhraseOptions(limit).native(), getattr(_core.OrientationModel, model)
    )


def orientation_at(links, place, model="word", limit=7):
    return next(row[4:] for row in every(links, model, limit) if row[:4] == place)


def test_models_differ_in_what_a_neighbour_is():
    # Galley and Manning 2008, Figure 2: the block before is to the left as a whole, its last word is not.
    links = [(1, 0), (0, 1), (2, 2)]
    place = (2, 3, 2, 3)
    assert orientation_at(links, place, "word") == (RIGHT, MONOTONE)
    assert orientation_at(links, place, "phrase") == (MONOTONE, MONOTONE)
    assert orientation_at(links, place, "phrase", limit=1) == (RIGHT, MONOTONE)  # such a phrase is too long
    assert orientation_at(links, place, "hier", limit=1) == (MONOTONE, MONOTONE)


def test_hierarchical_orientation_looks_past_unaligned_words_and_any_length():
    length = 300
    links = [(at, at) for at in range(length)]
    rows = every(links, "hier", limit=1)
    assert all(row[4:] == (MONOTONE, MONOTONE) for row in rows)
    # words 1 and 2 are swapped after an unaligned word
    found = _core.phrase_orientations(
        4, 3, [(0, 0), (3, 1), (2, 2)], PhraseOptions(1).native(), _core.OrientationModel.hier
    )
    assert {row[:4]: row[4:] for row in found}[3, 4, 1, 2] == (RIGHT, SWAP)


def counted(pairs, links, options, limit):
    """Counts of the orientations of every phrase pair of a corpus, in words."""
    counts = {}
    for (source, target), alignment in zip(pairs, links, strict=True):
        f, e = source.split(), target.split()
        beside = neighbours(len(f), len(e), alignment, options.model, limit, tight=False)
        here = neighbours(len(f), len(e), alignment, "phrase", limit, tight=False)
        for (s0, s1), (t0, t1) in here:
            both = orientations(((s0, s1), (t0, t1)), len(f), len(e), alignment, options.model, beside)
            key = tuple(f[s0:s1]), tuple(e[t0:t1])
            counts.setdefault(key, (Counter(), Counter()))
            for counter, orientation in zip(counts[key], both, strict=True):
                counter[orientation] += 1
    return counts


def expected_logs(counters, options):
    three = [(0,), (1,), (2, 3)]
    groups = {"msd": three, "msdn": three, "mslr": [(0,), (1,), (2,), (3,)], "monotonicity": [(0,), (1, 2, 3)]}
    directions = {"bidirectional": (0, 1), "backward": (0,), "forward": (1,)}[options.direction]
    row = []
    for direction in directions:
        merged = [sum(counters[direction][at] for at in group) for group in groups[options.orientations]]
        total = sum(merged) + len(merged) * options.smoothing
        row += [math.log((count + options.smoothing) / total) for count in merged]
        if options.orientations == "msdn":  # swap or discontinuous
            row.append(math.log(1 - (merged[0] + options.smoothing) / total))
    return row


CHOICES = [
    ReorderingOptions(),
    ReorderingOptions("phrase", "mslr"),
    ReorderingOptions("word", "msdn"),
    ReorderingOptions("hier", "mslr", "backward", 0.1),
    ReorderingOptions("hier", "monotonicity", "forward"),
]


@pytest.fixture(scope="module")
def small():
    bitext, alignments = corpus(pairs=40)
    links = [
        {(int(s), int(t)) for s, t in zip(alignments.source[b:e], alignments.target[b:e], strict=True)}
        for b, e in zip(alignments.offsets[:-1], alignments.offsets[1:], strict=True)
    ]
    return bitext, alignments, links


@pytest.mark.parametrize("options", CHOICES, ids=lambda options: options.name)
def test_probabilities_are_those_of_counting_by_hand(small, options, tmp_path):
    bitext, alignments, links = small
    extract = ExtractOptions(PhraseOptions(4), ScoreOptions(single_words=False), options)
    table = extract_rules(bitext, alignments, tmp_path / "rules", extract)
    counts = counted(zip(bitext.source, bitext.target, strict=True), links, options, 4)
    assert table.reordering_columns == options.columns
    assert table.reordering_model == options.model
    assert table.reordering.shape == (len(table), len(options.columns))
    assert len(table) == len(counts)
    for rule in table:
        expected = expected_logs(counts[rule.source, rule.target], options)
        assert rule.reordering == pytest.approx(expected, rel=1e-6), rule
    table.verify()


def test_threads_and_memory_do_not_change_it_and_other_arrays_do_not_change_by_it(tmp_path):
    bitext, alignments = corpus(pairs=300)
    options = ExtractOptions(PhraseOptions(5), reordering=ReorderingOptions("hier"))
    plain = extract_rules(bitext, alignments, tmp_path / "plain", ExtractOptions(PhraseOptions(5)))
    one = extract_rules(bitext, alignments, tmp_path / "one", options)
    two = extract_rules(bitext, alignments, tmp_path / "two", options, threads=2, memory=1 << 20)
    files = set(one.manifest["files"])
    assert files - set(plain.manifest["files"]) == {"reordering"}
    for name in files:
        assert (one.folder / name).read_bytes() == (two.folder / name).read_bytes(), name
        if name != "reordering":
            assert (one.folder / name).read_bytes() == (plain.folder / name).read_bytes(), name
    assert plain.reordering is None
    assert plain.reordering_columns == []


def test_words_made_up_are_uniform_and_rules_chosen_carry_theirs(tmp_path):
    bitext, alignments = corpus(pairs=200)
    table = extract_rules(
        bitext, alignments, tmp_path / "rules", ExtractOptions(PhraseOptions(4), reordering=ReorderingOptions())
    )
    made_up = table.array("occurrences") == 0
    assert np.allclose(table.reordering[made_up], math.log(1 / 3))
    sums = np.exp(table.reordering.astype(float)).reshape(len(table), 2, 3).sum(axis=2)
    assert np.allclose(sums, 1)
    kept = select_rules(table, tmp_path / "top", top=1)
    assert 0 < len(kept) < len(table)
    whole = {(rule.source, rule.target): rule.reordering for rule in table}
    assert all(whole[rule.source, rule.target] == rule.reordering for rule in kept)
    assert kept.reordering_columns == table.reordering_columns


@pytest.mark.parametrize(
    "name", ["wbe-msd-bidirectional-fe", "hier-mslr-forward-fe", "phrase-monotonicity-backward-fe"]
)
def test_names_of_moses(name):
    assert ReorderingOptions.parse(name).name == name


def test_what_names_leave_out():
    assert ReorderingOptions.parse("msd-bidirectional-fe") == ReorderingOptions()
    assert ReorderingOptions.parse("mslr") == ReorderingOptions(orientations="mslr")
    assert ReorderingOptions.parse("wbe-msd-bidirectional-fe-allff") == ReorderingOptions()
    for wrong in ("", "msd-f", "wbe-leftright-fe", "msd-sideways", "wbe-msd-bidirectional-fe-collapseff"):
        with pytest.raises(ConfigError, match="wbe-msd-bidirectional-fe"):
            ReorderingOptions.parse(wrong)


def test_options_that_cannot_be():
    with pytest.raises(ConfigError, match="model must be word or phrase or hier, got 'words'"):
        ReorderingOptions("words")
    with pytest.raises(ConfigError, match="smoothing"):
        ReorderingOptions(smoothing=-1)
    with pytest.raises(ConfigError, match="for phrase pairs"):
        ExtractOptions(HieroOptions(), reordering=ReorderingOptions())


# Reordering tables of Moses


LINES = ["das ||| the ||| 0.6 0.2 0.2 0.5 0.25 0.25", "das haus ||| the house ||| 0.2 0.6 0.2 0 0.5 0.5"]
PHRASES = ["das ||| the ||| 0.5", "das haus ||| the house ||| 0.5", "haus ||| house ||| 1"]


@pytest.fixture
def phrases(tmp_path):
    write_lines(tmp_path / "phrase-table", PHRASES)
    return read_moses(tmp_path / "phrase-table", tmp_path / "phrases", "phrase")


def test_a_reordering_table_is_read_in_any_order(phrases, tmp_path):
    other = "ein ||| a ||| 0.2 0.2 0.6 0.2 0.2 0.6"
    rows = []
    for at, lines in enumerate([LINES, [other, *reversed(LINES)]]):
        write_lines(tmp_path / "reordering", lines)
        read = add_reordering(phrases, tmp_path / "reordering", tmp_path / f"with{at}")
        assert (read.missing, read.unused) == (1, at)
        rows.append({rule.source: rule.reordering for rule in read.table})
    assert rows[0] == rows[1]
    assert rows[0]["haus",] == (0.0,) * 6
    assert rows[0]["das",] == pytest.approx(np.log([0.6, 0.2, 0.2, 0.5, 0.25, 0.25]))
    assert rows[0]["das", "haus"][3] == -100


def test_missing_entries_may_cost_something(phrases, tmp_path):
    write_lines(tmp_path / "reordering", LINES)
    table = add_reordering(phrases, tmp_path / "reordering", tmp_path / "with", missing=-2.0).table
    assert table.lookup("haus")[0].reordering == (-2.0,) * 6
    with pytest.raises(ConfigError, match=r"missing must be from -100\.0 to 0"):
        add_reordering(phrases, tmp_path / "reordering", tmp_path / "other", missing=1.0)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("das ||| the", r"reordering:2: there are 2 fields"),
        (" ||| the ||| 0.6 0.2 0.2 0.5 0.25 0.25", r"reordering:2: the source side is empty"),
        ("das ||| ||| 0.6 0.2 0.2 0.5 0.25 0.25", r"reordering:2: the target side is empty"),
        ("a ||| b |||", r"reordering:2: there are no scores"),
        ("a ||| b ||| 0.6 0.2 0.2", r"reordering:2: there are 3 scores, the first line has 6"),
        ("a ||| b ||| 0.6 0.2 0.2 0.5 0.25 x", r"reordering:2: the score 'x' is not a number"),
        ("a ||| b ||| 0.6 0.2 0.2 0.5 0.25 nan", r"reordering:2: the score"),
        ("a ||| b ||| 0.6 0.2 0.2 0.5 0.25 -1", r"reordering:2: the score '-1' is negative"),
        ("a ||| b ||| 0.6 0.2 0.2 0.5 0.25 1.5", r"reordering: a \|\|\| b: 1.5 is not a probability"),
        ("das ||| the ||| 0.6 0.2 0.2 0.5 0.25 0.25", r"reordering:2: "),
        ("", r"reordering:2: the line is empty"),
    ],
)
def test_damaged_reordering_tables(phrases, line, says, tmp_path):
    write_lines(tmp_path / "reordering", [LINES[0], line])
    with pytest.raises(FormatError, match=says):
        add_reordering(phrases, tmp_path / "reordering", tmp_path / "with")
    assert not (tmp_path / "with").exists()


def test_the_columns_must_be_those_of_the_model(phrases, tmp_path):
    write_lines(tmp_path / "reordering", LINES)
    with pytest.raises(FormatError, match="there are 6 probabilities; wbe-mslr-bidirectional-fe has 8"):
        add_reordering(phrases, tmp_path / "reordering", tmp_path / "with", ReorderingOptions(orientations="mslr"))
    write_lines(tmp_path / "empty", [])
    with pytest.raises(FormatError, match="is empty"):
        add_reordering(phrases, tmp_path / "empty", tmp_path / "with")
    with pytest.raises(ConfigError, match="has no reordering"):
        write_reordering(phrases, tmp_path / "out")


@pytest.mark.parametrize("line", ["a ||| ||| 0.5", "||| b ||| 0.5", "a ||| b |||", "a ||| b"])
def test_phrase_tables_with_empty_sides_or_without_scores_are_refused(line, tmp_path):
    write_lines(tmp_path / "phrase-table", [PHRASES[0], line])
    with pytest.raises(FormatError, match="phrase-table:2: "):
        read_moses(tmp_path / "phrase-table", tmp_path / "out", "phrase")


def test_ours_goes_out_and_comes_back(tmp_path):
    bitext, alignments = corpus(pairs=100)
    options = ReorderingOptions("hier", "mslr")
    table = extract_rules(
        bitext, alignments, tmp_path / "rules", ExtractOptions(PhraseOptions(4), reordering=options)
    )
    write_reordering(table, tmp_path / "reordering.gz")
    read = add_reordering(table, tmp_path / "reordering.gz", tmp_path / "back", options)
    assert (read.missing, read.unused) == (0, 0)
    assert np.allclose(read.table.reordering, table.reordering, atol=2e-6)
    write_reordering(read.table, tmp_path / "again")
    assert read_lines(tmp_path / "again") == read_lines(tmp_path / "reordering.gz")


@pytest.mark.parametrize(
    "change",
    [
        {"model": "words", "columns": ReorderingOptions().columns},
        {"model": "word", "columns": ReorderingOptions().columns[:5]},
        {"model": "word", "columns": 6},
        {"model": ["word"]},
        None,
        7,
    ],
)
def test_a_manifest_that_does_not_describe_it(phrases, change, tmp_path):
    write_lines(tmp_path / "reordering", LINES)
    table = add_reordering(phrases, tmp_path / "reordering", tmp_path / "with").table
    manifest = unsealed(table.folder)
    manifest["reordering"] = change
    if change is None:
        del manifest["reordering"]
    (table.folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FormatError, match="reordering"):
        RuleTable.open(table.folder)


# Recorded tables (../shared/reference/README.md)


def test_the_recorded_reordering_table_comes_back_unchanged(shared, tmp_path):
    folder = shared / "reference/moses-phrase"
    table = read_moses(folder / "phrase-table.gz", tmp_path / "phrases", "phrase")
    read = add_reordering(table, folder / "reordering-table.gz", tmp_path / "with")
    assert (read.missing, read.unused) == (0, 0)
    write_reordering(read.table, tmp_path / "out")
    with gzip.open(folder / "reordering-table.gz", "rt", encoding="utf-8") as stream:
        assert sorted(line.rstrip() for line in stream) == sorted(read_lines(tmp_path / "out"))
