"""The feature matrix as linear algebra, and what it refuses."""

import gc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError
from tunesmith.features import FeatureSet
from tunesmith.features.featureset import rule_arrays
from tunesmith.grammar import RuleTable


@st.composite
def parts(draw):
    rows, dense, sparse = draw(st.integers(0, 6)), draw(st.integers(0, 3)), draw(st.integers(0, 4))
    numbers = st.floats(-4, 4, width=32).filter(lambda x: x == 0 or abs(x) > 1e-3)
    full = np.array([[draw(numbers) for _ in range(dense)] for _ in range(rows)], np.float32).reshape(rows, dense)
    chosen = [sorted(draw(st.sets(st.integers(0, sparse - 1)))) if sparse else [] for _ in range(rows)]
    values = [[draw(numbers.filter(bool)) for _ in row] for row in chosen]
    identity = draw(st.integers(0, rows))
    return full, chosen, values, dense + sparse, identity


def built(full, chosen, values, columns, identity):
    starts = np.cumsum([0, *map(len, chosen)], dtype=np.uint64)
    ids = np.array([id + full.shape[1] for row in chosen for id in row], np.uint32)
    flat = np.array([value for row in values for value in row], np.float32)
    return _core.FeatureMatrix(full, starts, ids, flat, columns, identity)


def as_array(full, chosen, values, columns, identity):
    rows, dense = full.shape
    whole = np.zeros((rows, columns + identity))
    whole[:, :dense] = full
    for row in range(rows):
        whole[row, [id + dense for id in chosen[row]]] = np.array(values[row], np.float32)
        if row < identity:
            whole[row, columns + row] = 1
    return whole


@settings(deadline=None)
@given(parts(), st.integers(0, 2**31))
def test_operations_are_those_of_the_array(given, seed):
    matrix, array = built(*given), as_array(*given)
    rng = np.random.default_rng(seed)
    w = rng.normal(size=array.shape[1])
    assert (matrix.rows, matrix.columns) == array.shape
    np.testing.assert_allclose(matrix.scores(w, 3), array @ w, atol=1e-12)
    np.testing.assert_array_equal(matrix.scores(w, 3), matrix.scores(np.append(w, 7.0), 1))
    if matrix.rows:
        rows = rng.integers(0, matrix.rows, size=5).astype(np.uint32)
        np.testing.assert_array_equal(matrix.scores_of(rows, w), matrix.scores(w)[rows])
        factors = rng.normal(size=5)
        np.testing.assert_allclose(matrix.combine(rows, factors), array[rows].T @ factors, atol=1e-12)
    for row in range(matrix.rows):
        ids, values = matrix.row(row)
        assert ids.tolist() == np.flatnonzero(array[row]).tolist()
        assert values.tolist() == array[row, ids].tolist()
    np.testing.assert_array_equal(matrix.firing_rows(), np.count_nonzero(array[:, : given[3]], axis=0))


