"""n-best lists of every dialect: reading and writing against the plain Python loop that everybody writes first.

`--lines 10000000` for the size of a large training set (the text of it is 1.6 GB, in the folder given by TMPDIR).
`--fuzz 100000` inputs for every reader: no crash, no hang, memory bounded.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import CandidateSet, WordLists, read_kbest, read_list, write_kbest
from tunesmith.search.dialects import dialects

LOOP_LINES = 200_000  # the loop keeps 2 kB of objects a line, so it is not given more


def made(folder: Path, lines: int, dialect: str) -> Path:
    """Lists of 100 candidates with 20 words and 8 features, as text; made part by part."""
    path = folder / f"{dialect}.{lines}"
    generator = np.random.default_rng(1)
    vocabulary = [f"word{i}" for i in range(5000)]
    names = (
        [f"F{i}" for i in range(8)] if dialect == "marian" else ["lm", "tm_0", "tm_1", "wp", "d", "r", "s", "t"]
    )
    with path.open("w") as out:
        for first in range(0, lines, 50_000):
            size = min(50_000, lines - first)
            values = np.round(generator.normal(size=(size, 8)), 4)
            ids = generator.integers(0, 5000, size=20 * size).astype(np.uint32)
            words = WordLists(vocabulary, ids, np.arange(0, 20 * size + 1, 20))
            plain = CandidateSet.from_matrix(values, np.arange(0, size + 1, 100), names=names)
            part = CandidateSet(
                plain.matrix,
                plain.offsets,
                features=names,
                words=words,
                model_scores=np.round(values.sum(axis=1), 4),
            )
            for block in dialects.make(dialect).write(part, first // 100):
                out.write(block)
    return path


def bar_loop(path: Path) -> int:
    """Id ||| words ||| features ||| score, one feature as `name= v` or `name=v`."""
    names: dict[str, int] = {}
    rows = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            number, text, features, score = line.rstrip("\n").split(" ||| ")[:4]
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
            rows.append((int(number), text.split(), row, float(score)))
    return len(rows)


def json_loop(path: Path) -> int:
    """The same for JSON lines."""
    names: dict[str, int] = {}
    rows = []
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            found = json.loads(line)
            row = {names.setdefault(name, len(names)): value for name, value in found["features"].items()}
            rows.append((found["id"], found["hypothesis"].split(), row, found["score"]))
    return len(rows)


def timed(work: Callable[[], int]) -> dict[str, Any]:
    """CPU seconds, for `measure.in_child`; libraries that a first call loads are there before."""
    CandidateSet.from_records([{"id": 0, "hypothesis": "a", "lm": 1.0}])
    start = time.process_time()
    lines = work()
    return {"lines": lines, "cpu_seconds": time.process_time() - start}


def count_read(path: Path) -> int:
    """Our reader."""
    return len(read_kbest(path))


def compare(folder: Path, dialect: str, lines: int, loop: Callable[[Path], int]) -> dict[str, Any]:
    path = made(folder, lines, dialect)
    ours = measure.in_child(partial(timed, partial(count_read, path)))
    few = path if lines <= LOOP_LINES else made(folder, LOOP_LINES, dialect)
    plain = measure.in_child(partial(timed, partial(loop, few)))
    assert ours["lines"] == lines
    assert plain["lines"] == min(lines, LOOP_LINES)
    candidates = read_kbest(path) if lines <= 200_000 else None
    written: dict[str, Any] = {}
    if candidates is not None:
        start = time.process_time()
        write_kbest(candidates, folder / "again", dialect)
        written = {"write_lines_per_cpu_second": round(lines / (time.process_time() - start))}
        assert (folder / "again").read_bytes() == path.read_bytes()
    size = path.stat().st_size
    path.unlink()
    return {
        f"{dialect}_lines": lines,
        f"{dialect}_mb": round(size / 1e6, 1),
        f"{dialect}_read_lines_per_cpu_second": round(lines / ours["cpu_seconds"]),
        f"{dialect}_times_python_loop": round(
            plain["cpu_seconds"] / plain["lines"] / (ours["cpu_seconds"] / lines), 1
        ),
        f"{dialect}_added_mb": ours["added_mb"],
        f"{dialect}_python_loop_added_mb": plain["added_mb"],
        **{f"{dialect}_{key}": value for key, value in written.items()},
    }


PIECES = [
    *'01 \t\n=-.{}[]"\\,:#|',
    *(
        " ||| ",
        "F0= ",
        "lm=",
        "-1.5",
        "1e999",
        "nan",
        "H-0\t",
        "D-0\t",
        "P-0\t",
        "T-0\t",
        "\r\n",
        "\0",
        "\ufeff",
        "我",
    ),
    *('{"id": 0, "hypothesis": "', '{"sentence_id": 1, "translations": ["', '", "score": 1}', "\\ud800", "# n=2"),
    *(
        "WordScores= ",
        "FEATURES_TXT_BEGIN_0 0 1 1 a\n",
        "FEATURES_TXT_END_0\n",
        "99999999999999999999",
        "0 ||| a ||| ",
    ),
    *("[" * 2000, "1" * 400, "\u2028"),
]


def fuzz(folder: Path, inputs: int) -> dict[str, Any]:
    """Random pieces of every dialect, and damaged copies of good lists, through every reader."""
    chance = random.Random(1)
    path = folder / "fuzz"
    good = {}
    for dialect in ("moses", "cdec", "travatar", "marian", "json"):
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
    parser.add_argument("--fuzz", type=int, default=100_000)
    options = parser.parse_args()
    fields: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        for each in ("moses", "cdec", "marian"):
            fields |= compare(Path(name), each, options.lines, bar_loop)
        fields |= compare(Path(name), "json", options.lines, json_loop)
        fields |= fuzz(Path(name), options.fuzz)
    measure.report("nbest", fields)
