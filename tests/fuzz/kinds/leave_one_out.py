"""Folders of leave-one-out counts, with the table they belong to."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from support.corpora.tiny_corpora import tiny_corpus

from fuzz.kind import Files, Kind, files_of
from fuzz.memory import scratch
from fuzz.reseal import reseal_manifests
from tunesmith.grammar import (
    ExtractOptions,
    HieroOptions,
    LeaveOneOutCounts,
    RuleTable,
    extract_rules,
    find_leave_one_out_counts,
)


@cache
def _made() -> Files:
    corpus = tiny_corpus(2, pairs=4, longest=3)
    with scratch("tunesmith-seed-") as name:
        folder = Path(name)
        table = extract_rules(*corpus, folder / "rules", ExtractOptions(HieroOptions(min_gap=1)))
        find_leave_one_out_counts(table, *corpus, folder / "own")
        return files_of(folder)


def _read(folder: Path) -> None:
    own = LeaveOneOutCounts.open(folder / "own", RuleTable.open(folder / "rules"))
    for line in range(len(own)):
        own.of(line)
    own.native((0, 1))


def _in_folds(folder: Path) -> None:
    own = LeaveOneOutCounts.open(folder / "own", RuleTable.open(folder / "rules"))
    own.in_folds([at % 2 for at in range(len(own.arrays["lines"]))]).native((0, 1))


def kinds() -> list[Kind]:
    damaged = tuple(name for name in _made() if name.startswith("own/"))
    return [
        Kind("leave-one-out", lambda: [dict(_made())], _read, damaged=damaged, reseal=reseal_manifests),
        Kind("leave-one-out-folds", lambda: [dict(_made())], _in_folds, damaged=damaged, reseal=reseal_manifests),
    ]
