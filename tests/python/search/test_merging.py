"""Merging and joining against plain Python lists."""

import weakref

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reference.candidate_lists import listed, merged
from support.lists.candidate_sets import random_factored, random_rule_features

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.search import (
    CandidateSet,
    CandidateWriter,
    FactoredMatrix,
    PlainMatrix,
    WordLists,
    concatenate,
    merge,
)
from tunesmith.search.lists import merging

NAMES = ["lm", "wp", "x_0", "x_1", "tail"]


@st.composite
def sets(draw, words=True, statistics=True):
    """Small sets with few different values, so that candidates repeat; names in any order, some missing."""
    names = draw(st.permutations(NAMES))[: draw(st.integers(2, 5))]
    sizes = draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    rows = sum(sizes)
    values = st.sampled_from([0.0, 0.0, 1.0, -2.0, 0.1])
    matrix = np.array([[draw(values) for _ in names] for _ in range(rows)]).reshape(rows, len(names))
    texts = [draw(st.sampled_from(["", "a", "a b", "b a", "c"])) for _ in range(rows)]
    numbers = np.array([[len(text), 3] for text in texts], dtype=np.int64).reshape(rows, 2)
    return CandidateSet.from_matrix(
        matrix, np.cumsum([0, *sizes]), numbers if statistics else None, texts if words else None, names
    )


@settings(max_examples=150, deadline=None)
@given(st.lists(sets(), min_size=1, max_size=3))
def test_merged_sets_are_merged_lists(given_sets):
    assert listed(merge(given_sets)) == merged([listed(c) for c in given_sets])


@settings(max_examples=40, deadline=None)
@given(sets(), sets(), sets())
def test_merging_is_idempotent_and_associative(a, b, c):
    both = listed(a.merge(b))
    assert listed(a.merge(b).merge(b).merge(a)) == both
    assert listed(a.merge(b).merge(c)) == listed(a.merge(b.merge(c))) == listed(CandidateSet.merge([a, b, c]))


@settings(max_examples=40, deadline=None)
@given(st.lists(sets(), min_size=1, max_size=4))
def test_joined_sets_are_joined_lists(given_sets):
    assert listed(concatenate(given_sets)) == [sentence for c in given_sets for sentence in listed(c)]


@settings(max_examples=25, deadline=None)
@given(st.lists(sets(), min_size=1, max_size=3), st.integers(1, 5))
def test_merging_on_disk_is_merging_in_memory(tmp_path_factory, given_sets, at_once):
    folder = tmp_path_factory.mktemp("merge") / "c"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "_AT_ONCE", at_once)
        on_disk = merge(given_sets, folder=folder)
        assert listed(on_disk) == listed(merge(given_sets))
        # The set that is merged may be in the folder that is written.
        assert listed(merge([on_disk, *given_sets], folder=folder)) == listed(on_disk)


@pytest.mark.parametrize("seed", range(5))
def test_factored_sets_merge_as_their_lists_do(seed, tmp_path):
    random = np.random.default_rng(seed)
    features = random_rule_features(random, rules=8, dense=2, sparse=3)
    a = random_factored(random, features, rows=20, sentences=4)
    b = random_factored(random, features, rows=25, sentences=6)
    again = concatenate([a.select(0, 2), b.select(2, 6)])
    assert listed(again) == [*listed(a)[:2], *listed(b)[2:]]
    expected = merged([listed(a), listed(b)])
    assert listed(merge([a, b])) == expected
    assert listed(merge([a, b, again, a], threads=3)) == expected
    assert listed(merge([a, b, again], folder=tmp_path / "c")) == expected


@pytest.mark.parametrize("seed", range(5))
def test_factored_sets_of_a_model_that_was_opened_twice_merge(seed, tmp_path):
    """Stateful features have other numbers the second time, and some are new."""
    features, again = (
        random_rule_features(np.random.default_rng(seed), rules=8, dense=2, sparse=3) for _ in range(2)
    )
    names = list(again.index)[: again.columns]
    turned = FeatureMatrix(again.native, FeatureIndex([*names, "lm", "bigram:new", "bigram:a"]))
    random = np.random.default_rng(seed)
    a = random_factored(random, features, rows=20, sentences=4)
    b = random_factored(random, turned, rows=25, sentences=6)
    same = random_factored(np.random.default_rng(seed), again, rows=20, sentences=4)
    assert listed(merge([a, same])) == merged([listed(a)])
    expected = merged([listed(a), listed(b), listed(same)])
    assert listed(merge([a, b, same])) == expected
    assert features.index.find("bigram:new") == len(features.index) - 1
    assert listed(merge([a, b, same], folder=tmp_path / "c")) == expected
    nothing = a.select(0, 0)
    assert listed(concatenate([nothing, b])) == listed(b)
    changed = random_rule_features(np.random.default_rng(seed + 100), rules=8, dense=2, sparse=3)
    renamed = FeatureMatrix(again.native, FeatureIndex([f"other{name}" for name in again.index]))
    for other in (changed, renamed):
        with pytest.raises(ConfigError, match="different models"):
            merge([a, random_factored(random, other, rows=5)])


def test_blocks_of_stateful_features_merge_by_name():
    features, again = (random_rule_features(np.random.default_rng(0)) for _ in range(2))
    names = list(again.index)[: again.columns]
    turned = FeatureMatrix(again.native, FeatureIndex([*names, "bigram:a", "lm"]))
    first = features.columns

    def candidate(features, states):
        matrix = FactoredMatrix.from_rules(features, [0, 1], [0, 1], [3], [first, first + 1], [states])
        return CandidateSet(matrix, [0, 1], features=features.index)

    one = candidate(features, [-2.0, 7.0])
    assert len(merge([one, candidate(turned, [7.0, -2.0])])) == 1
    both = merge([one, candidate(turned, [-2.0, 7.0])])
    assert both.rows().toarray()[:, first : first + 2].tolist() == [[-2.0, 7.0], [7.0, -2.0]]


