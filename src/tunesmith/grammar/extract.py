"""From an aligned corpus to a rule table."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.text_files import label_set
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.grammar.options import ExtractOptions, HieroOptions
from tunesmith.grammar.select import select_rules
from tunesmith.grammar.storage import lines_checksum, new_table, refuse_other_data, seal
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.folders import scratch_folder
from tunesmith.io.leftovers import remove_tree
from tunesmith.io.paths import as_path
from tunesmith.signature import Fields, Signature

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is done, and how much there is."""

SCORES = ["p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)"]
MOST_LABELS = 64
DEFAULT_MEMORY = 4 << 30
_PAIRS, _PARTS, _SIDES = 20_000, 32, 1 << 18  # handed to the core at once; in between we can be interrupted


def extract_rules(
    bitext: Bitext,
    alignments: WordAlignments,
    path: StrPath,
    options: ExtractOptions | None = None,
    *,
    labels: Sequence[str] | None = None,
    only_for: Sequence[str] | None = None,
    threads: int = 1,
    memory: int = DEFAULT_MEMORY,
    progress: Progress | None = None,
) -> RuleTable:
    """Extract and score the rules of a corpus into a new table at `path`, all or nothing.

    labels: of the sentence pairs, such as domains, at most 64 different ones; `news/web` is a pair of both.
    only_for: keep the rules whose source side can match in one of these sentences; scores do not change.
    memory: bytes to be used at most, about, without the corpus and the word translation tables; what does not
        fit goes to files next to `path`. The result does not depend on it.
    """
    options = ExtractOptions() if options is None else options
    progress = progress or (lambda what, done, total: None)
    made_with = signature(options, bitext, alignments, labels, only_for).as_dict()
    least = options.scores.significance
    if options.counts_of_all or (least is not None and least > 0):
        # Top rules are chosen among the others that are kept, so all of these come after the scores.
        rules = options.rules
        if options.counts_of_all and isinstance(rules, HieroOptions):
            rules = replace(rules, normal_form=False)
        keep_all = replace(
            options,
            rules=rules,
            scores=replace(options.scores, significance=None if least is None else 0.0, top=0),
            counts_of_all=False,
        )
        refuse_other_data(as_path(path))
        with scratch_folder(path) as scratch:
            table = extract_rules(bitext, alignments, scratch / "all", keep_all, labels=labels, only_for=only_for,
                                  threads=threads, memory=memory, progress=progress)  # fmt: skip
            if not options.counts_of_all:
                table.manifest.update(settings=options.settings(), signature=made_with)
            return select_rules(table, path, top=options.scores.top, significance=least,
                                normal_form=options.counts_of_all, recorded=options.counts_of_all)  # fmt: skip
    alignments.check(bitext)
    label_sets, label_names = _number_labels(labels, len(bitext))
    with ThreadPoolExecutor(2 if threads > 1 else 1) as pool:
        source, target = pool.map(Vocabulary.build, (bitext.source, bitext.target))
    sides = (*source.encode(bitext.source, threads=threads), *target.encode(bitext.target, threads=threads))
    forward, backward = _core.count_translations(*sides, alignments.native, to_null=True, threads=threads)
    source_filter = None
    if only_for is not None:
        source_filter = _core.SourceFilter(*source.encode(only_for, threads=threads), options.rules.longest_run)
    with new_table(path) as folder:
        scratch = folder / "scratch"
        scratch.mkdir()
        native = _native_options(options, folder, scratch, memory, threads)
        with core_errors("alignment"):
            collector = _core.RuleCollector(
                *sides, alignments.native, label_sets, forward, backward, source_filter, native
            )
        totals = _run(collector, progress)
        del collector
        source.save(folder / "source.vocab")
        target.save(folder / "target.vocab")
        remove_tree(scratch)
        fields: dict[str, Any] = {
            "kind": options.rules.kind,
            "score_names": SCORES,
            "labels": label_names,
            "totals": {
                "sentence_pairs": len(bitext),
                "occurrences": totals.occurrences,
                "rules": totals.rules,
                "source_sides": totals.sources,
                "target_sides": totals.targets,
                "made_single_words": totals.single_words,
            },
            "settings": options.settings(),
            "signature": made_with,
        }
        if options.reordering is not None:
            fields["reordering"] = {"model": options.reordering.model, "columns": options.reordering.columns}
        seal(folder, fields)
    return RuleTable.open(path)


