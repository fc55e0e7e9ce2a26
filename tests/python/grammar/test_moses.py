"""Text tables of Moses in and out, ours and recorded ones, good and damaged."""

import gzip
import random
from dataclasses import replace

import numpy as np
import pytest
from support.corpora.grammar_corpus import LIMITS, corpus, digest

from tunesmith.alignment import read_alignments
from tunesmith.corpus.bitext import read_bitext
from tunesmith.errors import ConfigError, FormatError
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    PhraseOptions,
    ReorderingOptions,
    extract_rules,
    select_rules,
)
from tunesmith.grammar.moses import GLUE, read_glue, read_moses, write_glue, write_moses
from tunesmith.grammar.moses_reordering import add_reordering
from tunesmith.io import read_lines, write_lines

PHRASE = "ein haus ||| a house ||| 0.5 0.25 0.125 1 ||| 0-0 1-1 ||| 4 6 2 ||| |||"
RULE = "ein [X][X] haus [X] ||| a [X][X] house [X] ||| 0.5 0.25 0.125 1 ||| 0-0 1-1 2-2 ||| 4 6.5 2 ||| |||"
SWAP = "[X][X] von [X][X] [X] ||| [X][X] 's [X][X] [X] ||| 0.5 0.25 0.125 1 ||| 0-2 1-1 2-0 ||| 4 6 2 ||| |||"


def written(table, path):
    write_moses(table, path)
    return sorted(read_lines(path))


@pytest.mark.parametrize("line", [PHRASE, RULE, SWAP])
def test_a_line_is_read_and_written_again(line, tmp_path):
    write_lines(tmp_path / "in.gz", [line])
    assert written(read_moses(tmp_path / "in.gz", tmp_path / "rules"), tmp_path / "out.gz") == [line]


def test_what_a_line_means(tmp_path):
    write_lines(tmp_path / "in", [SWAP])
    rule = next(iter(read_moses(tmp_path / "in", tmp_path / "rules")))
    assert rule.source == ("[X,1]", "von", "[X,2]")
    assert rule.target == ("[X,2]", "'s", "[X,1]")
    assert rule.links == ((1, 1),)
    assert rule.scores == (0.5, 0.25, 0.125, 1)
    assert (rule.target_count, rule.source_count, rule.joint, rule.occurrences) == (4, 6, 2, 2)


GOOD = {
    "fewer fields": "a ||| b ||| 0.5",
    "no links": "a ||| b ||| 0.5 ||| ||| 1 1 1",
    "two counts": "a ||| b ||| 0.5 ||| 0-0 ||| 1 1",
    "five scores": "a ||| b ||| 0.5 0.5 0.5 0.5 2.718 ||| 0-0 ||| 1 1 1 ||| |||",
    "escapes": "&quot; &#91; ||| &apos; ||| 0.5 ||| 0-0 ||| 1 1 1 ||| |||",
    "tiny scores": "a ||| b ||| 1e-30 1e-320 1E-400 0 ||| 0-0 ||| 1 1 1 ||| |||",
    "words like gaps in phrases": "[X] ||| [X][X] [1] ||| 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "brackets alone": "[ ] ||| [] ||| 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "special words": "<s> <unk> ||| </s> ||| 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "sparse features": "a ||| b ||| 1 ||| 0-0 ||| 1 1 1 ||| dom_x 1 ||| {{Tree [X]}}",
    "no blanks at the end": "a ||| b ||| 1 ||| 0-0 ||| 1 1 1 ||| ||| ",
    "plus signs": "a ||| b ||| +0.5 1e+0 ||| 0-0 ||| +1 1 1",
    "tiny scores without exponent": f"a ||| b ||| 0.{'0' * 400}1 1 ||| 0-0 ||| 1 1 1",
    "255 words": " ".join("a" * 255) + " ||| b ||| 1 ||| 254-0 ||| 1 1 1",
}


@pytest.mark.parametrize("what", GOOD)
def test_lines_moses_would_read(what, tmp_path):
    write_lines(tmp_path / "in", [GOOD[what]])
    table = read_moses(tmp_path / "in", tmp_path / "rules")
    assert len(table) == 1
    again = read_moses_text(written(table, tmp_path / "out"), tmp_path)
    assert str(next(iter(again))) == str(next(iter(table)))
    if what == "tiny scores without exponent":
        assert next(iter(table)).scores[0] > 0
    if what == "tiny scores":
        assert [score > 0 for score in next(iter(table)).scores] == [True, True, True, False]
    assert table.manifest["moses"]["dropped_fields"] == (1 if what == "sparse features" else 0)


