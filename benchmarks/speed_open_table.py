"""Opening phrase tables of 0.5 and 5 million pairs, and translating with them: time and memory of what is needed.

One JSON line for each table: CPU seconds and memory of opening the model and of translating 100 lines, then the
same where the features of all rules are computed at once, as the slow twin. Memory is what the process holds for
itself (RssAnon) beyond Python and its modules; pages of the files that were read (RssFile) are listed apart,
they are the system's to take back. Tables are made of random sentences, aligned word by word.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith.decoding import TranslationModel
from tunesmith.features import split_features
from tunesmith.grammar import ExtractOptions, PhraseOptions, ReorderingOptions
from tunesmith.io import read_lines, write_lines
from tunesmith.lm import LmOptions
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.train import train_model

SENTENCES = {"0.5 million": 6_400, "5 million": 64_000}
WORDS, LENGTH, LINES = 60_000, 20, 100


def write_corpus(folder: Path, sentences: int) -> TrainingData:
    """Words as rare as those of text; each has a translation, some have two."""
    random = np.random.default_rng(1)
    ranks = np.minimum(random.zipf(1.3, (sentences, LENGTH)), WORDS)
    source = [" ".join(f"s{word}" for word in line) for line in ranks]
    other = random.integers(0, 3, ranks.shape)
    target = [
        " ".join(f"t{word}.{way}" for word, way in zip(*pair, strict=True))
        for pair in zip(ranks, other, strict=True)
    ]
    links = " ".join(f"{at}-{at}" for at in range(LENGTH))
    names = ("source", "target", "align")
    for name, lines in zip(names, (source, target, [links] * sentences), strict=True):
        write_lines(folder / name, lines)
    source_file, target_file, links_file = (str(folder / name) for name in names)
    return TrainingData(source_file, target_file, links_file)


def memory() -> dict[str, float]:
    """Now, in MB: of the process itself, and of files it looked into."""
    return {kind: measure.memory_kilobytes(f"Rss{kind}") / 1024 for kind in ("Anon", "File")}


def opened(model: Path, lines: list[str], at_once: bool) -> dict[str, Any]:
    """A new process: opening, then translating."""
    before, start = memory(), time.process_time()
    found = TranslationModel.open(model)
    if at_once:
        local, _ = split_features(found.system.features)
        features = local.compile(found.table)  # all rows
        assert features.rows == len(found.table) + 4
    decoder = found.decoder()
    loaded, middle = memory(), time.process_time()
    translated = decoder.translate(lines)
    done, end = memory(), time.process_time()
    assert all(one.text for one in translated)
    return {
        "opening_cpu_seconds": round(middle - start, 3),
        "opening_mb": round(loaded["Anon"] - before["Anon"], 1),
        "translating_cpu_seconds": round(end - middle, 3),
        "translating_mb": round(done["Anon"] - loaded["Anon"], 1),
        "file_mb": round(done["File"] - before["File"], 1),
    }


def main() -> None:
    for name, sentences in SENTENCES.items():
        with tempfile.TemporaryDirectory() as folder:
            data = write_corpus(Path(folder), sentences)
            extract = ExtractOptions(PhraseOptions(), reordering=ReorderingOptions())
            model = Path(folder) / "model"
            train_model(data, model, TrainOptions(lm=LmOptions(order=2), extract=extract))
            pairs = len(TranslationModel.open(model).table)
            files = sum(path.stat().st_size for path in (model / "rules").iterdir())
            lines = read_lines(data.source)[:LINES]
            ours = measure.in_child(partial(opened, model, lines, at_once=False))
            twin = measure.in_child(partial(opened, model, lines, at_once=True))
            measure.report("open_table", {
                "table": name, "pairs": pairs, "table_mb": round(files / 2**20), "lines": LINES, **ours,
                "all_rows_at_once": {key: twin[key] for key in ("opening_cpu_seconds", "opening_mb")},
                "times_faster_opening": round(twin["opening_cpu_seconds"] / ours["opening_cpu_seconds"], 1),
            })  # fmt: skip


if __name__ == "__main__":
    main()
