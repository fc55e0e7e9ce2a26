"""What each sentence pair of the training data gave to a rule table, so that it can be translated without that."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.grammar.extract import Progress, data_checksums
from tunesmith.grammar.options import HieroOptions, PhraseOptions
from tunesmith.grammar.own_parts import KINDS, check_offsets, entries_of_parts, made_alone
from tunesmith.grammar.storage import lines_checksum
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath, folders
from tunesmith.io.arrays import (
    MANIFEST,
    FolderFormat,
    Stored,
    holds_only,
    new_arrays,
    read_arrays,
    seal_arrays,
    verify_files,
)
from tunesmith.io.inside import inside
from tunesmith.io.paths import as_path
from tunesmith.io.verify import file_checksum

OWN_RULES = FolderFormat("tunesmith own rules", 2, "a folder of own rules", "make one with: tunesmith rules own")
_TYPES = {
    "rule_offsets": "<i8:1", "rules": "<u4:1", "rule_counts": "<f8:1",
    "side_offsets": "<i8:1", "sides": "<u4:1", "side_counts": "<f8:1",
    "target_offsets": "<i8:1", "targets": "<u4:1", "target_counts": "<f8:1",
    "made_offsets": "<i8:1", "made": "<u4:1", "target_numbers": "<u4:1", "lines": "<u4:1",
}  # fmt: skip
_TABLE_ARRAYS = ("source_offsets", "source_rules", "target_offsets", "link_offsets", "source_symbols",
                 "target_symbols", "links", "scores", "source_counts", "target_counts",
                 "joint_counts")  # fmt: skip
_PAIRS = 10_000  # looked at together; in between we can be interrupted


def refuse_other_folder(path: StrPath) -> None:
    """Raise ConfigError unless the folder is missing, empty, or one of own rules (which may be replaced)."""
    folders.refuse_other_data(as_path(path), holds_only(OWN_RULES), "folder of own rules")


class OwnRules:
    """The counts of a table that come from each sentence pair; line i of what is decoded is `pairs[i]` of them.

    Arrays of all pairs are mapped from the folder: pair p has the `rules` from `rule_offsets[p]` to
    `rule_offsets[p + 1]` with `rule_counts`; `sides` and `targets` are the sums over its rules with a source side
    and with a target side, `made` the rules that were made for single words which its rules have. A target side is
    named by the first rule that has it (`target_numbers`), gaps being alike. `lines` are checksums of the source.
    parts: of each pair of the folder, where a line is decoded without all pairs of its part; else without its own.
    """

    def __init__(
        self,
        folder: Path,
        table: RuleTable,
        arrays: Mapping[str, NDArray[Any]],
        pairs: ArrayLike,
        parts: NDArray[np.int64] | None = None,
    ) -> None:
        self.folder, self.table, self.arrays, self.parts = folder, table, arrays, parts
        self.pairs = np.ascontiguousarray(pairs, dtype=np.int64)
        self._native: dict[tuple[int | None, int | None], _core.LeaveOneOut] = {}

    @classmethod
    def open(cls, path: StrPath, table: RuleTable) -> OwnRules:
        """Those of all pairs; FormatError if they are damaged, ConfigError if they are those of another table.

        Every byte is read: counts that are wrong would change translations, and nothing else would show it.
        """
        folder = inside(path)
        manifest, arrays = read_arrays(folder, OWN_RULES, _TYPES)
        if missing := sorted(set(_TYPES) - set(arrays)):
            raise FormatError(f"files does not name {missing[0]}; it is damaged", path=str(folder / MANIFEST))
        if manifest.get("table") != file_checksum(table.folder / MANIFEST):
            raise ConfigError(
                f"{folder}: these are the own rules of another rule table than {table.folder}; remove the folder, "
                "and make them again"
            )
        verify_files(folder, manifest)
        check_offsets(arrays, folder)
        return cls(folder, table, arrays, np.arange(len(arrays["lines"])))

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        return f"OwnRules of {len(self)} sentence pairs in {self.folder}"

    @property
    def signature(self) -> str:
        """Changes with the table, with the choice of pairs, and with the parts."""
        parts = "" if self.parts is None else f"-{zlib.crc32(self.parts.tobytes()):08x}"
        return f"{file_checksum(self.folder / MANIFEST)}-{zlib.crc32(self.pairs.tobytes()):08x}{parts}"

    def in_parts(self, parts: ArrayLike) -> OwnRules:
        """The same lines, each decoded without all pairs of its part. parts: of each pair of the folder."""
        numbers = np.ascontiguousarray(parts, dtype=np.int64)
        pairs = len(self.arrays["lines"])
        if numbers.shape != (pairs,) or (pairs and numbers.min() < 0):
            raise ConfigError(f"parts must be a number from 0 for each of the {pairs} sentence pairs")
        return OwnRules(self.folder, self.table, self.arrays, self.pairs, numbers)

    def select(self, sentences: Sequence[int] | NDArray[np.integer[Any]]) -> OwnRules:
        """Those of some lines, in this order; nothing is copied."""
        chosen = np.asarray(sentences, dtype=np.int64)
        if chosen.ndim != 1 or (chosen.size and not 0 <= chosen.min() <= chosen.max() < len(self)):
            raise ConfigError(f"sentences must be numbers from 0 to {len(self) - 1}")
        selected = OwnRules(self.folder, self.table, self.arrays, self.pairs[chosen], self.parts)
        selected._native = self._native
        return selected

    def of(self, line: int) -> dict[int, float]:
        """The rules that the pair of a line (not its part) gave something to, with how much that is."""
        begin, end = self.arrays["rule_offsets"][[self.pairs[line], self.pairs[line] + 1]].tolist()
        rules, counts = self.arrays["rules"][begin:end], self.arrays["rule_counts"][begin:end]
        return dict(zip(rules.tolist(), counts.tolist(), strict=True))

    def check_lines(self, lines: Sequence[str], first: int = 0) -> NDArray[np.int64]:
        """What `native` calls the pairs of these lines, or their parts; the first is line number `first`.

        ConfigError unless they are the source sentences of the pairs: what is left out must be their own.
        """
        if first + len(lines) > len(self):
            raise ConfigError(
                f"there are own rules for {len(self)} lines and more lines to decode; with leave-one-out, the "
                "lines must be the source sentences of the pairs, in their order"
            )
        pairs = self.pairs[first : first + len(lines)]
        found = np.array([_line_checksum(line) for line in lines], dtype=np.uint32)
        wrong = np.flatnonzero(found != self.arrays["lines"][pairs])
        if len(wrong):
            at = int(wrong[0])
            raise ConfigError(
                f"line {first + at + 1} is not the source of sentence pair {int(pairs[at]) + 1} of the training "
                f"data: {lines[at]!r}; with leave-one-out, the lines must be the source sentences of the pairs, "
                "in their order"
            )
        return pairs if self.parts is None else self.parts[pairs]

    def check_target(self, lines: Sequence[str]) -> None:
        """ConfigError unless these are the target sentences of all pairs, which the table was made from."""
        made_from = self.table.manifest.get("signature", {}).get("data", {}).get("target")
        if lines_checksum(lines) != made_from:
            raise ConfigError(
                f"the {len(lines)} references of the training data are not the target side that "
                f"{self.table.folder} was made from; language models of its parts are estimated from that"
            )

    def native(self, columns: tuple[int | None, int | None]) -> _core.LeaveOneOut:
        """The same for the core, which checks every number first.

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
        """Of every pair, or of every part, as the core wants them."""
        check_offsets(self.arrays, self.folder)
        if self.parts is not None:
            return entries_of_parts(self.arrays, self.parts)
        return {**self.arrays, **made_alone(self.arrays, np.arange(len(self.arrays["lines"])))}


