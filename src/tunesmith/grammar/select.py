"""A smaller table from a larger one. Scores and counts stay as they are; the number of all rules stays known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import at_least, finite
from tunesmith.errors import ConfigError
from tunesmith.grammar.array_files import ArrayFiles, gather
from tunesmith.grammar.options import check_selection
from tunesmith.grammar.storage import VOCABULARIES, fields_of, lines_checksum, new_table, seal
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.arrays import MANIFEST
from tunesmith.io.verify import file_checksum
from tunesmith.signature import Signature

_SIDES = 200_000  # source sides read together
_PER_RULE = ("scores", "joint_counts", "target_counts", "occurrences", "pairs", "labels", "significance",
             "reordering")  # fmt: skip

Mask = NDArray[np.bool_]


def select_rules(
    table: RuleTable,
    path: StrPath,
    *,
    only_for: Sequence[str] | None = None,
    top: int = 0,
    min_joint: float = 0.0,
    significance: float | None = None,
    normal_form: bool = False,
    recorded: bool = True,
) -> RuleTable:
    """Write the rules that pass every given test to a new table at `path`.

    only_for: sentences in one of which the source side must match.   top: rules per source side, by joint count.
    min_joint: the least joint count.   significance: the least -log p, in a table that was extracted with it.
    normal_form: the target side must be words, then gaps (Watanabe et al. 2007); scores stay those that the rules
        have among all rules.
    recorded: settings and signature of the table say what was chosen.
    """
    selection: dict[str, Any] = {"top": top, "min_joint": min_joint}
    if significance is not None:
        selection["significance"] = significance
    if normal_form:
        selection["normal_form"] = True
    if only_for is not None:
        selection["only_for"] = lines_checksum(only_for)
    check_selection(top, significance)
    at_least(0, min_joint=min_joint)
    finite(min_joint=min_joint)
    if significance is not None and "significance" not in table.manifest["files"]:
        raise ConfigError(
            f"{table.folder}: the significance of its rules is not known; extract the table with --significance"
        )
    if (top or min_joint) and table.manifest.get("moses", {}).get("counts", 3) < 3:
        raise ConfigError(f"{table.folder}: has no joint counts to choose rules by; it was imported without them")
    names = table.score_names
    tie_breaker = next((names.index(name) for name in ("lex(e|f)", "p(e|f)") if name in names), None)
    matcher = None
    if only_for is not None:
        longest = int(np.diff(table.offsets("source_offsets", 0, table.source_sides)).max(initial=1))
        matcher = _core.SourceFilter(*table.source_vocabulary.encode(only_for), longest)

    def keep(begin: int, end: int) -> Mask:
        offsets = table.offsets("source_rules", begin, end)
        rules = slice(int(offsets[0]), int(offsets[-1]))
        joint = table.array("joint_counts")[rules]
        chosen: Mask = joint >= min_joint
        if significance is not None:
            chosen &= table.array("significance")[rules] >= significance
        if normal_form:
            chosen &= _in_normal_form(table, rules)
        if matcher is not None:
            sides = table.offsets("source_offsets", begin, end).astype(np.uint64)
            symbols = table.array("source_symbols")[int(sides[0]) : int(sides[-1])]
            chosen &= np.repeat(matcher.matches_all(symbols, sides).astype(bool), np.diff(offsets))
        if top:
            side = np.repeat(np.arange(end - begin), np.diff(offsets))
            second = joint if tie_breaker is None else table.array("scores")[rules, tie_breaker]
            order = np.lexsort((-second, -joint, ~chosen, side))
            rank = np.empty(len(order), dtype=np.int64)
            rank[order] = np.arange(len(order)) - np.repeat(offsets[:-1] - offsets[0], np.diff(offsets))
            chosen &= rank < top
        return chosen

    return copy_rules(table, path, keep, selection if recorded else None)


def _in_normal_form(table: RuleTable, rules: slice) -> Mask:
    """Return which rules have no word after a gap in their target sides."""
    offsets = table.offsets("target_offsets", rules.start, rules.stop)
    gaps = table.array("target_symbols")[int(offsets[0]) : int(offsets[-1])] < 0
    rule = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    word_after_gap = gaps[:-1] & ~gaps[1:] & (rule[:-1] == rule[1:])
    found: Mask = np.bincount(rule[1:][word_after_gap], minlength=len(offsets) - 1) == 0
    return found


def copy_rules(
    table: RuleTable,
    path: StrPath,
    keep: Callable[[int, int], Mask],
    selection: dict[str, Any] | None = None,
    *,
    replaced: Mapping[str, NDArray[Any] | None] | None = None,
    made_of: dict[str, Any] | None = None,
) -> RuleTable:
    """Write the rules for which `keep(begin, end)`, a mask over the rules of these source sides, is true.

    selection: what was chosen; is added to the settings and the signature.
    replaced: arrays of all rules or source sides to take instead of those of the table; None leaves one out.
    made_of: settings of the new table, instead of those it was extracted with.
    """
    with new_table(path) as folder:
        with ExitStack() as stack:
            _Copy(table, folder, stack, replaced or {}).run(keep)
        for name in VOCABULARIES:
            (folder / name).write_bytes((table.folder / name).read_bytes())
        fields = fields_of(table.manifest)
        if made_of is not None:
            known = {"table": file_checksum(table.folder / MANIFEST), **made_of}
            fields |= {"settings": known, "signature": Signature(table.kind, known).as_dict(), "labels": []}
        if selection is not None:
            for name in ("settings", "signature"):
                known = fields.get(name, {})
                fields[name] = {**known, "selections": [*known.get("selections", []), selection]}
        seal(folder, fields)
    return RuleTable.open(path)


class _Copy:
    def __init__(
        self, table: RuleTable, folder: Path, stack: ExitStack, replaced: Mapping[str, NDArray[Any] | None]
    ) -> None:
        self._table, self._files, self._replaced = table, ArrayFiles(folder, stack), replaced
        for name in table.manifest["files"]:
            if name not in VOCABULARIES and replaced.get(name, ()) is not None:
                self._files.put(name, table.array(name)[:0])

    def run(self, keep: Callable[[int, int], Mask]) -> None:
        table = self._table
        for begin in range(0, table.source_sides, _SIDES):
            end = min(begin + _SIDES, table.source_sides)
            rule_offsets = table.offsets("source_rules", begin, end)
            mask = keep(begin, end)
            kept = np.flatnonzero(mask) + rule_offsets[0]
            counts = np.add.reduceat(np.append(mask, False).astype(np.int64), rule_offsets[:-1] - rule_offsets[0])
            counts[np.diff(rule_offsets) == 0] = 0
            sides = np.flatnonzero(counts) + begin
            self._files.put_offsets("source_rules", counts[counts > 0])
            self._gather("source_offsets", "source_symbols", sides)
            self._put("source_counts", sides)
            self._gather("target_offsets", "target_symbols", kept)
            self._gather("link_offsets", "links", kept)
            for name in _PER_RULE:
                if name in table.manifest["files"]:
                    self._put(name, kept)

    def _put(self, name: str, chosen: NDArray[np.int64]) -> None:
        values = self._replaced.get(name, self._table.array(name))
        if values is not None:
            self._files.put(name, values[chosen].astype(self._table.array(name).dtype, copy=False))

    def _gather(self, offsets: str, values: str, chosen: NDArray[np.int64]) -> None:
        data, sizes = gather(self._table, offsets, values, chosen)
        self._files.put(values, data)
        self._files.put_offsets(offsets, sizes)
