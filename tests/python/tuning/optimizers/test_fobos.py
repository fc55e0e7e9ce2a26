"""The online learner as an optimizer."""

import signal
import threading

import numpy as np
import pytest
from reference.online_oscar import Twin
from support.lists.pair_streams import RULES, random_pairs, ranked_pairs
from support.lists.random_differences import penalised_part

from tunesmith import _core
from tunesmith.settings import with_values
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers import Fobos
from tunesmith.tuning.regularizers import L1, Oscar


def twin_of(differences, start, oscar, fobos, seed):
    """The literal trajectory of what `Fobos` was asked for."""
    l1, l2, d = oscar.strengths(differences.dimension)
    twin = Twin(
        differences,
        start[differences.penalised],
        start[differences.unpenalised],
        l1,
        l2,
        d,
        fobos.rate,
        len(differences) if fobos.delay == "pairs" else fobos.delay,
        fobos.dense == "learn",
    )
    for number in range(fobos.passes):
        for pair in _core.shuffled(len(differences), seed, number):
            twin.step(int(pair))
    return twin


@pytest.mark.parametrize(
    "fobos",
    [
        Fobos(passes=3),
        Fobos(passes=3, iterate="average"),
        Fobos(passes=3, iterate="last_pass"),
        Fobos(passes=1, iterate="last_pass", delay="pairs"),
        Fobos(passes=2, dense="fixed", rate=0.5, delay=7.0),
    ],
)
def test_weights_are_those_of_the_printed_algorithm(fobos):
    objective = ranked_pairs()
    start = np.random.default_rng(2).normal(size=objective.columns)
    oscar = Oscar(l1=1e-3, l2d=0.3)
    fitted = fobos.minimize(objective, oscar, start, seed=5, limits=RULES)
    differences = objective.pairs(np.arange(2, objective.columns))
    assert len(differences.penalised) == 40  # every rule occurs, so the twin has all of them
    twin = twin_of(differences, start, oscar, fobos, seed=5)
    steps = fobos.passes * len(differences)
    if fobos.iterate == "last":
        penalised, dense = twin.penalised, twin.dense
    else:
        penalised, dense = twin.average(0 if fobos.iterate == "average" else steps - len(differences))
    np.testing.assert_allclose(fitted.weights, np.append(dense, penalised), rtol=0, atol=1e-9)
    assert fitted.details["steps"] == steps
    assert fitted.details["violated"] == twin.violated / steps
    hinge = np.maximum(0, 1 - differences.margins(fitted.weights)).mean()
    assert fitted.value == pytest.approx(hinge + oscar.value(fitted.weights[2:]))


@pytest.mark.parametrize("iterate", ["last", "average", "last_pass"])
def test_groups_are_the_equal_weights(iterate):
    objective = ranked_pairs()
    fitted = Fobos(passes=4, iterate=iterate).minimize(
        objective, Oscar(l1=0.0, l2d=0.5), np.zeros(objective.columns), seed=1, limits=RULES
    )
    weights, groups = fitted.weights, fitted.groups
    assert groups.groups[:2].tolist() == [0, 1]  # dense features are on their own
    members = groups.groups[2:]
    np.testing.assert_array_equal(members < 0, weights[2:] == 0)
    np.testing.assert_allclose(groups.unpack(groups.weights(weights)), weights, rtol=1e-9)
    for one in range(2, len(weights)):
        for other in range(2, one):
            if groups.groups[one] >= 0 and groups.groups[other] >= 0:
                same = abs(weights[one] - weights[other]) <= 1e-12
                assert same == (groups.groups[one] == groups.groups[other])
    # numbered from the highest weight to the lowest, +v and -v apart
    values = groups.weights(weights)[2:]
    assert np.all(np.diff(values) < 0)
    assert groups.size == 2 + fitted.details["groups"]


def test_zero_weights_may_be_a_group():
    objective, oscar = ranked_pairs(), Oscar(l1=0.05, l2d=0.5)
    start = np.zeros(objective.columns)
    without = Fobos(passes=2).minimize(objective, oscar, start, seed=1, limits=RULES).groups
    together = Fobos(passes=2, zeros="group").minimize(objective, oscar, start, seed=1, limits=RULES).groups
    assert (without.groups < 0).any()
    assert together.size == without.size + 1
    np.testing.assert_array_equal(together.groups == without.size, without.groups < 0)


def test_start_from_the_dense_part_only():
    objective = ranked_pairs()
    start = np.random.default_rng(3).normal(size=objective.columns)
    dense = np.where(np.arange(len(start)) < 2, start, 0.0)
    one = Fobos(passes=1, start="dense").minimize(objective, Oscar(), start, seed=1, limits=RULES)
    other = Fobos(passes=1).minimize(objective, Oscar(), dense, seed=1, limits=RULES)
    np.testing.assert_array_equal(one.weights, other.weights)


