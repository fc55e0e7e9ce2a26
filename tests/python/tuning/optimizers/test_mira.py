"""MIRA: the native passes against Algorithm 1 line by line, one update against its closed form."""

import numpy as np
import pytest
from reference import tuning as slow
from support.lists.tuning_lists import random_lists, random_set

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu, Ter
from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import Constraints, Limits
from tunesmith.tuning.losses import HopeFear
from tunesmith.tuning.optimizers import OptimizerState, PassiveAggressive, Problem
from tunesmith.tuning.pools.lists import ListPool

NONE = np.empty(0)


class ByHand:
    """Passes over an objective without an optimizer."""

    def __init__(self, objective, start):
        self.updates, self.steps = objective.updates, 0
        self.weights, self.drift, self.background = start.copy(), np.zeros(len(start)), self.updates.background()

    def run(self, order, cap):
        self.steps, updates, loss = self.updates.run_pass(
            self.weights, self.drift, self.background, self.steps, order, cap, NONE, NONE
        )
        return updates, loss

    @property
    def average(self):
        return self.weights - self.drift / self.steps


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("hope", ["model+gain", "gain"])
@pytest.mark.parametrize("fear", ["model-gain", "model"])
def test_passes_are_those_of_algorithm_1(seed, hope, fear):
    matrix, offsets, statistics = random_lists(seed, sparse=6)
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    objective = HopeFear(hope=hope, fear=fear).prepare(ListPool(candidates), Bleu(), 1)
    start = np.random.default_rng(seed).normal(size=candidates.columns)
    orders = [_core.shuffled(candidates.sentences, 5, number) for number in range(3)]
    state = ByHand(objective, start)
    expected = slow.batch_mira(
        matrix, offsets, statistics, start, [order.tolist() for order in orders], hope=hope, fear=fear
    )
    for order, (weights, average) in zip(orders, expected, strict=True):
        state.run(order, 0.01)
        assert np.allclose(state.weights, weights, rtol=0, atol=1e-12)
        assert np.allclose(state.average, average, rtol=0, atol=1e-12)


@pytest.mark.parametrize("cap", [1e9, 1e-4])
def test_one_update_is_the_closed_form(cap):
    """Eq. 3: the shortest step that makes the hinge loss 0, or a step of length C."""
    candidates = random_set(4, longest=20)
    objective = HopeFear().prepare(ListPool(candidates), Bleu(), 1)
    start = np.array([0.3, -0.2, 0.1, 0.5])
    state = ByHand(objective, start)
    updates, loss = state.run(np.array([0], dtype=np.uint32), cap)
    assert updates == 1
    moved = state.weights - start
    begin, end = candidates.offsets[:2]
    rows = candidates.rows(np.arange(begin, end)).toarray()
    gains = [slow.pseudo_corpus_bleu(np.ones(10), row) for row in candidates.statistics[begin:end]]
    hope, fear = np.argmax(rows @ start + gains), np.argmax(rows @ start - gains)
    difference = rows[hope] - rows[fear]
    assert loss == pytest.approx(gains[hope] - gains[fear] - difference @ start)
    if cap > 1:
        assert gains[hope] - gains[fear] - difference @ state.weights == pytest.approx(0, abs=1e-9)
        assert np.allclose(moved, loss / (difference @ difference) * difference)
    else:
        assert np.allclose(moved, cap * difference)


def test_the_best_pass_is_returned_and_its_value_is_true():
    candidates = random_set(3, sentences=40)
    objective = HopeFear().prepare(ListPool(candidates), Bleu(), 1)
    start = np.zeros(4)
    values = []
    state = ByHand(objective, start)
    for number in range(6):
        state.run(_core.shuffled(candidates.sentences, 4, number), 0.01)
        values.append(objective.value(state.average))
    fitted = PassiveAggressive(passes=6).minimize(objective, None, start, seed=4)
    assert fitted.value == min(values)
    assert fitted.value == objective.value(fitted.weights)
    assert fitted.details["pass"] == 1 + int(np.argmin(values))


