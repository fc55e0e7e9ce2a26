"""Candidate sets: lists read and merged, X·w, and a set that does not fit memory merged on disk.

`--large`: 50,000 sentences × 500 candidates × 15 rules instead of a hundredth of it (about 15 GB of disk for a few
minutes, in the folder given by TMPDIR).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.search import (
    CandidateSet,
    CandidateWriter,
    FactoredMatrix,
    WordLists,
    merge,
    read_kbest,
    read_moses_run,
)
from tunesmith.search import write_kbest as write

RULES, WORDS = 5_000_000, 30_000
RULES_USED, LENGTH = 15, 20
_SENTENCES = 200  # made at once


def cpu_seconds(work: Callable[[], object], repeat: int = 5) -> float:
    """Median CPU seconds of this process, threads included."""
    seconds = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


def moses_lists() -> dict[str, Any]:
    """The recorded lists of Moses: 353,131 candidates, 158,385 different, 14 dense features."""
    folder = measure.SHARED / "reference" / "tune"
    files = [(folder / f"run{i}.features.dat.gz", folder / f"run{i}.scores.dat.gz") for i in range(1, 6)]
    if not files[0][0].exists():
        return {}
    runs = [read_moses_run(*pair) for pair in files]
    merged = merge(runs)
    w = np.random.default_rng(1).normal(size=merged.columns)
    dense = merged.rows().toarray()
    return {
        "moses_candidates": len(merged),
        "moses_load_cpu_seconds": round(cpu_seconds(lambda: [read_moses_run(*pair) for pair in files], 3), 3),
        "moses_merge_cpu_seconds": round(cpu_seconds(lambda: merge(runs), 3), 3),
        "kbmira_load_cpu_seconds_recorded": 0.39,
        "scores_ms": round(1000 * cpu_seconds(lambda: merged.scores(w), 21), 3),
        "scores_numpy_ms": round(1000 * cpu_seconds(lambda: dense @ w, 21), 3),
        "kbmira_pass_ms_recorded": 3.6,
    }


def python_reader(path: Path) -> int:
    """The plain loop everybody writes first."""
    names: dict[str, int] = {}
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines():
        number, text, features, score = line.split(" ||| ")
        row: dict[int, float] = {}
        label = ""
        for word in features.split():
            if word.endswith("="):
                label = word[:-1]
            else:
                row[names.setdefault(label, len(names))] = float(word)
        rows.append((int(number), text.split(), row, float(score)))
    return len(rows)


def text_lists(folder: Path, lines: int = 60_000) -> dict[str, Any]:
    """n-best text: our reader against the plain loop."""
    random = np.random.default_rng(1)
    words = np.array([f"word{i}" for i in range(2000)])
    texts = [" ".join(words[random.integers(0, 2000, size=20)]) for _ in range(lines)]
    values = np.round(random.normal(size=(lines, 10)), 4)
    names = [f"feature:{i}" for i in range(10)]
    offsets = np.arange(0, lines + 1, 100)
    made = CandidateSet.from_matrix(values, offsets, texts=texts, names=names)
    path = folder / "list"
    made = CandidateSet(
        made.matrix, offsets, features=made.features, words=made.words, model_scores=np.round(values.sum(1), 4)
    )
    write_seconds = cpu_seconds(lambda: write(made, path), 3)
    ours, plain = cpu_seconds(lambda: read_kbest(path), 3), cpu_seconds(lambda: python_reader(path), 3)
    return {
        "text_lines": lines,
        "text_read_lines_per_cpu_second": round(lines / ours),
        "text_read_against_python_loop": round(plain / ours, 1),
        "text_write_lines_per_cpu_second": round(lines / write_seconds),
    }


def made_rule_features() -> FeatureMatrix:
    random = np.random.default_rng(1)
    block = random.normal(size=(RULES, 8)).astype(np.float32)
    none = np.empty(0, dtype=np.uint32)
    native = _core.FeatureMatrix(
        block, np.zeros(RULES + 1, dtype=np.uint64), none, none.astype(np.float32), 8, RULES - 4
    )
    # Millions of names are not made here: those of the identity block would come from a table.
    index = FeatureIndex()
    matrix = FeatureMatrix(native, index)
    for column in range(matrix.columns + 1):
        index.native.add(f"f{column}")
    return matrix


def made_set(
    features: FeatureMatrix, vocabulary: list[str], first: int, sentences: int, begin: int, end: int
) -> CandidateSet:
    """Candidates `begin` to `end` of an endless list for each sentence: the same numbers, the same candidates."""
    each = end - begin
    rows = sentences * each
    rules, words, states = [], [], []
    for sentence in range(first, first + sentences):
        pool = np.random.default_rng(sentence)
        own_rules = pool.integers(0, RULES, size=1500)
        own_words = pool.integers(0, WORDS, size=200)
        # All numbers of a sentence from one stream, so that candidate i is the same in every round.
        draws = pool.integers(0, 1 << 30, size=(end, RULES_USED + LENGTH + 1))[begin:]
        rules.append(own_rules[draws[:, :RULES_USED] % 1500])
        words.append(own_words[draws[:, RULES_USED:-1] % 200])
        states.append(draws[:, -1] % 1000)
    lm = np.concatenate(states).astype(np.float32).reshape(rows, 1)
    offsets = np.arange(0, rows + 1, each)
    matrix = FactoredMatrix.from_rules(
        features,
        offsets,
        np.arange(0, rows * RULES_USED + 1, RULES_USED),
        np.concatenate(rules).reshape(-1),
        [features.columns],
        lm,
    )
    ids = np.concatenate(words).astype(np.uint32).reshape(-1)
    lists = WordLists(vocabulary, ids, np.arange(0, rows * LENGTH + 1, LENGTH))
    numbers = (np.arange(10) + lm.astype(np.int32) % 50).astype(np.int32)
    return CandidateSet(matrix, offsets, features=features.index, words=lists, statistics=numbers)


class PeakMemory:
    """The most anonymous memory while the block ran, in MB: pages of mapped files can be given back any time."""

    def __enter__(self) -> PeakMemory:
        self.before = self.peak = measure.memory_kilobytes("RssAnon")
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            self.peak = max(self.peak, measure.memory_kilobytes("RssAnon"))

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def added(self) -> float:
        return round((self.peak - self.before) / 1024, 1)


def on_disk(folder: Path, sentences: int) -> dict[str, Any]:
    """Two rounds of 350 candidates per sentence, 200 of them in both: 500 different."""
    features = made_rule_features()
    vocabulary = [f"w{i}" for i in range(WORDS)]
    for name, begin, end in (("old", 0, 350), ("new", 150, 500)):
        with CandidateWriter(folder / name) as writer:
            for first in range(0, sentences, _SENTENCES):
                size = min(_SENTENCES, sentences - first)
                writer.append(made_set(features, vocabulary, first, size, begin, end))
    rounds = [CandidateSet.load(folder / name, features) for name in ("old", "new")]
    start, wall = time.process_time(), time.perf_counter()
    with PeakMemory() as memory:
        merged = merge(rounds, folder=folder / "merged")
    merge_cpu, merge_wall = time.process_time() - start, time.perf_counter() - wall
    w = np.random.default_rng(2).normal(size=merged.columns)
    merged.scores(w)  # finds the different rules, reads the files
    with PeakMemory() as scoring:
        scores_cpu = cpu_seconds(lambda: merged.scores(w), 3)
    size = sum(path.stat().st_size for path in (folder / "merged").iterdir())
    return {
        "sentences": sentences,
        "candidates": len(merged),
        "rule_uses": int(merged.matrix.arrays()["rule_offsets"][-1]),
        "folder_gb": round(size / 1e9, 3),
        "bytes_per_candidate": round(size / len(merged), 1),
        "merge_cpu_seconds": round(merge_cpu, 2),
        "merge_wall_seconds": round(merge_wall, 2),
        "merge_candidates_per_cpu_second": round(sum(map(len, rounds)) / merge_cpu),
        "merge_added_mb": memory.added,
        "scores_cpu_seconds": round(scores_cpu, 3),
        "scores_candidates_per_cpu_second": round(len(merged) / scores_cpu),
        "scores_added_mb": scoring.added,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    large = parser.parse_args().large
    with tempfile.TemporaryDirectory() as name:
        fields = moses_lists() | text_lists(Path(name)) | on_disk(Path(name), 50_000 if large else 500)
    measure.report("candidates", fields)
