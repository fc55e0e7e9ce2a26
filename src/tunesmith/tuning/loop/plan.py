"""Plans of runs, round by round. The recipe gives the plan, the loop runs it."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.settings import settings_of
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.sources.base import CandidateSource

Sources = Mapping[str, CandidateSource]


class Step(Protocol):
    """A named part of a round. It has no state: run again from an equal state, it gives equal bytes."""

    @property
    def name(self) -> str:
        """Name in progress, log and checkpoint."""

    def run(self, state: State, context: Context) -> State:
        """Return the state after this step. A long step may save states on its way (`Context.updated`)."""


@dataclass(frozen=True)
class Plan:
    """The steps of round 0 and of every later round; a plan is over after `rounds`, or when a step says so."""

    opening: tuple[Step, ...]
    round: tuple[Step, ...]
    rounds: int

    def steps(self, number: int) -> tuple[Step, ...]:
        return self.round if number else self.opening


class Planner(ABC):
    """Settings of the rounds of a run, a frozen dataclass: the part of a recipe that gives the plan.

    rounds: most rounds of decoding and optimising.
    needs_training_data: whether training data is required. cross_fit: training data is decoded in held-out folds.
    """

    rounds: int
    interpolation: float
    needs_training_data: ClassVar[bool] = False
    cross_fit: bool = False

    def with_rounds(self, rounds: int) -> Planner:
        changing: Any = self
        planner: Planner = dataclasses.replace(changing, rounds=rounds)
        return planner

    def begun(self, *, start: bool) -> Planner:
        """Return the planner of a run that is given start weights, or begins with those of the source."""
        return self

    def parts(self) -> Mapping[str, tuple[str, ...]]:
        """Return the planner's parts that have settings: paths of fields, by the names that users give them."""
        return {}

    @abstractmethod
    def check(self, parts: Parts, sources: Sources) -> None:
        """Raise ConfigError, before any decoding, if these parts or sources do not fit."""

    @abstractmethod
    def plan(self, parts: Parts, sources: Sources) -> Plan:
        """Return the plan of a run on these sources."""

    @abstractmethod
    def settings(self, sources: Sources) -> dict[str, Any]:
        """Return the settings for these sources."""

    def signature_fields(self, sources: Sources) -> dict[str, Any]:
        """Return fields of the signature about the plan, in addition to rounds and interpolation."""
        common = ("name", "rounds", "interpolation")
        own = {key: value for key, value in (settings_of(self) or {}).items() if key not in common}
        return {"plan": {"method": type(self).__name__, **{k: v for k, v in own.items() if v is not None}}}


def check_rounds(rounds: int, interpolation: float) -> None:
    """Raise ConfigError for settings that no planner can work with."""
    at_least(1, rounds=rounds)
    if not 0.0 < interpolation <= 1.0:
        raise ConfigError(f"interpolation must be a share above 0 and up to 1, got {interpolation}")