def test_a_second_call_begins_afresh():
    candidates = random_set(3, sentences=40)
    objective = HopeFear().prepare(ListPool(candidates), Bleu(), 1)
    one, two = (PassiveAggressive(passes=3).minimize(objective, None, np.ones(4), seed=4) for _ in range(2))
    assert np.array_equal(one.weights, two.weights)


@pytest.mark.parametrize("metric", [Bleu(), Ter()], ids=["pseudo-corpus", "fixed gains"])
@pytest.mark.parametrize("stop", range(5))
def test_a_run_saved_after_any_pass_ends_with_the_same_bytes(metric, stop, tmp_path):
    """The state's arrays and numbers are all that is kept; the objective is prepared again."""
    matrix, offsets, statistics = random_lists(3, sentences=40)
    if not isinstance(metric, Bleu):
        edits = np.random.default_rng(6).integers(0, 9, size=len(matrix))
        statistics = np.column_stack([edits, np.full(len(matrix), 10)])
    names = ["lm", "tm", "id:1", "id:2"]
    start = np.array([0.7, 0.0, 0.0, 0.1])

    def problem():
        candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics, names=names)
        limits = Constraints(bounds=("id:*>=0",)).resolve(candidates.features, start)
        return Problem(HopeFear().prepare(ListPool(candidates), metric, 1), None, limits, seed=4)

    optimizer = PassiveAggressive(passes=5)
    state = optimizer.begin(problem(), start)
    assert sorted(state.arrays) == ["background", "current", "drift"]
    assert (len(state.arrays["background"]) > 0) == isinstance(metric, Bleu)
    for _ in range(stop):
        state = optimizer.step(problem(), state)
    assert state.numbers == {"pass": stop, "steps": 40 * stop}
    np.savez(tmp_path / "state.npz", weights=state.weights, **state.arrays)
    with np.load(tmp_path / "state.npz") as saved:
        arrays = {name: saved[name] for name in state.arrays}
        state = OptimizerState(
            saved["weights"], state.value, details=state.details, arrays=arrays, numbers=state.numbers
        )
    whole = problem()
    while not state.finished:
        state = optimizer.step(whole, state)
    expected = optimizer.minimize(whole.objective, None, start, seed=4, limits=whole.limits)
    assert state.numbers == expected.numbers
    assert state.numbers["pass"] == 5
    assert state.weights.tobytes() == expected.weights.tobytes()
    assert (state.value, state.details) == (expected.value, expected.details)
    for name, values in expected.arrays.items():
        assert state.arrays[name].tobytes() == values.tobytes()


def test_a_step_leaves_the_state_it_starts_from_as_it_is():
    problem = Problem(HopeFear().prepare(ListPool(random_set(3)), Bleu(), 1), None, Limits.none(4))
    state = PassiveAggressive(passes=2).begin(problem, np.zeros(4))
    before = {name: values.copy() for name, values in state.arrays.items()}
    after = PassiveAggressive(passes=2).step(problem, state)
    for name, values in before.items():
        assert np.array_equal(state.arrays[name], values)
        assert not np.array_equal(after.arrays[name], values)


def test_fixed_and_bounded_weights():
    matrix, offsets, statistics = random_lists(2, sentences=30)
    names = ["lm", "tm", "id:1", "id:2"]
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics, names=names)
    objective = HopeFear().prepare(ListPool(candidates), Bleu(), 1)
    constraints = Constraints(fixed=("lm",), bounds=("id:*>=0", "id:*<=0.05"))
    start = np.array([0.7, 0.0, 0.0, 0.0])
    limits = constraints.resolve(candidates.features, start)
    fitted = PassiveAggressive(passes=4).minimize(objective, None, start, seed=1, limits=limits)
    assert fitted.weights[0] == 0.7
    assert fitted.weights[1] != 0
    assert np.all((fitted.weights[2:] >= 0) & (fitted.weights[2:] <= 0.05))
    # A fixed weight takes no part: the same as if its feature were part of the scores from outside.
    free = PassiveAggressive(passes=4).minimize(objective, None, start, seed=1)
    assert free.weights[0] != 0.7
    heavy = Constraints(penalties=("lm=2",)).resolve(candidates.features, start)
    with pytest.raises(ConfigError, match="takes no regularizer"):
        PassiveAggressive().minimize(objective, None, start, seed=1, limits=heavy)
    with pytest.raises(ConfigError, match="takes no regularizer"):
        PassiveAggressive().check(HopeFear(), None, heavy)


