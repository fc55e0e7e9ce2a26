"""CandidateSet with a plain matrix against NumPy and scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from tunesmith.errors import ConfigError, FormatError
from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet


def random_matrix(seed, rows=40, dense=5, columns=30, whole=False):
    """Rows with some columns filled everywhere and others rarely."""
    random = np.random.default_rng(seed)
    matrix = np.where(random.random((rows, columns)) < 0.15, random.normal(size=(rows, columns)), 0.0)
    for column in random.choice(columns, size=dense, replace=False):
        matrix[:, column] = random.normal(size=rows)
    return np.round(matrix * 4) if whole else matrix


def random_set(seed, rows=40, sentences=7, **shape):
    random = np.random.default_rng(seed + 1000)
    offsets = np.concatenate([[0], np.sort(random.integers(0, rows + 1, size=sentences - 1)), [rows]])
    return random_matrix(seed, rows, **shape), offsets


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("whole", [False, True])
def test_the_four_operations_are_those_of_the_matrix(seed, whole):
    matrix, offsets = random_set(seed, whole=whole)
    random = np.random.default_rng(seed)
    c = CandidateSet.from_matrix(matrix, offsets)
    assert c.matrix.dense.dtype == (np.float32 if whole else np.float64)
    w = random.normal(size=matrix.shape[1])
    assert np.allclose(c.scores(w), matrix @ w, atol=1e-12)
    assert np.array_equal(c.rows().toarray(), matrix)
    some = random.integers(0, len(c), size=9)
    assert np.array_equal(c.rows(some).toarray(), matrix[some])
    offsets_of_rows, ids, values = c.row_arrays(some)
    again = sparse.csr_matrix((values, ids, offsets_of_rows), shape=(9, matrix.shape[1]))
    assert np.array_equal(again.toarray(), matrix[some])
    coefficients = random.normal(size=len(c))
    assert np.allclose(c.combine(coefficients), matrix.T @ coefficients, atol=1e-12)
    assert np.allclose(c.combine(coefficients[:9], some), matrix[some].T @ coefficients[:9], atol=1e-12)
    projection = sparse.random(matrix.shape[1], 6, density=0.4, random_state=seed)
    assert np.allclose(c.project(projection).rows().toarray(), matrix @ projection.toarray(), atol=1e-12)


@pytest.mark.parametrize("threads", [2, 3])
def test_scores_are_the_same_bytes_for_every_number_of_threads(threads):
    c = CandidateSet.from_matrix(*random_set(3, rows=1000))
    w = np.random.default_rng(1).normal(size=c.columns)
    assert c.scores(w).tobytes() == c.scores(w, threads=threads).tobytes()


def test_a_given_matrix_is_not_changed():
    twice = sparse.csr_matrix((np.array([1.0, 2.0, 3.0]), np.array([1, 0, 1]), np.array([0, 3])), shape=(1, 2))
    before = [twice.data.copy(), twice.indices.copy(), twice.indptr.copy()]
    c = CandidateSet.from_matrix(twice, [0, 1])
    assert c.rows().toarray().tolist() == [[2, 4]]
    assert c.project(twice.T).rows().toarray().tolist() == [[20]]
    for array, old in zip([twice.data, twice.indices, twice.indptr], before, strict=True):
        assert np.array_equal(array, old)


def test_columns_most_rows_have_are_a_block():
    matrix = np.zeros((10, 20))
    matrix[:, 1] = 1
    matrix[:5, 2] = 2
    matrix[:4, 3] = 3
    c = CandidateSet.from_matrix(matrix, [0, 10])
    assert c.matrix.dense_ids.tolist() == [1, 2]
    assert c.matrix.ids.tolist() == [3] * 4
    few = CandidateSet.from_matrix(matrix[:, :4], [0, 10])
    assert few.matrix.dense_ids.tolist() == [0, 1, 2, 3]
    assert few.matrix.dense.tolist() == matrix[:, :4].tolist()


@pytest.mark.parametrize(
    "offsets",
    [[], [0], [1, 3], [0, 4], [0, 2, 1, 3], [0, -1, 3]],
    ids=["none", "short", "late", "far", "falls", "negative"],
)
def test_offsets_that_do_not_fit_are_refused(offsets):
    with pytest.raises((ConfigError, FormatError), match="offsets"):
        CandidateSet.from_matrix(np.ones((3, 2)), offsets)


def test_what_does_not_fit_is_refused():
    c = CandidateSet.from_matrix(np.ones((3, 2)), [0, 3])
    for call in (
        lambda: c.scores([1.0]),
        lambda: c.scores([[1.0, 2.0]]),
        lambda: c.rows([3]),
        lambda: c.rows([-1]),
        lambda: c.combine([1.0]),
        lambda: c.combine([1.0], [5]),
        lambda: c.project(np.ones((3, 2))),
        lambda: c.text(0),
        lambda: c.with_statistics(np.ones((2, 2))),
        lambda: c.with_statistics(np.ones(3)),
        lambda: c.with_statistics(np.full((3, 2), np.nan)),
        lambda: CandidateSet.from_matrix(np.array([[np.nan]]), [0, 1]),
        lambda: CandidateSet.from_matrix(np.array([[np.inf]]), [0, 1]),
        lambda: CandidateSet.from_matrix(np.ones((2, 1)), [0, 2], texts=["a"]),
        lambda: CandidateSet.from_matrix(np.ones((2, 1)), [0, 2], names=["a", "b"]),
    ):
        with pytest.raises((ConfigError, FormatError)):
            call()


def test_statistics_are_those_of_the_metric_and_stay_integers():
    texts = ["the cat sat", "a cat sat", "", "the dog"]
    c = CandidateSet.from_matrix(np.eye(4), [0, 3, 4], texts=texts)
    prepared = Bleu().prepare([["the cat sat down"], ["a dog"]])
    rows = c.with_statistics(prepared).statistics
    assert rows.dtype == np.int32
    assert np.array_equal(rows, prepared.statistics(texts, [0, 0, 0, 1]))
    assert [c.text(i) for i in range(4)] == texts


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 30), st.integers(1, 12))
def test_what_is_saved_is_loaded(tmp_path_factory, seed, rows, columns):
    matrix, offsets = random_set(seed, rows=rows, columns=columns, dense=min(2, columns))
    random = np.random.default_rng(seed)
    texts = [" ".join(random.choice(["a", "b", "ü", "我"], size=random.integers(0, 4))) for _ in range(rows)]
    c = CandidateSet.from_matrix(matrix, offsets, random.integers(0, 5, size=(rows, 3)), texts)
    folder = tmp_path_factory.mktemp("set") / "c"
    c.save(folder)
    again = CandidateSet.load(folder)
    assert (again.rows() != c.rows()).nnz == 0
    assert again.offsets.tolist() == c.offsets.tolist()
    assert np.array_equal(again.statistics, c.statistics)
    assert list(again.features) == list(c.features)
    assert [again.text(i) for i in range(rows)] == texts
