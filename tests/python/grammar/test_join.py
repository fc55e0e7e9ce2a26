"""Tables joined to one: every rule with the scores of both, checked against dictionaries."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.corpora.grammar_corpus import LIMITS, corpus

from tunesmith import _core
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    PhraseOptions,
    ReorderingOptions,
    ScoreOptions,
    extract_rules,
    select_rules,
)
from tunesmith.grammar.by_label import extract_by_label
from tunesmith.grammar.join import FLOOR, join_tables
from tunesmith.grammar.moses import read_moses
from tunesmith.grammar.storage import CORE_ARRAYS
from tunesmith.io import write_lines

PHRASES = ExtractOptions(PhraseOptions(4), ScoreOptions(single_words=False), ReorderingOptions())
HIERO = ExtractOptions(HieroOptions(**LIMITS), ScoreOptions(single_words=False))


def extracted(folder, options, seed, words=12):
    return extract_rules(*corpus(pairs=40, seed=seed, words=words), folder / f"table{seed}", options)


def by_sides(table):
    return {(rule.source, rule.target): rule for rule in table}


@pytest.mark.parametrize("options", [PHRASES, HIERO], ids=["phrase", "hiero"])
def test_every_rule_has_the_scores_of_both(options, tmp_path):
    first, second = extracted(tmp_path, options, 1), extracted(tmp_path, options, 2, words=15)
    joined = join_tables([first, second], tmp_path / "joined", indicator=True)
    joined.verify()
    ours, theirs, found = by_sides(first), by_sides(second), by_sides(joined)
    assert set(found) == ours.keys() | theirs.keys()
    assert len(joined) == len(found)
    assert all((ours.keys() & theirs.keys(), ours.keys() - theirs.keys(), theirs.keys() - ours.keys()))
    names = first.score_names
    assert joined.score_names == [*names, *(f"{name}.2" for name in names), "missing.1", "missing.2"]
    source_counts = {}
    for table in (first, second):
        for source, count in {rule.source: rule.source_count for rule in table}.items():
            source_counts[source] = source_counts.get(source, 0) + count
    for sides, rule in found.items():
        a, b = ours.get(sides), theirs.get(sides)
        floor = (pytest.approx(FLOOR),) * 4
        assert rule.scores[:4] == (floor if a is None else a.scores)
        assert rule.scores[4:8] == (floor if b is None else b.scores)
        assert np.log(rule.scores[8:]) == pytest.approx([float(a is None), float(b is None)], abs=1e-6)
        assert rule.links == (a or b).links
        assert rule.source_count == source_counts[rule.source]
        for name in ("joint", "target_count", "occurrences", "pairs"):
            assert getattr(rule, name) == sum(getattr(part, name) for part in (a, b) if part is not None)


def test_the_order_is_that_of_a_table_and_lookups_work(tmp_path):
    first, second = extracted(tmp_path, PHRASES, 1), extracted(tmp_path, PHRASES, 2, words=15)
    joined = join_tables([first, second], tmp_path / "joined")
    sides = [tuple(joined.source_symbols(side)) for side in range(joined.source_sides)]
    assert sides == sorted(set(sides))
    for rule in list(joined)[::7]:
        assert rule in joined.lookup(rule.source)
    few = select_rules(joined, tmp_path / "few", only_for=["f1 f2 f14"])
    assert 0 < len(few) < len(joined)


def test_orientations_are_averaged_by_occurrences(tmp_path):
    first, second = extracted(tmp_path, PHRASES, 1), extracted(tmp_path, PHRASES, 2)
    joined = join_tables([first, second], tmp_path / "joined")
    assert joined.reordering_columns == first.reordering_columns
    ours, theirs = by_sides(first), by_sides(second)
    for sides, rule in by_sides(joined).items():
        parts = [part for part in (ours.get(sides), theirs.get(sides)) if part is not None]
        weights = [part.occurrences for part in parts]
        mean = np.average([np.exp(part.reordering) for part in parts], axis=0, weights=weights)
        assert np.exp(rule.reordering) == pytest.approx(mean, rel=1e-5)


def test_counts_can_be_those_of_the_first_table(tmp_path):
    first, second = extracted(tmp_path, PHRASES, 1), extracted(tmp_path, PHRASES, 2, words=15)
    joined = join_tables([first, second], tmp_path / "joined", first_counts=True)
    ours, theirs = by_sides(first), by_sides(second)
    for sides, rule in by_sides(joined).items():
        known = ours.get(sides) or theirs[sides]
        assert (rule.joint, rule.target_count, rule.occurrences, rule.pairs) == (
            known.joint, known.target_count, known.occurrences, known.pairs
        )  # fmt: skip
    assert join_tables([first, second], tmp_path / "sums").manifest["signature"] != joined.manifest["signature"]


def test_three_tables(tmp_path):
    tables = [extracted(tmp_path, PHRASES, seed) for seed in (1, 2, 3)]
    joined = join_tables(tables, tmp_path / "joined", floor=1e-3, indicator=True)
    known = [by_sides(table) for table in tables]
    marks = [joined.score_names.index(f"missing.{number}") for number in (1, 2, 3)]
    assert {name.rpartition(".")[2] for name in joined.score_names if "." in name} == {"1", "2", "3"}
    for sides, rule in by_sides(joined).items():
        assert [rule.scores[at] > 2 for at in marks] == [sides not in table for table in known]
        third = joined.score_names.index("p(f|e).3")
        expected = known[2][sides].scores if sides in known[2] else (pytest.approx(1e-3),) * 4
        assert rule.scores[third : third + 4] == expected


def test_a_table_with_itself_is_itself(tmp_path):
    table = extracted(tmp_path, PHRASES, 1)
    joined = join_tables([table, table], tmp_path / "joined")
    for name in ("source_symbols", "target_symbols", "links", "source_rules", "reordering"):
        assert np.allclose(joined.array(name), table.array(name))
    assert (joined.array("scores")[:, :4] == joined.array("scores")[:, 4:]).all()


words = st.lists(st.sampled_from("abc"), min_size=1, max_size=2).map(" ".join)
tables = st.sets(st.tuples(words, words), min_size=1, max_size=8)


@given(tables, tables)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25, deadline=None)
def test_joining_is_the_union(tmp_path, one, two):
    opened = []
    for at, pairs in enumerate((one, two)):
        write_lines(tmp_path / "in", [f"{f} ||| {e} ||| 0.{at + 1}" for f, e in sorted(pairs)])
        opened.append(read_moses(tmp_path / "in", tmp_path / f"in{at}", "phrase"))
    joined = join_tables(opened, tmp_path / "joined")
    found = {(" ".join(rule.source), " ".join(rule.target)): rule.scores for rule in joined}
    assert set(found) == one | two
    for pair, scores in found.items():
        assert scores == pytest.approx((0.1 if pair in one else FLOOR, 0.2 if pair in two else FLOOR))


def test_tables_that_do_not_fit(tmp_path):
    phrases, rules = extracted(tmp_path, PHRASES, 1), extracted(tmp_path, HIERO, 2)
    plain = extract_rules(*corpus(pairs=5), tmp_path / "plain", ExtractOptions(PhraseOptions(4)))
    for wrong, says in (
        ([phrases], "two or more"),
        ([phrases, rules], "has phrase rules"),
        ([phrases, plain], "reordering of .* is not that of"),
    ):
        with pytest.raises(ConfigError, match=says):
            join_tables(wrong, tmp_path / "joined")
    for floor in (0, -1, 2, float("nan")):
        with pytest.raises(ConfigError, match="floor"):
            join_tables([phrases, phrases], tmp_path / "joined", floor=floor)
    assert not (tmp_path / "joined").exists()
    with pytest.raises(ConfigError):
        join_tables([phrases, phrases], tmp_path)  # a folder with other data


def test_scores_keep_names_of_their_own(tmp_path):
    first, second = extracted(tmp_path, PHRASES, 1), extracted(tmp_path, PHRASES, 2)
    joined = join_tables([first, second], tmp_path / "joined")
    with pytest.raises(ConfigError, match=r"two scores would be called .*\.2'.* was joined before"):
        join_tables([joined, first], tmp_path / "again")
    assert not (tmp_path / "again").exists()


def test_tables_by_label(tmp_path):
    bitext, alignments = corpus(pairs=60)
    labels = ["news" if at % 3 else "talk" for at in range(60)]
    table = extract_by_label(bitext, alignments, labels, tmp_path / "rules", PHRASES)
    whole = extract_rules(bitext, alignments, tmp_path / "whole", PHRASES)
    counts = [{sides: (rule.joint, rule.source_count) for sides, rule in by_sides(each).items()}
              for each in (table, whole)]  # fmt: skip
    assert counts[0] == counts[1]
    chosen = [at for at, label in enumerate(labels) if label == "talk"]
    part = Bitext([bitext.source[at] for at in chosen], [bitext.target[at] for at in chosen])
    own = type(alignments).from_links([alignments[at] for at in chosen])
    talk = by_sides(extract_rules(part, own, tmp_path / "talk", PHRASES))
    for sides, rule in by_sides(table).items():  # news is the first label by name
        assert rule.scores[4:] == (talk[sides].scores if sides in talk else (pytest.approx(FLOOR),) * 4)
    with pytest.raises(ConfigError, match="the same label"):
        extract_by_label(bitext, alignments, ["a"] * 60, tmp_path / "other", PHRASES)
    with pytest.raises(FormatError, match="59 labels for 60"):
        extract_by_label(bitext, alignments, labels[1:], tmp_path / "other", PHRASES)


def test_damaged_arrays_are_errors(tmp_path):
    table = extracted(tmp_path, PHRASES, 1)
    arrays = {name: np.array(table.array(name).reshape(-1)) for name in CORE_ARRAYS}
    numbers = [
        np.arange(len(words), dtype=np.int32) for words in (table.source_vocabulary, table.target_vocabulary)
    ]
    assert len(_core.join_rules(arrays, arrays, *numbers)[0]) == table.source_sides
    for name in ("source_offsets", "target_offsets", "source_rules"):
        wrong = arrays[name].copy()
        wrong[1] = 2**60
        for bad in (wrong, wrong[:0], arrays[name][:-1]):
            with pytest.raises(ValueError, match="damaged"):
                _core.join_rules({**arrays, name: bad}, arrays, *numbers)
            with pytest.raises(ValueError, match="damaged"):
                _core.join_rules(arrays, {**arrays, name: bad}, *numbers)
    with pytest.raises(ValueError, match="not in the vocabulary"):
        _core.join_rules(arrays, arrays, numbers[0][:4], numbers[1])
