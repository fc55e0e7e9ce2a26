"""What an objective is: the loss of one pool as a function of the weights, and what more it can do.

A loss names the class of its objectives, an optimizer the protocol that it minimises; `compat` compares the two
before any data is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.search.lists.candidates import CandidateSet

Floats = NDArray[np.float64]


class Objective(Protocol):
    """The loss of one round's pool as a function of the weights."""

    @property
    def columns(self) -> int:
        """Number of the weights."""


@runtime_checkable
class Smooth(Objective, Protocol):
    """An objective with a gradient."""

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """The value at `w`, to be made small, and its gradient."""


@runtime_checkable
class ByScores(Objective, Protocol):
    """An objective of the scores of candidates: its gradient is a sum of their features, each times its slope."""

    @property
    def candidates(self) -> CandidateSet:
        """The candidates that are scored."""

    def value_and_slopes(self, scores: Floats) -> tuple[float, Floats]:
        """The loss summed over its terms (sentences, pairs), and its derivative by the score of each candidate."""


@runtime_checkable
class PartlyFlat(Smooth, Protocol):
    """A smooth objective that does not depend on some of the weights, which saves time where there are many."""

    def still_columns(self) -> NDArray[np.int64]:
        """Weights that the value does not depend on."""


@runtime_checkable
class Curved(Smooth, Protocol):
    """A smooth objective whose curvature is known."""

    def mean_squares(self, *, threads: int = 1) -> Floats:
        """Four times the most that the value is curved, by weight."""


class Valued(Objective, Protocol):
    """An objective whose value costs less than its gradient."""

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """The value at `w`, to be made small."""


class Sequential(Valued, Protocol):
    """An objective that learners go through sentence by sentence."""

    @property
    def sentences(self) -> int:
        """The number of sentences an order is made of."""


@runtime_checkable
class Descending(Sequential, Protocol):
    """An objective of gradient steps on single sentences."""

    def descend(self, w: Floats, order: NDArray[np.uint32], rate: float, l2: float, steps: int) -> int:
        """Steps on the objective and ½ · l2 · ‖w‖² in this order, which change `w`; returns the steps made so far.

        Rates are rate / (1 + rate · l2 · t), where t continues from `steps`.
        """


class Expectation(Smooth, Descending, Protocol):
    """The expected gain of a translation drawn from the model: -E[gain] - entropy · H(p), mean over sentences."""


class Updates(Protocol):
    """Hope and fear updates, sentence by sentence."""

    def background(self) -> Floats:
        """Return the statistics of the empty pseudo-corpus; none where gains do not depend on one."""

    def run_pass(
        self,
        weights: Floats,
        drift: Floats,
        background: Floats,
        steps: int,
        order: NDArray[np.uint32],
        step_cap: float,
        lower: Floats,
        upper: Floats,
    ) -> tuple[int, int, float]:
        """Make passive-aggressive updates for the sentences of `order`, which change the first three arrays.

        drift: weights - drift / steps is the average of the weights before each step.
        lower, upper: bounds of the weights, or empty.
        Returns the steps made so far, the number of updates, and the sum of the losses met.
        """


@runtime_checkable
class VisitingUpdates(Updates, Protocol):
    """Updates that remember their hopes and fears, for the pools of later rounds."""

    def visited_since(self, earlier: Floats) -> Floats:
        """Add those of the last pass to earlier ones, as numbers that a checkpoint can keep."""


@runtime_checkable
class Violated(Sequential, Protocol):
    """An objective of updates; its value chooses the best pass."""

    @property
    def updates(self) -> Updates:
        """Make the passes."""


@runtime_checkable
class Enveloped(Valued, Protocol):
    """An objective that is piecewise constant along every line."""

    def envelope(self, w: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        """Steps along `direction` at which the value changes, ascending; the values between them (one more)."""


@dataclass(frozen=True, eq=False)
class SearchLines:
    """Directions that are searched from many points.

    slopes: the change of every translation's score along each direction, where translations can be listed.
    """

    directions: Floats
    slopes: Floats | None = None


@runtime_checkable
class LineSearched(Enveloped, Protocol):
    """An enveloped objective that searches many lines at once."""

    def lines(self, directions: Floats, *, threads: int = 1) -> SearchLines:
        """Compute once what searches along these directions need."""

    def deviations(self, lines: SearchLines) -> Floats:
        """How differently each direction changes the scores of translations."""

    def search_lines(
        self, w: Floats, lines: SearchLines, low: Floats, high: Floats, min_width: float, *, threads: int = 1
    ) -> tuple[Floats, Floats]:
        """For each line the step of smallest value between low and high, and that value."""

    def most_used(self, columns: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        """At most `limit` of these columns, those that are not 0 in most translations."""


@runtime_checkable
class Visiting(Objective, Protocol):
    """An objective that remembers translations which an optimizer met, for the pools of later rounds."""

    def begin(self, w: Floats) -> None:
        """Prepare for an optimizer that starts at these weights, with which the newest translations were found."""

    def step_made(self, w: Floats, direction: Floats, low: float, high: float) -> None:
        """Remember what is best somewhere between low and high, on a line along which a step was made."""

    def visited(self) -> Floats:
        """All that is remembered, as numbers that a checkpoint can keep."""


@runtime_checkable
class BySentence(Objective, Protocol):
    """An objective that can be restricted to some of the sentences."""

    def __len__(self) -> int:
        """How many terms it has; none where nothing can be learnt."""

    def of_sentences(self, chosen: NDArray[np.bool_]) -> Any:
        """The same objective on these sentences alone."""


@runtime_checkable
class Latent(Objective, Protocol):
    """An objective that is convex once its oracles are fixed."""

    def value_and_oracles(self, w: Floats, *, threads: int = 1) -> tuple[float, NDArray[np.int64]]:
        """The value at `w`, and the candidate that is each sentence's oracle there (-1 for an empty list)."""

    def cutting_planes(self, curvature: Floats, lower: Floats, upper: Floats) -> _core.HingeDual:
        """The convex problem of fixed oracles with the penalty ½ · Σ curvature · w², between bounds."""
