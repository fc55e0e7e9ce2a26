"""Factored candidates against their definition, D·F + s multiplied out."""

import numpy as np
import pytest
from reference.candidate_lists import multiplied_out
from scipy import sparse
from support.lists.candidate_sets import random_factored, random_rule_features

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import CandidateSet, FactoredMatrix
from tunesmith.search.lists.taking import sentences_in_order


@pytest.mark.parametrize("seed", range(6))
def test_plain_and_factored_give_the_same_numbers(seed):
    random = np.random.default_rng(seed)
    features = random_rule_features(random, identity=seed % 2 == 0)
    c = random_factored(random, features)
    dense = multiplied_out(c.matrix)
    plain = CandidateSet.from_matrix(dense, c.offsets, names=c.features)
    w = random.normal(size=c.columns)
    assert np.allclose(c.scores(w), dense @ w, atol=1e-10)
    assert np.allclose(c.rows().toarray(), dense, atol=1e-10)
    some = random.integers(0, len(c), size=5)
    assert np.allclose(c.rows(some).toarray(), plain.rows(some).toarray(), atol=1e-10)
    coefficients = np.where(random.random(len(c)) < 0.5, random.normal(size=len(c)), 0)
    assert np.allclose(c.combine(coefficients), plain.combine(coefficients), atol=1e-10)
    assert np.allclose(c.combine(coefficients[:5], some), plain.combine(coefficients[:5], some), atol=1e-10)
    p = sparse.random(c.columns, 7, density=0.3, random_state=seed)
    assert np.allclose(c.project(p).rows().toarray(), dense @ p.toarray(), atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_all_at_once_sentence_by_sentence_and_in_threads_are_the_same_bytes(seed):
    random = np.random.default_rng(seed)
    c = random_factored(random, random_rule_features(random), rows=300, sentences=20)
    w = random.normal(size=c.columns)
    whole = c.scores(w)
    assert c.scores(w, threads=3).tobytes() == whole.tobytes()
    parts = [c.select(s, s + 1).scores(w) for s in range(c.sentences)]
    assert np.concatenate(parts).tobytes() == whole.tobytes()


def test_rules_come_back_from_their_places():
    random = np.random.default_rng(1)
    features = random_rule_features(random)
    offsets, rule_offsets = [0, 2, 2, 3], [0, 3, 4, 6]
    rules = [7, 7, 9, 9, 7, 3]
    matrix = FactoredMatrix.from_rules(features, offsets, rule_offsets, rules, [], np.empty((3, 0)))
    assert matrix.list.tolist() == [7, 9, 7, 3]
    assert matrix.list_offsets.tolist() == [0, 2, 2, 4]
    assert matrix.places.dtype == np.uint16
    assert matrix.rules.tolist() == rules


def test_many_rules_of_a_sentence_take_wide_places():
    random = np.random.default_rng(2)
    features = random_rule_features(random, rules=70_000, dense=1, sparse=1)
    rules = random.permutation(70_000)
    matrix = FactoredMatrix.from_rules(features, [0, 2], [0, 69_999, 70_000], rules, [], np.empty((2, 0)))
    assert matrix.places.dtype == np.uint32
    c = CandidateSet(matrix, [0, 2], features=features.index)
    w = random.normal(size=c.columns)
    by_rule = features.scores(w)
    assert np.allclose(c.scores(w), [by_rule[rules[:-1]].sum(), by_rule[rules[-1]]])


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a | {"list": a["list"] + 1000},
        lambda a: a | {"places": a["places"] + 100},
        lambda a: a | {"rule_offsets": a["rule_offsets"][::-1].copy()},
        lambda a: a | {"rule_offsets": a["rule_offsets"][:-1]},
        lambda a: a | {"list_offsets": a["list_offsets"] * 2},
        lambda a: a | {"sentences": a["sentences"] - 1},
        lambda a: a | {"sentences": a["sentences"][:0]},
        lambda a: a | {"state_ids": a["state_ids"] + 100_000},
        lambda a: a | {"states": a["states"][:-1]},
        lambda a: a | {"pair_offsets": a["pair_offsets"][:0]},
        lambda a: a | {"pair_ids": a["pair_ids"][::-1].copy() + 10**6},
        lambda a: a | {"columns": 3},
        lambda a: a | {"states": a["states"] * np.float32(np.inf)},
        lambda a: a | {"pair_values": a["pair_values"] * np.float32(np.nan)},
    ],
    ids=lambda _: "",
)
def test_arrays_that_do_not_fit_are_refused(change):
    random = np.random.default_rng(0)
    c = random_factored(random, random_rule_features(random))
    names = ["columns", "sentences", "list_offsets", "list", "rule_offsets", "places", "state_ids", "states",
             "pair_offsets", "pair_ids", "pair_values"]  # fmt: skip
    arrays = change({name: getattr(c.matrix, name) for name in names})
    with pytest.raises(FormatError):
        _ = FactoredMatrix(c.matrix.rule_features, **arrays).native


def test_what_is_saved_is_loaded(tmp_path):
    random = np.random.default_rng(5)
    features = random_rule_features(random)
    c = random_factored(random, features)
    c.save(tmp_path / "c")
    again = CandidateSet.load(tmp_path / "c", features)
    assert (again.rows() != c.rows()).nnz == 0
    assert [again.text(i) for i in range(len(c))] == [c.text(i) for i in range(len(c))]
    with pytest.raises(FormatError, match="give the feature matrix"):
        CandidateSet.load(tmp_path / "c")
    with pytest.raises(FormatError, match="another model"):
        CandidateSet.load(tmp_path / "c", random_rule_features(random, rules=51))


def test_an_index_learns_the_names_of_the_set(tmp_path):
    random = np.random.default_rng(6)
    c = random_factored(random, random_rule_features(random))
    c.save(tmp_path / "c")
    fresh = random_rule_features(np.random.default_rng(6))
    names = list(c.features)
    from tunesmith.features.index import FeatureIndex

    fresh.index = FeatureIndex(names[: fresh.columns])
    assert list(CandidateSet.load(tmp_path / "c", fresh).features) == names
    fresh.index = FeatureIndex([*names[: fresh.columns], "other"])
    with pytest.raises(FormatError, match="'lm' here and another one"):
        CandidateSet.load(tmp_path / "c", fresh)


@pytest.mark.parametrize("seed", range(3))
def test_lists_in_another_order_stay_factored(seed):
    random = np.random.default_rng(seed)
    c = random_factored(random, random_rule_features(random), rows=60, sentences=9)
    chosen = np.array([4, 0, 8, 4, 2])
    found = sentences_in_order(c, chosen)
    assert isinstance(found.matrix, FactoredMatrix)
    w = random.normal(size=c.columns)
    for at, sentence in enumerate(chosen.tolist()):
        assert found.select(at, at + 1).scores(w).tobytes() == c.select(sentence, sentence + 1).scores(w).tobytes()
        theirs, ours = c.candidates_of(sentence), found.candidates_of(at)
        assert np.array_equal(found.rows(ours).toarray(), c.rows(theirs).toarray())
    assert sentences_in_order(c, np.arange(9)) is c
    with pytest.raises(ConfigError, match="sentences must be from 0 to 8"):
        sentences_in_order(c, np.array([9]))
