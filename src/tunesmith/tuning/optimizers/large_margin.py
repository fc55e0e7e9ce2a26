"""MIRA with margins between several oracles and the k best (Watanabe et al. 2007)."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import above, finite, one_of
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.oracle_margins import Margins
from tunesmith.tuning.optimizers.averaged import AveragedLearner
from tunesmith.tuning.optimizers.base import Floats, OptimizerState, optimizers
from tunesmith.tuning.optimizers.online import Batch, Learnt, OnlineOptimizer
from tunesmith.tuning.optimizers.oracle_memory import Oracle, OracleMemory
from tunesmith.tuning.regularizers.base import Penalty

_TOLERANCE, _STEPS = 1e-9, 100_000


@optimizers.register("large_margin")
@dataclass(frozen=True)
class LargeMargin(OnlineOptimizer[Margins, Penalty]):
    """The smallest change of the weights that gives every margin, as far as C allows (Eq. 3 to 6).

    The quadratic program of Eq. 4 is solved until primal and dual value are the same.

    step_cap: C.
    bound: what C bounds: each of the multipliers (`box`), as Eq. 3 gives it with its slack for each margin, or
        the `sum` of all, as Eq. 4 prints it; then all of it goes to the pair that lacks most.
    update: `mira`; or one of the two rivals of section 4.1, for the best oracle and the highest score alone:
        `perceptron` always goes by 1 (Liang et al. 2006), `convex` by rate · loss · max(0, 1 - the difference of
        scores) (Tillmann and Zhang 2006).
    rate: η of `convex`.
    """

    objective: ClassVar[type] = Margins
    first_pass: ClassVar[bool] = True

    step_cap: float = 1e-4
    bound: Literal["box", "sum"] = "box"
    update: Literal["mira", "perceptron", "convex"] = "mira"
    rate: float = 0.01

    def __post_init__(self) -> None:
        above(0, step_cap=self.step_cap, rate=self.rate)
        finite(step_cap=self.step_cap, rate=self.rate)
        one_of(("box", "sum"), bound=self.bound)
        one_of(("mira", "perceptron", "convex"), update=self.update)

    @classmethod
    def plain(cls) -> LargeMargin:
        """Return the published algorithm, with a C that it does not print."""
        return cls(step_cap=0.01, bound="sum")

    def first(self, weights: Floats, chosen: Floats | None = None) -> OptimizerState:
        """Return the first state; the document of the first updates is what the start weights chose."""
        arrays = {"drift": np.zeros(len(weights))}
        if chosen is not None:
            arrays["chosen"] = chosen.reshape(-1)
        return OptimizerState(weights, arrays=arrays, by_feature=("drift",))

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse bounds too."""
        super().check(loss, penalty, limits)
        if limits is not None and limits.bounded:
            raise ConfigError("LargeMargin keeps no bounds and fixes no features; mixed-mira does")

    def open(self, penalty: Penalty | None, limits: Limits, state: OptimizerState) -> LargeMarginLearner:
        self.check(None, penalty, limits)
        return LargeMarginLearner(self, limits, state)


class _Margin(NamedTuple):
    """Vectors, oracles first, both kinds best first, and the pairs of them with a margin.   oracles: how many."""

    vectors: list[Oracle]
    scores: Floats
    better: NDArray[np.uint32]
    worse: NDArray[np.uint32]
    losses: Floats
    oracles: int


