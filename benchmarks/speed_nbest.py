"""n-best lists of every dialect: reading and writing against the plain Python loop that everybody writes first.

Whole lists against a loop that keeps what it reads; lists part by part against a loop that keeps nothing; JSON
also against msgspec.
`--large 10000000` reads lists of Moses of that many lines (2.8 GB of text, in the folder given by TMPDIR).
`--fuzz 100000` inputs for every reader: no crash, no hang, memory bounded.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import measure
import msgspec
import numpy as np

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import CandidateSet, ListStream, WordLists, read_kbest, read_list, write_kbest
from tunesmith.search.dialects import dialects
from tunesmith.search.dialects.json_lines import Candidate
from tunesmith.search.lists.rows import RowBuilder

DIALECTS = (
    "moses", "cdec", "joshua", "travatar", "marian", "json", "fairseq", "sockeye", "flat", "moses-dat",
)  # fmt: skip


def made(folder: Path, lines: int, dialect: str) -> Path:
    """Lists of 100 candidates with 20 words and 8 features (fairseq and sockeye: 1), made part by part."""
    path = folder / f"{dialect}.{lines}"
    generator = np.random.default_rng(1)
    vocabulary = [f"word{i}" for i in range(5000)]
    names = ["lm", "tm_0", "tm_1", "wp", "d", "r", "s", "t"]
    if dialect == "marian":
        names = [f"F{i}" for i in range(8)]
    if dialect in ("fairseq", "sockeye"):
        names = ["score"]
    with path.open("w") as out:
        for first in range(0, lines, 50_000):
            size = min(50_000, lines - first)
            values = np.round(generator.normal(size=(size, len(names))), 4)
            ids = generator.integers(0, 5000, size=20 * size).astype(np.uint32)
            words = WordLists(vocabulary, ids, np.arange(0, 20 * size + 1, 20))
            plain = CandidateSet.from_matrix(values, np.arange(0, size + 1, 100), names=names)
            dat = dialect == "moses-dat"
            part = CandidateSet(
                plain.matrix,
                plain.offsets,
                features=names,
                words=None if dat else words,
                model_scores=None if dat else np.round(values.sum(axis=1), 4),
            )
            for block in dialects.make(dialect).write(part, first // 100):
                out.write(block)
    return path


Kept = tuple[int, list[str], dict[int, float], float]


def bar_loop(lines: Iterable[str]) -> Iterator[Kept]:
    """Id ||| words ||| features ||| score, one feature as `name= v` or `name=v`; the score may come first."""
    names: dict[str, int] = {}
    for line in lines:
        number, text, features, score = line.rstrip("\n").split(" ||| ")[:4]
        if "=" not in features:
            features, score = score, features
        row: dict[int, float] = {}
        label, count = "", 0
        for word in features.split():
            if word.endswith("="):
                label, count = word[:-1], 0
            elif "=" in word:
                label, _, value = word.rpartition("=")
                row[names.setdefault(label, len(names))] = float(value)
            else:
                row[names.setdefault(f"{label}_{count}", len(names))] = float(word)
                count += 1
        yield int(number), text.split(), row, float(score)


def json_loop(lines: Iterable[str]) -> Iterator[Kept]:
    """The same for JSON lines."""
    names: dict[str, int] = {}
    for line in lines:
        found = json.loads(line)
        row = {names.setdefault(name, len(names)): value for name, value in found["features"].items()}
        yield found["id"], found["hypothesis"].split(), row, found["score"]


def fairseq_loop(lines: Iterable[str]) -> Iterator[Kept]:
    """H and D lines."""
    for line in lines:
        if line.startswith("H-"):
            number, text, _ = line.split("\t")
            sentence, score = int(number[2:]), float(text)
        elif line.startswith("D-"):
            yield sentence, line.rstrip("\n").split("\t")[2].split(), {0: score}, score


def sockeye_loop(lines: Iterable[str]) -> Iterator[Kept]:
    """A sentence a line."""
    for line in lines:
        found = json.loads(line)
        for text, score in zip(found["translations"], found["scores"], strict=True):
            yield found["sentence_id"] - 1, text.split(), {0: score}, score


def flat_loop(lines: Iterable[str]) -> Iterator[Kept]:
    """Columns after tabs, a hundred lines for each sentence."""
    for at, line in enumerate(lines, -1):
        if at >= 0:
            text, score, *values = line.rstrip("\n").split("\t")
            yield at // 100, text.split(), dict(enumerate(map(float, values))), float(score)


def dat_loop(lines: Iterable[str]) -> Iterator[Kept]:
    """Blocks of numbers."""
    sentence = 0
    for line in lines:
        if line.startswith("FEATURES_TXT_BEGIN"):
            sentence = int(line.split()[1])
        elif not line.startswith("FEATURES_TXT_END"):
            yield sentence, [], dict(enumerate(map(float, line.split()))), 0.0


LOOPS: dict[str, Callable[[Iterable[str]], Iterator[Kept]]] = {
    "json": json_loop,
    "fairseq": fairseq_loop,
    "sockeye": sockeye_loop,
    "flat": flat_loop,
    "moses-dat": dat_loop,
}


def run_loop(dialect: str, path: Path, keep: bool) -> int:
    """The plain loop of a dialect."""
    with path.open(encoding="utf-8") as lines:
        rows = LOOPS.get(dialect, bar_loop)(lines)
        return len(list(rows)) if keep else sum(1 for _ in rows)


def count_by_msgspec(path: Path) -> int:
    """A reader of JSON lines in Python: msgspec decodes, a RowBuilder makes the candidates."""
    decoder, builder = msgspec.json.Decoder(Candidate), RowBuilder()
    with path.open("rb") as lines:
        for line in lines:
            found = decoder.decode(line)
            builder.add(found.id, found.hypothesis, found.features.items(), found.score)
    return len(builder.finish())


def timed(work: Callable[[], int]) -> dict[str, Any]:
    """CPU seconds, for `measure.in_child`; libraries that a first call loads are there before."""
    CandidateSet.from_records([{"id": 0, "hypothesis": "a", "lm": 1.0}])
    start = time.process_time()
    lines = work()
    return {"lines": lines, "cpu_seconds": time.process_time() - start}


def count_read(dialect: str, path: Path) -> int:
    """Our reader."""
    return len(read_kbest(path, dialect))


def count_parts(dialect: str, path: Path) -> int:
    """Our reader, part by part."""
    return sum(len(part.candidates) for part in ListStream(path, dialect).parts())


def compare(folder: Path, dialect: str, lines: int) -> dict[str, Any]:
    """Whole lists, and the same written again."""
    path = made(folder, lines, dialect)
    ours = measure.in_child(partial(timed, partial(count_read, dialect, path)))
    plain = measure.in_child(partial(timed, partial(run_loop, dialect, path, True)))
    assert ours["lines"] == plain["lines"] == lines
    more = {}
    if dialect == "json":
        other = measure.in_child(partial(timed, partial(count_by_msgspec, path)))
        assert other["lines"] == lines
        more = {"json_times_msgspec": round(other["cpu_seconds"] / ours["cpu_seconds"], 1)}
    candidates = read_kbest(path, dialect)
    start = time.process_time()
    write_kbest(candidates, folder / "again", dialect)
    seconds = time.process_time() - start
    assert (folder / "again").read_bytes() == path.read_bytes()
    path.unlink()
    return {
        f"{dialect}_lines": lines,
        f"{dialect}_read_lines_per_cpu_second": round(lines / ours["cpu_seconds"]),
        f"{dialect}_times_python_loop": round(plain["cpu_seconds"] / ours["cpu_seconds"], 1),
        f"{dialect}_added_mb": ours["added_mb"],
        f"{dialect}_python_loop_added_mb": plain["added_mb"],
        f"{dialect}_write_lines_per_cpu_second": round(lines / seconds),
        **more,
    }


def compare_large(folder: Path, lines: int) -> dict[str, Any]:
    """A list that is longer than memory likes."""
    path = made(folder, lines, "moses")
    parts = measure.in_child(partial(timed, partial(count_parts, "moses", path)))
    plain = measure.in_child(partial(timed, partial(run_loop, "moses", path, False)))
    whole = measure.in_child(partial(timed, partial(count_read, "moses", path)))
    assert parts["lines"] == plain["lines"] == whole["lines"] == lines
    return {
        "large_lines": lines,
        "large_mb": round(path.stat().st_size / 1e6),
        "large_parts_cpu_seconds": round(parts["cpu_seconds"], 1),
        "large_parts_added_mb": parts["added_mb"],
        "large_python_loop_cpu_seconds": round(plain["cpu_seconds"], 1),
        "large_python_loop_added_mb": plain["added_mb"],
        "large_parts_times_python_loop": round(plain["cpu_seconds"] / parts["cpu_seconds"], 1),
        "large_whole_cpu_seconds": round(whole["cpu_seconds"], 1),
        "large_whole_added_mb": whole["added_mb"],
    }


PIECES = [
    *'01 \t\n=-.{}[]"\\,:#|',
    *(" ||| ", "F0= ", "lm=", "-1.5", "1e999", "nan", "H-0\t", "D-0\t", "P-0\t", "T-0\t", "\r\n", "\0"),
    *('{"id": 0, "hypothesis": "', '{"sentence_id": 1, "translations": ["', '", "score": 1}', "\\ud800", "# n=2"),
    *("WordScores= ", "FEATURES_TXT_BEGIN_0 0 1 1 a\n", "FEATURES_TXT_END_0\n", "9" * 20, "0 ||| a ||| "),
    *("\ufeff", "我", "[" * 2000, "1" * 400, "\u2028"),
]


def fuzz(folder: Path, inputs: int) -> dict[str, Any]:
    """Random pieces of every dialect, and damaged copies of good lists, through every reader."""
    chance = random.Random(1)
    path = folder / "fuzz"
    good = {}
    for dialect in DIALECTS:
        good[dialect] = made(folder, 100, dialect).read_bytes()[:600]
    names = [*dialects, None]
    read = refused = 0
    slowest = 0.0
    before = measure.memory_kilobytes("VmRSS")
    for at in range(inputs):
        if chance.random() < 0.5:
            data = "".join(chance.choices(PIECES, k=chance.randrange(1, 40))).encode("utf-8", "replace")
        else:
            damaged = bytearray(chance.choice(list(good.values())))
            for _ in range(chance.randrange(1, 6)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            data = bytes(damaged[: chance.randrange(1, len(damaged) + 1)])
        path.write_bytes(data)
        name = names[at % len(names)]
        start = time.process_time()
        try:
            read_list(path, "flat:n=1" if name == "flat" else name, skip_bad=at % 2 == 1 and name != "moses-dat")
            read += 1
        except (FormatError, ConfigError):
            refused += 1
        slowest = max(slowest, time.process_time() - start)
    return {
        "fuzz_inputs": inputs,
        "fuzz_read": read,
        "fuzz_refused": refused,
        "fuzz_slowest_cpu_seconds": round(slowest, 3),
        "fuzz_grown_mb": round((measure.memory_kilobytes("VmRSS") - before) / 1024, 1),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=200_000)
    parser.add_argument("--large", type=int, default=0)
    parser.add_argument("--fuzz", type=int, default=100_000)
    parser.add_argument("--dialect", action="append", choices=DIALECTS)
    options = parser.parse_args()
    fields: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        for each in options.dialect or DIALECTS:
            fields |= compare(Path(name), each, options.lines)
        if options.large:
            fields |= compare_large(Path(name), options.large)
        if options.fuzz:
            fields |= fuzz(Path(name), options.fuzz)
    measure.report("nbest", fields)
