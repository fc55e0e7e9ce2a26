"""What each sentence pair gave to a table, against the table that is made without the pair."""

import dataclasses
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from support.corpora.tiny_corpora import tiny_corpus, without

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    LeaveOneOutCounts,
    PhraseOptions,
    RuleTable,
    ScoreOptions,
    extract_rules,
    find_leave_one_out_counts,
    select_rules,
)
from tunesmith.grammar.held_out_folds import entries_of_folds, made_alone
from tunesmith.grammar.moses import read_moses, write_moses
from tunesmith.grammar.storage import ARRAYS

KINDS = [HieroOptions(min_gap=1), HieroOptions(min_gap=1, fractional=False, tight=False), PhraseOptions()]


def made(folder, corpus, rules=KINDS[0], **scores):
    return extract_rules(*corpus, folder, ExtractOptions(rules, ScoreOptions(**scores)))


def counts(table):
    return {(rule.source, rule.target): rule for rule in table}


@pytest.mark.parametrize("rules", KINDS, ids=["hiero", "raw", "phrase"])
@pytest.mark.parametrize("seed", range(3))
def test_counts_less_own_ones_are_those_of_the_table_without_the_pair(seed, rules, tmp_path):
    corpus = tiny_corpus(seed)
    table = made(tmp_path / "rules", corpus, rules, single_words=False)
    own = find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    assert len(own) == len(corpus[0])
    for pair in range(len(own)):
        left = counts(made(tmp_path / f"without{pair}", without(corpus, pair), rules, single_words=False))
        given = own.of(pair)
        joint = {}
        for number, rule in enumerate(table):
            if rule.joint != given.get(number, 0.0):
                joint[rule.source, rule.target] = rule.joint - given.get(number, 0.0)
        assert joint == pytest.approx({key: rule.joint for key, rule in left.items()})

        def entries(kind, pair=pair):
            begin, end = own.arrays[f"{kind}_offsets"][pair : pair + 2].tolist()
            ids = own.arrays[f"{kind}s"][begin:end].tolist()
            return dict(zip(ids, own.arrays[f"{kind}_counts"][begin:end].tolist(), strict=True))

        sides, targets = entries("side"), entries("target")
        for number, rule in enumerate(table):
            if (found := left.get((rule.source, rule.target))) is None:
                continue
            side = table.find([
                -1 if word == "[X,1]" else -2 if word == "[X,2]" else table.source_vocabulary.id(word)
                for word in rule.source
            ])  # fmt: skip
            target = int(own.arrays["target_numbers"][number])
            assert rule.source_count - sides.get(side, 0.0) == pytest.approx(found.source_count)
            assert rule.target_count - targets.get(target, 0.0) == pytest.approx(found.target_count)


@pytest.mark.parametrize("rules", KINDS, ids=["hiero", "raw", "phrase"])
def test_counts_less_those_of_a_part_are_those_of_the_table_without_the_part(rules, tmp_path):
    corpus = tiny_corpus(6, 9)
    parts = np.array([0, 2, 1, 1, 0, 2, 2, 0, 1])
    table = made(tmp_path / "rules", corpus, rules, single_words=False)
    own = find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    arrays = entries_of_folds(own.arrays, parts)
    for part in range(3):
        rest = without(corpus, *np.flatnonzero(parts == part).tolist())
        left = counts(made(tmp_path / f"without{part}", rest, rules, single_words=False))
        begin, end = arrays["rule_offsets"][part : part + 2].tolist()
        given = dict(
            zip(arrays["rules"][begin:end].tolist(), arrays["rule_counts"][begin:end].tolist(), strict=True)
        )
        joint = {}
        for number, rule in enumerate(table):
            if rule.joint != given.get(number, 0.0):  # the same number where the part has all of it
                joint[rule.source, rule.target] = rule.joint - given.get(number, 0.0)
        assert joint == pytest.approx({key: rule.joint for key, rule in left.items()})
    for kind, whole in (("rule", table.array("joint_counts")), ("side", table.array("source_counts"))):
        summed = np.bincount(arrays[f"{kind}s"], weights=arrays[f"{kind}_counts"], minlength=len(whole))
        assert summed == pytest.approx(np.asarray(whole))


def test_every_pair_as_a_part_of_its_own_is_leave_one_out(tmp_path):
    corpus = tiny_corpus(7, 12)
    table = made(tmp_path / "rules", corpus)
    own = find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    for name, array in entries_of_folds(own.arrays, np.arange(12)).items():
        if not name.startswith("made"):
            assert np.array_equal(array, own.arrays[name]), name
    assert own.in_folds(np.zeros(12)).signature != own.signature
    for wrong in ([0, 1], [-1] * 12, [[0] * 12]):
        with pytest.raises(ConfigError, match="a number from 0 for each of the 12 sentence pairs"):
            own.in_folds(wrong)


