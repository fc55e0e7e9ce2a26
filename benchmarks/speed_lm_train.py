"""Estimation of order 5: seconds and peak memory of `tunesmith lm train`, compared with lmplz.

Text: the English of zh-en (414 K tokens; the phrasebook where ../shared is missing), then 10 M tokens made of it
by repeating and perturbing (every tenth token is exchanged). `--tokens 100000000` for
more; 100 M need 6 GB of disk. Then 4 M tokens with `--memory 200M`: `kept` says whether the peak stayed below.

With LMPLZ=PROGRAM KenLM's lmplz runs on the first two texts with the same memory. Elsewhere it needed 2.4 s for
the 414 K tokens on a machine where ../shared/reference/calibrate.py prints 0.58; the scaled figure is that times
what it prints here.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import measure
import numpy as np
from lmplz_peer import estimation

from tunesmith.io import read_lines

LMPLZ_SECONDS, LMPLZ_CALIBRATION = 2.4, 0.58
EXCHANGED = 0.1
MEMORY = "4G"
LITTLE_MB = 200


def text() -> tuple[str, list[str]]:
    """Name and lines."""
    if measure.SHARED.is_dir():
        return "zh-en", read_lines(measure.SHARED / "data/zh-en/train.en.gz")
    from tunesmith.corpus.phrasebook import PhrasebookOptions, generate

    return "phrasebook", [pair.target for pair in generate(PhrasebookOptions(pairs=50_000, seed=1)).train]


def write_perturbed(lines: list[str], tokens: int, path: Path) -> int:
    """Repeats of the text with exchanged tokens, at least `tokens` of them; how many there are."""
    words = np.array(" \n ".join(lines).split(" "), dtype=object)
    is_word = words != "\n"
    pool = words[is_word]
    random = np.random.default_rng(1)
    written = 0
    with path.open("w", encoding="utf-8") as file:
        while written < tokens:
            exchanged = is_word & (random.random(len(words)) < EXCHANGED) & (written > 0)
            now = words.copy()
            now[exchanged] = pool[random.integers(0, len(pool), int(exchanged.sum()))]
            file.write(" ".join(now.tolist()).replace(" \n ", "\n") + "\n")
            written += len(pool)
    return written


def train(path: Path, folder: str, memory: str = MEMORY) -> dict[str, Any]:
    """Measure seconds, CPU seconds and peak memory of the command in a new process."""
    command = [sys.executable, "-m", "tunesmith", "lm", "train", "--order", "5", "--memory", memory]
    command += ["--temporary", folder, "-o", os.devnull, str(path)]
    fields, message = measure.command(command)
    return {**fields, "memory_option": memory, "report": message.strip().splitlines()[-1]}


def calibration() -> float | None:
    """What calibrate.py prints here."""
    script = measure.SHARED / "reference/calibrate.py"
    if not script.exists():
        return None
    return float(subprocess.run([sys.executable, script], capture_output=True, check=True, text=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tokens", type=int, default=10_000_000, help="tokens of the large text")
    tokens = parser.parse_args().tokens
    name, lines = text()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "text"
        for size in (1, tokens):
            count = write_perturbed(lines, size, path)
            fields: dict[str, Any] = {"text": name, "tokens": count, **train(path, folder)}
            fields |= (lmplz := estimation(path, folder, MEMORY))
            if lmplz:
                fields["ratio"] = round(fields["lmplz_seconds"] / fields["seconds"], 1)
            elif size == 1 and name == "zh-en" and (here := calibration()) is not None:
                scaled = LMPLZ_SECONDS * here / LMPLZ_CALIBRATION
                fields |= {"calibrate": here, "lmplz_seconds_scaled": round(scaled, 2)}
                fields["ratio_scaled"] = round(scaled / fields["seconds"], 1)
            measure.report("lm_train", fields)
        count = write_perturbed(lines, 4_000_000, path)
        fields = {"text": name, "tokens": count, **train(path, folder, f"{LITTLE_MB}M")}
        measure.report("lm_train_memory", {**fields, "kept": fields["peak_mb"] <= LITTLE_MB})


if __name__ == "__main__":
    main()
