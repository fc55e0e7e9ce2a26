"""The structured hinge: oracles by enumeration, the convex problem against a generic solver, the alternation."""

import signal
from itertools import pairwise

import numpy as np
import pytest
from reference import sentence_losses as slow
from support.lists.tuning_lists import random_lists

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu, Ter
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.losses import ExpectedGain, StructuredHinge
from tunesmith.tuning.losses.structured_hinge import HingeOfLists
from tunesmith.tuning.optimizers import CuttingPlanes
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.regularizers import L1, L2
from tunesmith.tuning.regularizers.base import Quadratic

ORACLES = ["gain", "model+gain"]


def prepared(seed, oracle="gain", **shape):
    matrix, offsets, statistics = random_lists(seed, **shape)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    return matrix, offsets, StructuredHinge(oracle=oracle).prepare(ListPool(candidates), Bleu(), 1)


def infinite(columns):
    return np.full(columns, -np.inf), np.full(columns, np.inf)


@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("seed", range(5))
def test_loss_and_oracles_are_those_of_enumeration(seed, oracle):
    matrix, offsets, objective = prepared(seed, oracle, sparse=3)
    w = np.random.default_rng(seed).normal(size=matrix.shape[1])
    value, oracles = slow.latent_hinge(matrix, offsets, objective.gains, oracle, w)
    for threads in (1, 2):
        found, chosen = objective.value_and_oracles(w, threads=threads)
        assert found == pytest.approx(value, rel=1e-12)
        assert chosen.tolist() == oracles


def test_the_ramp_is_between_nothing_and_the_hinge():
    matrix, _, hinge = prepared(3, "gain", sentences=30)
    _, _, ramp = prepared(3, "model+gain", sentences=30)
    random = np.random.default_rng(3)
    for scale in (0.0, 0.01, 1.0, 100.0):
        w = scale * random.normal(size=matrix.shape[1])
        assert 0 <= ramp.value_and_oracles(w)[0] <= hinge.value_and_oracles(w)[0] + 1e-12


@pytest.mark.parametrize("strength", [1e-3, 0.1, 10.0])
@pytest.mark.parametrize("oracle", ORACLES)
@pytest.mark.parametrize("seed", range(3))
def test_the_convex_problem_has_the_minimum_of_a_generic_solver(seed, oracle, strength):
    matrix, offsets, objective = prepared(seed, oracle, sparse=2)
    columns = matrix.shape[1]
    oracles = objective.value_and_oracles(np.random.default_rng(seed).normal(size=columns))[1]
    curvature = strength * np.linspace(0.5, 2.0, columns)
    dual = objective.cutting_planes(curvature, *infinite(columns))
    dual.select(oracles)
    weights, primal, bound, *_ = dual.solve(1e-9, 5000, 1)
    problem = (matrix, offsets, objective.gains, oracles.tolist(), curvature)
    expected = slow.quadratic_program(*problem)
    assert slow.hinge(*problem, weights) == pytest.approx(primal, rel=1e-9)
    assert bound <= primal * (1 + 1e-12)
    assert bound <= slow.hinge(*problem, expected) * (1 + 1e-12)  # no weights are below the bound
    assert primal == pytest.approx(slow.hinge(*problem, expected), rel=1e-6)
    assert np.allclose(weights, expected, atol=2e-3 * np.abs(expected).max())


@pytest.mark.parametrize("seed", range(3))
def test_bounds_and_fixed_weights_are_exact(seed):
    matrix, offsets, objective = prepared(seed, sentences=20)
    oracles = objective.value_and_oracles(np.ones(4))[1]
    curvature = np.full(4, 0.01)
    free = slow.quadratic_program(matrix, offsets, objective.gains, oracles.tolist(), curvature)
    half = free / 2  # two bounds that the free minimum breaks, one that it keeps, one fixed weight
    lower = np.array([-np.inf, min(half[1], 0), -np.inf, 0.3])
    upper = np.array([np.inf, max(half[1], 0), half[2] if free[2] > 0 else np.inf, 0.3])
    lower[2] = half[2] if free[2] < 0 else -np.inf
    dual = objective.cutting_planes(curvature, lower, upper)
    dual.select(oracles)
    weights, primal, bound, *_ = dual.solve(1e-9, 5000, 1)
    problem = (matrix, offsets, objective.gains, oracles.tolist(), curvature)
    expected = slow.quadratic_program(*problem, lower, upper)
    assert np.all((weights >= lower) & (weights <= upper))
    assert primal == pytest.approx(slow.hinge(*problem, expected), rel=1e-6)
    assert bound == pytest.approx(primal, rel=1e-6)
    assert primal > slow.hinge(*problem, free)