def signature(
    options: ExtractOptions,
    bitext: Bitext,
    alignments: WordAlignments,
    labels: Sequence[str] | None,
    only_for: Sequence[str] | None,
) -> Signature:
    """Return what the table was made with: every setting that has an influence, and CRC-32s of the data."""
    data = data_checksums(bitext, alignments)
    for name, lines in (("labels", labels), ("only_for", only_for)):
        if lines is not None:
            data[name] = lines_checksum(lines)
    scores: Fields = {key: value for key, value in asdict(options.scores).items() if value is not None}
    reordering = {} if options.reordering is None else {"reordering": asdict(options.reordering)}
    fields: Fields = {"pairs": len(bitext), "limits": asdict(options.rules), "scores": scores, **reordering,
                      "data": data}  # fmt: skip
    return Signature(options.rules.kind, fields)


def data_checksums(bitext: Bitext, alignments: WordAlignments) -> dict[str, str]:
    """Return CRC-32s of what rules are extracted from."""
    return {"source": lines_checksum(bitext.source), "target": lines_checksum(bitext.target),
            "alignment": _links_checksum(alignments)}  # fmt: skip


def _links_checksum(alignments: WordAlignments) -> str:
    value = 0
    for array in (alignments.source, alignments.target, alignments.offsets):
        value = zlib.crc32(np.ascontiguousarray(array).data, value)
    return f"{value:08x}"


def _native_options(
    options: ExtractOptions, folder: Path, scratch: Path, memory: int, threads: int
) -> _core.CollectOptions:
    if not 1 << 20 <= memory < 1 << 62:
        raise ConfigError(f"memory must be from 1M to 4E, got {memory} bytes")
    native = _core.CollectOptions()
    if options.rules.kind == "hiero":
        native.hiero = options.rules.native()
    else:
        native.phrase = options.rules.native()
    if options.reordering is not None:
        native.reordering = options.reordering.native()
    native.single_words = options.scores.single_words
    native.top = options.scores.top
    native.significance = options.scores.significance is not None
    native.smoothing = getattr(_core.RuleSmoothing, options.scores.smoothing.replace("-", "_"))
    native.lexical_decimals = options.scores.lexical_decimals
    native.folder, native.scratch = str(folder), str(scratch)
    native.memory, native.threads = memory, threads
    return native


def _run(collector: _core.RuleCollector, progress: Progress) -> _core.CollectTotals:
    """Return the four passes of the core, in steps."""
    with core_errors(None):
        _in_steps("extracting", collector.pairs, _PAIRS, collector.extract, progress)
        _in_steps("collecting", collector.parts(), _PARTS, collector.write, progress)
        _in_steps("summing", collector.sums(), _PARTS, collector.sum, progress)
        _in_steps("scoring", collector.sources(), _SIDES, collector.score, progress)
    return collector.finish()


def _in_steps(what: str, size: int, step: int, run: Callable[[int, int], None], progress: Progress) -> None:
    for begin in range(0, size, step):
        progress(what, begin, size)
        run(begin, min(begin + step, size))
    progress(what, size, size)


def _number_labels(labels: Sequence[str] | None, pairs: int) -> tuple[NDArray[np.uint64], list[str]]:
    """Return for each pair a set of labels, bit i for the i-th name, and the names."""
    if labels is None:
        return np.empty(0, dtype=np.uint64), []
    if len(labels) != pairs:
        raise FormatError(f"{len(labels)} labels for {pairs} sentence pairs; there must be one for each")
    sets = {given: label_set(given) for given in set(labels)}
    names = sorted({name for each in sets.values() for name in each})
    if len(names) > MOST_LABELS:
        raise ConfigError(f"there are {len(names)} different labels; at most {MOST_LABELS} can be told apart")
    number = {name: at for at, name in enumerate(names)}
    masks = {given: sum(1 << number[name] for name in each) for given, each in sets.items()}
    return np.array([masks[given] for given in labels], dtype=np.uint64), names
