"""What verifying costs when something is opened: seconds with and without it, in turns, the median of each.

A candidate folder (100-best lists of 1,000 lines), rule tables and model directories of 10,000 pairs of
multi30k-de-en (of the phrasebook where ../shared is missing), a language model, a weights file with a million
names. Without: nothing is compared, as before there were checksums. `wait_ms` is what a decoder that
translates one line waits for the check in the background. One JSON line.
"""

from __future__ import annotations

import contextlib
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import measure
import numpy as np

from tunesmith import weights as weights_module
from tunesmith.cli.check import checked
from tunesmith.corpus.phrasebook import PhrasebookOptions, generate
from tunesmith.decoding import TranslationModel
from tunesmith.grammar import RuleTable
from tunesmith.io import read_lines, write_lines
from tunesmith.io.verify import FileChecks
from tunesmith.lm import NgramModel
from tunesmith.search import CandidateSet
from tunesmith.weights import Weights

REPEAT, LINES, K, NAMES, PAIRS = 7, 1_000, 100, 1_000_000, 10_000


@contextlib.contextmanager
def unverified() -> Iterator[None]:
    """Nothing is compared with its checksum."""
    with (
        mock.patch.object(FileChecks, "now"),
        mock.patch.object(FileChecks, "begin"),
        mock.patch.object(weights_module, "check_line", return_value=True),
    ):
        yield


def compared(work: Callable[[], object]) -> dict[str, float]:
    """Milliseconds without and with verification, one after the other; and the spread of the runs with it."""
    seconds: dict[str, list[float]] = {"without": [], "with": []}
    cpu: dict[str, list[float]] = {"without": [], "with": []}  # of all threads; says more on a busy machine
    work()
    for _ in range(REPEAT):
        for name, found in seconds.items():
            with unverified() if name == "without" else contextlib.nullcontext():
                start, worked = time.perf_counter(), time.process_time()
                work()
                found.append(time.perf_counter() - start)
                cpu[name].append(time.process_time() - worked)
    before, after = (statistics.median(found) for found in seconds.values())
    least, most = min(seconds["with"]), max(seconds["with"])
    return {
        "without_ms": round(1000 * before, 2),
        "with_ms": round(1000 * after, 2),
        "more": round(after / before - 1, 3),
        "spread": round(most / least - 1, 2),
        "cpu_without_ms": round(1000 * statistics.median(cpu["without"]), 2),
        "cpu_with_ms": round(1000 * statistics.median(cpu["with"]), 2),
    }


def candidates(folder: Path) -> CandidateSet:
    """Lists as a reranker has them: 14 dense features, 20 sparse ones of each candidate, 20 words."""
    random = np.random.default_rng(1)
    rows, columns = LINES * K, 50_000
    from scipy.sparse import csr_array

    ids = np.sort(random.integers(14, columns, (rows, 20)), axis=1)
    ids = np.concatenate([np.broadcast_to(np.arange(14), (rows, 14)), ids], axis=1)
    matrix = csr_array(
        (random.normal(size=ids.size), ids.ravel(), np.arange(rows + 1) * 34), shape=(rows, columns)
    )
    matrix.sum_duplicates()
    words = random.zipf(1.3, (rows, 20)) % 20_000
    texts = [" ".join(map(str, line)) for line in words.tolist()]
    made = CandidateSet.from_matrix(matrix, np.arange(LINES + 1) * K, np.ones((rows, 10)), texts)
    made.save(folder)
    return made


def model(folder: Path, kind: str) -> Path:
    """A model directory of multi30k, or of the phrasebook."""
    data = measure.SHARED / "data/multi30k-de-en"
    source, target = folder / "f", folder / "e"
    if data.is_dir():
        write_lines(source, read_lines(data / "train.de.gz")[:PAIRS])
        write_lines(target, read_lines(data / "train.en.gz")[:PAIRS])
    else:
        corpus = generate(PhrasebookOptions(pairs=PAIRS, seed=1))
        write_lines(source, (pair.source for pair in corpus.train))
        write_lines(target, (pair.target for pair in corpus.train))
    from tunesmith.cli.main import app  # as a user trains it

    app(
        ["train", "--source", str(source), "--target", str(target), "--kind", kind, "-q", "-j", "2", "-o",
         str(folder / kind)],
        standalone_mode=False,
    )  # fmt: skip
    return folder / kind


def waited(folder: Path) -> dict[str, float]:
    """Seconds of opening a model and translating one line, and of waiting for the check in it."""
    spent: list[float] = []
    finish = FileChecks.finish

    def timed(self: FileChecks) -> None:
        start = time.perf_counter()
        finish(self)
        spent[-1] += time.perf_counter() - start

    totals = []
    for _ in range(REPEAT):
        spent.append(0.0)
        start = time.perf_counter()
        with mock.patch.object(FileChecks, "finish", timed):
            TranslationModel.open(folder).decoder().translate(["ein mann"])
        totals.append(time.perf_counter() - start)
    return {
        "total_ms": round(1000 * statistics.median(totals), 2),
        "wait_ms": round(1000 * statistics.median(spent), 2),
    }


def bytes_of(path: Path) -> int:
    """Of a file, or of all files in a folder."""
    return path.stat().st_size if path.is_file() else sum(each.stat().st_size for each in path.rglob("*"))


def main() -> None:
    """Print the line."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        candidates(folder / "c")
        random = np.random.default_rng(1)
        values = random.normal(size=NAMES).tolist()
        named = {f"word_pair:{at}_{at * 7 % 1000}": value for at, value in enumerate(values)}
        Weights.from_mapping(named, "tuned|version:1").write(folder / "weights.tsv")
        found: dict[str, Any] = {}

        def add(name: str, path: Path, work: Callable[[], object]) -> None:
            found[name] = {"mb": round(bytes_of(path) / 2**20, 1), **compared(work)}

        add("candidates", folder / "c", lambda: CandidateSet.load(folder / "c"))
        add("weights", folder / "weights.tsv", lambda: Weights.read(folder / "weights.tsv"))
        for kind in ("hiero", "phrase"):
            made = model(folder, kind)
            table = made / "rules"
            add(f"{kind} table", table, lambda table=table: RuleTable.open(table))  # type: ignore[misc]
            add(f"{kind} model", made, lambda made=made: TranslationModel.open(made))  # type: ignore[misc]
            found[f"{kind} model"] |= waited(made)
            start = time.perf_counter()
            report = checked(made)
            seconds = time.perf_counter() - start
            found[f"{kind} model"]["check_mb_per_second"] = round(report.bytes / 2**20 / seconds)
        lm = made / "lm.bin"
        found["language model"] = {
            "mb": round(bytes_of(lm) / 2**20, 1),
            "with_ms": round(1000 * measure.median_seconds(lambda: NgramModel.load(lm)), 2),
        }
        measure.report("check", found)


if __name__ == "__main__":
    main()