def test_a_gap_is_what_it_says():
    _, _, objective = prepared(5, sentences=60, longest=30)
    curvature = np.full(4, 1e-3)
    oracles = objective.value_and_oracles(np.zeros(4))[1]
    exact = objective.cutting_planes(curvature, *infinite(4))
    exact.select(oracles)
    best = exact.solve(1e-10, 5000, 1)[1]
    for tol in (0.5, 0.1, 1e-3):
        dual = objective.cutting_planes(curvature, *infinite(4))
        dual.select(oracles)
        _, primal, bound, *_ = dual.solve(tol, 5000, 1)
        assert primal - bound <= tol * primal
        assert bound <= best * (1 + 1e-9) <= primal * (1 + 1e-8)


@pytest.mark.parametrize("oracle", ORACLES)
def test_every_selection_of_oracles_makes_the_loss_smaller(oracle):
    matrix, _, objective = prepared(7, oracle, sentences=40, longest=25, sparse=10)
    objective = HingeOfLists(objective.candidates, np.round(5 * objective.gains) / 5, oracle)  # several are equal
    start = np.random.default_rng(7).normal(size=matrix.shape[1])
    regularizer = L2(1e-2)
    values = [objective.value_and_oracles(start)[0] + regularizer.value(start)]
    for selections in range(1, 6):
        fitted = CuttingPlanes(selections=selections, tol=1e-5).minimize(objective, regularizer, start, seed=1)
        values.append(fitted.value)
        loss, _ = objective.value_and_oracles(fitted.weights)
        assert fitted.value == pytest.approx(loss + regularizer.value(fitted.weights), rel=1e-12)
    assert all(later <= earlier + 1e-5 for earlier, later in pairwise(values))
    assert values[-1] < values[1] < values[0]


@pytest.mark.parametrize("strength", [1e-5, 1e-4])
def test_a_very_weak_penalty_has_the_minimum_of_a_generic_solver(strength):
    matrix, offsets, objective = prepared(2, sentences=12, sparse=2)
    columns = matrix.shape[1]
    oracles = objective.value_and_oracles(np.ones(columns))[1]
    curvature = np.full(columns, strength)
    dual = objective.cutting_planes(curvature, *infinite(columns))
    dual.select(oracles)
    weights, primal, bound, *_ = dual.solve(1e-7, 5000, 1)
    problem = (matrix, offsets, objective.gains, oracles.tolist(), curvature)
    assert slow.hinge(*problem, weights) == pytest.approx(primal, rel=1e-9)
    assert primal - bound <= 1e-7 * primal
    assert bound <= slow.hinge(*problem, slow.quadratic_program(*problem)) * (1 + 1e-12)


def test_work_does_not_grow_as_the_inverse_of_the_penalty():
    """Features of all sentences that are large bind their multipliers to each other."""
    matrix, offsets, statistics = random_lists(8, sentences=60, longest=40, sparse=30)
    matrix = matrix * np.where(np.arange(matrix.shape[1]) < 4, 10.0, 1.0)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    objective = StructuredHinge().prepare(ListPool(candidates), Bleu(), 1)
    columns = matrix.shape[1]
    oracles = objective.value_and_oracles(np.ones(columns))[1]
    work = []
    for strength in (1e-1, 1e-5):
        dual = objective.cutting_planes(np.full(columns, strength), *infinite(columns))
        dual.select(oracles)
        _, primal, bound, _, _, steps = dual.solve(1e-3, 5000, 1)
        assert primal - bound <= 1e-3 * primal
        work.append(steps)
    assert work[1] < 10 * work[0]


