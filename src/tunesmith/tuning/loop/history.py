"""History of a tuning run: one row per round, and the best round."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

import msgspec

from tunesmith.io import StrPath
from tunesmith.io.documents import Count, Number, Whole, read_rows, write_rows
from tunesmith.tables import pandas
from tunesmith.tuning.messages import RESTART

_LARGEST, _LONGEST = 1e100, 1e12  # largest score that can be drawn; more seconds than any run takes
Score = Whole | Annotated[float, msgspec.Meta(ge=-_LARGEST, le=_LARGEST)]
Seconds = Annotated[float, msgspec.Meta(ge=0, le=_LONGEST)]


@dataclass(frozen=True)
class Round:
    """One round with its final weights.

    Round 0 has the start weights.

    score: metric of the translations under these weights on dev.
    list_score: metric on the pool, which the optimizer saw; None in round 0.
    candidates, new: size of the pool of the optimizer, and number of its new translations.
    length_ratio: length of the output over that of the references, None if the metric does not know it.
    norm, active: Euclidean norm and number of non-zero weights. details: reported by the optimizer.
    """

    round: int
    score: float
    list_score: float | None = None
    candidates: int = 0
    new: int = 0
    length_ratio: float | None = None
    norm: float = 0.0
    active: int = 0
    seconds: float = 0.0
    details: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    def flat(self) -> dict[str, Any]:
        """Return the fields, details as `details/NAME`."""
        fields = self.as_dict()
        details = fields.pop("details")
        return {**fields, **{f"details/{name}": value for name, value in details.items()}}


class History(list[Round]):
    """The rounds of a run in order. `higher_is_better` is the metric's."""

    def __init__(self, rounds: Sequence[Round] = (), *, higher_is_better: bool = True) -> None:
        super().__init__(rounds)
        self.higher_is_better = higher_is_better

    def __repr__(self) -> str:
        best = self.best
        of_best = "" if best is None else f", best {best.score:.2f} in round {best.round}"
        return f"History({len(self)} rounds{of_best})"

    @property
    def best(self) -> Round | None:
        """The round with the best score; the earliest of several."""
        return max(self, key=lambda row: (self.better(row.score), -row.round), default=None)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each round, details as columns `details/NAME`; needs pandas."""
        table = pandas()
        rows = [row.flat() for row in self]
        return table.DataFrame(rows).set_index("round") if rows else table.DataFrame()

    def better(self, score: float) -> float:
        """Return the score with the sign that makes larger values better; NaN is worst."""
        if math.isnan(score):
            return -math.inf
        return score if self.higher_is_better else -score

    def falling(self) -> int:
        """Return the number of consecutive rounds, up to the last, in which the score has fallen."""
        values = [self.better(row.score) for row in self]
        count = 0
        while count + 1 < len(values) and values[-1 - count] < values[-2 - count]:
            count += 1
        return count


class Row(msgspec.Struct):
    """A line of `history.jsonl`. A number that was not finite is None there."""

    round: Count
    score: Score | None
    list_score: Score | None = None
    candidates: Count = 0
    new: Count = 0
    length_ratio: Score | None = None
    norm: Score | None = 0.0
    active: Count = 0
    seconds: Seconds | None = 0.0
    details: dict[str, Number] = {}


def write_history(path: StrPath, rounds: Sequence[Round]) -> None:
    write_rows(path, (row.as_dict() for row in rounds))


def read_history(path: StrPath) -> list[Round]:
    return [_round(row) for row in read_rows(path, Row, RESTART)]


def _round(row: Row) -> Round:
    values = msgspec.structs.asdict(row)
    measured = {name: _measured(values[name]) for name in ("score", "norm", "seconds")}
    return Round(**{**values, **measured, "details": measured_values(row.details)})


def measured_values(values: dict[str, Number]) -> dict[str, float]:
    """Restore measured numbers: None stands for a value that was not finite."""
    return {name: _measured(value) for name, value in values.items()}


def _measured(value: Number) -> float:
    return math.nan if value is None else value