@pytest.mark.parametrize("features", ["default", "default,id", "default,big,id"])
def test_a_matrix_on_demand_is_the_matrix(features, table):
    chosen = FeatureSet.parse(features)
    whole, lazy = chosen.compile(table), chosen.compile(table, on_demand=True)
    assert lazy.native.bytes < whole.native.bytes
    assert (lazy.rows, lazy.columns, list(lazy.index)) == (whole.rows, whole.columns, list(whole.index))
    assert lazy.same(whole)
    assert whole.same(lazy)
    assert not lazy.same(FeatureSet.parse("word_penalty").compile(table, on_demand=True))
    for row in (whole.rows - 1, whole.rows - 4, *range(0, len(table), 7)):
        assert list(lazy.row(row)) == list(whole.row(row))
    w = np.random.default_rng(5).normal(size=whole.columns)
    np.testing.assert_array_equal(lazy.scores(w, threads=3), whole.scores(w))
    np.testing.assert_array_equal(lazy.native.firing_rows(), whole.native.firing_rows())
    for one, other in zip(lazy.native.sparse(), whole.native.sparse(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_looking_at_a_matrix_on_demand_keeps_nothing(table):
    """A question about all rows costs no memory: only what a search reads is kept."""
    lazy = FeatureSet.parse("default").compile(table, on_demand=True)
    before, w = lazy.native.bytes, np.ones(lazy.columns)
    whole = lazy.scores(w, threads=2)
    np.testing.assert_array_equal(lazy.scores(w, rows=range(lazy.rows)), whole)
    lazy.native.firing_rows()
    lazy.native.rows_firing(np.ones(lazy.columns, np.uint8))
    assert lazy.native.bytes == before
    list(lazy.row(0))
    assert lazy.native.bytes > before


def test_a_matrix_on_demand_outlives_its_table(table):
    lazy = FeatureSet.parse("default").compile(RuleTable.open(table.folder), on_demand=True)
    gc.collect()
    w = np.ones(lazy.columns)
    np.testing.assert_array_equal(lazy.scores(w), FeatureSet.parse("default").compile(table).scores(w))


def test_an_index_of_its_own_has_the_columns_alone(table):
    matrix = FeatureSet.parse("default,insertion_penalty").compile(table, on_demand=True)
    before = list(matrix.index)
    matrix.index.add("target_bigrams:a_b")
    own = matrix.with_own_index()
    assert own.native is matrix.native
    assert list(own.index) == before
    assert own.same(matrix)
    own.index.add("other")
    assert "other" not in matrix.index
    assert FeatureSet.parse("default,id").compile(table).with_own_index() is None


def test_names_of_dense_features_do_not_depend_on_the_rules(table):
    features = FeatureSet.parse("default,insertion_penalty,deletion_penalty")
    whole = features.compile(table, on_demand=True).index
    assert list(features.compile(table, rules=range(0), on_demand=True).index) == list(whole)


def test_parts_that_do_not_fit_together_are_refused():
    dense, one = np.zeros((2, 1), np.float32), np.ones(1, np.float32)

    def make(dense=dense, starts=(0, 1, 1), ids=(1,), values=one, columns=3, identity=0):
        return _core.FeatureMatrix(
            dense, np.array(starts, np.uint64), np.array(ids, np.uint32), values, columns, identity
        )

    assert make().columns == 3
    wrong = [
        {"starts": (0, 1)},
        {"starts": (1, 1, 1)},
        {"starts": (0, 2, 1)},
        {"starts": (0, 2**60, 1)},
        {"ids": (3,)},
        {"ids": (0,)},
        {"ids": (1, 2)},
        {"columns": 0},
        {"identity": 3},
        {"values": np.full(1, np.nan, np.float32)},
        {"dense": np.full((2, 1), np.inf, np.float32)},
        {"columns": 2**32},
        {"columns": 2**64 - 1, "identity": 1},
        {"starts": (0, 2, 2), "ids": (2, 1), "values": np.ones(2, np.float32)},
    ]
    for change in wrong:
        with pytest.raises(ValueError):
            make(**change)


def test_weights_and_rows_that_do_not_fit_are_refused(table):
    matrix = FeatureSet.parse("default,id").compile(table)
    w = np.zeros(matrix.columns)
    for weights in (w[:-1], w.reshape(1, -1)):
        with pytest.raises(ConfigError):
            matrix.scores(weights)
    for rows in ([matrix.rows], [-1], [[0]]):
        with pytest.raises(ConfigError):
            matrix.scores(w, rows)
        with pytest.raises(ConfigError):
            matrix.combine(rows, np.ones(1))
    with pytest.raises(ConfigError):
        matrix.combine([0, 1], [1.0])
    for row in (-1, matrix.rows):
        with pytest.raises(IndexError):
            matrix.row(row)
    for call in (
        lambda: matrix.native.row(matrix.rows),
        lambda: matrix.native.scores(w[:-1]),
        lambda: _core.compile_features(rule_arrays(table, range(len(table))), [], [], [], [None], False),
        lambda: _core.compile_features(rule_arrays(table, range(len(table))), [], [], [("a", None)], [], False),
        lambda: matrix.native.combine(np.array([matrix.rows], np.uint32), np.ones(1)),
    ):
        with pytest.raises(ValueError):
            call()


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("target_symbols", lambda a: a + 10_000),
        ("target_symbols", lambda a: np.full_like(a, -3)),
        ("source_symbols", lambda a: np.full_like(a, 2**31 - 1)),
        ("links", lambda a: np.full_like(a, 250)),
        ("target_offsets", lambda a: np.concatenate([a[:1], a[1:-1] + 2**40, a[-1:]])),
        ("link_offsets", lambda a: np.concatenate([a[:1], a[1:-1][::-1], a[-1:]])),
        ("source_rules", lambda a: np.concatenate([a[:1], a[1:-1] + 2**40, a[-1:]])),
        ("source_offsets", lambda a: np.concatenate([a[:1], a[1:-1][::-1], a[-1:]])),
        ("scores", lambda a: np.full_like(a, np.nan)),
        ("scores", lambda a: -a),
    ],
)
def test_a_damaged_table_is_an_error(table, name, damage):
    damaged = RuleTable(table.folder, table.manifest)
    damaged._mapped[name] = np.ascontiguousarray(damage(np.array(table.array(name))))
    with pytest.raises(FormatError, match=r"rules: .*damaged"):
        FeatureSet.parse("default,id,big,rule_shape,lexical_rule,lexical_alignment:more_than=50").compile(damaged)


def test_arrays_of_other_types_and_sizes_are_converted_or_refused(table):
    """Whatever is handed to the core, it never reads outside of it."""
    names = ["source_offsets", "source_rules", "source_symbols", "target_offsets", "target_symbols",
             "link_offsets", "links", "scores", "occurrences"]  # fmt: skip
    arrays = {name: np.ascontiguousarray(table.array(name)).reshape(-1) for name in names}
    words = (table.source_vocabulary.native, table.target_vocabulary.native)
    scores = len(table.score_names)

    def compiled(arrays):
        rules = _core.RuleArrays(arrays, scores, *words)
        shape = _core.dimension_template(_core.Dimension.both)  # so that every rule is examined
        return _core.compile_features(rules, [("p", "log_score", 0)], [], [("shape", shape)], [], True)

    strided = {name: np.repeat(array, 2)[::2] for name, array in arrays.items()}
    assert compiled(strided)[1].name(3) == compiled(arrays)[1].name(3)
    for name in names:
        with pytest.raises((ValueError, KeyError)):
            compiled({key: array for key, array in arrays.items() if key != name})
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            compiled({**arrays, name: arrays[name][:-1] if name != "links" else arrays[name][:-2]})
        with pytest.raises((ValueError, TypeError, RuntimeError)):
            compiled({**arrays, name: None})
    for wrong in (["p", "score", 0], ["p", "log_score", 9]):
        with pytest.raises(ValueError):
            _core.compile_features(_core.RuleArrays(arrays, scores, *words), [tuple(wrong)], [], [], [], True)
    with pytest.raises(ValueError):
        _core.compile_features(_core.RuleArrays(arrays, scores, *words), [], [("x", 4, 1.0)], [], [], True)
    given = _core.GivenFeatures(["a"], np.zeros(1, np.uint64), np.zeros(0, np.uint32), np.zeros(0, np.float32))
    with pytest.raises(ValueError):
        _core.compile_features(_core.RuleArrays(arrays, scores, *words), [], [], [], [given], False)
