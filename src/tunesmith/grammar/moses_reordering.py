"""Reordering tables of Moses, `source ||| target ||| probabilities`: into a phrase table, and out of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tunesmith.checks import within
from tunesmith.errors import ConfigError, FormatError, cut
from tunesmith.grammar.join import correspondence
from tunesmith.grammar.moses import moses_blocks, read_moses
from tunesmith.grammar.reordering import ReorderingOptions
from tunesmith.grammar.storage import fields_of, new_table, refuse_other_data, seal
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath, display_name, write_lines
from tunesmith.io.arrays import write_array
from tunesmith.io.folders import scratch_folder
from tunesmith.io.paths import as_path

LEAST_LOG = -100.0
_LARGEST = 1.0 + 1e-5  # of a probability that was rounded


@dataclass(frozen=True)
class ReorderingRead:
    """missing: phrase pairs that the reordering table lacks.   unused: entries that the phrase table lacks."""

    table: RuleTable
    missing: int
    unused: int

    def notes(self, path: StrPath) -> list[str]:
        name = display_name(path)
        found = []
        if self.missing:
            found.append(
                f"{name}: lacks {self.missing} of {len(self.table)} phrase pairs; their reordering costs nothing, "
                "as in Moses"
            )
        if self.unused:
            found.append(f"{name}: {self.unused} entries belong to no phrase pair and were left out")
        return found


def add_reordering(
    table: RuleTable,
    path: StrPath,
    output: StrPath,
    options: ReorderingOptions | None = None,
    *,
    missing: float = 0.0,
) -> ReorderingRead:
    """Write the phrase table with the probabilities of a reordering table to `output`, all or nothing.

    Lines may come in any order. A probability of 0 has the logarithm -100, as in Moses.
    options: what the columns are.
    missing: the logarithm for phrase pairs without an entry; 0 costs nothing, as in Moses.
    """
    options = options or ReorderingOptions()
    name = display_name(path)
    if table.kind != "phrase":
        raise ConfigError(f"{table.folder}: has {table.kind} rules; reordering tables are for phrase pairs")
    within(LEAST_LOG, 0, missing=missing)
    refuse_other_data(as_path(output))
    with scratch_folder(output) as scratch:
        entries = read_moses(path, scratch / "reordering", "phrase")
        if len(entries.score_names) != len(options.columns):
            raise FormatError(
                f"there are {len(entries.score_names)} probabilities; {options.name} has {len(options.columns)}: "
                f"{', '.join(options.columns)}",
                path=name,
                line=1,
            )
        probabilities = entries.array("scores")
        large = np.flatnonzero((probabilities > _LARGEST).any(axis=1))
        if len(large):
            rule = entries[int(large[0])]
            sides = [cut(" ".join(side)) for side in (rule.source, rule.target)]
            raise FormatError(f"{' ||| '.join(sides)}: {max(rule.scores):g} is not a probability", path=name)
        match = correspondence(table, entries)
        ours, theirs = match.first_rules, match.second_rules
        both = (ours >= 0) & (theirs >= 0)
        rows = np.full((len(table), len(options.columns)), missing, dtype="<f4")
        with np.errstate(divide="ignore"):
            logs = np.log(probabilities[theirs[both]].astype(np.float64))
        rows[ours[both]] = np.clip(logs, LEAST_LOG, 0.0)
    table.verify()  # what is copied gets new checksums
    with new_table(output) as folder:
        for file in table.manifest["files"]:
            if file != "reordering":
                with (table.folder / file).open("rb") as stream, (folder / file).open("wb") as out:
                    shutil.copyfileobj(stream, out)
        write_array(folder, "reordering", rows)
        fields = fields_of(table.manifest)
        fields.pop("reordering", None)  # of the table before
        seal(folder, fields | {"reordering": {"model": options.model, "columns": options.columns}})
    found = int(both.sum())
    return ReorderingRead(RuleTable.open(output), len(table) - found, len(entries) - found)


def read_with_reordering(
    phrases: StrPath, path: StrPath, output: StrPath, options: ReorderingOptions | None = None
) -> ReorderingRead:
    """Read a phrase table and a reordering table of Moses into a new table at `output`, all or nothing."""
    refuse_other_data(as_path(output))
    with scratch_folder(output) as scratch:
        return add_reordering(read_moses(phrases, scratch / "phrases", "phrase"), path, output, options)


def reordering_blocks(table: RuleTable, *, escape: bool = False) -> Iterator[str]:
    """Yield the reordering table of a phrase table as text, many lines at once, in its own order."""
    if not table.reordering_columns:
        raise ConfigError(f"{table.folder}: has no reordering probabilities; extract them with --reordering")
    for block in moses_blocks(table, escape=escape, values=np.exp(table.array("reordering").astype(np.float64))):
        lines = block.removesuffix("\n").split("\n")
        yield "".join(" ||| ".join(line.split(" ||| ", 3)[:3]) + "\n" for line in lines)


def write_reordering(table: RuleTable, path: StrPath, *, escape: bool = False) -> None:
    """Write a reordering table of Moses (gzip if the name ends in .gz), all or nothing."""
    blocks = reordering_blocks(table, escape=escape)
    write_lines(path, (line for block in blocks for line in block.removesuffix("\n").split("\n")))
