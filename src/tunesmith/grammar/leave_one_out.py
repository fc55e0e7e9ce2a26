"""What each sentence pair of the training data gave to a rule table, so that it can be translated without that."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.grammar.held_out_folds import check_offsets, entries_of_folds, made_alone
from tunesmith.grammar.storage import lines_checksum
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath, folders
from tunesmith.io.arrays import MANIFEST, FolderFormat, holds_only, read_arrays, verify_files
from tunesmith.io.inside import inside
from tunesmith.io.paths import as_path
from tunesmith.io.verify import file_checksum

LEAVE_ONE_OUT = FolderFormat(
    "tunesmith own rules", 2, "a folder of leave-one-out counts", "make one with: tunesmith rules leave-one-out"
)
TYPES = {
    "rule_offsets": "<i8:1", "rules": "<u4:1", "rule_counts": "<f8:1",
    "side_offsets": "<i8:1", "sides": "<u4:1", "side_counts": "<f8:1",
    "target_offsets": "<i8:1", "targets": "<u4:1", "target_counts": "<f8:1",
    "made_offsets": "<i8:1", "made": "<u4:1", "target_numbers": "<u4:1", "lines": "<u4:1",
}  # fmt: skip


def refuse_other_folder(path: StrPath) -> None:
    """Raise ConfigError unless the folder is missing, empty, or has leave-one-out counts, which are replaced."""
    folders.refuse_other_data(as_path(path), holds_only(LEAVE_ONE_OUT), "folder of leave-one-out counts")


class LeaveOneOutCounts:
    """The counts of a table that come from each sentence pair; line i of what is decoded is `pairs[i]` of them.

    Arrays of all pairs are mapped from the folder: pair p has the `rules` from `rule_offsets[p]` to
    `rule_offsets[p + 1]` with `rule_counts`; `sides` and `targets` are the sums over its rules with a source side
    and with a target side, `made` the rules that were made for single words which its rules have. A target side is
    named by the first rule that has it (`target_numbers`), gaps being alike. `lines` are checksums of the source.
    folds: of each pair of the folder, where a line is decoded without all pairs of its fold; else without its own.
    """

    def __init__(
        self,
        folder: Path,
        table: RuleTable,
        arrays: Mapping[str, NDArray[Any]],
        pairs: ArrayLike,
        folds: NDArray[np.int64] | None = None,
    ) -> None:
        self.folder, self.table, self.arrays, self.folds = folder, table, arrays, folds
        self.pairs = np.ascontiguousarray(pairs, dtype=np.int64)
        self._native: dict[tuple[int | None, int | None], _core.LeaveOneOut] = {}

    @classmethod
    def open(cls, path: StrPath, table: RuleTable) -> LeaveOneOutCounts:
        """Open the counts of all pairs; FormatError if they are damaged, ConfigError if of another table.

        Every byte is read: counts that are wrong would change translations, and nothing else would show it.
        """
        folder = inside(path)
        manifest, arrays = read_arrays(folder, LEAVE_ONE_OUT, TYPES)
        if missing := sorted(set(TYPES) - set(arrays)):
            raise FormatError(f"files does not name {missing[0]}; it is damaged", path=str(folder / MANIFEST))
        if manifest.get("table") != file_checksum(table.folder / MANIFEST):
            raise ConfigError(
                f"{folder}: these are the leave-one-out counts of another rule table than {table.folder}; remove "
                "the folder, and make them again"
            )
        verify_files(folder, manifest)
        check_offsets(arrays, folder)
        return cls(folder, table, arrays, np.arange(len(arrays["lines"])))

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"LeaveOneOutCounts of {len(self)} sentence pairs in {self.folder}"

    @property
    def signature(self) -> str:
        """Changes with the table, with the choice of pairs, and with the folds."""
        folds = "" if self.folds is None else f"-{zlib.crc32(self.folds.tobytes()):08x}"
        return f"{file_checksum(self.folder / MANIFEST)}-{zlib.crc32(self.pairs.tobytes()):08x}{folds}"

    def in_folds(self, folds: ArrayLike) -> LeaveOneOutCounts:
        """Return the same lines, each decoded without all pairs of its fold. folds: of each pair of the folder."""
        numbers = np.ascontiguousarray(folds, dtype=np.int64)
        pairs = len(self.arrays["lines"])
        if numbers.shape != (pairs,) or (pairs and numbers.min() < 0):
            raise ConfigError(f"folds must be a number from 0 for each of the {pairs} sentence pairs")
        return LeaveOneOutCounts(self.folder, self.table, self.arrays, self.pairs, numbers)

    def select(self, sentences: Sequence[int] | NDArray[np.integer[Any]]) -> LeaveOneOutCounts:
        """Return the leave-one-out counts of some lines, in this order; nothing is copied."""
        return self.of_pairs(self.pairs[_numbers(sentences, len(self))])

    def of_pairs(self, pairs: Sequence[int] | NDArray[np.integer[Any]]) -> LeaveOneOutCounts:
        """Return the leave-one-out counts of lines that are these pairs of the folder; nothing is copied."""
        numbers = _numbers(pairs, len(self.arrays["lines"]))
        selected = LeaveOneOutCounts(self.folder, self.table, self.arrays, numbers, self.folds)
        selected._native = self._native
        return selected

    def of(self, line: int) -> dict[int, float]:
        """Return the rules that the pair of a line (not its fold) gave something to, with how much that is."""
        begin, end = self.arrays["rule_offsets"][[self.pairs[line], self.pairs[line] + 1]].tolist()
        rules, counts = self.arrays["rules"][begin:end], self.arrays["rule_counts"][begin:end]
        return dict(zip(rules.tolist(), counts.tolist(), strict=True))

    def check_lines(self, lines: Sequence[str], first: int = 0) -> NDArray[np.int64]:
        """Return what `native` calls the pairs of these lines, or their folds; the first is line number `first`.

        ConfigError unless they are the source sentences of the pairs: what is left out must be their own.
        """
        if first + len(lines) > len(self):
            raise ConfigError(
                f"there are leave-one-out counts for {len(self)} lines and more lines to decode; the lines "
                "must be the source sentences of the pairs, in their order"
            )
        pairs = self.pairs[first : first + len(lines)]
        found = np.array([line_checksum(line) for line in lines], dtype=np.uint32)
        wrong = np.flatnonzero(found != self.arrays["lines"][pairs])
        if len(wrong):
            at = int(wrong[0])
            raise ConfigError(
                f"line {first + at + 1} is not the source of sentence pair {int(pairs[at]) + 1} of the training "
                f"data: {lines[at]!r}; with leave-one-out, the lines must be the source sentences of the pairs, "
                "in their order"
            )
        return pairs if self.folds is None else self.folds[pairs]

    def check_table(self, table: RuleTable) -> None:
        """Raise ConfigError unless these are counts of this table."""
        if table.folder.resolve() != self.table.folder.resolve():
            raise ConfigError(
                f"{self.folder}: are leave-one-out counts of {self.table.folder}, not of {table.folder}"
            )

    def check_target(self, lines: Sequence[str]) -> None:
        """Raise ConfigError unless these are the target sentences of all pairs, which the table was made from."""
        made_from = self.table.manifest.get("signature", {}).get("data", {}).get("target")
        if lines_checksum(lines) != made_from:
            raise ConfigError(
                f"the {len(lines)} references of the training data are not the target side that "
                f"{self.table.folder} was made from; language models of its folds are estimated from that"
            )

    def of_decoder(self, table: RuleTable, column: Callable[[str], int | None]) -> _core.LeaveOneOut:
        """Return `native` for a decoder; ConfigError if its table is another one.

        column: the column of a feature in the decoder's feature matrix, None where it has not.
        """
        self.check_table(table)
        return self.native((column("translation:p(e|f)"), column("translation:p(f|e)")))

    def native(self, columns: tuple[int | None, int | None]) -> _core.LeaveOneOut:
        """Return the leave-one-out counts for the core, which checks every number first.

        columns: of ln p(e|f) and ln p(f|e) in the feature matrix, None where it has not.
        """
        if columns not in self._native:
            counts = ("joint_counts", "target_counts", "source_counts")
            arrays = {**self._entries(), **{f"table_{name}": self.table.array(name) for name in counts}}
            del arrays["lines"]
            with core_errors(str(self.folder)):
                self._native[columns] = _core.LeaveOneOut(arrays, columns)
        return self._native[columns]

    def _entries(self) -> dict[str, NDArray[Any]]:
        """Return arrays of every pair, or of every fold, as the core takes them."""
        check_offsets(self.arrays, self.folder)
        if self.folds is not None:
            return entries_of_folds(self.arrays, self.folds)
        return {**self.arrays, **made_alone(self.arrays, np.arange(len(self.arrays["lines"])))}


def _numbers(sentences: Sequence[int] | NDArray[np.integer[Any]], count: int) -> NDArray[np.int64]:
    chosen = np.asarray(sentences, dtype=np.int64)
    if chosen.ndim != 1 or (chosen.size and not 0 <= chosen.min() <= chosen.max() < count):
        raise ConfigError(f"sentences must be numbers from 0 to {count - 1}")
    return chosen


def line_checksum(line: str) -> int:
    return zlib.crc32(" ".join(line.split()).encode("utf-8", "surrogatepass"))
