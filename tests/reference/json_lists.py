"""The plain loop over JSON lines: the twin of cpp/search/lists/json_lists.cpp for lists without mistakes."""

from __future__ import annotations

import json
from typing import Any


def read_json_lines(text: str) -> list[tuple[int, list[str], dict[str, float], float | None]]:
    """Sentence, words, features that are not 0 and score of every candidate, by rising sentence."""
    found: list[tuple[int, list[str], dict[str, float], float | None]] = []
    for line in text.split("\n"):
        if line.strip(" \t\r"):
            value: dict[str, Any] = json.loads(line)
            features = {name: float(each) for name, each in value.get("features", {}).items() if each}
            found.append((value["id"], value["hypothesis"].split(), features, value.get("score")))
    return sorted(found, key=lambda each: each[0])
