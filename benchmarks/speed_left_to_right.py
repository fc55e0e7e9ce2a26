"""Left-to-right search and search by spans with the same rules: mean model score, time and memory by pop limit.

A model of rules in target normalised form is trained first (../shared/data/zh-en). Lines are those of dev, and dev
put together to lines of 30, 60 and 90 words. One JSON line for each length; `faster` is, for every pop limit of
search by spans, its time over that of left-to-right search at the same mean score (between two of its points, by
straight lines over the logarithm of time; null where no pop limit reaches the score).
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import measure

from tunesmith.decoding import (
    Decoder,
    DecoderOptions,
    HieroDecoder,
    LeftToRightDecoder,
    LeftToRightOptions,
    TranslationModel,
)
from tunesmith.grammar import ExtractOptions, HieroOptions
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.train import train_model

DATA = measure.SHARED / "data" / "zh-en"
POPS = (10, 30, 100, 300, 1000)
LINES = 60


def trained(folder: Path) -> Path:
    options = TrainOptions(extract=ExtractOptions(HieroOptions(normal_form=True)), search="left-to-right")
    data = TrainingData(DATA / "train.zh.gz", DATA / "train.en.gz", None)
    train_model(data, folder / "model", options, threads=2)
    return folder / "model"


def lines_of(words: int) -> list[str]:
    """Lines of dev; with a number of words, dev put together to lines of that length."""
    lines = (DATA / "dev.zh").read_text(encoding="utf-8").splitlines()
    if words == 0:
        return lines
    text = " ".join(lines).split()
    return [" ".join(text[at : at + words]) for at in range(0, len(text) - words, words)][:LINES]


def measured(decoder: Decoder, lines: Sequence[str]) -> dict[str, float]:
    decoder.translate(lines[:3])
    begin = time.process_time()
    found = decoder.translate(lines)
    seconds = time.process_time() - begin
    return {
        "score": round(sum(one.score for one in found) / len(lines), 4),
        "milliseconds": round(1000 * seconds / len(lines), 4),
    }


def curve(model: Path, search: str, words: int) -> dict[str, Any]:
    opened, lines = TranslationModel.open(model), lines_of(words)
    parts = opened.table, opened.features, opened.language_models, opened.start_weights()
    rows = []
    for pops in POPS:
        decoder: Decoder
        if search == "hiero":
            decoder = HieroDecoder(*parts, DecoderOptions(pop_limit=pops))
        else:
            decoder = LeftToRightDecoder(*parts, LeftToRightOptions(pop_limit=pops, stack_limit=pops))
        rows.append({"pop_limit": pops, **measured(decoder, lines)})
    return {"rows": rows}


def time_at(rows: Sequence[dict[str, float]], score: float) -> float | None:
    """Milliseconds at which a curve reaches a score; None where it does not."""
    for low, high in itertools.pairwise(rows):
        if low["score"] <= score <= high["score"]:
            share = (score - low["score"]) / (high["score"] - low["score"])
            return math.exp((1 - share) * math.log(low["milliseconds"]) + share * math.log(high["milliseconds"]))
    return rows[0]["milliseconds"] if score < rows[0]["score"] else None


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, help="rules in normal form, trained before")
    arguments = parser.parse_args()
    if not DATA.is_dir():
        return
    with tempfile.TemporaryDirectory() as folder:
        model = arguments.model or trained(Path(folder))
        for words in (0, 30, 60, 90):
            curves = {
                search: measure.in_child(functools.partial(curve, model, search, words))
                for search in ("hiero", "left-to-right")
            }
            ours = curves["left-to-right"]["rows"]
            at_equal_score = [
                (row["milliseconds"], time_at(ours, row["score"])) for row in curves["hiero"]["rows"]
            ]
            faster = [None if other is None else round(spans / other, 2) for spans, other in at_equal_score]
            lengths = [len(line.split()) for line in lines_of(words)]
            measure.report(
                "left_to_right",
                {
                    "words": round(sum(lengths) / len(lengths), 1),
                    "lines": len(lengths),
                    **curves,
                    "faster": faster,
                },
            )


if __name__ == "__main__":
    main()
