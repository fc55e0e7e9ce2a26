"""Two tables as one: a rule has the scores of both, and a floor where it is missing in one of them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import above, within
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import ConfigError, core_errors
from tunesmith.grammar.array_files import OFFSETS, ArrayFiles, gather
from tunesmith.grammar.storage import ARRAYS, CORE_ARRAYS, new_table, refuse_other_data, seal
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.arrays import MANIFEST
from tunesmith.io.folders import scratch_folder
from tunesmith.io.paths import as_path
from tunesmith.io.verify import file_checksum
from tunesmith.signature import Fields, Signature

FLOOR = 1e-7
_RULES = 1 << 20  # written together
_MISSING = "missing"

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Correspondence:
    """Which rules of two tables are the same: numbers of sides and rules in each, -1 where one has none.

    rule_ends: one after the last rule of every joined side.
    source_words, target_words: of both tables together; those of the first come first.
    source_numbers, target_numbers: of the words of the second table among them.
    """

    first_sides: Rows
    second_sides: Rows
    rule_ends: Rows
    first_rules: Rows
    second_rules: Rows
    source_words: Vocabulary
    target_words: Vocabulary
    source_numbers: NDArray[np.int32]
    target_numbers: NDArray[np.int32]


def correspondence(first: RuleTable, second: RuleTable) -> Correspondence:
    """Compare two tables by their words, whatever the words are numbered."""
    source_words, source_numbers = _joined_words(first.source_vocabulary, second.source_vocabulary)
    target_words, target_numbers = _joined_words(first.target_vocabulary, second.target_vocabulary)
    ours, theirs = ({name: table.array(name).reshape(-1) for name in CORE_ARRAYS} for table in (first, second))
    with core_errors(f"{first.folder}, {second.folder}"):
        sides, others, ends, rules, other_rules = _core.join_rules(ours, theirs, source_numbers, target_numbers)
    return Correspondence(sides, others, ends.astype(np.int64), rules, other_rules, source_words, target_words,
                          source_numbers, target_numbers)  # fmt: skip


def _joined_words(first: Vocabulary, second: Vocabulary) -> tuple[Vocabulary, NDArray[np.int32]]:
    number = {word: at for at, word in enumerate(first)}
    numbers = np.array([number.setdefault(word, len(number)) for word in second], dtype=np.int32)
    counts = np.zeros(len(number), dtype=np.int64)
    counts[: len(first)] = first.counts
    counts[numbers] += second.counts
    return Vocabulary(_core.Vocabulary(list(number), counts)), numbers


def join_tables(
    tables: Sequence[RuleTable],
    path: StrPath,
    *,
    floor: float = FLOOR,
    indicator: bool = False,
    first_counts: bool = False,
) -> RuleTable:
    """Write a table with the rules of all given ones to `path`, all or nothing.

    The scores of the second table are called `p(e|f).2` and so on. Counts are summed; the count of a target side
    only over the tables that have the rule. Probabilities of orientations are averaged, weighted by how often the
    rule was seen. Links are those of the first table that has the rule; labels and significance are left out.

    floor: the scores of a rule in a table that lacks it.
    indicator: also scores `missing.1`, `missing.2`, whose logarithms are 1 for these rules and 0 for others.
    first_counts: rules that the first table has keep its counts, for tables that were made of the same text.
    """
    if len(tables) < 2:
        raise ConfigError("two or more tables are joined")
    above(0, floor=floor)
    within(0, 1, floor=floor)
    refuse_other_data(as_path(path))
    with scratch_folder(path) as scratch:
        joined = tables[0]
        for number, table in enumerate(tables[1:], 2):
            last = number == len(tables)
            output = as_path(path) if last else scratch / str(number)
            joined = _join_two(joined, table, output, number, floor, indicator, first_counts)
    return joined


def _join_two(
    first: RuleTable,
    second: RuleTable,
    path: Path,
    number: int,
    floor: float,
    indicator: bool,
    first_counts: bool,
) -> RuleTable:
    _check_alike(first, second)
    names = [*first.score_names, *(f"{name}.{number}" for name in second.score_names)]
    if indicator:
        names += [f"{_MISSING}.1"] if number == 2 else []
        names.append(f"{_MISSING}.{number}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise ConfigError(
            f"two scores would be called {twice[0]!r}: {first.folder} or {second.folder} was joined before; name "
            "all tables that it was made of at once instead"
        )
    match = correspondence(first, second)
    with new_table(path) as folder:
        with ExitStack() as stack:
            _write(first, second, match, names, floor, ArrayFiles(folder, stack), first_counts)
        match.source_words.save(folder / "source.vocab")
        match.target_words.save(folder / "target.vocab")
        tables = [file_checksum(table.folder / MANIFEST) for table in (first, second)]
        settings: Fields = {"tables": "+".join(tables), "floor": floor, "indicator": indicator}
        if first_counts:
            settings = {**settings, "first_counts": True}
        moses = [table.manifest.get("moses", {}) for table in (first, second)]
        fields: dict[str, Any] = {
            "kind": first.kind,
            "score_names": names,
            "labels": [],
            "totals": {"rules": len(match.first_rules)},
            "moses": {"label": moses[0].get("label", "X"), "counts": min(part.get("counts", 3) for part in moses)},
            "settings": {"joined": settings},
            "signature": Signature(first.kind, {"joined": settings}).as_dict(),
        }
        if first.reordering is not None:
            fields["reordering"] = first.manifest["reordering"]
        seal(folder, fields)
    return RuleTable.open(path)


def _check_alike(first: RuleTable, second: RuleTable) -> None:
    if first.kind != second.kind:
        raise ConfigError(f"{first.folder} has {first.kind} rules, {second.folder} {second.kind} rules")
    descriptions = [
        "none" if table.reordering is None else f"{table.reordering_model}: {', '.join(table.reordering_columns)}"
        for table in (first, second)
    ]
    if descriptions[0] != descriptions[1]:
        raise ConfigError(
            f"the reordering of {first.folder} ({descriptions[0]}) is not that of {second.folder} "
            f"({descriptions[1]}); extract both with the same --reordering"
        )


def _write(
    first: RuleTable,
    second: RuleTable,
    match: Correspondence,
    names: list[str],
    floor: float,
    files: ArrayFiles,
    first_counts: bool,
) -> None:
    for name in ARRAYS:
        if name not in (*OFFSETS, "labels", "significance") and name in first.manifest["files"]:
            files.put(name, first.array(name)[:0])
    begins = np.concatenate([[0], match.rule_ends])
    files.put_offsets("source_rules", np.diff(begins))
    for begin in range(0, len(match.first_sides), _RULES):
        sides = slice(begin, begin + _RULES)
        a, b = match.first_sides[sides], match.second_sides[sides]
        _put_ragged(first, second, a, b, ("source_offsets", "source_symbols"), match.source_numbers, files)
        files.put("source_counts", _counts("source_counts", first, second, a, b, first_counts))
    for begin in range(0, len(match.first_rules), _RULES):
        rules = slice(begin, begin + _RULES)
        a, b = match.first_rules[rules], match.second_rules[rules]
        _put_ragged(first, second, a, b, ("target_offsets", "target_symbols"), match.target_numbers, files)
        _put_ragged(first, second, a, b, ("link_offsets", "links"), None, files)
        for name in ("joint_counts", "target_counts", "occurrences", "pairs"):
            files.put(name, _counts(name, first, second, a, b, first_counts))
        files.put("scores", _scores(first, second, a, b, names, floor))
        if first.reordering is not None:
            files.put("reordering", _mean_reordering(first, second, a, b))


def _put_ragged(
    first: RuleTable,
    second: RuleTable,
    a: Rows,
    b: Rows,
    names: tuple[str, str],
    numbers: NDArray[np.int32] | None,
    files: ArrayFiles,
) -> None:
    """Put what the first table has, and what the second one has where the first has nothing."""
    known = a >= 0
    ours, our_sizes = gather(first, *names, a[known])
    theirs, their_sizes = gather(second, *names, b[~known])
    if numbers is not None:
        theirs = np.where(theirs < 0, theirs, numbers[np.maximum(theirs, 0)]).astype(theirs.dtype)
    sizes = np.empty(len(a), dtype=np.int64)
    sizes[known], sizes[~known] = our_sizes, their_sizes
    values = np.empty((len(ours) + len(theirs), *ours.shape[1:]), dtype=ours.dtype)
    owner = np.repeat(known, sizes)
    values[owner], values[~owner] = ours, theirs
    files.put(names[1], values)
    files.put_offsets(names[0], sizes)


def _rows(table: RuleTable, name: str, rows: Rows, absent: float) -> NDArray[Any]:
    values = table.array(name)
    found = np.full((len(rows), *values.shape[1:]), absent, dtype=values.dtype)
    found[rows >= 0] = values[rows[rows >= 0]]
    return found


def _counts(name: str, first: RuleTable, second: RuleTable, a: Rows, b: Rows, first_counts: bool) -> NDArray[Any]:
    """Return sums; or the counts of the first table where it has the rule."""
    ours, theirs = _rows(first, name, a, 0), _rows(second, name, b, 0)
    total: NDArray[Any] = np.where(a >= 0, ours, theirs) if first_counts else ours + theirs
    return total


def _scores(
    first: RuleTable, second: RuleTable, a: Rows, b: Rows, names: list[str], floor: float
) -> NDArray[np.float32]:
    ours, theirs = _rows(first, "scores", a, floor), _rows(second, "scores", b, floor)
    marks = [at for at, name in enumerate(first.score_names) if name.startswith(f"{_MISSING}.")]
    for at in marks:
        ours[a < 0, at] = np.e
    columns = [ours, theirs]
    for name in names[ours.shape[1] + theirs.shape[1] :]:
        rows = a if name == f"{_MISSING}.1" else b
        columns.append(np.where(rows < 0, np.e, 1.0)[:, None])
    return np.concatenate(columns, axis=1).astype(np.float32)


def _mean_reordering(first: RuleTable, second: RuleTable, a: Rows, b: Rows) -> NDArray[np.float32]:
    sources = ((first, a), (second, b))
    times = [
        np.where(rows >= 0, np.maximum(_rows(table, "occurrences", rows, 0), 1), 0) for table, rows in sources
    ]
    seen = [each[:, None].astype(np.float64) for each in times]
    values = [np.exp(_rows(table, "reordering", rows, 0).astype(np.float64)) for table, rows in sources]
    mean = (seen[0] * values[0] + seen[1] * values[1]) / (seen[0] + seen[1])
    return np.log(mean).astype(np.float32)