class LargeMarginLearner(AveragedLearner):
    """Weights, their average (after each sentence: line 9 of Algorithm 1), and the oracles."""

    def __init__(self, settings: LargeMargin, limits: Limits, state: OptimizerState) -> None:
        super().__init__(limits, state)
        self._settings, self._saved = settings, state
        self._memory: OracleMemory | None = None

    def learn(self, batch: Batch) -> Learnt:
        """Return an update for each sentence in turn; the average counts those without one too."""
        objective: Margins | None = batch.objective
        loss, updates, gap = 0.0, 0, 0.0
        for sentence in batch.sentences.tolist():
            self._steps += 1
            if objective is None or not len(objective.candidates.candidates_of(sentence)):
                continue
            margin = self._margins(objective, sentence)
            if not len(margin.losses):
                continue
            lacking = margin.losses - (margin.scores[margin.better] - margin.scores[margin.worse])
            loss += max(0.0, float(lacking.max()))
            coefficients, this = self._coefficients(margin, lacking)
            gap = max(gap, this)
            updates += self._move(margin.vectors, coefficients)
        details = {"gap": gap} if self._settings.update == "mira" else {}
        return Learnt(loss, updates, details)

    def _margins(self, objective: Margins, sentence: int) -> _Margin:
        """Keep the best of old and new translations, and ask each of them to be above the k best by its gain."""
        memory, settings = self._known(objective), objective.settings
        lists, rest = objective.candidates, memory.rest(sentence)
        rows = np.array(lists.candidates_of(sentence))
        scores = lists.scores(self._weights)[rows]
        gains = objective.gains(objective.statistics[rows], rest)
        oracles = self._oracles(objective, sentence, rows, gains, scores)
        memory.keep(sentence, oracles)
        feared = scores if settings.rival == "model" else scores - gains
        best = np.argsort(-feared, kind="stable")[: settings.rivals]
        rivals = _taken(objective, rows[best])
        gain = np.concatenate(
            [objective.gains(np.array([each.statistics for each in oracles]), rest), gains[best]]
        )
        better, worse = np.divmod(np.arange(len(oracles) * len(rivals)), len(rivals))
        worse = worse + len(oracles)
        vectors = [*oracles, *rivals]
        numbers: dict[bytes, int] = {}
        alike = np.array([numbers.setdefault(each.features, len(numbers)) for each in vectors])
        losses = gain[better] - gain[worse]
        kept = (losses > 0) & (alike[better] != alike[worse])
        scored = np.concatenate([[self._score(each) for each in oracles], scores[best]])
        pairs = better[kept].astype(np.uint32), worse[kept].astype(np.uint32)
        return _Margin(vectors, scored, *pairs, losses[kept], len(oracles))

    def _oracles(
        self, objective: Margins, sentence: int, rows: NDArray[np.int64], gains: Floats, scores: Floats
    ) -> list[Oracle]:
        """Return the m best; those kept before come first among equals, and each translation is there once."""
        memory, count = self._known(objective), objective.settings.oracles
        old = memory.of(sentence)
        known = {each.key for each in old}
        before = np.empty(0)
        if old:
            before = objective.gains(np.array([each.statistics for each in old]), memory.rest(sentence))
        if objective.settings.oracle == "model+gain":
            gains = gains + scores
            before = before + [self._score(each) for each in old]
        best = np.argsort(-gains, kind="stable")[: 2 * count + len(old)]  # enough, where some are known
        new = _taken(objective, rows[best])
        every = [*zip(before.tolist(), old, strict=True), *zip(gains[best].tolist(), new, strict=True)]
        found: list[tuple[float, Oracle]] = list(every[: len(old)])
        for gain, each in every[len(old) :]:
            if each.key not in known:
                known.add(each.key)
                found.append((gain, each))
        return [each for _, each in sorted(found, key=lambda pair: -pair[0])[:count]]

    def _coefficients(self, margin: _Margin, lacking: Floats) -> tuple[Floats, float]:
        """Return what each vector counts in the change of the weights (Eq. 5), and the gap of the program."""
        settings = self._settings
        if settings.update == "mira":
            offsets = np.cumsum([0, *(len(each.ids) for each in margin.vectors)])
            ids = np.concatenate([each.ids for each in margin.vectors])
            values = np.concatenate([each.values for each in margin.vectors])
            _, coefficients, gap, _ = _core.solve_margins(
                offsets, ids, values, margin.scores, margin.better, margin.worse, margin.losses,
                settings.step_cap, _core.MarginBound[settings.bound], _TOLERANCE, _STEPS,
            )  # fmt: skip
            return coefficients, gap
        coefficients = np.zeros(len(margin.vectors))
        at = np.flatnonzero((margin.better == 0) & (margin.worse == margin.oracles))
        if not len(at):
            return coefficients, 0.0
        first = int(at[0])
        by = 1.0
        if settings.update == "convex":
            difference = float(margin.losses[first] - lacking[first])
            by = settings.rate * float(margin.losses[first]) * max(0.0, 1.0 - difference)
        coefficients[margin.better[first]] += by
        coefficients[margin.worse[first]] -= by
        return coefficients, 0.0

    def _move(self, vectors: list[Oracle], coefficients: Floats) -> int:
        used = [(vector, by) for vector, by in zip(vectors, coefficients.tolist(), strict=True) if by]
        if not used:
            return 0
        ids, places = np.unique(np.concatenate([vector.ids for vector, _ in used]), return_inverse=True)
        change = np.bincount(places, np.concatenate([by * vector.values for vector, by in used]), len(ids))
        before = self._weights[ids]
        self._weights[ids] = before + change
        self._drift[ids] += (self._steps - 1) * (self._weights[ids] - before)
        self._touched.add(ids)
        return 1

    def _score(self, oracle: Oracle) -> float:
        return float((self._weights[oracle.ids] * oracle.values).sum())

    def _known(self, objective: Margins) -> OracleMemory:
        """Return the oracles, read when the width of statistics is known."""
        if self._memory is None:
            width, arrays, document = (
                objective.statistics.shape[1],
                self._saved.arrays,
                objective.settings.document,
            )
            if "oracle sizes" in arrays:
                self._memory = OracleMemory.from_arrays(arrays, width, document)
            else:
                chosen = arrays.get("chosen", np.zeros(objective.sentences * width))
                self._memory = OracleMemory(chosen.reshape(-1, width), document)
        return self._memory

    def state(self) -> OptimizerState:
        kept = {name: each for name, each in self._saved.arrays.items() if name.startswith(("oracle ", "chosen"))}
        arrays = kept if self._memory is None else self._memory.arrays()
        found = super().state()
        return replace(found, arrays={**arrays, **found.arrays})


def _taken(objective: Margins, rows: NDArray[np.int64]) -> list[Oracle]:
    """Return candidates with their features."""
    offsets, ids, values = objective.candidates.row_arrays(rows)
    places = itertools.pairwise(offsets.tolist())
    return [
        Oracle(ids[begin:end], values[begin:end], statistics)
        for (begin, end), statistics in zip(places, objective.statistics[rows], strict=True)
    ]
