"""A phrase table with other counts: relative frequencies are estimated again, all else stays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.grammar.select import Mask, copy_rules
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath

Counts = NDArray[np.float64]


def recount_rules(
    table: RuleTable,
    counts: Counts,
    target_numbers: NDArray[np.uint32],
    path: StrPath,
    settings: dict[str, Any],
) -> RuleTable:
    """Write the rules whose new count is above 0, with p(e|f) and p(f|e) of the new counts, to a table at `path`.

    Lexical weights, links and orientations stay as they are; labels and significance are left out.
    target_numbers: for each rule the first one that has its target side.   settings: what the counts come from.
    """
    if counts.shape != (len(table),) or not (np.isfinite(counts) & (counts >= 0)).all():
        raise ConfigError(f"counts must be a number of at least 0 for each of the {len(table)} rules")
    if not (counts > 0).any():
        raise ConfigError(f"{table.folder}: no rule has a count, so there is no table to write")
    sides = np.repeat(np.arange(table.source_sides), np.diff(table.offsets("source_rules", 0, table.source_sides)))
    of_source = np.bincount(sides, counts, table.source_sides)
    of_target = np.bincount(target_numbers, counts, len(table))[target_numbers]
    scores = np.array(table.array("scores"))
    with np.errstate(invalid="ignore", divide="ignore"):
        for name, given in (("p(e|f)", of_source[sides]), ("p(f|e)", of_target)):
            scores[:, table.score_names.index(name)] = counts / given
    whole = np.maximum(np.rint(counts), 1).astype(np.uint32)
    replaced: dict[str, NDArray[Any] | None] = {
        "scores": scores, "joint_counts": counts, "target_counts": of_target, "source_counts": of_source,
        "occurrences": whole, "pairs": whole, "labels": None, "significance": None,
    }  # fmt: skip

    def keep(begin: int, end: int) -> Mask:
        rules = table.offsets("source_rules", begin, end)
        chosen: Mask = counts[int(rules[0]) : int(rules[-1])] > 0
        return chosen

    return copy_rules(table, path, keep, replaced=replaced, made_of={"recounted": settings})
