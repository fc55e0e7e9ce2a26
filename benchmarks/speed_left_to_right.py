"""Left-to-right search and search by spans with the same rules: mean model score, time, edges by pop limit.

One JSON line for each kind of line (`left_to_right_model`): dev, dev joined to 30, 60 and 90 words, and training
lines of 30 words and more, which were taken out before training. `lm_calls` are edges scored for a line: each asks
the language model once. `faster` is, for every pop limit of search by spans, its time over that of left-to-right
search at the same mean score (between two of its points, by straight lines over the logarithm of time; null where
no pop limit reaches the score). `growth` is the exponent b of time = a · words^b over dev and the joined lines.

--peers compares with the recorded curve of Moses2 instead (../shared/reference/moses-hiero): all rules of its
table by spans, and those in target normalised form by both searches, under the same weights. Recorded times are
scaled by calibrate.py, run between ours.
"""

from __future__ import annotations

import argparse
import functools
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import measure
import numpy as np
from left_to_right_model import DATA, lines_of, trained
from recorded_peers import CALIBRATED, calibration, seconds_at
from speed_decode import MOSES2, sentences

from tunesmith.decoding import (
    Decoder,
    DecoderOptions,
    HieroDecoder,
    LeftToRightDecoder,
    LeftToRightOptions,
    TranslationModel,
)
from tunesmith.grammar.select import select_rules
from tunesmith.training.import_moses import import_moses

SEARCHES = ("hiero", "left-to-right")
POPS = (10, 30, 100, 300, 1000)
KINDS = {"dev": 0, "joined to 30": 30, "joined to 60": 60, "joined to 90": 90, "long training lines": -1}


def decoder_of(model: TranslationModel, search: str, pops: int) -> Decoder:
    parts = model.table, model.features, model.language_models, model.start_weights()
    if search == "hiero":
        return HieroDecoder(*parts, DecoderOptions(pop_limit=pops))
    return LeftToRightDecoder(*parts, LeftToRightOptions(pop_limit=pops, stack_limit=pops))


def measured(decoder: Decoder, lines: Sequence[str]) -> dict[str, float]:
    decoder.translate(lines[:3])
    begin = time.process_time()
    found = decoder.k_best(lines, 1)
    seconds = time.process_time() - begin
    return {
        "score": round(sum(each.best.score for each in found) / len(lines), 4),
        "milliseconds": round(1000 * seconds / len(lines), 4),
        "lm_calls": round(sum(each.pops for each in found) / len(lines)),
    }


def curve(model: Path, search: str, lines: Sequence[str]) -> dict[str, Any]:
    opened = TranslationModel.open(model)
    return {"rows": [{"pop_limit": pops, **measured(decoder_of(opened, search, pops), lines)} for pops in POPS]}


def by_score(rows: Sequence[dict[str, float]]) -> dict[float, float]:
    return {row["score"]: row["milliseconds"] for row in rows}


def same_rules(model: Path, kinds: Sequence[str]) -> None:
    """All kinds of lines, and how time grows with their length."""
    times: dict[str, list[list[float]]] = {search: [] for search in SEARCHES}
    for kind in kinds:
        words = KINDS[kind]
        lines = lines_of(words)
        length = sum(len(line.split()) for line in lines) / len(lines)
        curves = {each: measure.in_child(functools.partial(curve, model, each, lines)) for each in SEARCHES}
        spans, ours = (curves[search]["rows"] for search in SEARCHES)
        at = [seconds_at(by_score(ours), row["score"]) for row in spans]
        faster = [time and round(row["milliseconds"] / time, 2) for row, time in zip(spans, at, strict=True)]
        measure.report("left_to_right", {"lines": len(lines), "kind": kind, "words": round(length, 1),
                                         **curves, "faster": faster})  # fmt: skip
        for search in SEARCHES if words >= 0 else ():
            times[search].append([length, *(row["milliseconds"] for row in curves[search]["rows"])])
    growth = {}
    for search, rows in times.items() if len(times["hiero"]) > 1 else ():
        logs = np.log(np.array(rows))
        growth[search] = [round(float(np.polyfit(logs[:, 0], column, 1)[0]), 3) for column in logs.T[1:]]
    measure.report("left_to_right_growth", {"pop_limits": POPS, "exponents": growth})


def peer_point(model: Path, search: str, pops: int) -> dict[str, Any]:
    """A new process: all sentences with nothing computed before."""
    lines = sentences()
    decoder = decoder_of(TranslationModel.open(model), search, pops)
    begin = time.process_time()
    found = decoder.k_best(lines, 1)
    seconds = time.process_time() - begin
    return {
        "score": round(sum(each.best.score for each in found) / len(lines), 4),
        "seconds": round(seconds, 4),
        "lm_calls": round(sum(each.pops for each in found) / len(lines)),
    }


def beside_moses2(folder: Path) -> None:
    """The model of Moses, whole and with the rules in target normalised form alone."""
    whole, normal = folder / "whole", folder / "normal"
    import_moses(measure.SHARED / "reference/moses-hiero/moses.ini", whole)
    import_moses(measure.SHARED / "reference/moses-hiero/moses.ini", normal)
    table = select_rules(TranslationModel.open(whole).table, folder / "chosen", normal_form=True)
    rules = normal / TranslationModel.open(normal).system.rules
    rules.rename(folder / "all")
    (folder / "chosen").rename(rules)
    machine = [calibration()]
    kinds = {"by spans, all rules": (whole, "hiero"), "by spans, normal form": (normal, "hiero"),
             "left to right, normal form": (normal, "left-to-right")}  # fmt: skip
    for name, (model, search) in kinds.items():
        rows = []
        for pops in POPS:
            point = measure.in_child(functools.partial(peer_point, model, search, pops))
            rows.append({"pop_limit": pops, **point})
        machine.append(calibration())
        measure.report("left_to_right_peer", {"curve": name, "sentences": len(sentences()), "rows": rows})
    measure.report("left_to_right_peers", {
        "rules": len(table), "moses2": {str(score): spent for score, spent in MOSES2.items()},
        "calibration": round(statistics.median(machine), 3), "recorded": CALIBRATED,
    })  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, help="of left_to_right_model, trained before")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS), help="of lines")
    parser.add_argument("--peers", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.peers and (measure.SHARED / "reference/moses-hiero").is_dir():
            beside_moses2(Path(folder))
        elif not arguments.peers and DATA.is_dir():
            same_rules(arguments.model or trained(Path(folder)), arguments.kinds)


if __name__ == "__main__":
    main()
