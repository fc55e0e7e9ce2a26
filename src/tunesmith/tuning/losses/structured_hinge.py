"""Structured hinge loss with oracles that depend on the weights (latent SVM, ramp)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import one_of
from tunesmith.metrics.base import Metric, SentenceBleu
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.losses.base import Loss, losses
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import HOPES, Listed
from tunesmith.tuning.pools.gains import check_gains, sentence_gains


class HingeOfLists:
    """The objective of `StructuredHinge` for given gains of all candidates. Convex only with fixed oracles."""

    def __init__(self, candidates: CandidateSet, gains: Floats, oracle: str = "gain") -> None:
        self.candidates, self.gains, self.oracle = candidates, gains, oracle
        self.columns = candidates.columns

    def value_and_oracles(self, w: Floats, *, threads: int = 1) -> tuple[float, NDArray[np.int64]]:
        return _core.latent_hinge(self.candidates.native, self.gains, HOPES[self.oracle], w, threads)

    def cutting_planes(self, curvature: Floats, lower: Floats, upper: Floats) -> _core.HingeDual:
        return _core.HingeDual(self.candidates.native, self.gains, curvature, lower, upper)


@losses.register("structured_hinge")
@dataclass(frozen=True)
class StructuredHinge(Loss[Listed, HingeOfLists]):
    """Margin violation of the oracle against every candidate, with the difference of gains as margin.

    The mean over sentences of max_e [score(e) + cost(e)] minus the score of the oracle, where the cost of a
    candidate is the highest gain of its list minus its gain.

    oracle: `gain` takes the highest score among the candidates of the highest gain: the latent SVM of Cherry and
        Foster (2012, section 3.2). `model+gain` takes the highest score - cost, and the loss has that instead of
        the score: the ramp loss of Gimpel and Smith (2012, Eq. 8), which gives up unreachable candidates.
    sentence_bleu: BLEU `interpolated` between the orders (Liang et al. 2006), or `plus_one`.
    brevity: words added to the reference length in sentence BLEU (Nakov et al. 2012).
    """

    pool: ClassVar[type] = Listed
    objective: ClassVar[type] = HingeOfLists

    oracle: Literal["gain", "model+gain"] = "gain"
    sentence_bleu: SentenceBleu = "interpolated"
    brevity: float = 0.0

    def __post_init__(self) -> None:
        one_of(HOPES, oracle=self.oracle)
        check_gains(self.brevity, self.sentence_bleu)

    def prepare(self, pool: Listed, metric: Metric, seed: int) -> HingeOfLists:
        gains = sentence_gains(pool.candidates, metric, self.brevity, self.sentence_bleu)
        return HingeOfLists(pool.candidates, gains, self.oracle)
