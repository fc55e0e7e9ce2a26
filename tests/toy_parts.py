"""Parts of a tuner for tests of the loop: what they do is simple, seeded, and easy to see through."""

from dataclasses import dataclass
from types import SimpleNamespace
from typing import ClassVar

import numpy as np


@dataclass(frozen=True)
class MeanDifference:
    """The direction from the mean candidate of each sentence to its best one."""

    offers: ClassVar = frozenset({"direction"})

    def prepare(self, candidates, metric, seed):
        rows = candidates.rows().toarray()
        gains = metric.sentence_scores(candidates.statistics.astype(float))
        direction = np.zeros(candidates.columns)
        for begin, end in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True):
            if end > begin:
                best = begin + int(np.argmax(gains[begin:end]))
                direction += rows[best] - rows[begin:end].mean(axis=0)
        return SimpleNamespace(direction=direction)


@dataclass(frozen=True)
class SeededStep:
    """A step of seeded length along the objective's direction."""

    needs: ClassVar = frozenset({"direction"})
    regularizer_needs: ClassVar = None
    length: float = 1.0

    def minimize(self, objective, regularizer, start, *, seed, constraints, threads):
        factor = self.length * (0.5 + np.random.default_rng(seed).random())
        weights = start + factor * objective.direction / (1.0 + np.abs(objective.direction).sum())
        return SimpleNamespace(weights=weights, value=0.0, details={"factor": factor})


@dataclass(frozen=True)
class Always:
    """Gives these weights whatever the objective."""

    needs: ClassVar = frozenset()
    regularizer_needs: ClassVar = None
    weights: tuple[float, ...]

    def minimize(self, objective, regularizer, start, *, seed, constraints, threads):
        return SimpleNamespace(weights=np.array(self.weights), value=0.0, details={})
