"""Rule tables: memory-mapped arrays, sorted by source side."""

from __future__ import annotations

import bisect
import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import FormatError, core_errors
from tunesmith.grammar.rule import GAPS, Rule
from tunesmith.grammar.storage import ARRAYS, map_array, read_manifest
from tunesmith.grammar.vocabulary_classes import VocabularyClasses
from tunesmith.io import StrPath
from tunesmith.io.arrays import MANIFEST
from tunesmith.io.inside import inside
from tunesmith.io.verify import FileChecks


class RuleTable:
    """A table on disk. Opening reads the manifest and the sizes of files; arrays are read where they are touched.

    A file is compared with its checksum when it is first used (`array`), or in the background by who uses it
    through `arrays` and calls `confirm` before results are given out, as decoders do.

    Arrays (see docs/reference/grammar.md): source side i has the symbols
    `source_symbols[source_offsets[i]:source_offsets[i + 1]]` and the rules `source_rules[i]` to
    `source_rules[i + 1]`; rule r has the symbols `target_symbols[target_offsets[r]:target_offsets[r + 1]]`,
    `links` likewise, and row r of `scores` and, in phrase tables that have it, of `reordering`.
    Words are ids of `source_vocabulary` and `target_vocabulary`, gaps are -1 and -2.
    """

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self.manifest = folder, manifest
        self.kind: str = manifest["kind"]
        """`phrase` or `hiero`."""
        self.source_sides: int = manifest["numbers"]["sources"]
        """The number of different source sides."""
        self.word_classes: dict[str, VocabularyClasses] = {}
        """Classes of the words of a side, `source` or `target`; whoever opens a model directory sets them."""
        self.core_arrays: _core.RuleArrays | None = None
        """All rules as features and decoders read them; `features.featureset.rule_arrays` sets it."""
        self._mapped: dict[str, NDArray[Any]] = {}
        self._verified: dict[str, NDArray[Any]] = {}
        self._checks = FileChecks(folder, manifest["files"])
        self._check_ends()

    @classmethod
    def open(cls, path: StrPath) -> RuleTable:
        """Open a table; FormatError if it is damaged, unfinished or from a later version."""
        folder = inside(path)
        return cls(folder, read_manifest(folder))

    @property
    def score_names(self) -> list[str]:
        return list(self.manifest["score_names"])

    @property
    def label_names(self) -> list[str]:
        """Bit i of a rule's `labels` stands for name i."""
        return list(self.manifest.get("labels", []))

    @property
    def reordering(self) -> NDArray[np.float32] | None:
        """Natural logarithms of the probabilities of orientations, a row for each rule; None without them.

        Verified in the background, as `arrays` are.
        """
        return self.arrays(["reordering"])["reordering"] if "reordering" in self.manifest["files"] else None

    @property
    def reordering_columns(self) -> list[str]:
        """What the columns of `reordering` are: `previous-monotone` and so on; none without it."""
        return list(self.manifest.get("reordering", {}).get("columns", []))

    @property
    def reordering_model(self) -> str | None:
        """What an orientation is measured against: `word`, `phrase` or `hier`."""
        return str(self.manifest["reordering"]["model"]) if self.reordering_columns else None

    @property
    def unfiltered_rules(self) -> int:
        """How many rules there were before any was filtered or pruned."""
        return int(self.manifest.get("totals", {}).get("rules", len(self)))

    def __len__(self) -> int:
        return int(self.manifest["numbers"]["rules"])

    def __repr__(self) -> str:
        return f"RuleTable of {len(self)} {self.kind} rules in {self.folder}"

    @cached_property
    def source_vocabulary(self) -> Vocabulary:
        self._checks.now("source.vocab")
        return Vocabulary.load(self.folder / "source.vocab")

    @cached_property
    def target_vocabulary(self) -> Vocabulary:
        self._checks.now("target.vocab")
        return Vocabulary.load(self.folder / "target.vocab")

    def array(self, name: str) -> NDArray[Any]:
        """Return one of the arrays, verified; `scores`, `links` and `reordering` as rows."""
        if name not in self._verified:
            self._checks.now(name)
            self._verified[name] = self._map(name)
        return self._verified[name]

    def arrays(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return some of the arrays, verified in the background: call `confirm` before giving out results."""
        found = {name: self._map(name) for name in names}
        self._checks.begin(*found)
        return found

    def confirm(self) -> None:
        """Wait until what `arrays` gave is verified; FormatError names the file that is damaged."""
        self._checks.finish()

    @contextlib.contextmanager
    def core_errors(self) -> Iterator[None]:
        """Convert errors of the core that uses `arrays`; where a file is damaged, that is the error."""
        try:
            with core_errors(str(self.folder)):
                yield
        except FormatError:
            self.confirm()
            raise

    def _map(self, name: str) -> NDArray[Any]:
        if name not in self._mapped:
            flat = map_array(self.folder, name, ARRAYS[name][1](self.manifest["numbers"]))
            rows = {"scores": len(self.score_names), "links": 2, "reordering": len(self.reordering_columns)}
            columns = rows.get(name)
            self._mapped[name] = flat if columns is None else flat.reshape(-1, columns)
        return self._mapped[name]

    def offsets(self, name: str, begin: int, end: int) -> NDArray[np.int64]:
        """Return entries `begin` to `end`, inclusive, of an array of offsets; FormatError unless they rise."""
        offsets = self.array(name)
        part = offsets[begin : end + 1]
        wrong = np.flatnonzero(part[1:] < part[:-1])
        if len(wrong) or (len(part) and part[-1] > offsets[-1]):
            raise self._damaged(name, begin + int(wrong[0]) + 1 if len(wrong) else end)
        return part.astype(np.int64)

    def has_labels(self) -> bool:
        return "labels" in self.manifest["files"]

    def __getitem__(self, rule: int) -> Rule:
        if not 0 <= rule < len(self):
            raise IndexError(f"rule {rule} of {len(self)}")
        side = int(np.searchsorted(self.array("source_rules"), rule, side="right")) - 1
        if side >= self.source_sides or rule not in self.rules_of(side):
            raise self._damaged("source_rules", side)
        return self._rule(rule, side)

    def __iter__(self) -> Iterator[Rule]:
        """Yield all rules, sorted by source side, then target side (as word ids)."""
        for side in range(self.source_sides):
            yield from (self._rule(rule, side) for rule in self.rules_of(side))

    def rules_of(self, side: int) -> range:
        begin, end = self.array("source_rules")[side : side + 2].tolist()
        if not begin <= end <= len(self):
            raise self._damaged("source_rules", side)
        return range(begin, end)

    def source_symbols(self, side: int) -> list[int]:
        return self._slice("source_symbols", "source_offsets", side).tolist()  # type: ignore[no-any-return]

    def find(self, source: Sequence[int]) -> int | None:
        """Return the number of a source side given as symbols, or None. Binary search."""
        wanted = list(source)
        side = bisect.bisect_left(range(self.source_sides), wanted, key=self.source_symbols)
        return side if side < self.source_sides and self.source_symbols(side) == wanted else None

    def lookup(self, source: str | Iterable[str]) -> list[Rule]:
        """Return the rules with this source side: words and `[X,1]`, `[X,2]` for gaps."""
        return [self[rule] for rule in self.rules_with_source(source)]

    def rules_with_source(self, source: str | Iterable[str]) -> range:
        """Return the numbers of these rules."""
        symbols = []
        for word in source.split() if isinstance(source, str) else source:
            if self.kind == "hiero" and word in GAPS:
                symbols.append(-1 - GAPS.index(word))
            elif word in self.source_vocabulary:
                symbols.append(self.source_vocabulary.id(word))
            else:
                return range(0)
        side = self.find(symbols)
        return range(0) if side is None else self.rules_of(side)

    def verify(self) -> None:
        """Read every file and compare its checksum; FormatError names the one that is damaged."""
        self._checks.now(*self.manifest["files"])

    def _rule(self, rule: int, side: int) -> Rule:
        target = self._slice("target_symbols", "target_offsets", rule).tolist()
        links = self._slice("links", "link_offsets", rule).tolist()
        mask = int(self.array("labels")[rule]) if self.has_labels() else 0
        return Rule(
            self._words(self.source_symbols(side), self.source_vocabulary),
            self._words(target, self.target_vocabulary),
            tuple((s, t) for s, t in links),
            tuple(self.array("scores")[rule].tolist()),
            float(self.array("joint_counts")[rule]),
            float(self.array("source_counts")[side]),
            float(self.array("target_counts")[rule]),
            int(self.array("occurrences")[rule]),
            int(self.array("pairs")[rule]),
            tuple(name for bit, name in enumerate(self.label_names) if mask >> bit & 1),
            self._significance(rule),
            tuple(self.array("reordering")[rule].tolist()) if self.reordering_columns else (),
        )

    def _significance(self, rule: int) -> float | None:
        if "significance" not in self.manifest["files"]:
            return None
        value = float(self.array("significance")[rule])
        return value if math.isfinite(value) else None

    def _words(self, symbols: list[int], vocabulary: Vocabulary) -> tuple[str, ...]:
        if symbols and not -3 < min(symbols) <= max(symbols) < len(vocabulary):
            raise FormatError(
                "holds a word that is not in the vocabulary; the table is damaged", path=str(self.folder)
            )
        return tuple(vocabulary.word(symbol) if symbol >= 0 else GAPS[-1 - symbol] for symbol in symbols)

    def _slice(self, values: str, offsets: str, at: int) -> NDArray[Any]:
        begin, end = self.array(offsets)[at : at + 2].tolist()
        data = self.array(values)
        if not begin <= end <= len(data):
            raise self._damaged(offsets, at)
        return data[begin:end]

    def _check_ends(self) -> None:
        """Check that offsets begin with 0 and end with the length of what they point into."""
        numbers = self.manifest["numbers"]
        for name, end in (
            ("source_offsets", numbers["source_symbols"]),
            ("source_rules", numbers["rules"]),
            ("target_offsets", numbers["target_symbols"]),
            ("link_offsets", numbers["links"]),
        ):
            offsets = self._map(name)
            if offsets[0] != 0 or offsets[-1] != end:
                raise self._damaged(name, 0 if offsets[0] != 0 else len(offsets) - 1)

    def _damaged(self, name: str, at: int) -> FormatError:
        return FormatError(
            f"entry {at} is not possible; the file is damaged (it does not belong to {MANIFEST})",
            path=str(self.folder / name),
        )
