"""Sums in parts have the bytes of sums in one piece, whoever adds the parts; trees against trees by hand."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from support.lists.candidate_sets import random_factored, random_offsets, random_rows, random_rule_features
from support.lists.elsewhere import Elsewhere
from support.lists.random_differences import random_differences

from tunesmith import _core
from tunesmith.errors import FormatError
from tunesmith.execution import Packet
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.tuning.losses import pairwise_ranking
from tunesmith.tuning.optimizers.batch_oscar import batch_oscar
from tunesmith.tuning.pools.expectation import ExpectedGainOfLists
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.sums.objective import distributed
from tunesmith.tuning.sums.pairs import PairTerms
from tunesmith.tuning.sums.parts import Summing, in_parts, split
from tunesmith.tuning.sums.terms import Answer, Asked, nodes_of


def by_hand(nodes):
    """0 + 1, 2 + 3, …, level by level; the last of an odd number moves up."""
    while len(nodes) > 1:
        pairs = [nodes[at] + nodes[at + 1] for at in range(0, len(nodes) - 1, 2)]
        nodes = pairs + ([nodes[-1]] if len(nodes) % 2 else [])
    return nodes[0]


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 140), st.integers(1, 2500), st.integers(0, 2**32 - 1), st.integers(1, 3))
def test_sparse_vectors_are_added_in_the_tree(count, columns, seed, threads):
    random = np.random.default_rng(seed)
    filled = random.random((count, columns)) < random.choice([0.0005, 0.01, 0.5])
    dense = np.where(filled, random.normal(size=(count, columns)), 0.0)
    at, ids = np.nonzero(dense)
    offsets = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=count))])
    found = _core.add_in_tree(offsets, ids.astype(np.uint32), dense[at, ids], columns, threads)
    assert found.tobytes() == by_hand(list(dense)).tobytes()
    assert _core.add_numbers_in_tree(dense[:, 0].copy()) == by_hand(dense[:, 0].tolist())


def lists_of(random, kind, sentences=150):
    if kind == "factored":
        features = random_rule_features(random)
        return random_factored(random, features, rows=600, sentences=sentences, texts=False)
    matrix = random_rows(random, rows=600, columns=40)
    return CandidateSet.from_matrix(matrix, random_offsets(random, 600, sentences))


def objectives(random, candidates):
    """Ranked pairs that count alike, or not, and expected gains."""
    gains = random.random(len(candidates))
    pairs = [
        sorted(random.choice(np.arange(begin, end), 2, replace=False))
        for begin, end in zip(candidates.offsets, candidates.offsets[1:], strict=False)
        if end - begin > 1
    ]
    better, worse = np.array(pairs).T
    yield pairwise_ranking.RankedPairs(candidates, better, worse)
    weighed = random.random(len(better)) + 0.1
    yield pairwise_ranking.WeighedPairs(candidates, better, worse, "hinge", 0.3, weighed)
    yield ExpectedGainOfLists(candidates, gains, 0.7, 0.2)


@pytest.mark.parametrize("kind", ["factored", "plain"])
def test_a_gradient_has_the_same_bytes_elsewhere(kind):
    random = np.random.default_rng(5)
    candidates = lists_of(random, kind)
    w = random.normal(size=candidates.columns)
    for objective in objectives(random, candidates):
        value, gradient = objective.value_and_grad(w)
        there = Elsewhere()
        with distributed(objective, there) as spread:
            found, slopes = spread.value_and_grad(w, threads=3)
        assert there.blocks > 3
        assert found == value
        assert slopes.tobytes() == gradient.tobytes()
        assert objective.value_and_grad(w, threads=2)[1].tobytes() == gradient.tobytes()


@pytest.mark.parametrize("columns", [40, 25_000])
def test_sentences_are_added_in_the_tree(columns):
    """Also more than 32 blocks, and more columns than are examined one by one."""
    random = np.random.default_rng(6)
    matrix = sparse.random(400, columns, density=200 / columns / 400, random_state=6, format="csr")
    candidates = CandidateSet.from_matrix(matrix, random_offsets(random, 400, 75))
    gains, w = random.random(400), random.normal(size=columns)

    def summed(lists, gains, block):
        return _core.expected_gain_sums(lists.native, gains, 1.0, 0.1, w, block, 2)

    first = candidates.offsets
    alone = [summed(candidates.select(s, s + 1), gains[first[s] : first[s + 1]], 1) for s in range(75)]
    value, gradient = summed(candidates, gains, 1)
    assert value == by_hand([each for each, _ in alone])
    assert gradient.tobytes() == by_hand([each for _, each in alone]).tobytes()


def test_the_mean_is_that_of_a_plain_sum():
    """The tree rounds differently and adds the same."""
    random = np.random.default_rng(7)
    candidates = lists_of(random, "plain")
    w = random.normal(size=candidates.columns)
    objective = next(objectives(random, candidates))
    x = candidates.rows(objective.better) - candidates.rows(objective.worse)
    margins = x @ w
    value, gradient = objective.value_and_grad(w)
    assert value == pytest.approx(np.log1p(np.exp(-margins)).mean(), rel=1e-12)
    np.testing.assert_allclose(gradient, -(x.T @ (1 / (1 + np.exp(margins)))) / len(margins), atol=1e-12)


def test_batch_oscar_has_the_same_bytes_elsewhere():
    data = random_differences(3, pairs=2000, features=60, dense=2, noise=1.0)
    here = batch_oscar(data, np.zeros(data.columns), l1=1e-3, l2=1e-4, tolerance=0.05)
    there = Elsewhere()
    found = batch_oscar(data, np.zeros(data.columns), l1=1e-3, l2=1e-4, tolerance=0.05, threads=2, executor=there)
    assert there.blocks > 6
    assert found.weights.tobytes() == here.weights.tobytes()
    assert (found.groups == here.groups).all()
    assert (found.objective, found.lower_bound) == (here.objective, here.lower_bound)
    assert here.groups.max() > 0


def test_parts_of_any_size_add_up():
    data = random_differences(4, pairs=700, features=30, dense=1)
    terms, w = PairTerms.of(data), np.random.default_rng(1).normal(size=data.columns)
    asked = Asked("rounded hinge", {"w": np.concatenate([w[data.penalised], w[data.unpenalised]])}, {"width": 0.5})
    whole = Summing(terms).ask(asked)
    for bounds in (None, split(len(data), 3), split(len(data), 1)):
        with in_parts(terms, None, bounds) as parts:
            found = parts.ask(asked)
        np.testing.assert_allclose(found.numbers, whole.numbers, rtol=1e-12)
        np.testing.assert_allclose(found.vector, whole.vector, atol=1e-10)
        if bounds is None:
            assert found.vector.tobytes() == whole.vector.tobytes()


@pytest.mark.parametrize("what", ["rounded hinge", "dual point"])
def test_sums_that_are_zero_have_the_same_sign_in_parts(what):
    """Rare features whose pairs are far apart: some parts do not have the column, in others its sum is 0."""
    data = random_differences(9, pairs=600, features=900, dense=1)
    terms = PairTerms.of(data)
    asked = Asked(what, {"w": 3 * np.random.default_rng(2).normal(size=terms.columns)}, {"width": 0.1})
    whole = Summing(terms).ask(asked)
    assert (whole.vector == 0).sum() > 20
    for parts in (2, 4, 8):
        with in_parts(terms, None, nodes_of(terms, parts)) as cut:
            assert len(cut) > 1
            assert cut.ask(asked).vector.tobytes() == whole.vector.tobytes()


def test_an_answer_that_is_none_is_refused():
    with pytest.raises(FormatError, match="the answer of a worker has no 'numbers'"):
        Answer.unpacked(Packet(None, {}))


def test_a_loss_of_a_recipe_is_distributed_without_its_knowledge():
    """Pairs that `pro` samples, with statistics of BLEU."""
    random = np.random.default_rng(2)
    candidates = lists_of(random, "plain", 40)
    matched = np.sort(random.integers(1, 9, (600, 4)))[:, ::-1]  # n-grams of order 1 to 4, of 9 to 6
    words = np.tile([9, 8, 7, 6, 9, 9], (600, 1))
    statistics = np.hstack([matched, words])
    pool = ListPool(candidates.with_statistics(statistics))
    objective = dataclasses.replace(pairwise_ranking.PairwiseRanking(), pairs=50).prepare(pool, Bleu(), 1)
    w = random.normal(size=candidates.columns)
    with distributed(objective, Elsewhere()) as spread:
        assert spread.value_and_grad(w)[1].tobytes() == objective.value_and_grad(w)[1].tobytes()
        assert len(spread) == len(objective)