def test_target_sides_have_one_number_whatever_the_order_of_their_gaps(tmp_path):
    corpus = tiny_corpus(1, 12)
    table = made(tmp_path / "rules", corpus)
    own = find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    first = {}
    for number, rule in enumerate(table):
        side = tuple("[X]" if word.startswith("[X,") else word for word in rule.target)
        assert own.arrays["target_numbers"][number] == first.setdefault(side, number)


def test_a_rule_made_for_a_word_is_own_where_only_one_pair_has_the_word(tmp_path):
    # b and d are never extracted alone; b is in two pairs, d in one.
    bitext = Bitext(["a b", "c b", "a d"], ["A B", "C B", "A D"])
    links = WordAlignments.from_links(
        [[(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0), (1, 1)]]
    )
    table = made(tmp_path / "rules", (bitext, links))
    of_word = {rule.source[0]: number for number, rule in enumerate(table) if rule.joint == 0}
    assert set(of_word) == {"a", "b", "c", "d"}
    own = find_leave_one_out_counts(table, bitext, links, tmp_path / "own")

    def made_in(parts):
        found = made_alone(own.arrays, np.array(parts))
        offsets, rules = found["made_offsets"].tolist(), found["made"].tolist()
        return [set(rules[begin:end]) for begin, end in pairwise(offsets)]

    a, b, c, d = (of_word[word] for word in "abcd")
    assert made_in([0, 1, 2]) == [set(), {c}, {d}]
    assert made_in([0, 0, 1]) == [{b, c}, {d}]
    assert made_in([1, 0, 1]) == [{c}, {a, d}]


def test_nothing_depends_on_threads_and_the_folder_opens_again(tmp_path):
    corpus = tiny_corpus(2, 300)
    table = made(tmp_path / "rules", corpus)
    one = find_leave_one_out_counts(table, *corpus, tmp_path / "one")
    two = find_leave_one_out_counts(table, *corpus, tmp_path / "two", threads=2)
    again = LeaveOneOutCounts.open(tmp_path / "one", table)
    for name, array in one.arrays.items():
        assert np.array_equal(array, two.arrays[name]), name
        assert np.array_equal(array, again.arrays[name]), name
    assert one.signature == two.signature == again.signature != one.select([3, 1]).signature
    assert [one.select([3, 1]).of(at) for at in range(2)] == [one.of(3), one.of(1)]


def test_rules_that_a_table_dropped_are_counted_with_their_sides(tmp_path):
    corpus = tiny_corpus(3)
    table = made(tmp_path / "rules", corpus)
    full = find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    small = select_rules(table, tmp_path / "small", top=1)
    own = find_leave_one_out_counts(small, *corpus, tmp_path / "small.own")
    dropped = Counter()
    for pair in range(len(own)):
        named = {(table[rule].source, table[rule].target): count for rule, count in full.of(pair).items()}
        kept = {(small[rule].source, small[rule].target): count for rule, count in own.of(pair).items()}
        assert kept == {key: named[key] for key in kept}
        dropped[pair] = len(named) - len(kept)
        sums = [each.arrays["side_counts"][slice(*each.arrays["side_offsets"][pair : pair + 2])].sum()
                for each in (full, own)]  # fmt: skip
        assert sums[0] == pytest.approx(sums[1])  # every source side has its best rule in the small table
    assert dropped.total() > 0


def test_other_data_is_refused(tmp_path):
    corpus = tiny_corpus(4)
    table = made(tmp_path / "rules", corpus)
    bitext, links = corpus
    with pytest.raises(ConfigError, match=r"was made from another source .* 7 sentence pairs; given are .* 6"):
        find_leave_one_out_counts(table, *without(corpus, 2), tmp_path / "own")
    changed = dataclasses.replace(bitext, target=[*bitext.target[:-1], "other words"])
    with pytest.raises(ConfigError, match="another target"):
        find_leave_one_out_counts(table, changed, links, tmp_path / "own")
    others = WordAlignments.from_links([[] for _ in bitext.source])
    with pytest.raises(ConfigError, match="another alignment"):
        find_leave_one_out_counts(table, bitext, others, tmp_path / "own")
    write_moses(table, tmp_path / "moses")
    imported = read_moses(tmp_path / "moses", tmp_path / "imported")
    with pytest.raises(ConfigError, match="not known what this table was extracted with"):
        find_leave_one_out_counts(imported, *corpus, tmp_path / "own")
    assert not (tmp_path / "own").exists()


