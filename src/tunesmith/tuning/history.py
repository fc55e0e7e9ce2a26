"""What a tuning run has seen so far: one row a round, and which round was best."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from tunesmith.errors import FormatError
from tunesmith.io import StrPath, atomic_writer, iter_lines


@dataclass(frozen=True)
class Round:
    """One round, told by the weights it ended with. Round 0 is the start weights.

    score: the metric on the development data, of what these weights choose there.
    list_score: the same on all candidates so far, which is what the optimizer saw; None in round 0.
    candidates, new: size of the merged lists these weights were fitted to, and how many of them this round added.
    length_ratio: length of the output over that of the references, None where the metric does not know it.
    norm, active: Euclidean norm of the weights and how many are not zero.
    details: what the optimizer tells about its work.
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
        """The fields for JSON."""
        return asdict(self)


class History(Sequence[Round]):
    """The rounds of a run in order. `higher_is_better` is the metric's."""

    def __init__(self, rounds: Sequence[Round] = (), *, higher_is_better: bool = True) -> None:
        self._rounds, self.higher_is_better = list(rounds), higher_is_better

    def __len__(self) -> int:
        return len(self._rounds)

    def __getitem__(self, at: Any) -> Any:
        return self._rounds[at]

    def __iter__(self) -> Iterator[Round]:
        return iter(self._rounds)

    def __repr__(self) -> str:
        best = self.best
        told = "" if best is None else f", best {best.score:.2f} in round {best.round}"
        return f"History({len(self)} rounds{told})"

    def add(self, row: Round) -> None:
        """Put the next round behind the others."""
        self._rounds.append(row)

    @property
    def best(self) -> Round | None:
        """The round with the best score; the earliest of several."""
        if not self._rounds:
            return None
        return max(self._rounds, key=lambda row: (self.better(row.score), -row.round))

    def better(self, score: float) -> float:
        """The score with its sign such that larger is better; not a number is worst."""
        if math.isnan(score):
            return -math.inf
        return score if self.higher_is_better else -score

    def falling(self) -> int:
        """Over how many rounds the score has fallen without a break, up to the last one."""
        values = [self.better(row.score) for row in self._rounds]
        count = 0
        while count + 1 < len(values) and values[-1 - count] < values[-2 - count]:
            count += 1
        return count


def write_history(path: StrPath, rounds: Sequence[Round]) -> None:
    """One JSON object a line."""
    with atomic_writer(path) as out:
        for row in rounds:
            out.write(json.dumps(row.as_dict(), ensure_ascii=False) + "\n")


def read_history(path: StrPath) -> list[Round]:
    """The rows `write_history` wrote."""
    known = {each.name for each in fields(Round)}
    found = []
    for number, line in enumerate(iter_lines(path), start=1):
        try:
            values = json.loads(line)
            found.append(Round(**{key: value for key, value in values.items() if key in known}))
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            message = f"is not a row of a tuning history ({error})"
            raise FormatError(message, path=str(path), line=number) from None
    return found
