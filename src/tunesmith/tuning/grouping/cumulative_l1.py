"""L1 by cumulative penalty on ranked pairs."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.grouping.differences import Differences
from tunesmith.tuning.grouping.online import Online, Schedule, _places

Floats = NDArray[np.float64]


def cumulative_l1(
    differences: Differences, start: Floats, *, strength: float, schedule: Schedule | None = None
) -> Online:
    """Hinge loss of pairs and L1 by steps on single pairs (Tsuruoka et al. 2009); no groups are looked for.

    The penalty is that of the mean loss of a pair: their C / N. Step t has the total penalty u_t = strength ·
    Σ_{s≤t} η_s, and every weight is up to date at every step.
    """
    schedule = schedule or Schedule()
    if len(differences) == 0:
        raise ConfigError(
            "there are no pairs to learn from: no two candidates of a sentence differ enough in gain"
        )
    places, weights = _places(differences, start)
    try:
        learner = _core.CumulativeL1(
            differences.native,
            weights[places],
            weights[differences.unpenalised],
            strength,
            schedule.rate,
            schedule.delay,
            schedule.learn_dense,
        )
        first_averaged = {"last": None, "average": 0, "last_pass": schedule.passes - 1}[schedule.iterate]
        for number, order in enumerate(schedule.orders(len(differences))):
            if number == first_averaged:
                learner.begin_average()
            learner.run(order)
            if schedule.progress is not None:
                schedule.progress((number + 1) / schedule.passes)
    except ValueError as error:
        raise ConfigError(str(error)) from None
    if schedule.iterate == "last":
        weights[places], weights[differences.unpenalised] = learner.penalised(), learner.dense()
    else:
        weights[places], weights[differences.unpenalised] = learner.average_penalised(), learner.average_dense()
    steps, violated, _, _ = learner.counts()
    active = float(np.count_nonzero(weights))
    return Online(weights, None, {"steps": float(steps), "violated": violated / max(steps, 1), "active": active})
