"""How much the groups of two runs agree."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.evaluation.partitions import adjusted_rand_index
from tunesmith.tuning.runs.group_files import GroupTable


@dataclass(frozen=True)
class GroupOverlap:
    """Features that are grouped in one run, in the other, in both; and the adjusted Rand index of the partitions.

    rand_index: over features that both group.
    rand_index_of_all: over features that one of them groups, those without a group being one group.
    same_sign: share of the features both group whose group weights have the same sign.
    """

    groups: tuple[int, int]
    features: tuple[int, int]
    common: int
    rand_index: float
    rand_index_of_all: float
    same_sign: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def group_overlap(one: GroupTable, other: GroupTable) -> GroupOverlap:
    """Compare the groups of two runs by the names of features; features that stand alone do not count."""
    first, second = _groups(one), _groups(other)
    both = [name for name in first if name in second]
    if not first or not second:
        raise ConfigError("a run without a single grouped feature cannot be compared")
    every = [*first, *(name for name in second if name not in first)]
    weights = np.array([[one.weights[first[name]], other.weights[second[name]]] for name in both]).reshape(-1, 2)
    return GroupOverlap(
        groups=(int(np.count_nonzero(~one.alone)), int(np.count_nonzero(~other.alone))),
        features=(len(first), len(second)),
        common=len(both),
        rand_index=adjusted_rand_index([first[name] for name in both], [second[name] for name in both]),
        rand_index_of_all=adjusted_rand_index(
            [first.get(name, -1) for name in every], [second.get(name, -1) for name in every]
        ),
        same_sign=float(np.mean(np.sign(weights[:, 0]) == np.sign(weights[:, 1]))) if both else 0.0,
    )


def _groups(table: GroupTable) -> dict[str, int]:
    return {
        name: group
        for name, group in zip(table.names, table.groups.tolist(), strict=True)
        if not table.alone[group]
    }
