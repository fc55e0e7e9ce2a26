"""Every template of tunesmith against its definition in plain Python, for every rule of small tables."""

from itertools import chain

import numpy as np
import pytest
from reference import features as twin

from tunesmith.features import FeatureSet, SpecialRule

TWINS = {
    "translation,word_penalty,rule_penalty": lambda rule, table: twin.default(rule, table.score_names),
    "log_count,singleton": lambda rule, table: twin.counts(rule),
    "id": lambda rule, table: twin.identity(rule),
    "source_dimension,target_dimension,rule_shape": lambda rule, table: twin.dimensions(rule),
    "word_pair:top=3": lambda rule, table: twin.word_pair(rule, table, 3),
    "word_pair:top=0": lambda rule, table: twin.word_pair(rule, table, 0),
    "target_unaligned:top=4": lambda rule, table: twin.target_unaligned(rule, table, 4),
    "target_unaligned:top=0": lambda rule, table: twin.target_unaligned(rule, table, 0),
    "count_bin:bounds=1/2/5": lambda rule, table: twin.count_bin(rule, (1, 2, 5)),
    "count_bin:exact=yes": lambda rule, table: twin.count_bin(rule, None),
    "length_bin:longest=3": lambda rule, table: twin.length_bin(rule, 3),
    "lexical_rule:more_than=2": lambda rule, table: twin.lexical_rule(rule, 2),
    "lexical_rule:more_than=0": lambda rule, table: twin.lexical_rule(rule, 0),
    "lexical_alignment": lambda rule, table: twin.lexical_alignment(rule, 0),
    "lexical_alignment:more_than=3": lambda rule, table: twin.lexical_alignment(rule, 3),
}
# One of each template, so that blocks of all kinds stand side by side.
TOGETHER = [
    name
    for name in TWINS
    if name
    not in (
        "word_pair:top=3",
        "target_unaligned:top=0",
        "count_bin:exact=yes",
        "lexical_rule:more_than=0",
        "lexical_alignment:more_than=3",
    )
]


def as_float32(row):
    return {name: float(np.float32(value)) for name, value in row.items() if np.float32(value) != 0}


@pytest.mark.parametrize("features", TWINS)
def test_every_rule_has_the_features_of_the_definition(table, features):
    matrix = FeatureSet.parse(features).compile(table)
    for number, rule in enumerate(table):
        assert matrix.named_row(number) == as_float32(twin.summed(TWINS[features](rule, table))), rule


def test_all_templates_at_once_are_the_union(table):
    matrix = FeatureSet.parse(",".join(TOGETHER)).compile(table, threads=3)
    for number, rule in enumerate(table):
        fired = chain.from_iterable(TWINS[name](rule, table) for name in TOGETHER)
        assert matrix.named_row(number) == as_float32(twin.summed(fired)), rule


@pytest.mark.parametrize(
    "features",
    ["default,id,big,rule_shape,lexical_rule,lexical_alignment:more_than=50", "word_pair:top=0,sparse,overfit"],
)
def test_threads_change_nothing(table, features):
    if "overfit" in features:
        features = "word_pair:top=0,lexical_rule:more_than=0,lexical_alignment,count_bin:exact=yes"
    one, many = (FeatureSet.parse(features).compile(table, threads=threads) for threads in (1, 7))
    assert list(one.index) == list(many.index)
    for a, b in zip(one.native.sparse(), many.native.sparse(), strict=True):
        assert a.tobytes() == b.tobytes()


def test_special_rules(table):
    matrix = FeatureSet.parse("default,id,big").compile(table)
    assert matrix.rows == len(table) + 4
    rows = {rule: matrix.named_row(matrix.special(rule)) for rule in SpecialRule}
    assert rows[SpecialRule.unknown] == {"word_penalty": -1.0, "unknown": 1.0}
    assert rows[SpecialRule.glue] == {"glue_penalty": 1.0}
    assert rows[SpecialRule.begin] == rows[SpecialRule.end] == {}


def test_the_big_set_has_the_columns_of_the_paper(table):
    """Table 3 of Cherry and Foster (2012): 50 + 11 + 6724 + 63 = 6848, where the languages have 80 words."""
    words = [len(vocabulary) - 3 for vocabulary in (table.source_vocabulary, table.target_vocabulary)]
    assert FeatureSet.parse("count_bin").compile(table).columns == 11
    assert FeatureSet.parse("length_bin").compile(table).columns == 63
    assert FeatureSet.parse("target_unaligned:top=5").compile(table).columns == 5
    assert FeatureSet.parse("word_pair:top=5").compile(table).columns == 7 * 7
    assert FeatureSet.parse("word_pair").compile(table).columns == (words[0] + 2) * (words[1] + 2)


def test_every_word_is_in_one_pair(table):
    """A link 1-1 covers two words, any other word is in a separate pair."""
    matrix = FeatureSet.parse("word_pair:top=2").compile(table)
    for number, rule in enumerate(table):
        words = 0.0
        for name, value in matrix.named_row(number).items():
            words += value * (1 if "|not-1-1|" in name else 2)
        assert words == twin.words_of(rule.source) + twin.words_of(rule.target)
