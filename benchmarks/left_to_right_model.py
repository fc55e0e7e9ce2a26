"""The model of the benchmarks of left-to-right search, and the lines that they translate.

It is trained on the lines of ../shared/data/zh-en that have fewer than 30 words; the longer ones are translated,
in addition to dev and to consecutive lines of dev joined to 30, 60 and 90 words.
"""

from __future__ import annotations

from pathlib import Path

import measure

from tunesmith.clustering.options import ClusteringOptions
from tunesmith.clustering.training import cluster
from tunesmith.experiments.watanabe2007.models import CLASSES, model_options
from tunesmith.io import read_lines, write_lines
from tunesmith.training.options import TrainingData
from tunesmith.training.train import train_model

DATA = measure.SHARED / "data" / "zh-en"
LONG = 30
LINES = 20


def training_text() -> list[tuple[str, str]]:
    return list(zip(read_lines(DATA / "train.zh.gz"), read_lines(DATA / "train.en.gz"), strict=True))


def trained(folder: Path) -> Path:
    """A model of the default rules, language model of order 5, 50 word classes of each side."""
    pairs = [pair for pair in training_text() if len(pair[0].split()) < LONG]
    texts, classes = [], []
    for at, side in enumerate(("source", "target")):
        lines = [pair[at] for pair in pairs]
        texts.append(str(folder / side))
        write_lines(texts[-1], lines)
        classes.append(str(folder / f"{side}.classes"))
        cluster(lines, ClusteringOptions(classes=CLASSES), threads=2).classes.save(classes[-1])
    source, target = texts
    data = TrainingData(source, target, None, source_classes=classes[0], target_classes=classes[1])
    train_model(data, folder / "model", model_options("left-to-right", 5), threads=2)
    return folder / "model"


def lines_of(words: int) -> list[str]:
    """Lines of dev joined to `words` words; with 0, dev unchanged, with -1 the long lines that no model read."""
    if words < 0:
        return [source for source, _ in training_text() if len(source.split()) >= LONG]
    lines = read_lines(DATA / "dev.zh")
    if words == 0:
        return lines
    text = " ".join(lines).split()
    return [" ".join(text[at : at + words]) for at in range(0, len(text) - words, words)][:LINES]
