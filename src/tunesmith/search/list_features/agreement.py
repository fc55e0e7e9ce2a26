"""How well a candidate agrees with the others of its list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tunesmith.metrics import metrics
from tunesmith.search.list_features.base import Floats, ListFeature, list_features
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.search.lists.candidates import CandidateSet


@list_features.register("agreement")
@dataclass(frozen=True)
class Agreement(ListFeature):
    """The expected gain of `search.bayes_risk`, by this metric; scale 0 counts all candidates alike.

    The scores of the list are taken where it has some.
    """

    metric: str = "bleu"
    scale: float = 0.0

    def columns(self, candidates: CandidateSet, *, threads: int = 1) -> Mapping[str, Floats]:
        scores = candidates.model_scores
        risk = BayesRisk(metrics.make(self.metric), 0.0 if scores is None else self.scale)
        values = risk.expected_gains(
            candidates, np.zeros(len(candidates)) if scores is None else scores, threads=threads
        )
        return {f"agreement:{self.metric}": values}
