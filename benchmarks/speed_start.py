"""How long a command takes before its work begins, and a model to its first translation: CPU time and memory.

The judge is Python alone. A command is its own process, as a user starts it; the least of several runs
counts, since a busy machine only adds. `heavy` are libraries that the command has loaded.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import report

import tunesmith

HEAVY = ("numpy", "scipy", "sacrebleu", "sacremoses", "rich", "pydantic", "importlib.metadata")
RUNS = 9


def measure(words: list[str]) -> dict[str, float]:
    """Least CPU seconds (user and system) of the runs, and the memory at their peak in MB."""
    seconds, memory = [], 0.0
    for _ in range(RUNS):
        process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{' '.join(words)} ended with status {status}")
        seconds.append(usage.ru_utime + usage.ru_stime)
        memory = max(memory, usage.ru_maxrss / 1024)
    return {"cpu_seconds": round(min(seconds), 3), "peak_mb": round(memory, 1)}


def loaded(words: list[str]) -> list[str]:
    """Heavy libraries that the command imports."""
    command = [sys.executable, "-X", "importtime", "-m", "tunesmith", *words]
    said = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stderr
    names = {line.rpartition("|")[2].strip() for line in said.splitlines()}
    return [name for name in HEAVY if name in names]


def main() -> None:
    """Make a small model, then time commands that do little."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        program = [sys.executable, "-m", "tunesmith"]
        corpus, model, line = work / "corpus", work / "model", work / "line"
        subprocess.run([*program, "phrasebook", "-q", "--pairs", "1000", "-o", str(corpus)], check=True)
        sides = ["--source", str(corpus / "train.zh"), "--target", str(corpus / "train.en")]
        subprocess.run([*program, "train", "-q", *sides, "-o", str(model)], check=True)
        line.write_bytes((corpus / "test.zh").read_bytes().partition(b"\n")[0] + b"\n")
        verbs = {
            "print the version": ["--version"],
            "lm train": ["lm", "train", "-q", str(line), "-o", str(work / "lm.arpa"), "--order", "2"],
            "translate": ["translate", "-q", "-m", str(model), str(line)],
        }
        fields = {name: {**measure([*program, *words]), "heavy": loaded(words)} for name, words in verbs.items()}
        report("start", {"runs": RUNS, "python": measure([sys.executable, "-c", "pass"]), **fields})


if __name__ == "__main__":
    print(f"tunesmith of {Path(tunesmith.__file__).parent}", file=sys.stderr)
    main()
