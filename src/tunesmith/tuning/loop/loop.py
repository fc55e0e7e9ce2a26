"""The only outer loop. It runs the steps of a plan, has the state saved after each, and knows no algorithm."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tunesmith import _core
from tunesmith.errors import FormatError
from tunesmith.io.mapped import Watch
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.history import History, Round
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.loop.plan import Plan
from tunesmith.tuning.loop.safeguards import hopeless, length_drift, length_warning
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.pools.base import Floats


@dataclass(frozen=True)
class Position:
    """Where a run stands: after `done` steps of the state's round, or in the middle of the next one (`within`).

    finished: why it is over.
    """

    state: State
    done: int
    history: History
    best: Floats | None = None
    finished: str | None = None
    within: bool = False


class Store(Protocol):
    """Where positions are kept."""

    def load(self) -> Position | None:
        """Return the last position saved, None for a new run."""

    def save(self, position: Position) -> Position:
        """Keep this position, whole or not at all; what is given back may hold lists that live on disk."""


Save = Callable[[Position], Position]


def positions(
    plan: Plan, context: Context, start: Floats, store: Store | None, observer: Observer
) -> Iterator[Position]:
    """Run the plan from the position in the store, or from `start`; yields the position after every step."""
    watch = Watch()
    with watch.on():
        position = None if store is None else store.load()
    save: Save = (lambda position: position) if store is None else store.save
    if position is None:
        history = History(higher_is_better=context.metric.higher_is_better)
        position = Position(State(start), 0, history)
    elif position.finished is None:
        at, steps = position.state.round, plan.steps(position.state.round)
        if position.done >= len(steps):
            raise FormatError(
                f"{position.done} steps of round {at} are done, which has {len(steps)} and would have ended"
            )
        observer.resumed(position.history, at, steps[position.done].name)
    yield position
    if position.finished is None:
        context.prepare()
    while position.finished is None:
        with watch.on():
            position = save(_step(plan, context, save, position, observer))
        yield position


def _step(plan: Plan, context: Context, save: Save, position: Position, observer: Observer) -> Position:
    """Return the position after the next step; after the last step of a round, the beginning of the next one."""
    steps, state = plan.steps(position.state.round), position.state
    step, done = steps[position.done], position.done + 1
    observer.step(state.round, step.name)
    began, spent = time.perf_counter(), state.numbers.get("seconds", 0.0)

    def timed(state: State) -> State:
        return replace(state, numbers={**state.numbers, "seconds": spent + time.perf_counter() - began})

    context.begin_step(lambda state: save(replace(position, state=timed(state), within=True)).state)
    state = step.run(state, context)
    for pool in state.pools.values():
        pool.release()
    _core.give_back_memory()
    state = timed(state)
    if state.stop is not None:  # nothing new came of this round, so it gets no row
        return replace(position, state=state, done=done, finished=state.stop)
    if done < len(steps):
        return replace(position, state=state, done=done)
    return _end_of_round(plan, position, state, observer)


def _end_of_round(plan: Plan, position: Position, state: State, observer: Observer) -> Position:
    row, before = _row(state), position.history
    history = History([*before, row], higher_is_better=before.higher_is_better)
    assert history.best is not None
    best = state.weights if history.best.round == row.round else position.best
    observer.round(row, history)
    if warning := length_warning(row.length_ratio):
        observer.note(f"round {row.round}: {warning}")
    if warning := length_drift(history):
        observer.note(f"round {row.round}: {warning}")
    finished = hopeless(history)
    if finished is None and row.round >= plan.rounds:
        finished = f"all {plan.rounds} rounds" if plan.rounds > 1 else "one round"
    following = replace(state, round=state.round + 1, numbers={}, details={})
    return Position(following, 0, history, best, finished)


_OF_TRAIN = ("train candidates", "train new")


def _row(state: State) -> Round:
    numbers: Mapping[str, float] = state.numbers
    return Round(
        round=state.round,
        score=numbers["score"],
        list_score=numbers.get("list_score"),
        candidates=int(numbers.get("candidates", numbers.get("train candidates", 0))),
        new=int(numbers.get("new", numbers.get("train new", 0))),
        length_ratio=numbers.get("length_ratio"),
        norm=float(np.linalg.norm(state.weights)),
        active=int(np.count_nonzero(state.weights)),
        seconds=round(numbers["seconds"], 3),
        details={**{key: numbers[key] for key in _OF_TRAIN if key in numbers}, **state.details},
    )