def read_moses_text(lines, folder):
    write_lines(folder / "again.txt", lines)
    return read_moses(folder / "again.txt", folder / "again")


# Each is the second line of a table that begins with PHRASE or RULE.
BAD_PHRASES = {
    "empty line": "",
    "blank line": "  \t ",
    "one field": "ein haus",
    "two fields": "ein ||| a",
    "only bars": "||| ||| |||",
    "empty source": " ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "empty target": "ein ||| ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "no scores": "ein ||| a ||| ||| 0-0 ||| 1 1 1 ||| |||",
    "three scores": "ein ||| a ||| 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "five scores": "ein ||| a ||| 1 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score is a word": "ein ||| a ||| 1 1 x 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score is nan": "ein ||| a ||| 1 1 nan 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score is inf": "ein ||| a ||| 1 1 inf 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score is too large": "ein ||| a ||| 1 1 1e300 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score is far too large": "ein ||| a ||| 1 1 1e400 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score is negative": "ein ||| a ||| 1 1 -0.5 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score with a comma": "ein ||| a ||| 1 1 0,5 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score in hexadecimal": "ein ||| a ||| 1 1 0x1p-3 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score with two signs": "ein ||| a ||| 1 1 +-1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score far too large without exponent": f"ein ||| a ||| 1 1 1{'0' * 400}.5 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "score cut off": "ein ||| a ||| 1 1 1e- 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "link without dash": "ein ||| a ||| 1 1 1 1 ||| 00 ||| 1 1 1 ||| |||",
    "link with words": "ein ||| a ||| 1 1 1 1 ||| a-b ||| 1 1 1 ||| |||",
    "half a link": "ein ||| a ||| 1 1 1 1 ||| 0- ||| 1 1 1 ||| |||",
    "link of three": "ein ||| a ||| 1 1 1 1 ||| 0-0-0 ||| 1 1 1 ||| |||",
    "negative link": "ein ||| a ||| 1 1 1 1 ||| -1-0 ||| 1 1 1 ||| |||",
    "source outside": "ein ||| a ||| 1 1 1 1 ||| 1-0 ||| 1 1 1 ||| |||",
    "target outside": "ein ||| a ||| 1 1 1 1 ||| 0-1 ||| 1 1 1 ||| |||",
    "link too large": "ein ||| a ||| 1 1 1 1 ||| 99999999999999999999-0 ||| 1 1 1 ||| |||",
    "link twice": "ein ||| a ||| 1 1 1 1 ||| 0-0 0-0 ||| 1 1 1 ||| |||",
    "old alignment in parentheses": "ein ||| a ||| 1 1 1 1 ||| (0) ||| 1 1 1 ||| |||",
    "count is a word": "ein ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 x 1 ||| |||",
    "count is negative": "ein ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 -1 ||| |||",
    "count is nan": "ein ||| a ||| 1 1 1 1 ||| 0-0 ||| nan 1 1 ||| |||",
    "two counts": "ein ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 ||| |||",
    "four counts": "ein ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 1 ||| |||",
    "no counts": "ein ||| a ||| 1 1 1 1 ||| 0-0",
    "eight fields": "ein ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| ||| ||| x",
    "the same again": PHRASE,
    "the same with other scores": "ein haus ||| a house ||| 1 1 1 1 ||| 0-0 ||| 4 6 2 ||| |||",
    "another count of the source side": "ein haus ||| home ||| 1 1 1 1 ||| 0-0 ||| 4 7 2 ||| |||",
    "256 words": " ".join("a" * 256) + " ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "fields in the wrong order": "ein ||| 1 1 1 1 ||| a ||| 0-0 ||| 1 1 1 ||| |||",
    "bars without blanks": "ein|||a|||1 1 1 1|||0-0|||1 1 1",
    "tabs for bars": "ein\ta\t1 1 1 1\t0-0\t1 1 1",
}
BAD_RULES = {
    "no labels": "ein ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "no label of the source side": "ein ||| a [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "no label of the target side": "ein [X] ||| a ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "only labels": "[X] ||| [X] ||| 1 1 1 1 ||| ||| 1 1 1 ||| |||",
    "another label": "ein [NP] ||| a [NP] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "label of the glue grammar": "[X][S] a [X] ||| [X][S] a [S] ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||",
    "gap of another label": "ein [X][NP] [X] ||| a [X][NP] [X] ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||",
    "gap on one side": "ein [X][X] [X] ||| a [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "gap on the other side": "ein [X] ||| a [X][X] [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "gap without link": "ein [X][X] [X] ||| a [X][X] [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "gap linked to a word": "ein [X][X] [X] ||| a [X][X] [X] ||| 1 1 1 1 ||| 0-1 1-1 ||| 1 1 1 ||| |||",
    "word linked to a gap": "ein [X][X] [X] ||| a [X][X] [X] ||| 1 1 1 1 ||| 1-0 1-1 ||| 1 1 1 ||| |||",
    "gap linked twice": "[X][X] b [X][X] [X] ||| [X][X] [X][X] [X] ||| 1 1 1 1 ||| 0-0 0-1 ||| 1 1 1 ||| |||",
    "two gaps for one": "[X][X] b [X][X] [X] ||| [X][X] c [X][X] [X] ||| 1 1 1 1 ||| 0-0 2-0 ||| 1 1 1 ||| |||",
    "three gaps": "[X][X] [X][X] [X][X] [X] ||| a [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "a word in brackets": "[ein] [X] ||| a [X] ||| 1 1 1 1 ||| 0-0 ||| 1 1 1 ||| |||",
    "half a gap": "ein [X] [X] ||| a [X] [X] ||| 1 1 1 1 ||| 0-0 1-1 ||| 1 1 1 ||| |||",
    "the same again": RULE,
}


@pytest.mark.parametrize(
    ("first", "second"),
    [pytest.param(PHRASE, line, id=what) for what, line in BAD_PHRASES.items()]
    + [pytest.param(RULE, line, id=f"rule: {what}") for what, line in BAD_RULES.items()],
)
def test_damaged_lines_are_errors_with_their_place(first, second, tmp_path):
    write_lines(tmp_path / "table", [first, second])
    with pytest.raises(FormatError) as error:
        read_moses(tmp_path / "table", tmp_path / "rules")
    assert str(error.value).startswith(f"{tmp_path / 'table'}:2: ")
    assert [file.name for file in tmp_path.iterdir()] == ["table"]


def test_an_empty_file_is_no_table(tmp_path):
    write_lines(tmp_path / "table", [])
    with pytest.raises(FormatError, match="is empty"):
        read_moses(tmp_path / "table", tmp_path / "rules")


@pytest.mark.parametrize("rules", [PhraseOptions(4), HieroOptions(**LIMITS)])
def test_our_tables_go_out_and_come_back(rules, tmp_path):
    ours = extract_rules(*corpus(), tmp_path / "ours", ExtractOptions(rules))
    lines = written(ours, tmp_path / "first.gz")
    theirs = read_moses(tmp_path / "first.gz", tmp_path / "theirs")
    assert written(theirs, tmp_path / "second") == lines
    assert sorted(map(str, ours)) == sorted(map(str, theirs))


def test_the_order_of_the_lines_changes_no_byte(tmp_path):
    ours = extract_rules(*corpus(), tmp_path / "ours", ExtractOptions(HieroOptions(**LIMITS)))
    lines = written(ours, tmp_path / "out")
    random.Random(1).shuffle(lines)
    tables = [read_moses_text(order, tmp_path) and digest(tmp_path / "again") for order in (lines, sorted(lines))]
    assert tables[0] == tables[1]


def test_words_that_would_be_read_as_something_else_need_escapes(tmp_path):
    from tunesmith.alignment import WordAlignments
    from tunesmith.corpus.bitext import Bitext

    links = WordAlignments.from_links([{(0, 0)}])
    phrase, hiero = PhraseOptions(), HieroOptions()
    for kind, word in ((phrase, "|||"), (phrase, "a|b"), (hiero, "||||"), (hiero, "[X]"), (hiero, "[X][X]")):
        table = extract_rules(Bitext([word], ["&'\"<>"]), links, tmp_path / "rules", ExtractOptions(kind))
        with pytest.raises(FormatError, match="--escape"):
            write_moses(table, tmp_path / "out")
        write_moses(table, tmp_path / "out", escape=True)
        assert len(read_moses(tmp_path / "out", tmp_path / "again")) == 1
        assert "&amp;&apos;&quot;&lt;&gt;" in read_lines(tmp_path / "out")[0]


def test_a_phrase_table_that_looks_like_a_rule_table_is_not_taken_for_one(tmp_path):
    lines = ["a [b] ||| c [b] ||| 1 ||| 0-0 ||| 1 1 1 ||| |||", "a [b] ||| d [b] ||| 1 ||| 0-0 ||| 1 1 1 ||| |||"]
    write_lines(tmp_path / "labels", lines)
    with pytest.raises(FormatError, match="--kind hiero or --kind phrase"):
        read_moses(tmp_path / "labels", tmp_path / "rules")
    assert next(iter(read_moses(tmp_path / "labels", tmp_path / "rules", "phrase"))).source == ("a", "[b]")
    assert next(iter(read_moses(tmp_path / "labels", tmp_path / "rules", "hiero"))).source == ("a",)
    write_lines(tmp_path / "mixed", [lines[0], "a ||| c ||| 1 ||| 0-0 ||| 1 1 1 ||| |||"])
    with pytest.raises(FormatError, match=r"mixed:2: .*say --kind phrase"):
        read_moses(tmp_path / "mixed", tmp_path / "rules")
    with pytest.raises(FormatError, match="mixed:2: ") as error:
        read_moses(tmp_path / "mixed", tmp_path / "rules", "hiero")
    assert "--kind" not in str(error.value)
    assert len(read_moses(tmp_path / "mixed", tmp_path / "rules", "phrase")) == 2
    with pytest.raises(ConfigError, match="tree"):
        read_moses(tmp_path / "mixed", tmp_path / "rules", "tree")


def test_occurrences_are_known_only_where_no_count_is_fractional(tmp_path):
    lines = [
        "a [X] ||| b [X] ||| 1 ||| 0-0 ||| 1 2.5 1 ||| |||",
        "a [X] ||| c [X] ||| 1 ||| 0-0 ||| 2 2.5 1.5 ||| |||",
    ]
    write_lines(tmp_path / "fractional", lines)
    assert [rule.occurrences for rule in read_moses(tmp_path / "fractional", tmp_path / "rules")] == [0, 0]
    write_lines(tmp_path / "whole", [line.replace(".5", "") for line in lines])
    assert [rule.occurrences for rule in read_moses(tmp_path / "whole", tmp_path / "rules")] == [1, 1]


def test_rules_of_imported_tables_are_chosen_by_what_their_scores_mean(tmp_path):
    # A table with a penalty after the four scores; equal counts, so that lex(e|f) decides.
    low, high = "0.1 0.1 0.1 0.1", "0.1 0.1 0.1 0.9"
    write_lines(tmp_path / "penalty", [f"a ||| {word} ||| {scores} 2.718 ||| 0-0 ||| 2 2 1 ||| |||"
                                       for word, scores in (("b", low), ("c", high), ("d", low))])  # fmt: skip
    table = read_moses(tmp_path / "penalty", tmp_path / "rules")
    assert table.score_names == ["p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)", "penalty"]
    assert [rule.target for rule in select_rules(table, tmp_path / "top", top=1)] == [("c",)]
    write_lines(tmp_path / "bare", [f"a ||| b ||| {low}", f"a ||| c ||| {high}"])
    bare = read_moses(tmp_path / "bare", tmp_path / "rules")
    for chosen in ({"top": 1}, {"min_joint": 1.0}):
        with pytest.raises(ConfigError, match="no joint counts"):
            select_rules(bare, tmp_path / "no", **chosen)
    assert len(select_rules(bare, tmp_path / "all", only_for=["a"])) == 2


def test_the_glue_grammar_goes_out_and_comes_back(tmp_path):
    write_glue(tmp_path / "glue")
    assert read_glue(tmp_path / "glue") == GLUE
    for bad in ("", "<s> [X] ||| <s> [S]", "<s> ||| <s> [S] ||| 1 ||| 0-0", "<s> [X] ||| <s> [S] ||| x ||| 0-0",
                "<s> [X] ||| <s> [S] ||| 1 ||| 0", "<s> [X] ||| <s> [S] ||| 1 ||| 0-1"):  # fmt: skip
        write_lines(tmp_path / "bad", [str(GLUE[0]), bad])
        with pytest.raises(FormatError) as error:
            read_glue(tmp_path / "bad")
        assert str(error.value).startswith(f"{tmp_path / 'bad'}:2: ")


# Recorded tables (../shared/reference/README.md)


@pytest.mark.parametrize("name", ["moses-phrase/phrase-table.gz", "moses-hiero/rule-table.gz"])
def test_recorded_tables_come_back_unchanged(shared, name, tmp_path):
    table = read_moses(shared / "reference" / name, tmp_path / "rules")
    with gzip.open(shared / "reference" / name, "rt", encoding="utf-8") as stream:
        expected = sorted(stream.read().splitlines())
    assert written(table, tmp_path / "out") == expected


def test_the_recorded_glue_grammar_is_ours(shared, tmp_path):
    recorded = shared / "reference/moses-hiero/glue-grammar"
    assert read_glue(recorded) == GLUE
    write_glue(tmp_path / "glue")
    assert (tmp_path / "glue").read_bytes() == recorded.read_bytes()


@pytest.fixture(scope="module")
def multi30k(shared):
    bitext = read_bitext(*(shared / f"data/multi30k-de-en/train.{side}.gz" for side in ("de", "en")))
    return bitext, read_alignments(shared / "reference/align/multi30k-de-en.grow-diag-final-and.gz", bitext)


def test_phrase_pairs_equal_those_of_moses(shared, multi30k, tmp_path):
    """Same pairs, alignments and counts; scores and orientations to 5 significant digits (Moses prints 6)."""
    text = read_lines(shared / "data/multi30k-de-en/test_2016_flickr.de")
    options = replace(ExtractOptions.moses("phrase"), reordering=ReorderingOptions())
    ours = extract_rules(*multi30k, tmp_path / "ours", options, only_for=text, threads=2)
    recorded = shared / "reference/moses-phrase"
    pairs = read_moses(recorded / "phrase-table.gz", tmp_path / "theirs")
    theirs = add_reordering(pairs, recorded / "reordering-table.gz", tmp_path / "theirs.reordering").table
    assert round(ours.unfiltered_rules / 1e6, 2) == 1.22  # as recorded
    found = {(rule.source, rule.target): rule for rule in ours}
    expected = {(rule.source, rule.target): rule for rule in theirs}
    assert set(found) == set(expected)
    for key, rule in expected.items():
        mine = found[key]
        assert mine.links == rule.links
        assert (mine.target_count, mine.source_count, mine.joint) == (
            rule.target_count, rule.source_count, rule.joint)  # fmt: skip
        assert mine.scores == pytest.approx(rule.scores, rel=5.1e-6)
        assert np.exp(mine.reordering) == pytest.approx(np.exp(rule.reordering), rel=5.1e-6)


def test_hierarchical_rules_equal_those_of_moses(shared, multi30k, tmp_path):
    """Every rule of the recorded table with its alignment; its counts were printed with 6 digits before summing.

    Rules that exist with their gaps linked both ways are left out: Moses joins the halves of its table by text, so
    that such a line can have the counts of one rule and the alignment and lexical weight of the other.
    """
    text = read_lines(shared / "data/multi30k-de-en/test_2016_flickr.de")[:20]
    ours = extract_rules(*multi30k, tmp_path / "ours", ExtractOptions.moses("hiero"), only_for=text, threads=2)
    theirs = read_moses(shared / "reference/moses-hiero/rule-table.gz", tmp_path / "theirs")
    assert round(ours.unfiltered_rules / 1e6, 1) == 11.5  # as recorded
    found = {(rule.source, rule.target): rule for rule in ours}
    compared = 0
    for rule in theirs:
        mine = found.get((rule.source, rule.target))
        if mine is None:
            assert not ours.lookup(rule.source)  # the source side is not in these sentences
            continue
        swapped = tuple({"[X,1]": "[X,2]", "[X,2]": "[X,1]"}.get(word, word) for word in rule.target)
        if swapped != rule.target and (rule.source, swapped) in found:
            continue
        compared += 1
        assert mine.links == rule.links
        counts = (mine.target_count, mine.source_count, mine.joint)
        assert counts == pytest.approx((rule.target_count, rule.source_count, rule.joint), rel=1e-4)
        assert mine.scores == pytest.approx(rule.scores, rel=1e-4)
    assert compared > 20_000
