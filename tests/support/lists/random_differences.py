"""Random ranked pairs as differences, with and without dense features."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from tunesmith.tuning.losses.differences import Differences


def random_differences(seed, pairs=40, features=12, used=4, dense=2, extra=0, noise=1.0):
    """Pairs of `used` of `features` penalised features, `extra` more that never occur, `dense` free ones in front.

    Values have a hidden taste in them, so that there is something to learn; noise makes pairs contradict it.
    """
    random = np.random.default_rng(seed)
    taste = random.normal(size=features + dense)
    rows = np.zeros((pairs, features + dense))
    for row in rows:
        row[random.choice(features, size=min(used, features), replace=False)] = random.normal(
            size=min(used, features)
        )
        row[features:] = random.normal(size=dense)
        if row @ taste + noise * random.normal() < 0:
            row *= -1
    sparse = rows[:, :features].astype(np.float32)
    occurs = np.flatnonzero(sparse.any(axis=0))
    at, ids = np.nonzero(sparse[:, occurs])
    offsets = np.concatenate([[0], np.cumsum(np.bincount(at, minlength=pairs))])
    columns = dense + features + extra
    return Differences(
        offsets,
        ids.astype(np.uint32),
        sparse[:, occurs][at, ids],
        rows[:, features:],
        dense + occurs,
        np.arange(dense),
        columns,
        columns - dense,
    )


def penalised_part(differences):
    """The penalised part as scipy's CSR, pairs × places."""
    shape = (len(differences), len(differences.penalised))
    values, ids = differences.values.astype(np.float64), differences.ids.astype(np.int64)
    return sparse.csr_matrix((values, ids, differences.offsets), shape)