def test_problems_whose_oracles_change_take_less_work_than_exact_ones():
    matrix, offsets, statistics = random_lists(8, sentences=60, longest=40, sparse=30)
    matrix = matrix * np.where(np.arange(matrix.shape[1]) < 4, 2.0, 1.0)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    gains = StructuredHinge().prepare(ListPool(candidates), Bleu(), 1).gains
    objective = HingeOfLists(candidates, np.round(4 * gains) / 4)  # several are equal, so oracles change
    start, penalty, columns = np.ones(matrix.shape[1]), L2(1e-3), matrix.shape[1]
    fitted = CuttingPlanes().minimize(objective, penalty, start, seed=1)
    dual = objective.cutting_planes(np.full(columns, penalty.curvature), *infinite(columns))
    oracles, steps, values = objective.value_and_oracles(start)[1], 0, []
    for _ in range(CuttingPlanes().selections):
        dual.select(oracles)
        weights, _, _, _, _, made = dual.solve(CuttingPlanes().tol, 500, 1)
        steps += made
        loss, new = objective.value_and_oracles(weights)
        values.append(loss + penalty.value(weights))
        if np.array_equal(new, oracles):
            break
        oracles = new
    assert len(values) > 3
    assert fitted.details["steps"] < steps
    assert fitted.value <= min(values) * 1.01


def test_a_warm_start_ends_where_a_cold_one_does():
    """Oracles that change leave nothing in memory."""
    _, _, objective = prepared(9, "model+gain", sentences=40)
    curvature = np.full(4, 0.01)
    random = np.random.default_rng(9)
    warm = objective.cutting_planes(curvature, *infinite(4))
    for _ in range(3):
        oracles = objective.value_and_oracles(random.normal(size=4))[1]
        warm.select(oracles)
        cold = objective.cutting_planes(curvature, *infinite(4))
        cold.select(oracles)
        assert warm.solve(1e-9, 5000, 1)[1] == pytest.approx(cold.solve(1e-9, 5000, 1)[1], rel=1e-8)


def test_the_same_bytes_for_every_number_of_threads_and_again():
    _, _, objective = prepared(4, sentences=100, sparse=30)
    start = np.ones(34)
    one, two, again = (
        CuttingPlanes().minimize(objective, L2(1e-3), start, seed=3, threads=threads) for threads in (1, 2, 1)
    )
    assert one.weights.tobytes() == two.weights.tobytes() == again.weights.tobytes()
    assert one.details == two.details


def test_constraints_of_a_user():
    matrix, offsets, statistics = random_lists(2, sentences=30)
    names = ["lm", "tm", "id:1", "id:2"]
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics, names=names)
    objective = StructuredHinge().prepare(ListPool(candidates), Bleu(), 1)
    start = np.array([0.7, 0.0, 0.0, 0.0])
    bounds = {"fixed": ("lm",), "bounds": ("tm>=0", "tm<=0.001")}
    kept, heavy = (
        Constraints(**bounds, penalties=more).resolve(candidates.features, start) for more in ((), ("id:*=1000",))
    )
    one, other = (
        CuttingPlanes().minimize(objective, L2(1e-2), start, seed=1, limits=each) for each in (kept, heavy)
    )
    for fitted in (one, other):
        assert fitted.weights[0] == 0.7
        assert 0 <= fitted.weights[1] <= 0.001
    assert 0 < np.abs(other.weights[2:]).max() < 0.3 * np.abs(one.weights[2:]).max()
    none = Constraints(penalties=("lm=0",)).resolve(candidates.features, start)
    with pytest.raises(ConfigError, match="without penalty"):
        CuttingPlanes().minimize(objective, L2(1e-3), start, seed=1, limits=none)
    fixed = Constraints(fixed=("lm",), penalties=("lm=0",)).resolve(candidates.features, start)
    assert CuttingPlanes().minimize(objective, L2(1e-3), start, seed=1, limits=fixed).weights[0] == 0.7


