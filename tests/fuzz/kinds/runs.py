"""Run directories: listed, reported, compared, continued; and each of their files alone."""

from __future__ import annotations

import json
import re
import shutil
import zlib
from functools import cache
from pathlib import Path
from typing import Any

from support.lists import grouped_toy
from support.lists.toy_parts import MeanDifference, SeededStep
from support.lists.tuning_lists import random_set

from fuzz.kind import OUT, Files, Kind, files_of
from fuzz.memory import scratch
from fuzz.reseal import reseal_manifests
from fuzz.seals import reseal_inside
from tunesmith.evaluation.run_comparison import compare_runs
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.run_report import run_page
from tunesmith.evaluation.settings import Resampling
from tunesmith.tuning import BatchRounds, FileSource, Tuner
from tunesmith.tuning.loop.history import read_history
from tunesmith.tuning.pools.heldout import read_judged
from tunesmith.tuning.runs.chosen import read_chosen, read_sentences
from tunesmith.tuning.runs.group_files import read_groups
from tunesmith.tuning.runs.status import status

_TIME = re.compile(rb"\d{4}-\d\d-\d\dT[0-9:.+-]+Z?")


def _tuned(folder: Path, rounds: int = 2) -> Any:
    source = FileSource(random_set(1, sentences=3, longest=3, features=3))
    return Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(rounds), seed=1).fit(source, output=folder)


def _steady(files: Files) -> Files:
    """The same bytes every time: without times, and without what only the process needs."""
    found = {}
    for name, data in files.items():
        data = _TIME.sub(b"2026-01-01T00:00:00+00:00", data)
        if name.endswith("history.jsonl"):
            rows = [{**json.loads(line), "seconds": 0.25} for line in data.splitlines()]
            data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        if not name.endswith("lock"):
            found[name] = data
    state = json.loads(found["state.json"])
    if "checksums" in state:
        state["checksums"] = {name: f"{zlib.crc32(found[name]):08x}" for name in state["checksums"]}
        found["state.json"] = json.dumps(state).encode()
    return reseal_inside(files, found)


@cache
def _run() -> Files:
    with scratch("tunesmith-seed-") as name:
        folder = Path(name) / "run"
        _tuned(folder)
        files = _steady(files_of(folder))
    files["dev.jsonl"] = b"".join(
        json.dumps({"source": f"s {at}", "references": [f"r {at}", "x"]}).encode() + b"\n" for at in range(3)
    )
    judged = {"data": "held-out", "metric": "BLEU", "start": 20.5, "score": 21.0, "higher_is_better": True}
    files["heldout.json"] = json.dumps([judged]).encode()
    return {f"run/{path}": data for path, data in files.items()}


@cache
def _grouped() -> Files:
    with scratch("tunesmith-seed-") as name:
        folder = Path(name) / "run"
        dev, train = grouped_toy.sources(k=3)
        grouped_toy.grouped_tuner(MeanDifference(), SeededStep(), rounds=1).fit(dev, train=train, output=folder)
        return {f"run/{path}": data for path, data in _steady(files_of(folder)).items()}


def _failed() -> Files:
    failure = {"error": "OSError", "message": "no space", "time": "2026-01-01T00:00:00+00:00"}
    kept = {name: data for name, data in _run().items() if not name.endswith("state.json")}
    return {**kept, "run/failure.json": json.dumps(failure).encode()}


def _both() -> list[Files]:
    return [dict(_run()), dict(_grouped()), _failed()]


def _listed(folder: Path) -> None:
    found = status(folder / "run")
    json.dumps(found.as_dict())
    from tunesmith.cli.tuning.runs import _cells

    _cells(found, 2)


def _reported(folder: Path) -> None:
    run_page(RunRecord(folder / "run")).encode()


def _compared(folder: Path) -> None:
    records = [RunRecord(folder / "run"), RunRecord(folder / "other/run")]
    found = compare_runs(records, resampling=Resampling(samples=20, trials=20))
    found.rows()
    found.differing_settings()
    found.weights()
    json.dumps(found.as_dict())


def _resumed(folder: Path) -> None:
    shutil.copytree(folder / "run", folder / OUT / "run")
    _tuned(folder / OUT / "run")


def _only(ends: str, read: Any, make: Any, name: str, **more: Any) -> Kind:
    files = make()
    target = next(path for path in sorted(files) if path.endswith(ends))
    damaged = tuple(path for path in files if path.endswith(ends))
    return Kind(name, lambda: [dict(files)], lambda folder: read(folder / target), damaged=damaged, **more)


def kinds() -> list[Kind]:
    other = {f"other/{path}": data for path, data in _run().items()}
    arrays = tuple(path for path in _run() if path.endswith(".npy"))
    kept = ("dev.jsonl", "heldout.json")
    small = ("settings.json", "state.json", "history.jsonl", "failure.json", "log.txt", *kept)
    few = tuple({path for files in _both() for path in files if path.endswith(small)})
    return [
        Kind("run-status", _both, _listed, damaged=few),
        Kind(
            "run-report", _both, _reported, damaged=(*few, *(path for path in _grouped() if path.endswith(".tsv")))
        ),
        Kind("run-comparison", lambda: [{**_run(), **other}], _compared, damaged=(*few, "run/weights.tsv")),
        Kind(
            "run-resumed",
            lambda: [dict(_run())],
            _resumed,
            damaged=("run/state.json", "run/settings.json", "run/history.jsonl"),
        ),
        Kind("run-arrays", lambda: [dict(_run())], _resumed, damaged=arrays),
        Kind(
            "run-candidates",
            lambda: [dict(_run())],
            _resumed,
            damaged=tuple(path for path in _run() if "/dev/" in path or "candidates/" in path) or None,
            reseal=reseal_manifests,
        ),
        _only("history.jsonl", read_history, _run, "run-history"),
        _only("chosen.tsv", read_chosen, _run, "run-chosen"),
        _only("dev.jsonl", read_sentences, _run, "run-sentences"),
        _only("heldout.json", read_judged, _run, "run-judged"),
        _only("groups.tsv", lambda path: read_groups(path.parent), _grouped, "run-groups"),
        _only("members.tsv", lambda path: read_groups(path.parent), _grouped, "run-members"),
    ]