def test_weights_that_no_pair_has_are_shrunk_and_take_ranks():
    data = random_pairs(np.random.default_rng(1), 6, 4, 1)
    wide = Differences(data.offsets, data.ids, data.values, data.dense, [1, 2, 4, 6], [0], 9, 8)
    start = np.array([0.1, 0.5, 0, 3.0, 0, -2.0, 0, 0, 0])
    found = Fobos(passes=2).learn(wide, Oscar(l1=1e-3, l2=0.01), start, seed=3)
    order = [1, 2, 4, 6, 3, 5]  # those that occur, then the others with a weight
    places = Differences(
        data.offsets, data.ids, data.values, data.dense, np.arange(1, 7), [0], 7, 6
    )  # the twin has all six
    twin = Twin(places, start[order], start[:1], 1e-3, 0.01, 8)
    for number in range(2):
        for pair in _core.shuffled(6, 3, number):
            twin.step(int(pair))
    np.testing.assert_allclose(found.weights[order], twin.penalised, atol=1e-12)
    assert found.groups[3] == 0
    assert 0 < found.weights[3] < 3.0


def test_l1_is_oscar_without_its_pairwise_term():
    objective = ranked_pairs()
    start = np.zeros(objective.columns)
    one = Fobos(passes=3).minimize(objective, L1(0.02), start, seed=1, limits=RULES)
    other = Fobos(passes=3).minimize(objective, Oscar(l1=0.02, l2=0.0), start, seed=1, limits=RULES)
    np.testing.assert_array_equal(one.weights, other.weights)


def test_without_regularizer_it_is_subgradient_descent():
    objective = ranked_pairs()
    found = Fobos(passes=2, shuffle=False).minimize(
        objective, None, np.zeros(objective.columns), seed=1, limits=RULES
    )
    data = objective.pairs(np.arange(2, objective.columns))
    x, w, t = np.hstack([data.dense, penalised_part(data).toarray()]), np.zeros(42), 0
    for _ in range(2):
        for row in x:
            t += 1
            w = w + (row / t if row @ w < 1 else 0)
    np.testing.assert_allclose(found.weights, w, atol=1e-12)


def test_more_passes_come_closer_to_the_optimum():
    """Eq. 2 falls: the method minimises what it says it does."""
    objective, oscar = ranked_pairs(), Oscar(l1=1e-3, l2d=0.02)
    start = np.zeros(objective.columns)
    values = [
        Fobos(passes=passes, iterate="last_pass").minimize(objective, oscar, start, seed=1, limits=RULES).value
        for passes in (1, 30, 1000)
    ]
    assert values[0] > values[1] > values[2]


def test_seed_and_order():
    objective, start = ranked_pairs(), np.zeros(42)
    first = Fobos(passes=2).minimize(objective, Oscar(), start, seed=1, limits=RULES, threads=1)
    again = Fobos(passes=2).minimize(objective, Oscar(), start, seed=1, limits=RULES, threads=3)
    other = Fobos(passes=2).minimize(objective, Oscar(), start, seed=2, limits=RULES)
    assert first.weights.tobytes() == again.weights.tobytes()
    assert not np.array_equal(first.weights, other.weights)
    assert not start.any()  # what was given is not changed


def test_progress_counts_passes():
    seen = []
    objective = ranked_pairs()
    Fobos(passes=4).minimize(
        objective, Oscar(), np.zeros(42), seed=1, limits=RULES, progress=lambda *told: seen.append(told)
    )
    assert seen == [(done, 4, "passes") for done in (1, 2, 3, 4)]


def test_settings_are_read_from_text():
    changed = with_values(Fobos(), {"delay": "pairs", "passes": "3", "iterate": "average"})
    assert changed == Fobos(delay="pairs", passes=3, iterate="average")
    assert with_values(Fobos(), {"delay": "5"}).delay == 5.0
    assert with_values(Oscar(), {"l2d": "0.015", "dimension": "500000"}).strengths(10) == (1e-4, 3e-8, 500_000)


def test_an_interrupt_ends_a_long_run():
    data = random_pairs(np.random.default_rng(1), 1000, 5000, 2)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    learner = _core.OnlineOscar(np.zeros(5000), np.zeros(2), 1e-6, 1e-7, 5000)
    order = np.tile(np.arange(1000, dtype=np.uint32), 20_000)  # a minute or so

    def work():
        timer.start()  # may be early where others keep the machine busy
        learner.run(data.native, order)

    try:
        with pytest.raises(KeyboardInterrupt):
            work()
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
