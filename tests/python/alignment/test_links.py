"""Pharaoh format, symmetrisation, lexical tables, error rate, drawing."""

from collections import Counter
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference.symmetrize import symmetrize as slow_symmetrize

from tunesmith import ConfigError, FormatError
from tunesmith.alignment import (
    WordAlignments,
    alignment_error_rate,
    count_translations,
    read_alignments,
    read_gold,
    symmetrize,
    write_alignments,
)
from tunesmith.alignment.drawing import draw
from tunesmith.alignment.symmetrize import SYMMETRIZATIONS
from tunesmith.corpus.bitext import Bitext

links = st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14)


@given(st.lists(links, max_size=5))
def test_text_and_back(pairs):
    alignments = WordAlignments.from_links(pairs)
    assert [set(pair) for pair in alignments] == pairs
    assert WordAlignments.parse(alignments.lines()) == alignments


def test_files_are_read_as_they_were_written(tmp_path):
    alignments = WordAlignments.from_links([[(0, 0), (1, 2)], [], [(3, 1)]])
    for name in ("plain.align", "packed.align.gz"):
        write_alignments(tmp_path / name, alignments)
        assert read_alignments(tmp_path / name) == alignments
    assert (tmp_path / "plain.align").read_text() == "0-0 1-2\n\n3-1\n"


@given(links, links)
@pytest.mark.parametrize("how", SYMMETRIZATIONS)
def test_joining_equals_the_pseudocode(how, forward, backward):
    pair = [WordAlignments.from_links([direction]) for direction in (forward, backward)]
    assert set(symmetrize(*pair, how)[0]) == slow_symmetrize(forward, backward, how)


@given(links, links)
def test_the_kinds_of_joining_contain_each_other(forward, backward):
    pair = [WordAlignments.from_links([direction]) for direction in (forward, backward)]
    found = {how: set(symmetrize(*pair, how)[0]) for how in SYMMETRIZATIONS}
    assert found["intersection"] == forward & backward
    assert found["union"] == forward | backward
    assert found["intersection"] <= found["diag-and"] <= found["union"]
    assert found["intersection"] <= found["grow-diag"] <= found["grow-diag-final-and"] <= found["union"]
    assert found["grow-diag"] <= found["grow-diag-final"] <= found["union"]


def test_threads_do_not_change_the_result():
    forward = WordAlignments.from_links([[(i % 5, j % 7) for j in range(i % 9)] for i in range(50)])
    backward = WordAlignments.from_links([[(j % 5, i % 7) for j in range(i % 8)] for i in range(50)])
    assert symmetrize(forward, backward, threads=4) == symmetrize(forward, backward, threads=1)


def test_settings_that_cannot_work():
    one, two = WordAlignments.from_links([[]]), WordAlignments.from_links([[], []])
    with pytest.raises(ConfigError, match=r"how must be grow-diag-final-and or .*, got 'grow'"):
        symmetrize(one, one, "grow")
    with pytest.raises(FormatError, match="1 forward alignments but 2 backward"):
        symmetrize(one, two)


BITEXT = Bitext(["我 想 喝 茶", "你好"], ["i want to drink tea", "hello"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0-0\n", "1 alignments for 2 sentence pairs"),
        ("0-0\n\n\n", "3 alignments for 2 sentence pairs"),
        ("0-0\n0-1\n", r"bad\.align:2: link 0-1: the target sentence has only 1 words"),
        ("4-0\n\n", r"bad\.align:1: link 4-0: the source sentence has only 4 words"),
        ("0-0 1\n\n", r"bad\.align:1: '1' is not a link; expected source-target such as 0-2"),
        ("\n0:0\n", r"bad\.align:2: the first word is not a link"),
        ("0-0\n-1-0\n", r"bad\.align:2: '-1-0' is not a link"),
        ("0-0\n1-99999999999\n", r"bad\.align:2: '1-99999999999' is not a link"),
        ("0-0\n\x00\n", r"bad\.align:2: NUL"),
        ("0-0 ２-1\n\n", r"bad\.align:1: '２-1' is not a link"),
        ("0-0 -0-1\n\n", r"bad\.align:1: '-0-1' is not a link"),
        ("0-0 0--0\n\n", r"bad\.align:1: '0--0' is not a link"),
        ("0-0 2147483647-0\n\n", r"bad\.align:1: '2147483647-0' is not a link"),
        ("0-0 16384-0\n\n", r"bad\.align:1: '16384-0' is not a link"),
    ],
)
def test_alignments_that_do_not_belong_to_the_text(tmp_path, text, message):
    file = tmp_path / "bad.align"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=message):
        read_alignments(file, BITEXT)


