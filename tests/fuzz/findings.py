"""Findings on disk: the input, how it was made, and what went wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from fuzz.case import make_case
from fuzz.judge import put
from fuzz.kind import Files, Kind

FOLDER = "fuzz-findings"


def save(root: Path, kind: Kind, seeds: Sequence[Files], seed: int, number: int, wrong: str) -> Path:
    """Write a case that went wrong, with the command that runs it again."""
    folder = root / kind.name / f"{seed}-{number}"
    case = make_case(kind, seeds, seed, number)
    if not folder.exists():
        put(folder / "input", {**seeds[case.base], **case.changed})
    (folder / "wrong.txt").write_text(wrong, encoding="utf-8", errors="backslashreplace")
    about = {"kind": kind.name, "seed": seed, "case": number, "changed": sorted(case.changed)}
    again = f"FUZZ_SEED={seed} python -m fuzz --kind {kind.name} --case {number}"
    (folder / "case.json").write_text(json.dumps({**about, "again": again}, indent=1) + "\n", encoding="utf-8")
    return folder
