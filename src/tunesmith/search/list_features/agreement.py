"""Agreement of a candidate with the others of its list."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tunesmith.metrics import metric_of
from tunesmith.search.list_features.base import Floats, ListFeature, list_features
from tunesmith.search.lists.bayes_risk import BayesRisk
from tunesmith.search.lists.candidates import CandidateSet


@list_features.register("agreement")
@dataclass(frozen=True)
class Agreement(ListFeature):
    """The expected gain of `search.bayes_risk`, by this metric; scale 0 weighs all candidates equally.

    Uses the scores of the list, if it has any.
    """

    metric: str = "bleu"
    scale: float = 0.0

    @property
    def needs_source(self) -> bool:
        return metric_of(self.metric).needs_source

    def columns(self, candidates: CandidateSet, *, threads: int = 1) -> Mapping[str, Floats]:
        return self.columns_for(candidates, None, threads=threads)

    def columns_for(
        self, candidates: CandidateSet, sources: Sequence[str] | None, *, threads: int = 1
    ) -> Mapping[str, Floats]:
        scores = candidates.model_scores
        risk = BayesRisk(metric_of(self.metric), 0.0 if scores is None else self.scale)
        values = risk.expected_gains(
            candidates,
            np.zeros(len(candidates)) if scores is None else scores,
            sources=sources if self.needs_source else None,
            threads=threads,
        )
        return {f"agreement:{self.metric}": values}
