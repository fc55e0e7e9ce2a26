"""Scores computed elsewhere (COMET, a human, …): one number per hypothesis, averaged over the corpus."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.checks import above, finite
from tunesmith.corpus.given_text import GivenReferences
from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import StrPath, display_name, iter_lines
from tunesmith.metrics.base import Floats, Metric, Prepared, metrics
from tunesmith.metrics.mean_bleu import mean_of_sums

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)


@metrics.register("precomputed")
@dataclass(frozen=True)
class Precomputed(Metric):
    """The mean of given numbers. `title` is printed; `lower_is_better` for error rates.

    full_score: what a perfect hypothesis would get, 1 for COMET and the like: tuners see scores as shares of it.
    """

    name: ClassVar[str] = "precomputed"
    label: ClassVar[str] = "precomputed"

    title: str = "score"
    lower_is_better: bool = False
    full_score: float = 100.0

    def __post_init__(self) -> None:
        above(0, full_score=self.full_score)
        finite(full_score=self.full_score)

    @property
    def scale(self) -> float:
        return self.full_score

    @property
    def higher_is_better(self) -> bool:
        return not self.lower_is_better

    @property
    def width(self) -> int:
        """The number and a 1."""
        return 2

    def prepare(self, references: GivenReferences) -> Prepared:
        """Raise ConfigError: such scores are read, not computed."""
        raise ConfigError(
            "precomputed scores are not computed from references. Read them with read_scores() and "
            "statistics(), or give a file with --scores."
        )

    def statistics(self, scores: Floats) -> Floats:
        return np.column_stack([scores, np.ones_like(scores)])

    def score(self, statistics: Floats) -> Floats:
        return mean_of_sums(statistics)

    def settings(self) -> dict[str, str | int | float | bool]:
        full = {} if self.full_score == 100.0 else {"full": self.full_score}
        return {"title": self.title, "better": "lower" if self.lower_is_better else "higher", **full}


def read_scores(path: StrPath, *, expected: int | None = None) -> Floats:
    """Return one finite number per line, `expected` of them if given."""
    name = display_name(path)
    values: list[float] = []
    for number, line in enumerate(iter_lines(path), start=1):
        # float() alone would also read 1_000, ２ and nan.
        text = line.strip(" \t")
        value = float(text) if _NUMBER.fullmatch(text) else math.nan
        if not math.isfinite(value):
            seen = repr(text) if values else "the line"  # of any file: not shown
            raise FormatError(
                f"{seen} is not a finite number; expected one score per line", path=name, line=number
            )
        values.append(value)
    if expected is not None and len(values) != expected:
        raise FormatError(f"{len(values)} scores for {expected} hypotheses; expected one per line", path=name)
    return np.array(values, dtype=np.float64)