def test_other_metrics_have_fixed_gains():
    matrix, offsets, _ = random_lists(6, sentences=20)
    random = np.random.default_rng(6)
    edits = random.integers(0, 9, size=len(matrix))
    metric = Ter()
    statistics = np.column_stack([edits, np.full(len(matrix), 10)])
    candidates = CandidateSet.from_matrix(matrix, offsets, statistics=statistics)
    objective = HopeFear().prepare(ListPool(candidates), metric, 1)
    start = np.ones(4)
    fitted = PassiveAggressive(passes=10).minimize(objective, None, start, seed=1)
    assert fitted.value <= objective.value(start)


def test_bad_arrays_are_refused():
    candidates = random_set(1)
    objective = HopeFear().prepare(ListPool(candidates), Bleu(), 1)
    run = objective.updates.run_pass
    order = np.array([0], dtype=np.uint32)
    with pytest.raises(ValueError, match="as many weights"):
        run(np.zeros(3), np.zeros(4), np.ones(10), 0, order, 0.01, NONE, NONE)
    with pytest.raises(ValueError, match="no sentence 99"):
        run(np.zeros(4), np.zeros(4), np.ones(10), 0, np.array([99], dtype=np.uint32), 0.01, NONE, NONE)
    with pytest.raises(ValueError, match="finite"):
        run(np.full(4, np.nan), np.zeros(4), np.ones(10), 0, order, 0.01, NONE, NONE)
    with pytest.raises(ValueError, match="bound"):
        run(np.zeros(4), np.zeros(4), np.ones(10), 0, order, 0.01, np.ones(4), np.zeros(4))
    with pytest.raises(ValueError, match="must have 10 counts"):
        run(np.zeros(4), np.zeros(4), np.ones(9), 0, order, 0.01, NONE, NONE)
    with pytest.raises(ValueError, match="counts of the pseudo-corpus"):
        run(np.zeros(4), np.zeros(4), np.full(10, np.inf), 0, order, 0.01, NONE, NONE)
    with pytest.raises(ValueError, match="one gain"):
        _core.HopeFear(candidates.native, _core.Hope.gain, _core.Fear.model, np.zeros(3))
    with pytest.raises(ConfigError, match="shape"):
        PassiveAggressive().minimize(objective, None, np.zeros(3), seed=1)
    with pytest.raises(ConfigError, match="finite"):
        PassiveAggressive().minimize(objective, None, np.array([0, np.nan, 0, 0]), seed=1)


@pytest.mark.parametrize(
    "bad", [{"hope": "x"}, {"fear": "x"}, {"decay": 2.0}, {"start": -1.0}, {"scale": "x"}, {"gain_scale": 0.0}]
)
def test_bad_settings_are_refused(bad):
    with pytest.raises(ConfigError, match=next(iter(bad))):
        HopeFear(**bad)


def test_a_pass_over_few_sentences_names_the_weights_that_change():
    """The updates are those of a pass."""
    candidates = random_set(2)
    updates = HopeFear().prepare(ListPool(candidates), Bleu(), 1).updates
    start = np.random.default_rng(1).normal(size=candidates.columns)
    one, other = ([start.copy(), np.zeros(len(start)), updates.background()] for _ in range(2))
    order = np.arange(candidates.sentences, dtype=np.uint32)
    passed = updates.run_pass(*one, 0, order, 0.01, NONE, NONE)
    *online, touched = updates.run_online(*other, 0, order, 0.01, NONE, NONE)
    assert tuple(online) == passed
    assert all(a.tobytes() == b.tobytes() for a, b in zip(one, other, strict=True))
    assert np.unique(touched).tolist() == np.flatnonzero(one[0] != start).tolist()