def test_other_metrics():
    matrix, offsets, _ = random_lists(6, sentences=20)
    edits = np.random.default_rng(6).integers(0, 9, size=len(matrix))
    statistics = np.column_stack([edits, np.full(len(matrix), 10)])
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    objective = StructuredHinge().prepare(ListPool(candidates), Ter(), 1)
    assert np.allclose(objective.gains, -edits / 10)
    fitted = CuttingPlanes().minimize(objective, L2(1e-3), np.ones(4), seed=1)
    assert fitted.value < objective.value_and_oracles(np.zeros(4))[0]


def test_bad_arrays_are_refused():
    _, _, objective = prepared(1)
    lists, gains, ones = objective.candidates.native, objective.gains, np.ones(4)
    for bad in (np.ones(3), *(np.array([1.0, number, 1.0, 1.0]) for number in (0.0, -1.0, np.nan, np.inf))):
        with pytest.raises(ValueError, match="curvature"):
            _core.HingeDual(lists, gains, bad, *infinite(4))
    with pytest.raises(ValueError, match="lower bound"):
        _core.HingeDual(lists, gains, ones, ones, 0 * ones)
    with pytest.raises(ValueError, match="lower bound"):
        _core.HingeDual(lists, gains, ones, np.full(4, np.nan), ones)
    with pytest.raises(ValueError, match="one gain"):
        _core.HingeDual(lists, gains[1:], ones, *infinite(4))
    with pytest.raises(ValueError, match="finite"):
        _core.HingeDual(lists, np.full(len(gains), np.nan), ones, *infinite(4))
    dual = _core.HingeDual(lists, gains, ones, *infinite(4))
    for oracles in (np.zeros(3), np.zeros(12), np.full(12, 10**6), np.full(12, -1)):
        with pytest.raises(ValueError, match="oracle"):
            dual.select(oracles.astype(np.int64))
    with pytest.raises(ValueError, match="oracle"):  # none was ever chosen
        dual.solve(0.1, 10, 1)
    dual.select(objective.value_and_oracles(ones)[1])
    with pytest.raises(ValueError, match="tolerance"):
        dual.solve(np.nan, 10, 1)
    with pytest.raises(ValueError, match="3 weights for 4 features"):
        _core.latent_hinge(lists, gains, _core.Hope.gain, np.ones(3))
    with pytest.raises(ValueError, match="one gain"):
        _core.latent_hinge(lists, gains[1:], _core.Hope.gain, ones)


def test_a_signal_ends_the_work():
    """What an alarm raises comes out of the core in the middle of a problem that takes for ever."""
    matrix, _, objective = prepared(5, sentences=1000, longest=30, sparse=300)
    columns = matrix.shape[1]
    dual = objective.cutting_planes(np.full(columns, 1e-9), *infinite(columns))
    dual.select(objective.value_and_oracles(np.zeros(columns))[1])
    risk = ExpectedGain().prepare(ListPool(objective.candidates), Bleu(), 1)
    order = np.zeros(10**8, dtype=np.uint32)

    def alarm(number, frame):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, alarm)
    try:
        for work in (
            lambda: dual.solve(0.0, 2**31, 1),
            lambda: risk.descend(np.ones(columns), order, 1e-9, 0.0, 0),
        ):
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            with pytest.raises(TimeoutError):
                work()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: StructuredHinge(oracle="x"), "oracle"),
        (lambda: StructuredHinge(sentence_bleu="x"), "sentence_bleu"),
        (lambda: StructuredHinge(brevity=-1.0), "brevity"),
        (lambda: CuttingPlanes(selections=0), "selections"),
        (lambda: CuttingPlanes(tol=-1.0), "tol"),
        (lambda: CuttingPlanes(planes=0), "planes"),
    ],
)
def test_bad_settings_are_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


def test_a_regularizer_is_needed():
    _, _, objective = prepared(1)
    for regularizer in (None, L2(0.0)):
        with pytest.raises(ConfigError, match="above 0"):
            CuttingPlanes().minimize(objective, regularizer, np.ones(4), seed=1)
    assert not isinstance(L1(), Quadratic)
