"""What each sentence pair gave to a rule table is found: the pairs are extracted once more and looked up in it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.grammar.extract import Progress, data_checksums
from tunesmith.grammar.held_out_folds import KINDS
from tunesmith.grammar.leave_one_out import LEAVE_ONE_OUT, TYPES, LeaveOneOutCounts, line_checksum
from tunesmith.grammar.options import HieroOptions, PhraseOptions
from tunesmith.grammar.storage import CORE_ARRAYS
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.arrays import MANIFEST, Stored, new_arrays, seal_arrays
from tunesmith.io.verify import file_checksum

_PAIRS = 10_000  # read together; signals are handled in between


def find_leave_one_out_counts(
    table: RuleTable,
    bitext: Bitext,
    alignments: WordAlignments,
    path: StrPath,
    *,
    threads: int = 1,
    progress: Progress | None = None,
) -> LeaveOneOutCounts:
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
    arrays = {name: table.array(name).reshape(-1) for name in CORE_ARRAYS}
    native = options.native()
    phrase, hiero = (native, None) if options.kind == "phrase" else (None, native)
    with core_errors(str(table.folder)), new_arrays(path, LEAVE_ONE_OUT) as folder:
        finder = _core.LeaveOneOutFinder(
            *sides, alignments.native, arrays, phrase, hiero, len(table.source_vocabulary), threads
        )
        with ExitStack() as stack:
            writer = _Writer(folder, stack)
            for begin in range(0, len(bitext), _PAIRS):
                progress("finding leave-one-out counts", begin, len(bitext))
                writer.add(finder.find(begin, min(begin + _PAIRS, len(bitext))))
            progress("finding leave-one-out counts", len(bitext), len(bitext))
            writer.put("target_numbers", finder.target_numbers())
            writer.put("lines", np.array([line_checksum(line) for line in bitext.source], dtype=np.uint32))
            writer.put_made(len(bitext))
        if writer.missing and not _drops_rules(table):
            raise FormatError(
                f"{writer.missing} rules of the sentence pairs are not in the table, and nothing was dropped from "
                "it; it is damaged, or another version extracted it",
                path=str(table.folder),
            )
        fields = {"table": file_checksum(table.folder / MANIFEST), "pairs": len(bitext), "missing": writer.missing}
        seal_arrays(folder, LEAVE_ONE_OUT, fields, writer.stored())
    return LeaveOneOutCounts.open(path, table)


class _Writer:
    """Arrays that grow on disk, batch by batch."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._files = {name: stack.enter_context((folder / name).open("wb")) for name in TYPES}
        self._sizes = dict.fromkeys(TYPES, 0)
        self._ends = dict.fromkeys(KINDS, 0)
        self._made: list[tuple[NDArray[np.int64], NDArray[np.uint32]]] = []
        self.missing = 0
        for kind in KINDS.values():
            self.put(f"{kind}_offsets", np.zeros(1, np.int64))

    def put(self, name: str, values: NDArray[Any]) -> None:
        kind = np.dtype(TYPES[name].split(":")[0])
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
        """Put rules made for a word, of every pair that has the word in a rule."""
        of_pairs, rules = (
            np.concatenate([np.empty(0, np.int64), *each]) for each in zip(*self._made, strict=True)
        )
        order = np.lexsort((rules, of_pairs))
        self.put("made", rules[order])
        self.put("made_offsets", np.searchsorted(of_pairs[order], np.arange(pairs + 1)))

    def stored(self) -> dict[str, Stored]:
        return {name: (TYPES[name].split(":")[0], (size,)) for name, size in self._sizes.items()}


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
    """Return whether something explains that a rule of the data is not in the table."""
    settings = table.manifest.get("settings", {})
    scores = settings.get("scores", {})
    only_for = "only_for" in table.manifest.get("signature", {}).get("data", {})
    return bool(settings.get("selections") or scores.get("top") or scores.get("significance") or only_for)
