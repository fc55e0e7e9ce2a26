"""Start weights of a trained model."""

from __future__ import annotations

from pathlib import Path

from tunesmith.config import FeaturePart, System
from tunesmith.grammar import RuleTable
from tunesmith.io import write_lines


def write_start_weights(path: Path, system: System, table: RuleTable) -> int:
    """Write them; how many there are."""
    values = {f"translation:{name}": 0.2 for name in table.score_names}
    values |= {"word_penalty": -0.3, "rule_penalty": 0.0, "glue_penalty": 0.0, "unknown": -100.0}
    values |= {lm.name: 0.5 for lm in system.lms}
    write_lines(path, (f"{name}\t{value!r}" for name, value in values.items()))
    return len(values)


def parse_features(text: str) -> tuple[FeaturePart, ...]:
    """Templates as a user names them."""
    return (
        FeaturePart("translation"),
        FeaturePart("word_penalty"),
        FeaturePart("rule_penalty"),
        FeaturePart("glue_penalty"),
        FeaturePart("unknown"),
    )
