"""Building F, F·w for every rule, and reading a million weights; compared with a plain Python twin on a sample.

On the hierarchical zh-en table with Moses' limits (--table FOLDER: that one; without ../shared: the phrasebook).
CPU seconds of one thread, since others use these machines too; the twin's time is that of a sample, scaled.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith.alignment import align
from tunesmith.corpus.bitext import Bitext, read_bitext
from tunesmith.corpus.phrasebook import PhrasebookOptions, generate
from tunesmith.features import FeatureSet
from tunesmith.grammar import ExtractOptions, RuleTable, extract_rules
from tunesmith.weights import Weights

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference import features as twin

FEATURES = "default,id,big"
BOUNDS = (1, 2, 4, 8, 16, 32, 64, 128, 1000, 10000)
SAMPLE = 2000
WEIGHTS = 1_000_000


def compiled(path: str, threads: int) -> dict[str, Any]:
    """CPU and wall seconds of building F and of F·w, memory of the arrays and at the peak."""
    table, chosen = RuleTable.open(path), FeatureSet.parse(FEATURES)
    _ = table.source_vocabulary, table.target_vocabulary
    cpu, wall = time.process_time(), time.perf_counter()
    matrix = chosen.compile(table, threads=threads)
    built = time.process_time() - cpu, time.perf_counter() - wall
    w = np.random.default_rng(1).normal(size=matrix.columns)
    cpu = time.process_time()
    matrix.scores(w)
    scored = time.process_time() - cpu
    return {
        "features": matrix.columns,
        "values": matrix.native.nonzeros,
        "build_cpu_s": round(built[0], 2),
        "build_wall_s": round(built[1], 2),
        "score_cpu_s": round(scored, 3),
        "arrays_mb": round(matrix.native.bytes / 1e6, 1),
    }


def in_python(table: RuleTable) -> float:
    """CPU seconds of the plain definitions for the whole table, from a sample of its rules."""
    rng = np.random.default_rng(1)
    rules = [table[int(number)] for number in rng.integers(0, len(table), size=SAMPLE)]
    top = [twin.most_frequent(words, 80) for words in (table.source_vocabulary, table.target_vocabulary)]
    unaligned = twin.most_frequent(table.target_vocabulary, 50)
    start = time.process_time()
    for rule in rules:
        row = dict(twin.default(rule, table.score_names))
        for fired in (
            twin.identity(rule),
            twin.word_pair(rule, table, 80, top),
            twin.target_unaligned(rule, table, 50, unaligned),
            twin.count_bin(rule, BOUNDS),
            twin.length_bin(rule, 7),
        ):
            row.update(twin.summed(fired))
    return (time.process_time() - start) / SAMPLE * len(table)


def weights_read(table_path: str, order: str, folder: str) -> dict[str, Any]:
    """CPU seconds from a file of a million weights, nearly all of `id` features, to the vector."""
    matrix = FeatureSet.parse("default,id").compile(RuleTable.open(table_path))
    rng = np.random.default_rng(1)
    ids = rng.choice(matrix.columns, size=min(WEIGHTS, matrix.columns), replace=False).astype(np.uint32)
    ids = np.sort(ids) if order == "table" else ids
    path = Path(folder) / f"{order}.tsv"
    Weights(matrix.index.native.weights(ids, rng.normal(size=len(ids)))).write(path)
    cpu, wall = time.process_time(), time.perf_counter()
    vector, unknown = matrix.index.vector(Weights.read(path))
    seconds = time.process_time() - cpu, time.perf_counter() - wall
    assert not unknown
    assert np.count_nonzero(vector) == len(ids)
    return {"weights": len(ids), "cpu_s": round(seconds[0], 2), "wall_s": round(seconds[1], 2)}


def made_table(folder: str) -> tuple[RuleTable, str]:
    """zh-en where ../shared is there, else a phrasebook."""
    data = measure.SHARED / "data/zh-en"
    if data.is_dir():
        bitext, name = read_bitext(data / "train.zh.gz", data / "train.en.gz"), "zh-en"
    else:
        pairs = generate(PhrasebookOptions(pairs=20_000)).train
        bitext, name = Bitext([pair.source for pair in pairs], [pair.target for pair in pairs]), "phrasebook"
    links = align(bitext, threads=2).joined
    return extract_rules(bitext, links, Path(folder) / "rules", ExtractOptions.moses("hiero"), threads=2), name


def main() -> None:
    """One line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--table")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        table, text = (RuleTable.open(arguments.table), arguments.table) if arguments.table else made_table(folder)
        path = str(table.folder)
        one = measure.in_child(partial(compiled, path, 1))
        two = measure.in_child(partial(compiled, path, 2))
        slow = in_python(table)
        fields = {
            "text": text,
            "rules": len(table),
            "set": FEATURES,
            "one_thread": one,
            "two_threads": two,
            "python_twin_cpu_s": round(slow, 1),
            "ratio": round(slow / one["build_cpu_s"], 1),
            "weights_in_table_order": measure.in_child(partial(weights_read, path, "table", folder)),
            "weights_shuffled": measure.in_child(partial(weights_read, path, "shuffled", folder)),
        }
    measure.report("features", fields)


if __name__ == "__main__":
    main()
