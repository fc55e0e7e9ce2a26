"""Rule tables: the folder, and everything that is done with one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from support.corpora.tiny_corpora import tiny_corpus

from fuzz.kind import OUT, Files, Kind, files_of
from fuzz.memory import scratch
from fuzz.reseal import reseal_manifests
from tunesmith.features import FeatureSet
from tunesmith.grammar import ExtractOptions, HieroOptions, PhraseOptions, RuleTable, extract_rules
from tunesmith.grammar.moses import write_moses
from tunesmith.grammar.reordering import ReorderingOptions
from tunesmith.grammar.select import select_rules


@cache
def _extracted(hiero: bool) -> Files:
    rules = HieroOptions(min_gap=1) if hiero else PhraseOptions(max_length=3)
    reordering = None if hiero else ReorderingOptions()
    corpus = tiny_corpus(1, pairs=5, longest=4)
    with scratch("tunesmith-seed-") as folder:
        labels = None if hiero else ["one", "two", "one", "two", "one"]
        extract_rules(*corpus, Path(folder) / "rules", ExtractOptions(rules, reordering=reordering), labels=labels)
        return {f"rules/{name}": data for name, data in files_of(Path(folder) / "rules").items()}


def seeds() -> list[Files]:
    return [dict(_extracted(True)), dict(_extracted(False))]


def _open(folder: Path) -> RuleTable:
    return RuleTable.open(folder / "rules")


def _walk(folder: Path) -> None:
    table = _open(folder)
    for rule in table:
        str(rule)


def _features(folder: Path) -> None:
    table = _open(folder)
    FeatureSet.parse("default,id,word_pair,length_bin,count_bin").compile(table).row(0)


def _select(folder: Path) -> None:
    table = _open(folder)
    select_rules(table, folder / OUT / "rules", top=1)


def _moses(folder: Path) -> None:
    table = _open(folder)
    (folder / OUT).mkdir()
    write_moses(table, folder / OUT / "table")


def kinds() -> list[Kind]:
    return [
        Kind("rule-table", seeds, _walk, reseal=reseal_manifests),
        Kind("rule-table-features", seeds, _features, reseal=reseal_manifests),
        Kind("rule-table-select", seeds, _select, reseal=reseal_manifests),
        Kind("rule-table-export", seeds, _moses, reseal=reseal_manifests),
    ]
