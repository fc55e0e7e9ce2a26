"""Markers of stages, what a folder of an experiment says of itself, stamps of training."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from fuzz.kind import Files, Kind
from tunesmith.experiments.foundations import refuse_other_data
from tunesmith.experiments.stages import Place, Stage, is_done, read_marker
from tunesmith.training.steps import STAMPS, Stamps, TrainingStep


def _stage(result: int = 1) -> Stage:
    return Stage("stage", {"x": 1}, lambda place: {"y": result})


def _marker() -> Files:
    marker = {
        "format": 1,
        "state": "done",
        "key": _stage().key,
        "settings": {"x": 1},
        "seconds": 1.5,
        "result": {"y": 1},
    }
    return {"stage/stage.json": json.dumps(marker).encode()}


def _read_marker(folder: Path) -> None:
    is_done(folder, _stage())
    read_marker(folder / "stage")
    Place(folder, folder / "out").result(_stage())


def _step(folder: Path) -> TrainingStep:
    return TrainingStep(
        name="lm", inputs={"text": folder / "text"}, outputs=("made",), settings={"order": 3}, run=lambda: ""
    )


@cache
def _stamped() -> Files:
    from fuzz.memory import scratch

    with scratch("tunesmith-seed-") as name:
        folder = Path(name)
        (folder / "text").write_text("a\n")
        (folder / "made").write_text("b\n")
        stamps = Stamps(folder)
        stamps.set(_step(folder))
        return {"text": b"a\n", "made": b"b\n", STAMPS: (folder / STAMPS).read_bytes()}


def _why(folder: Path) -> None:
    Stamps(folder).why(_step(folder))


def kinds() -> list[Kind]:
    about = {"about/experiment.json": json.dumps({"kind": "x", "name": "liu2013", "settings": {}}).encode()}
    return [
        Kind("stage-marker", lambda: [_marker()], _read_marker),
        Kind(
            "experiment-about",
            lambda: [about],
            lambda f: refuse_other_data(f / "about", "liu2013", "experiment.json"),
        ),
        Kind("training-stamps", lambda: [dict(_stamped())], _why, damaged=(STAMPS,)),
    ]
