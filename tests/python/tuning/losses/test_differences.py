"""Pairs as sparse differences."""

from fnmatch import fnmatchcase

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from support.lists.pair_streams import random_pairs
from support.lists.random_differences import penalised_part

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import columns_named
from tunesmith.tuning.losses.differences import Differences


def random_candidates(random, candidates, columns, density=0.4):
    values = random.integers(-3, 4, (candidates, columns)) * (random.random((candidates, columns)) < density)
    return CandidateSet.from_matrix(sparse.csr_matrix(values.astype(float)), [0, candidates])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.integers(0, 40), st.sampled_from([1, 3]))
def test_they_are_better_minus_worse(seed, columns, pairs, threads):
    random = np.random.default_rng(seed)
    candidates = random_candidates(random, 12, columns)
    better, worse = random.integers(0, 12, pairs), random.integers(0, 12, pairs)
    penalised = random.random(columns) < 0.6
    found = Differences.from_pairs(candidates, better, worse, penalised, threads=threads)
    rows = candidates.rows().toarray()
    expected = rows[better] - rows[worse]
    assert found.unpenalised.tolist() == np.flatnonzero(~penalised).tolist()
    np.testing.assert_array_equal(found.dense, expected[:, ~penalised])
    occurring = np.flatnonzero(penalised & (expected != 0).any(axis=0))
    assert found.penalised.tolist() == occurring.tolist()
    np.testing.assert_array_equal(penalised_part(found).toarray(), expected[:, occurring])
    assert np.all(found.values != 0)
    assert found.dimension == penalised.sum()
    w = random.normal(size=columns)
    np.testing.assert_allclose(found.margins(w, threads=threads), expected @ w, atol=1e-12)


def test_many_blocks_of_pairs_and_threads_give_the_same_bytes():
    random = np.random.default_rng(1)
    candidates = random_candidates(random, 200, 500, 0.02)
    better, worse = random.integers(0, 200, 40_000), random.integers(0, 200, 40_000)
    one, three = (
        Differences.from_pairs(candidates, better, worse, np.arange(3, 500), threads=threads) for threads in (1, 3)
    )
    rows = candidates.rows()
    whole = rows[better] - rows[worse]
    assert abs(penalised_part(one) - whole[:, one.penalised]).max() == 0
    for name in ("offsets", "ids", "values", "dense", "penalised"):
        np.testing.assert_array_equal(getattr(one, name), getattr(three, name))


def test_numbers_of_columns_or_truth_values():
    candidates = random_candidates(np.random.default_rng(3), 5, 6)
    by_number = Differences.from_pairs(candidates, [0, 1], [2, 3], [5, 2])
    by_truth = Differences.from_pairs(candidates, [0, 1], [2, 3], [False, False, True, False, False, True])
    np.testing.assert_array_equal(by_number.ids, by_truth.ids)
    np.testing.assert_array_equal(by_number.dense, by_truth.dense)


@pytest.mark.parametrize(
    ("better", "worse", "penalised", "message"),
    [
        ([0], [9], [1], "no candidate 9"),
        ([-1], [0], [1], "no candidate -1"),
        ([0, 1], [1], [1], "as many better as worse"),
        ([0], [1], [6], "no column 6"),
        ([0], [1], [True, False], "truth values for 6 features"),
    ],
)
def test_what_cannot_be(better, worse, penalised, message):
    candidates = random_candidates(np.random.default_rng(3), 5, 6)
    with pytest.raises(ConfigError, match=message):
        Differences.from_pairs(candidates, better, worse, penalised)


def test_thousands_of_features_without_penalty_are_refused():
    candidates = CandidateSet.from_matrix(sparse.csr_matrix((2, 5000)), [0, 2])
    with pytest.raises(ConfigError, match="5000 features would be left without penalty"):
        Differences.from_pairs(candidates, [0], [1], [])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"offsets": [0, 2, 1, 3]}, "rise"),
        ({"offsets": [0, 1, 2]}, "dense values of shape"),
        ({"ids": [0, 1, 9]}, "id 9"),
        ({"ids": [1, 1, 0]}, "do not ascend"),
        ({"values": [1.0, np.nan, 1.0]}, "finite"),
        ({"values": [1.0]}, "as many values as ids"),
        ({"dense": np.full((3, 1), np.inf)}, "finite"),
        ({"dense": np.zeros((2, 1))}, "dense values of shape"),
        ({"penalised": [2, 1]}, "ascend"),
        ({"penalised": [1, 7]}, "ascend"),
        ({"dimension": 1}, r"dimension must be from \d to \d, got 1"),
        ({"dimension": 9}, r"dimension must be from \d to \d, got 9"),
    ],
)
def test_damaged_arrays(changed, message):
    parts = {
        "offsets": [0, 2, 3, 3],
        "ids": [0, 1, 1],
        "values": [1.0, 2.0, 3.0],
        "dense": np.zeros((3, 1)),
        "penalised": [1, 2],
        "unpenalised": [0],
        "columns": 5,
        "dimension": 4,
    }
    Differences(**parts)
    with pytest.raises(ConfigError, match=message):
        Differences(**{**parts, **changed})


def test_what_was_checked_cannot_change():
    ids = np.array([0, 1], dtype=np.uint32)
    pairs = Differences([0, 2], ids, [1.0, 1.0], np.zeros((1, 0)), [0, 1], [], 2, 2)
    with pytest.raises(ValueError, match="read-only"):
        pairs.ids[0] = 7
    assert ids.flags.writeable  # what was given stays the caller's


def test_weights_of_another_model():
    pairs = random_pairs(np.random.default_rng(1), 3, 4, 1)
    with pytest.raises(ConfigError, match="weights for 5 features"):
        pairs.margins(np.zeros(4))
    with pytest.raises(ValueError, match="do not fit"):
        pairs.native.margins(np.zeros(3), np.zeros(1))


def test_columns_by_patterns():
    names = FeatureIndex(["lm", "id:a|b", "word_pair:a_b", "id:c|d", "idle", "word_pair:c_d"])
    assert columns_named(names, 6, ["id:*"]).tolist() == [1, 3]
    assert columns_named(names, 6, ["id:*", "word_pair:a*"]).tolist() == [1, 2, 3]
    assert columns_named(names, 6, ["*:*"]).tolist() == [1, 2, 3, 5]
    assert columns_named(names, 6, ["lm"]).tolist() == [0]
    with pytest.raises(ConfigError, match="nothing to penalise"):
        columns_named(names, 6, ["class_pair:*"])


@pytest.mark.parametrize("patterns", ["id:*", "*", "*:*", "id:a*", "i*", "lm id:b", "x:* id:[ac]", "?d:*", "w*"])
def test_patterns_find_the_names_that_fit_one_by_one(patterns):
    names = ["lm", "x:id:", "id:a", "id:b", "id:c", "word", "x:y"]
    expected = [at for at, name in enumerate(names) if any(fnmatchcase(name, each) for each in patterns.split())]
    assert columns_named(FeatureIndex(names), 7, patterns.split()).tolist() == expected


def test_the_index_of_a_model_says_where_its_rules_are():
    assert list(_core.FeatureIndex().rule_block()) == [0, 0]
