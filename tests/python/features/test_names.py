"""Names are bijective, found again, and the same in a filtered table."""

from fnmatch import fnmatchcase

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith import _core
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import ConfigError
from tunesmith.features import FeatureIndex, FeatureSet, escape, join_words
from tunesmith.features.names import readable
from tunesmith.grammar import select_rules
from tunesmith.grammar.moses import read_moses
from tunesmith.io import write_lines
from tunesmith.weights import Weights

WORDS = st.text(st.sampled_from("ab%_|=:[X,1]茶 \u3000\t5F"), min_size=1, max_size=6)


@settings(deadline=None)
@given(st.lists(WORDS, min_size=1, max_size=3), st.lists(WORDS, min_size=1, max_size=3))
def test_different_words_have_different_names(one, two):
    assert (join_words(one) == join_words(two)) == (one == two)
    assert not any(character.isspace() or character in "|=" for character in join_words(one))


@given(WORDS)
def test_a_word_never_looks_like_a_gap(word):
    assert escape(word) not in ("[X,1]", "[X,2]")


def test_rules_and_their_names(table, tmp_path):
    matrix = FeatureSet.parse("default,id").compile(table)
    names = [matrix.index.name(column) for column in matrix.id_columns]
    assert len(set(names)) == len(names) == len(table)
    assert [matrix.index.find(name) for name in names] == list(matrix.id_columns)
    shuffled = np.random.default_rng(1).permutation(len(names)).tolist()
    weights = Weights.from_mapping({names[at]: 1.0 + at for at in shuffled})
    for threads in (1, 4):
        vector, unknown = matrix.index.vector(weights, threads=threads)
        assert not unknown
        assert vector[list(matrix.id_columns)].tolist() == [1.0 + at for at in range(len(names))]

    small = select_rules(table, tmp_path / "small", top=1)
    filtered = FeatureSet.parse("default,id").compile(small)
    assert len(small) < small.unfiltered_rules == len(table)
    for number, rule in enumerate(small):
        column = matrix.index.find(filtered.index.name(filtered.id_columns[number]))
        assert table[column - matrix.id_columns[0]] == rule
    _, missing = filtered.index.vector(weights)
    assert len(missing) == len(table) - len(small)


def test_many_names_in_any_order():
    """More than are looked up together."""
    sources, targets = 400, 200
    words = Vocabulary.build(f"w{number}" for number in range(sources))
    rules, first = sources * targets, 3  # words after the special ones
    arrays = {
        "source_symbols": np.arange(first, first + sources, dtype=np.int32),
        "source_offsets": np.arange(sources + 1, dtype=np.uint64),
        "source_rules": np.arange(0, rules + 1, targets, dtype=np.uint64),
        "target_symbols": np.tile(np.arange(first, first + targets, dtype=np.int32), sources),
        "target_offsets": np.arange(rules + 1, dtype=np.uint64),
        "links": np.empty(0, np.uint8),
        "link_offsets": np.zeros(rules + 1, np.uint64),
        "scores": np.empty(0, np.float32),
        "occurrences": np.ones(rules, np.uint32),
    }
    held = _core.RuleArrays(arrays, 0, words.native, words.native)
    _, index = _core.compile_features(held, [], [], [], [], True)
    order = np.arange(rules, dtype=np.uint32)
    for ids in (order, order[::-1], np.roll(order, 7), np.random.default_rng(1).permutation(order)):
        weights = index.weights(np.ascontiguousarray(ids), np.ones(rules))
        for threads in (1, 2):
            assert np.array_equal(index.resolve(weights, threads), ids)