def test_a_table_of_other_settings_or_with_rules_missing_is_found_out(tmp_path):
    corpus = tiny_corpus(5)
    table = made(tmp_path / "rules", corpus)
    table.manifest["settings"]["rules"]["fractional"] = False  # so that counts are larger than those of the table
    with pytest.raises(FormatError, match="a larger count than the table has"):
        find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    small = select_rules(RuleTable.open(tmp_path / "rules"), tmp_path / "small", top=1)
    del small.manifest["settings"]["selections"]
    with pytest.raises(FormatError, match="rules of the sentence pairs are not in the table"):
        find_leave_one_out_counts(small, *corpus, tmp_path / "own")
    assert not (tmp_path / "own").exists()


def test_leave_one_out_counts_of_another_table_and_damaged_ones_are_refused(tmp_path):
    corpus = tiny_corpus(6)
    table = made(tmp_path / "rules", corpus)
    own = find_leave_one_out_counts(table, *corpus, tmp_path / "own")
    other = made(tmp_path / "other", tiny_corpus(7))
    with pytest.raises(ConfigError, match="leave-one-out counts of another rule table"):
        LeaveOneOutCounts.open(tmp_path / "own", other)
    with pytest.raises(ConfigError, match="numbers from 0 to 6"):
        own.select([7])
    with pytest.raises(ConfigError, match="line 2 is not the source of sentence pair 2"):
        own.check_lines([corpus[0].source[0], "nothing like it"])
    with pytest.raises(ConfigError, match="leave-one-out counts for 7 lines and more lines"):
        own.check_lines(["a"] * 8)
    for name in sorted(
        each.name for each in (tmp_path / "own").iterdir() if each.name != "manifest.json" and each.stat().st_size
    ):
        file = tmp_path / "own" / name
        whole = bytearray(file.read_bytes())
        file.write_bytes(whole[:-1])
        with pytest.raises(FormatError, match="damaged or cut off"):
            LeaveOneOutCounts.open(tmp_path / "own", table)
        flipped = whole.copy()
        flipped[len(whole) // 2] ^= 4
        file.write_bytes(flipped)
        with pytest.raises(FormatError, match="the file is damaged"):
            LeaveOneOutCounts.open(tmp_path / "own", table)
        file.write_bytes(whole)
    assert LeaveOneOutCounts.open(tmp_path / "own", table).signature == own.signature


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("rule_offsets", lambda array: array[::-1].copy(), "offsets must rise"),
        ("side_offsets", lambda array: array[:-1], "offsets must rise"),
        ("rules", lambda array: array + np.uint32(1 << 30), "numbers must rise and be those of the table"),
        ("sides", lambda array: array * 0, "numbers must rise"),
        ("targets", lambda array: array[1:], "offsets must rise"),
        ("rule_counts", lambda array: array[1:], "a count for every entry"),
        ("rule_counts", lambda array: array * 1e305, "counts must be more than 0 and less"),
        ("side_counts", lambda array: array * np.nan, "counts must be more than 0 and less"),
        ("side_counts", lambda array: -array, "counts must be more than 0"),
        ("target_counts", lambda array: array * np.nan, "counts must be more than 0"),
        ("target_numbers", lambda array: array[1:], "a target side for every rule"),
        ("made", lambda array: np.zeros(5, np.uint32), "offsets must rise"),
        ("rules", lambda array: array.astype(np.int64), "not a flat array of the type"),
    ],
)
def test_the_core_refuses_arrays_that_do_not_fit_together(name, change, message, tmp_path):
    corpus = tiny_corpus(8)
    own = find_leave_one_out_counts(made(tmp_path / "rules", corpus), *corpus, tmp_path / "own")
    wrong = LeaveOneOutCounts(
        own.folder, own.table, {**own.arrays, name: change(np.array(own.arrays[name]))}, own.pairs
    )
    with pytest.raises(FormatError, match=message):
        wrong.native((None, None))


def test_the_finder_refuses_tables_that_are_damaged(tmp_path):
    bitext, links = corpus = tiny_corpus(9)
    table = made(tmp_path / "rules", corpus)
    arrays = {name: np.array(table.array(name)).reshape(-1) for name in ARRAYS if name in table.manifest["files"]}
    sides = (*table.source_vocabulary.encode(bitext.source), *table.target_vocabulary.encode(bitext.target))
    for name in ("source_offsets", "source_rules", "target_offsets"):
        for wrong in (arrays[name][::-1].copy(), arrays[name][1:], arrays[name] * np.uint64(1 << 40)):
            with pytest.raises(ValueError, match="damaged"):
                _core.LeaveOneOutFinder(*sides, links.native, {**arrays, name: wrong}, None, KINDS[0].native(),
                                    len(table.source_vocabulary), 1)  # fmt: skip
    with pytest.raises(ValueError, match="either phrase pairs or hierarchical rules"):
        _core.LeaveOneOutFinder(*sides, links.native, arrays, None, None, len(table.source_vocabulary), 1)
