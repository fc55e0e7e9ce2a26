"""Active and reused features: what tuning gave a weight, and what of it is of use elsewhere (Liu et al. 2013)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.decoding import ListDecoder
from tunesmith.errors import ConfigError
from tunesmith.search.lists.support import sentence_support
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.runs.group_files import GroupTable

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Reuse:
    """active: how many have a weight other than 0.   reused: how many of these fire in the lists of a test set."""

    active: int
    reused: int

    def as_dict(self) -> dict[str, int]:
        return {"active": self.active, "reused": self.reused}


def lists_support(
    decoder: ListDecoder,
    lines: Sequence[str],
    k: int,
    projection: Projection | None = None,
    *,
    threads: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> tuple[Counts, Counts | None]:
    """Count lines in whose k-best lists each feature fires under the decoder's weights; and each group."""
    if not lines:
        raise ConfigError("the test set has no sentence, so nothing could fire in its lists")
    features: Counts = np.zeros(0, dtype=np.int64)
    groups: Counts | None = None if projection is None else np.zeros(projection.size, dtype=np.int64)
    for begin in range(0, len(lines), decoder.lines_at_once):
        found = decoder.k_best(lines[begin : begin + decoder.lines_at_once], k, threads=threads)
        part = sentence_support(found, threads=threads)
        features = np.concatenate([features, np.zeros(len(part) - len(features), dtype=np.int64)]) + part
        if projection is not None and groups is not None:
            members = projection.resized(max(found.columns, len(projection.groups)))
            groups += sentence_support(found, members.groups, projection.size, threads=threads)
        progress(min(begin + decoder.lines_at_once, len(lines)), len(lines))
    return features, groups


def reuse(weights: NDArray[np.float64], support: Counts) -> Reuse:
    """Count features, or groups, by their weights and where they fire; there may be more weights than counts."""
    active = weights != 0
    return Reuse(
        int(np.count_nonzero(active)),
        int(np.count_nonzero(active[: len(support)] & (support > 0)[: len(weights)])),
    )


def reuse_by_template(weights: NDArray[np.float64], support: Counts, features: Any) -> dict[str, Reuse]:
    """Return reuse for the features of each template, in the order of the templates."""
    found: dict[str, list[int]] = {}
    for at in np.flatnonzero(weights).tolist():
        counts = found.setdefault(features.name(at).partition(":")[0], [0, 0])
        counts[0] += 1
        counts[1] += bool(at < len(support) and support[at])
    return {template: Reuse(*counts) for template, counts in found.items()}


def projection_of(table: GroupTable, features: Any) -> tuple[Projection, list[str]]:
    """Return the groups of a table for the features of a model; and the names that it does not have."""
    groups = np.full(len(features), -1)
    missing = []
    for name, group in zip(table.names, table.groups.tolist(), strict=True):
        number = features.find(name)
        if number is None:
            missing.append(name)
        else:
            groups[number] = group
    return Projection(groups, len(table)), missing
