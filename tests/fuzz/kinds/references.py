"""References in all formats."""

from __future__ import annotations

from pathlib import Path

from fuzz.kind import Kind, one_file
from tunesmith.corpus.bitext import read_references
from tunesmith.corpus.reference_formats import read_any_references
from tunesmith.metrics import Bleu

_ARRAY = '[["the cat", "a cat"],\n ["tea"]]\n'
_LINES = '["the cat", "a cat"]\n"tea"\n{"references": ["one", "two"], "id": 3}\n'


def _any(name: str) -> object:
    def read(folder: Path) -> None:
        found = read_any_references([folder / name])
        Bleu().prepare(found.sentences).statistics(["the cat sat"] * len(found))

    return read


def kinds() -> list[Kind]:
    two = {"one": b"the cat\n\ntea\n", "two": b"a cat\nsugar\n\n"}
    return [
        Kind("references-files", lambda: [two], lambda f: read_references([f / "one", f / "two"], expected=3)),
        Kind(
            "references-bars",
            one_file("the cat ||| a cat\ntea\n||| x ||| y\n"),
            _any("input"),
            separators=(b" ", b" ||| "),
        ),  # type: ignore[arg-type]
        Kind("references-json", one_file(_ARRAY, '[["x"]]\n', name="r.json"), _any("r.json")),  # type: ignore[arg-type]
        Kind("references-jsonl", one_file(_LINES, '"x"\n', name="r.jsonl"), _any("r.jsonl")),  # type: ignore[arg-type]
    ]
