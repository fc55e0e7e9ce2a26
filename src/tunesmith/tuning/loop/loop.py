"""The only outer loop. It runs the steps of a plan, has the state saved behind each, and knows no algorithm.

    round 0      decode, measure                      the start weights
    round 1, …   merge, optimise, decode, measure     what was decoded last is merged first

So every row of the history tells of one weight vector, with the score of its own decoding.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.tuning.loop.history import History, Round
from tunesmith.tuning.loop.safeguards import hopeless, length_warning
from tunesmith.tuning.loop.state import Context, State
from tunesmith.tuning.loop.steps import Decode, Measure, Merge, Optimise, Step

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Plan:
    """The steps of round 0 and of every later round; a plan is over after `rounds`, or when a step says so."""

    opening: tuple[Step, ...]
    round: tuple[Step, ...]
    rounds: int

    def steps(self, number: int) -> tuple[Step, ...]:
        """Those of one round."""
        return self.round if number else self.opening


def batch_plan(optimise: Optimise, rounds: int, *, fixed: bool) -> Plan:
    """Batch tuning on k-best lists; one round says all where the lists do not depend on the weights."""
    look = (Decode(), Measure())
    return Plan(look, (Merge(), optimise, *look), 1 if fixed else rounds)


def train_plan(optimise: Optimise, rounds: int) -> Plan:
    """The same on training data: learnt there, measured on the development data."""
    look = (Decode(), Measure())
    learn = (Decode("train"), Merge("train"), replace(optimise, source="train"))
    return Plan(look, (*learn, *look), rounds)


class Observer:
    """Who watches a run; does nothing unless a method is overridden."""

    def resumed(self, history: History, number: int, step: str) -> None:
        """A run goes on with this step of this round."""

    def step(self, number: int, name: str) -> None:
        """A step begins."""

    def progress(self, done: int, total: int, unit: str) -> None:
        """So much of the step at work is done; sentences decoded, passes made."""

    def round(self, row: Round, history: History) -> None:
        """A round has ended."""

    def note(self, text: str) -> None:
        """Something a user should know."""


@dataclass(frozen=True)
class Position:
    """Where a run stands: `done` steps of the state's round are behind it. `finished` says why it is over."""

    state: State
    done: int
    history: History
    best: Floats | None = None
    finished: str | None = None


class Store(Protocol):
    """Where positions are kept."""

    def load(self) -> Position | None:
        """The last position saved, None for a new run."""

    def save(self, position: Position) -> Position:
        """Keep this position, whole or not at all; what is given back may hold lists that live on disk."""


class InMemory:
    """Keeps nothing: a run that lives and ends with its process."""

    def load(self) -> Position | None:
        """Always a new run."""
        return None

    def save(self, position: Position) -> Position:
        """As it is."""
        return position


def positions(plan: Plan, context: Context, start: Floats, store: Store, observer: Observer) -> Iterator[Position]:
    """Run the plan from where the store stands, or from `start`; yields the position behind every step."""
    position = store.load()
    if position is None:
        history = History(higher_is_better=context.metric.higher_is_better)
        position = Position(State(start), 0, history)
    elif position.finished is None:
        at, steps = position.state.round, plan.steps(position.state.round)
        if position.done >= len(steps):
            raise FormatError(
                f"the run stands behind step {position.done} of {len(steps)} in round {at}, which cannot be"
            )
        observer.resumed(position.history, at, steps[position.done].name)
    yield position
    if position.finished is None:
        context.prepare()
    while position.finished is None:
        position = store.save(_step(plan, context, position, observer))
        yield position


def _step(plan: Plan, context: Context, position: Position, observer: Observer) -> Position:
    """The position behind the next step; behind the last step of a round, the beginning of the next one."""
    steps, state = plan.steps(position.state.round), position.state
    step, done = steps[position.done], position.done + 1
    observer.step(state.round, step.name)
    began = time.perf_counter()
    state = step.run(state, context)
    for lists in state.lists.values():
        lists.release()
    seconds = state.numbers.get("seconds", 0.0) + time.perf_counter() - began
    state = replace(state, numbers={**state.numbers, "seconds": seconds})
    if state.stop is not None:  # nothing new came of this round, so it gets no row
        return replace(position, state=state, done=done, finished=state.stop)
    if done < len(steps):
        return replace(position, state=state, done=done)
    return _end_of_round(plan, position, state, observer)


def _end_of_round(plan: Plan, position: Position, state: State, observer: Observer) -> Position:
    history = History(position.history, higher_is_better=position.history.higher_is_better)
    row = _row(state)
    history.add(row)
    assert history.best is not None
    best = state.weights if history.best.round == row.round else position.best
    observer.round(row, history)
    if warning := length_warning(row.length_ratio):
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
