"""L1 by cumulative penalty on ranked pairs."""

from __future__ import annotations

import numpy as np

from tunesmith import _core
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers.learner import Floats, Online, learn
from tunesmith.tuning.optimizers.schedule import Schedule


def cumulative_l1(
    differences: Differences, start: Floats, *, strength: float, schedule: Schedule | None = None
) -> Online:
    """Hinge loss of pairs and L1 by steps on single pairs (Tsuruoka et al. 2009); no groups are looked for.

    The penalty is that of the mean loss of a pair: their C / N. Step t has the total penalty u_t = strength ·
    Σ_{s≤t} η_s, and every weight is up to date at every step.
    """
    chosen = schedule or Schedule()

    def make(penalised: Floats, dense: Floats) -> _core.CumulativeL1:
        return _core.CumulativeL1(penalised, dense, strength, chosen.rate, chosen.delay, chosen.learn_dense)

    learner, _, weights = learn(make, differences, start, chosen)
    steps, violated, _, _ = learner.counts()
    active = float(np.count_nonzero(weights))
    return Online(weights, None, {"steps": float(steps), "violated": violated / steps, "active": active})
