"""Statistics of rule tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from tunesmith.grammar.table import RuleTable

_BLOCK = 1 << 22


def table_statistics(table: RuleTable) -> dict[str, Any]:
    """Return sizes, shapes and settings in printing order."""
    gaps = np.zeros(3, dtype=np.int64)
    lengths: dict[int, int] = {}
    for begin in range(0, table.source_sides, _BLOCK):
        end = min(begin + _BLOCK, table.source_sides)
        part = table.offsets("source_offsets", begin, end)
        symbols = table.array("source_symbols")[int(part[0]) : int(part[-1])]
        rules = np.diff(table.offsets("source_rules", begin, end))
        before = np.concatenate([[0], np.cumsum(symbols < 0)])
        of_side = before[part[1:] - part[0]] - before[part[:-1] - part[0]]
        gaps += np.bincount(of_side, weights=rules, minlength=3).astype(np.int64)[:3]
        for length, count in enumerate(np.bincount(np.diff(part), weights=rules).astype(np.int64).tolist()):
            if count:
                lengths[length] = lengths.get(length, 0) + count
    numbers = table.manifest["numbers"]
    occurrences = table.array("occurrences")
    found: dict[str, Any] = {
        "rules": len(table),
        "rules_before_filtering": table.unfiltered_rules,
        "source_sides": table.source_sides,
        "rules_per_source_side": len(table) / max(table.source_sides, 1),
        "words_and_gaps_per_target_side": numbers["target_symbols"] / max(len(table), 1),
        "links_per_rule": numbers["links"] / max(len(table), 1),
        "seen_once": int(np.count_nonzero(occurrences == 1)),
        "megabytes": sum(entry["bytes"] for entry in table.manifest["files"].values()) / 1e6,
    }
    if table.kind == "hiero":
        found["rules_by_gaps"] = {str(at): int(count) for at, count in enumerate(gaps)}
    found["rules_by_source_symbols"] = {str(length): lengths[length] for length in sorted(lengths)}
    if table.has_labels():
        masks = table.array("labels")
        found["rules_by_label"] = {
            name: int(np.count_nonzero(masks >> np.uint64(bit) & np.uint64(1)))
            for bit, name in enumerate(table.label_names)
        }
    found["signature"] = table.manifest.get("signature", {})
    return found
