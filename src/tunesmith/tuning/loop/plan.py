"""Plans: what a run does, round by round. The recipe gives the plan, the loop runs it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.optimizers.base import Optimizer
from tunesmith.tuning.regularizers.base import Penalty
from tunesmith.tuning.sources.base import CandidateSource

Sources = Mapping[str, CandidateSource]


class Step(Protocol):
    """One named part of a round. It holds nothing: run again from the same state, it gives the same bytes."""

    @property
    def name(self) -> str:
        """What progress, log and checkpoint call it."""

    def run(self, state: State, context: Context) -> State:
        """The state after this step. A long step may save states on its way (`Context.keep_now_and_then`)."""


@dataclass(frozen=True)
class Plan:
    """The steps of round 0 and of every later round; a plan is over after `rounds`, or when a step says so."""

    opening: tuple[Step, ...]
    round: tuple[Step, ...]
    rounds: int

    def steps(self, number: int) -> tuple[Step, ...]:
        """Steps of round `number`."""
        return self.round if number else self.opening


@dataclass(frozen=True)
class Parts:
    """What weights are learnt with: a loss, an optimizer, a regularizer, and what weights may not do.

    penalised: patterns of the features that have a penalty; all without them.
    """

    loss: Loss[Any, Any]
    optimizer: Optimizer[Any, Any]
    regularizer: Penalty | None = None
    constraints: Constraints | None = None
    penalised: tuple[str, ...] = ()


class Planner(ABC):
    """Settings of the rounds of a run, a frozen dataclass: the part of a recipe that gives the plan.

    rounds: the most rounds of decoding and optimising.
    """

    rounds: int

    @abstractmethod
    def with_rounds(self, rounds: int) -> Planner:
        """The planner with at most so many rounds."""

    @abstractmethod
    def check(self, parts: Parts, sources: Sources) -> None:
        """Raise ConfigError, before anything is decoded, where these parts or sources do not fit."""

    @abstractmethod
    def plan(self, parts: Parts, sources: Sources) -> Plan:
        """The plan of a run on these sources."""

    @abstractmethod
    def settings(self, sources: Sources) -> dict[str, Any]:
        """The settings, as they are used with these sources."""


def check_rounds(rounds: int, interpolation: float) -> None:
    """Raise ConfigError for settings that no planner can work with."""
    if rounds < 1:
        raise ConfigError(f"rounds must be at least 1, got {rounds}")
    if not 0.0 < interpolation <= 1.0:
        raise ConfigError(f"interpolation must be a share above 0 and up to 1, got {interpolation}")