def test_order_of_rules_does_not_tell_candidates_apart_but_counts_do():
    random = np.random.default_rng(0)
    features = random_rule_features(random)

    def candidate(*rules):
        matrix = FactoredMatrix.from_rules(features, [0, 1], [0, len(rules)], rules, [], np.empty((1, 0)))
        return CandidateSet(matrix, [0, 1], features=features.index)

    assert len(merge([candidate(3, 5, 5), candidate(5, 3, 5)])) == 1
    assert len(merge([candidate(3, 5, 5), candidate(3, 3, 5)])) == 2
    assert len(merge([candidate(3, 5, 5), candidate(3, 5)])) == 2


def test_the_number_of_threads_changes_nothing():
    random = np.random.default_rng(1)
    matrix = random.integers(0, 2, size=(500, 3)).astype(float)
    c = CandidateSet.from_matrix(matrix, np.arange(0, 501, 10))
    one, three = merge([c, c]), merge([c, c], threads=3)
    assert len(one) < 500
    assert one.offsets.tolist() == three.offsets.tolist()
    assert one.matrix.dense.tobytes() == three.matrix.dense.tobytes()


def test_what_cannot_be_one_set_is_refused():
    bare = CandidateSet.from_matrix(np.ones((1, 1)), [0, 1])
    with_words = CandidateSet.from_matrix(np.ones((1, 1)), [0, 1], texts=["a"])
    with_numbers = bare.with_statistics([[1, 2]])
    random = np.random.default_rng(0)
    decoded = random_factored(random, random_rule_features(random), texts=False)
    other_model = random_factored(random, random_rule_features(random), texts=False)
    for a, b in [
        (bare, with_words),
        (bare, with_numbers),
        (with_numbers, bare.with_statistics([[1, 2, 3]])),
        (bare, decoded),
        (decoded, other_model),
    ]:
        with pytest.raises(ConfigError):
            merge([a, b])
    with pytest.raises(ConfigError):
        merge([])


def test_a_writer_takes_sets_with_new_names_words_and_wider_values(tmp_path):
    small = CandidateSet.from_matrix([[1.0, 2.0]], [0, 1], [[1, 2]], ["a b"], ["x", "y"])
    wide = CandidateSet.from_matrix([[0.1, 3.0]], [0, 1, 1], [[0.5, 2]], ["b c"], ["z", "x"])
    with CandidateWriter(tmp_path / "c") as writer:
        for part in (small, wide, small):
            writer.append(part)
    written = CandidateSet.load(tmp_path / "c")
    assert listed(written) == listed(small) + listed(wide) + listed(small)


def test_names_and_words_may_grow_between_sets(tmp_path):
    """A decoder adds features and words to the lists it shares with the sets it has made."""
    index, vocabulary = FeatureIndex(["x"]), ["a"]

    def one(*ids):
        matrix = PlainMatrix.from_csr(np.ones((1, len(index))))
        words = WordLists(vocabulary, np.array(ids, dtype=np.uint32), np.array([0, len(ids)]))
        return CandidateSet(matrix, [0, 1], features=index, words=words)

    other = CandidateSet.from_matrix([[5.0]], [0, 1], texts=["c"], names=["z"])
    with CandidateWriter(tmp_path / "c") as writer:
        first = one(0)
        writer.append(first)
        index.add("y")
        vocabulary.append("b")
        writer.append(one(1, 0))
        writer.append(other)
        index.add("w")
        vocabulary.append("d")
        writer.append(one(2, 1, 0))
    assert listed(CandidateSet.load(tmp_path / "c")) == [
        [("a", (("x", 1.0),), ())],
        [("b a", (("x", 1.0), ("y", 1.0)), ())],
        [("c", (("z", 5.0),), ())],
        [("d b a", (("w", 1.0), ("x", 1.0), ("y", 1.0)), ())],
    ]
    assert len(first.merge(other, one(0))) == 3


def test_a_writer_does_not_keep_the_vocabularies_of_its_sets(tmp_path):
    """Workers send thousands of sets with a vocabulary each: what the driver keeps must not grow with them."""

    class Words(list[str]):
        """Words that can be watched."""

    kept = []
    with CandidateWriter(tmp_path / "c") as writer:
        for number in range(500):
            words = Words(["a", "b", f"c{number % 3}"])
            kept.append(weakref.ref(words))
            lists = WordLists(words, np.array([2, 0], dtype=np.uint32), np.array([0, 2]))
            writer.append(CandidateSet.from_matrix([[1.0]], [0, 1], names=["x"]).replaced(words=lists))
            del words, lists
    assert sum(each() is not None for each in kept) < 100
    written = CandidateSet.load(tmp_path / "c")
    assert [written.text(at) for at in range(500)] == [f"c{number % 3} a" for number in range(500)]


def test_a_writer_leaves_nothing_behind_when_it_fails(tmp_path):
    c = CandidateSet.from_matrix(np.ones((1, 1)), [0, 1])

    def write(*parts):
        with CandidateWriter(tmp_path / "c") as writer:
            for part in parts:
                writer.append(part)

    for parts in [(), (c, c.with_statistics([[1]])), (c, None)]:
        with pytest.raises((ConfigError, AttributeError)):
            write(*parts)
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_is_none_is_refused():
    with pytest.raises(ValueError, match="missing"):
        _core.MergePlan([None], 1)