def test_words_that_look_like_the_marks_of_names(tmp_path):
    words = ["a_b", "a", "b", "a|b", "%", "%5F", "a=b", "=", "id:", "[X,", "5B", "|", "_"]
    lines = [f"{f} ||| {e} ||| 0.5 ||| 0-0 ||| 1 1 1" for f in words for e in words]
    write_lines(tmp_path / "table", lines)
    table = read_moses(tmp_path / "table", tmp_path / "rules")
    matrix = FeatureSet.parse("id,lexical_rule:more_than=0,lexical_alignment,word_pair:top=0").compile(table)
    names = list(matrix.index)
    assert len(set(names)) == len(names)
    assert [matrix.index.find(name) for name in names] == list(range(len(names)))
    for number in range(len(table)):
        details = {name.partition(":")[2] for name in matrix.named_row(number) if not name.startswith("word_pair")}
        assert len(details) == 1  # rule, alignment and identity of one word each are spelled alike


@pytest.mark.parametrize(
    "wrong", ["id:f1", "id:f1|e1|e1", "id:f1|no", "id:", "id:|", "id:f%31|e1", "id:%", "id:f1%2", "x"]
)
def test_names_that_no_rule_has(table, wrong):
    assert FeatureSet.parse("default,id").compile(table).index.find(wrong) is None


def test_an_index_grows_until_it_is_frozen(table):
    index = FeatureSet.parse("default,id").compile(table).index
    size = len(index)
    assert index.add("lm") == size
    assert index.add("id:no|rule") == size + 1
    assert index.add("word_penalty") == index.find("word_penalty") < size
    assert [index.name(at) for at in (size, size + 1)] == ["lm", "id:no|rule"]
    index.freeze()
    assert index.add("lm") == size
    with pytest.raises(ConfigError, match="not one of this model"):
        index.add("more")
    with pytest.raises(IndexError):
        index.name(len(index))
    with pytest.raises(ValueError):
        index.native.name(len(index))


@pytest.mark.parametrize("wrong", ["", "a b", "a\tb", "a\u3000b", "\n"])
def test_names_that_cannot_be_written_are_refused(wrong):
    with pytest.raises(ConfigError):
        FeatureIndex([wrong])


def test_the_index_keeps_the_table_alive(table):
    index = FeatureSet.parse("id").compile(type(table).open(table.folder)).index
    import gc

    gc.collect()
    assert index.name(0).startswith("id:")


@pytest.mark.parametrize("prefix", ["", "i", "id:", "id:[X,", "id:w", "l", "lm", "translation:p", "word", "none:"])
def test_names_that_begin_so_are_found(table, prefix):
    matrix = FeatureSet.parse("default,id,word_pair").compile(table)
    matrix.index.add("lm")
    expected = [number for number, name in enumerate(matrix.index) if name.startswith(prefix)]
    assert matrix.index.with_prefix(prefix).tolist() == expected


def test_patterns_stand_for_features(table):
    from tunesmith.tuning.feature_names import matching

    matrix = FeatureSet.parse("default,id").compile(table)
    assert matching(matrix.index, "id:*").tolist() == list(matrix.id_columns)
    names = list(matrix.index)
    for pattern in ("*", "translation:p*", "id:*_*|*", "word_penalty", "nobody", "[lw]*", names[-1]):
        fitting = [at for at, name in enumerate(names) if name == pattern] or [
            at for at, name in enumerate(names) if fnmatchcase(name, pattern)
        ]
        assert matching(matrix.index, pattern).tolist() == fitting
    assert matching(matrix.index, names[-1]).tolist() == [len(names) - 1]  # though its brackets could be a pattern


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3), st.lists(st.text(min_size=1), max_size=3))
def test_readable_names_hold_the_words(source, target):
    name = f"id:{join_words(source)}|{join_words(target)}"
    assert readable(name) == f"{' '.join(source)} → {' '.join(target)}"


def test_other_names_are_readable_as_they_are():
    for name in ("lm", "translation:p(e|f)", "word_pair:a_b"):
        assert readable(name) == name
    assert readable("id:喝_[X,1]|drink_[X,1]") == "喝 [X,1] → drink [X,1]"
