"""A decoder with dense and sparse features for tests of grouping, and a learner whose weights tie."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from support.lists.toy_parts import Direction
from support.models.toy_decoder import WORDS, ToyDecoder, toy_data
from tunesmith.tuning import GroupedRounds, Grouping, KBestSource, Learner, Tuner
from tunesmith.tuning.optimizers.base import BatchOptimizer, OptimizerState


class SparseDecoder(ToyDecoder):
    """The toy decoder with one more feature for every word, the number of times it is said."""

    lines_at_once = 3

    def __init__(self, **settings):
        super().__init__(**settings)
        self.features = [*self.features, *(f"word:{word}" for word in WORDS)]
        self.weights = np.zeros(len(self.features))

    def translations(self, line):
        dense, self.features = self.features, self.features[:3]
        texts, rows = super().translations(line)
        self.features = dense
        counts = [[text.split().count(word) for word in WORDS] for text in texts]
        return texts, np.hstack([rows, counts])


@dataclass(frozen=True)
class RoundedStep(BatchOptimizer):
    """A step of seeded length along the objective's direction, rounded, so that weights tie and some are 0."""

    objective: ClassVar = Direction
    length: float = 1.0

    def solve(self, problem, start):
        direction = problem.objective.direction
        direction = direction / np.abs(direction[3:]).max()
        factor = self.length * (0.5 + np.random.default_rng(problem.seed).random())
        weights = np.round(4 * (start + factor * direction)) / 4
        weights[:3] = start[:3] + factor * direction[:3]
        return OptimizerState(weights, 0.0, details={"violated": 0.5})


TRAIN = toy_data(sentences=7, seed=5)
DEV = toy_data(sentences=4)


def sources(k=5, on_decode=lambda: None, **settings):
    """Development and training data of one decoder."""
    decoder = SparseDecoder(on_decode=on_decode, **settings)
    return tuple(KBestSource(decoder, *data, k=k) for data in (DEV, TRAIN))


def grouped_tuner(loss, inner, *, rounds=2, seed=1, inner_rounds=2, **settings):
    """Groups of word features by the rounded step, tuned with the inner optimizer."""
    of_plan = {name: settings.pop(name) for name in ("sample", "tune_from") if name in settings}
    grouping = Grouping(Learner(loss, RoundedStep()), **{"features": ("word:*",), **settings})
    plan = GroupedRounds(grouping, rounds=rounds, inner_rounds=inner_rounds, **of_plan)
    return Tuner(loss, inner, plan=plan, seed=seed, name="grouped")


__all__ = ["DEV", "TRAIN", "RoundedStep", "SparseDecoder", "grouped_tuner", "sources"]
