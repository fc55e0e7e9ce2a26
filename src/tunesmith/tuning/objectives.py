"""Protocols of objectives: the loss of one pool as a function of the weights, and further capabilities.

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
        """Return the value at `w`, to be minimised, and its gradient."""


@runtime_checkable
class ByScores(Objective, Protocol):
    """An objective of the scores of candidates: its gradient is a sum of their features, each times its slope."""

    @property
    def candidates(self) -> CandidateSet:
        """Scored candidates."""

    def value_and_slopes(self, scores: Floats) -> tuple[float, Floats]:
        """Return the loss summed over its terms (sentences, pairs), and its derivative by candidate scores."""


@runtime_checkable
class PartlyFlat(Smooth, Protocol):
    """A smooth objective that does not depend on some of the weights, which saves time if there are many."""

    def still_columns(self) -> NDArray[np.int64]:
        """Return weights that the value does not depend on."""


@runtime_checkable
class Curved(Smooth, Protocol):
    """A smooth objective whose curvature is known."""

    def mean_squares(self, *, threads: int = 1) -> Floats:
        """Return four times the largest curvature, by weight."""


@runtime_checkable
class Narrow(Curved, Protocol):
    """An objective over some of the weights of another one."""

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Numbers of these weights, ascending."""


@runtime_checkable
class Narrowing(PartlyFlat, Curved, Protocol):
    """A smooth objective that can be expressed by the weights that it depends on, for many evaluations."""

    def narrowed(self, *, threads: int = 1) -> Narrow | None:
        """Return the objective over these weights; None if there is nothing to gain."""


class Valued(Objective, Protocol):
    """An objective whose value costs less than its gradient."""

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """Return the value at `w`, to be minimised."""


@runtime_checkable
class OverSentences(Objective, Protocol):
    """An objective that knows its sentences."""

    @property
    def sentences(self) -> int:
        """Number of sentences."""


class Sequential(Valued, OverSentences, Protocol):
    """An objective that learners process sentence by sentence."""


@runtime_checkable
class Descending(Sequential, Protocol):
    """An objective of gradient steps on single sentences."""

    def descend(self, w: Floats, order: NDArray[np.uint32], rate: float, l2: float, steps: int) -> int:
        """Make steps on the objective and ½ · l2 · ‖w‖² in this order, which change `w`.

        Returns the number of steps so far.

        Rates are rate / (1 + rate · l2 · t), where t continues from `steps`.
        """


class Expectation(Smooth, Descending, Protocol):
    """The expected gain of a translation drawn from the model: -E[gain] - entropy · H(p), mean over sentences."""


class Updates(Protocol):
    """Hope and fear updates, sentence by sentence."""

    def background(self) -> Floats:
        """Return the statistics of the empty pseudo-corpus; none if gains do not depend on it."""

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

    def run_online(
        self,
        weights: Floats,
        drift: Floats,
        background: Floats,
        steps: int,
        order: NDArray[np.uint32],
        step_cap: float,
        lower: Floats,
        upper: Floats,
    ) -> tuple[int, int, float, NDArray[np.uint32]]:
        """Make a pass over few sentences, at a cost that does not depend on the number of weights.

        Returns what `run_pass` does, and the numbers of the weights that changed, each as often as it did.
        """


@runtime_checkable
class VisitingUpdates(Updates, Protocol):
    """Updates that remember their hopes and fears, for the pools of later rounds."""

    def visited_since(self, earlier: Floats) -> Floats:
        """Add hopes and fears of the last pass to earlier ones, as numbers for a checkpoint."""


@runtime_checkable
class Violated(Sequential, Protocol):
    """An objective of updates; its value selects the best pass."""

    @property
    def updates(self) -> Updates:
        """Object that makes passes."""


@runtime_checkable
class Enveloped(Valued, Protocol):
    """An objective that is piecewise constant along every line."""

    def envelope(self, w: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        """Return steps along `direction` where the value changes, ascending, and the values between them."""


@dataclass(frozen=True, eq=False)
class SearchLines:
    """Directions to search from many points.

    slopes: change of every translation's score along each direction, for lists.
    """

    directions: Floats
    slopes: Floats | None = None


@runtime_checkable
class LineSearched(Enveloped, Protocol):
    """An enveloped objective that searches many lines at once."""

    def lines(self, directions: Floats, *, threads: int = 1) -> SearchLines:
        """Prepare searches along these directions."""

    def deviations(self, lines: SearchLines) -> Floats:
        """Return how much each direction changes score differences of translations."""

    def search_lines(
        self, w: Floats, lines: SearchLines, low: Floats, high: Floats, min_width: float, *, threads: int = 1
    ) -> tuple[Floats, Floats]:
        """Return for each line the step of smallest value between low and high, and that value."""

    def most_used(self, columns: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        """Return at most `limit` of these columns, those that are non-zero in most translations."""


@runtime_checkable
class Visiting(Objective, Protocol):
    """An objective that remembers translations visited by an optimizer, for pools of later rounds."""

    def begin(self, w: Floats) -> None:
        """Prepare for an optimizer that starts at these weights, which decoded the newest translations."""

    def step_made(self, w: Floats, direction: Floats, low: float, high: float) -> None:
        """Remember the best translations between low and high on a line along which a step was made."""

    def visited(self) -> Floats:
        """Return everything remembered, as numbers for a checkpoint."""


@runtime_checkable
class BySentence(Objective, Protocol):
    """An objective that can be restricted to some of the sentences."""

    def __len__(self) -> int:
        """Return the number of terms; 0 if nothing can be learnt."""

    def of_sentences(self, chosen: NDArray[np.bool_]) -> Any:
        """Restrict the objective to these sentences."""


@runtime_checkable
class Latent(Objective, Protocol):
    """An objective that is convex once its oracles are fixed."""

    def value_and_oracles(self, w: Floats, *, threads: int = 1) -> tuple[float, NDArray[np.int64]]:
        """Return the value at `w`, and each sentence's oracle there (-1 for an empty list)."""

    def cutting_planes(self, curvature: Floats, lower: Floats, upper: Floats) -> _core.HingeDual:
        """Return the convex problem of fixed oracles with the penalty ½ · Σ curvature · w², within bounds."""