@given(st.data())
def test_lexical_tables_equal_counting_by_hand(data):
    words = st.sampled_from("abcde")
    source, target, pairs = [], [], []
    for _ in range(data.draw(st.integers(1, 5))):
        f, e = data.draw(st.lists(words, max_size=5)), data.draw(st.lists(words, max_size=5))
        every = [(i, j) for i in range(len(f)) for j in range(len(e))]
        pairs.append(data.draw(st.sets(st.sampled_from(every), max_size=6)) if every else set())
        source.append(" ".join(f))
        target.append(" ".join(e))
    threads = data.draw(st.sampled_from([1, 2, 5]))
    tables = count_translations(Bitext(source, target), WordAlignments.from_links(pairs), threads=threads)
    swapped = [{(j, i) for i, j in links} for links in pairs]
    other_way = count_translations(Bitext(target, source), WordAlignments.from_links(swapped))
    assert list(other_way.target_given_source.lines()) == list(tables.source_given_target.lines())
    counts: Counter[tuple[str, str]] = Counter()
    for f, e, found in zip(source, target, pairs, strict=True):
        f_words, e_words = f.split(), e.split()
        counts.update((f_words[i], e_words[j]) for i, j in found)
        counts.update(("NULL", word) for j, word in enumerate(e_words) if all(j != t for _, t in found))
    for (given_word, word), count in counts.items():
        total = sum(n for (g, _), n in counts.items() if g == given_word)
        seen = tables.target_given_source.probability(word, None if given_word == "NULL" else given_word)
        assert seen == pytest.approx(float(Fraction(count, total)), abs=1e-15)
    assert len(tables.target_given_source) == len(counts)


def test_lexical_tables_as_lines_and_entropy():
    alignments = WordAlignments.from_links([[(0, 0), (3, 4)], [(0, 0)]])
    table = count_translations(BITEXT, alignments).target_given_source
    assert sorted(table.lines())[:2] == ["NULL drink 0.3333333", "NULL to 0.3333333"]
    assert "茶 tea 1.0000000" in table.lines()
    assert table.entropy() == 0
    shouted = count_translations(Bitext(["NULL x"], ["NULL \\NULL"]), WordAlignments.from_links([[(0, 0)]]))
    assert sorted(shouted.target_given_source.lines()) == ["NULL \\\\NULL 1.0000000", "\\NULL \\NULL 1.0000000"]
    assert shouted.target_given_source.probability("NULL", given="NULL") == 1
    assert shouted.target_given_source.probability("NULL", given=None) == 0
    spread = count_translations(Bitext(["a", "a"], ["x", "y"]), WordAlignments.from_links([[(0, 0)]] * 2))
    assert spread.target_given_source.entropy() == pytest.approx(1)
    with pytest.raises(FormatError, match="alignment:2: link 0-7 points outside"):
        count_translations(BITEXT, WordAlignments.from_links([[], [(0, 7)]]))


def test_error_rate_by_hand(tmp_path):
    gold = tmp_path / "gold"
    gold.write_text("0-0 1?1 2p2\n\n")
    # A = {0-0, 1-1, 3-3}: one of one sure link, two of three possible ones.
    score = alignment_error_rate(WordAlignments.from_links([[(0, 0), (1, 1), (3, 3)], []]), read_gold(gold))
    assert score.aer == pytest.approx(1 - (1 + 2) / (3 + 1))
    assert (score.precision, score.recall) == (pytest.approx(2 / 3), 1)
    perfect = alignment_error_rate(WordAlignments.from_links([[(0, 0)], []]), read_gold(gold))
    assert perfect.aer == 0


@pytest.mark.parametrize(
    "bad", ["1", "1-", "1:2", "1-2-3", "-1-2", "S 1 2", "1s2", "0-16384", f"1?{10**12}", "9" * 5000 + "-1"]
)
def test_gold_that_cannot_be_read(tmp_path, bad):
    gold = tmp_path / "gold"
    gold.write_text(f"0-0\n{bad}\n")
    with pytest.raises(FormatError, match=r"gold:2: .{,300}sure.*possible"):
        read_gold(gold)


def test_gold_outside_the_sentences_is_refused(tmp_path):
    gold = tmp_path / "gold"
    gold.write_text("0-0\n0?1\n")
    with pytest.raises(FormatError, match=r"gold:2: link 0-1: the target sentence has only 1 words"):
        read_gold(gold, BITEXT)
    gold.write_text("1-1 4-5\n1-1\n")
    with pytest.raises(FormatError, match="counted from 1"):
        read_gold(gold, BITEXT)


@pytest.mark.parametrize("position", [-1, 16384, 2**31 - 1])
def test_positions_beyond_reason_are_refused(position):
    with pytest.raises(ValueError, match="is not between 0 and 16384"):
        WordAlignments.from_links([[(position, 0)]])


def test_error_rate_needs_as_many_gold_lines(tmp_path):
    gold = tmp_path / "gold"
    gold.write_text("0-0\n")
    with pytest.raises(FormatError, match="2 alignments but 1 gold lines"):
        alignment_error_rate(WordAlignments.from_links([[], []]), read_gold(gold))


def test_a_matrix_is_drawn():
    assert draw(["我", "喝"], ["i", "tea"], [(0, 0), (1, 1)]) == [
        "     t",
        "     e",
        "   i a",
        "我 ■ ·",
        "喝 · ■",
    ]
    assert draw([], [], []) == []