def find_own_rules(
    table: RuleTable,
    bitext: Bitext,
    alignments: WordAlignments,
    path: StrPath,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> OwnRules:
    """Extract the sentence pairs that a table was made from once more, and write what each gave to a new folder.

    ConfigError if the table was not extracted by us, or from other data. FormatError if a rule is not in the table
    although no limit of the table explains it.
    """
    options = _extraction(table)
    _check_data(table, bitext, alignments)
    alignments.check(bitext)
    progress = progress or (lambda what, done, total: None)
    sides = (
        *table.source_vocabulary.encode(bitext.source, threads=threads),
        *table.target_vocabulary.encode(bitext.target, threads=threads),
    )
    arrays = {name: table.array(name).reshape(-1) for name in _TABLE_ARRAYS}
    native = options.native()
    phrase, hiero = (native, None) if options.kind == "phrase" else (None, native)
    with core_errors(str(table.folder)), new_arrays(path, OWN_RULES) as folder:
        finder = _core.OwnRuleFinder(
            *sides, alignments.native, arrays, phrase, hiero, len(table.source_vocabulary), threads
        )
        with ExitStack() as stack:
            writer = _Writer(folder, stack)
            for begin in range(0, len(bitext), _PAIRS):
                progress("finding own rules", begin, len(bitext))
                writer.add(finder.find(begin, min(begin + _PAIRS, len(bitext))))
            progress("finding own rules", len(bitext), len(bitext))
            writer.put("target_numbers", finder.target_numbers())
            writer.put("lines", np.array([_line_checksum(line) for line in bitext.source], dtype=np.uint32))
            writer.put_made(len(bitext))
        if writer.missing and not _drops_rules(table):
            raise FormatError(
                f"{writer.missing} rules of the sentence pairs are not in the table, and nothing was dropped from "
                "it; it is damaged, or another version extracted it",
                path=str(table.folder),
            )
        fields = {"table": file_checksum(table.folder / MANIFEST), "pairs": len(bitext), "missing": writer.missing}
        seal_arrays(folder, OWN_RULES, fields, writer.stored())
    return OwnRules.open(path, table)


class _Writer:
    """Arrays that grow on disk, batch by batch."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._files = {name: stack.enter_context((folder / name).open("wb")) for name in _TYPES}
        self._sizes = dict.fromkeys(_TYPES, 0)
        self._ends = dict.fromkeys(KINDS, 0)
        self._made: list[tuple[NDArray[np.int64], NDArray[np.uint32]]] = []
        self.missing = 0
        for kind in KINDS.values():
            self.put(f"{kind}_offsets", np.zeros(1, np.int64))

    def put(self, name: str, values: NDArray[Any]) -> None:
        kind = np.dtype(_TYPES[name].split(":")[0])
        self._files[name].write(np.ascontiguousarray(values, dtype=kind).tobytes())
        self._sizes[name] += len(values)

    def add(self, found: Mapping[str, Any]) -> None:
        for name, kind in KINDS.items():
            offsets, ids, counts = found[name]
            self.put(f"{kind}_offsets", offsets[1:] + self._ends[name])
            self._ends[name] += int(offsets[-1])
            self.put(name, ids)
            self.put(f"{kind}_counts", counts)
        self._made.append((found["made_pairs"], found["made_rules"]))
        self.missing += found["missing"]

    def put_made(self, pairs: int) -> None:
        """Rules made for a word, of every pair that has the word in a rule."""
        of_pairs, rules = (
            np.concatenate([np.empty(0, np.int64), *each]) for each in zip(*self._made, strict=True)
        )
        order = np.lexsort((rules, of_pairs))
        self.put("made", rules[order])
        self.put("made_offsets", np.searchsorted(of_pairs[order], np.arange(pairs + 1)))

    def stored(self) -> dict[str, Stored]:
        return {name: (_TYPES[name].split(":")[0], (size,)) for name, size in self._sizes.items()}


def _extraction(table: RuleTable) -> HieroOptions | PhraseOptions:
    settings = table.manifest.get("settings", {}).get("rules")
    make: Callable[..., HieroOptions | PhraseOptions] = HieroOptions if table.kind == "hiero" else PhraseOptions
    try:
        return make(**settings)
    except TypeError:
        raise ConfigError(
            f"{table.folder}: it is not known what this table was extracted with, so the rules of a sentence pair "
            "cannot be found; leave-one-out needs a table made by: tunesmith extract, or tunesmith train"
        ) from None


def _check_data(table: RuleTable, bitext: Bitext, alignments: WordAlignments) -> None:
    data = table.manifest.get("signature", {}).get("data", {})
    for name, found in data_checksums(bitext, alignments).items():
        if data.get(name) != found:
            pairs = table.manifest.get("totals", {}).get("sentence_pairs", "?")
            raise ConfigError(
                f"{table.folder}: was made from another {name} (checksum {data.get(name)}, {pairs} sentence "
                f"pairs; given are {found} and {len(bitext)}); leave-one-out needs all of the data that the table "
                "was extracted from, in the same order"
            )


def _drops_rules(table: RuleTable) -> bool:
    """Whether something explains that a rule of the data is not in the table."""
    settings = table.manifest.get("settings", {})
    scores = settings.get("scores", {})
    only_for = "only_for" in table.manifest.get("signature", {}).get("data", {})
    return bool(settings.get("selections") or scores.get("top") or scores.get("significance") or only_for)


def _line_checksum(line: str) -> int:
    return zlib.crc32(" ".join(line.split()).encode("utf-8", "surrogatepass"))
