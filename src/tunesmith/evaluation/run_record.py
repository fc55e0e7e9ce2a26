"""A tuning run as its folder tells it. Whatever is missing or damaged is named and left out; the rest is read."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tunesmith.errors import ConfigError, IrregularFileError, MissingFileError, TunesmithError
from tunesmith.io import StrPath, iter_lines
from tunesmith.io.inside import inside
from tunesmith.metrics import Metric, metrics
from tunesmith.metrics.bleu import SMOOTHING
from tunesmith.tuning.loop.history import Round, read_history
from tunesmith.tuning.pools.heldout import Judged, read_judged
from tunesmith.tuning.runs import directory as run
from tunesmith.tuning.runs.chosen import CHOSEN, Chosen, read_chosen, read_sentences
from tunesmith.tuning.runs.documents import Sentence
from tunesmith.tuning.runs.group_files import GROUPS, GroupTable, read_groups
from tunesmith.tuning.runs.status import status
from tunesmith.weights import Weights

T = TypeVar("T")
_STEP = re.compile(r"(\S+) round (\d+): ([a-z][^{}]*)")
_BLEU = [
    {"smoothing": smoothing, "lowercase": lowercase, "tokenize": tokenize}
    for smoothing in SMOOTHING
    for lowercase in (False, True)
    for tokenize in ("none", "13a")
]
_OTHERS: list[dict[str, Any]] = [{}, {"lowercase": True}, {"lower_is_better": True}]
_LARGEST, _MOST_ROUNDS = 1e100, 1_000_000
_ENDS = re.compile(r"(\S+) (?:round \d+: \{|resumed|interrupted|failed|finished)")


@dataclass(frozen=True)
class StepTime:
    """How long a step of a round took, by the log."""

    round: int
    name: str
    seconds: float


class RunRecord:
    """What the folder of a run holds, read when asked for. `missing` grows with what could not be read.

    known_state: how the run stands, where the caller knows better than the folder (its process holds the lock).
    """

    def __init__(self, path: StrPath, known_state: str | None = None) -> None:
        self._known_state = known_state
        self.folder = inside(path)
        if not run.is_run(self.folder):
            raise MissingFileError(
                f"{self.folder}: is not the folder of a tuning run (there is no {run.SETTINGS} of one)"
            )
        self.missing: list[str] = []
        file = self.folder / run.SETTINGS
        document = self._try("settings", lambda: run.read_json(file)) or {}
        self.settings: Mapping[str, Any] = _mapping(document.get("settings"))
        self.signature = str(_mapping(document.get("signature")).get("text", ""))
        self.recipe = str(self.settings.get("recipe", "unknown recipe"))
        metric = _mapping(self.settings.get("metric"))
        self.metric_label = str(metric.get("name", "score"))
        self.metric_settings = {key: value for key, value in metric.items() if key != "name"}

    def _try(self, what: str, read: Callable[[], T]) -> T | None:
        """Return the result, or None and a word about it.

        The folder may be of another version, or damaged in any way.
        """
        try:
            return read()
        except IrregularFileError:
            raise
        except (
            TunesmithError,
            OSError,
            ValueError,
            TypeError,
            LookupError,
            AttributeError,
            ArithmeticError,
        ) as error:
            text = f"{what}: {error}"
            if text not in self.missing:
                self.missing.append(text)
            return None

    @cached_property
    def name(self) -> str:
        """The last part of the path, as people call the run."""
        return self.folder.resolve().name or str(self.folder)

    @cached_property
    def state(self) -> tuple[str, str | None]:
        """running, finished, interrupted or failed; and why."""
        if self._known_state is not None:
            return self._known_state, None
        found = self._try("state", lambda: status(self.folder))
        return ("unknown", None) if found is None else (found.state, found.reason)

    @cached_property
    def rounds(self) -> Sequence[Round]:
        """Rows of the history whose numbers are numbers."""
        path = self.folder / run.HISTORY
        if not path.exists():
            return []
        found = self._try("history", lambda: read_history(path)) or []
        good = [_cleaned(row) for row in found if _is_round(row.round) and _is_number(row.score)]
        if len(good) < len(found):
            self.missing.append(f"history: {len(found) - len(good)} rows without a round or a score left out")
        return good

    @cached_property
    def higher_is_better(self) -> bool:
        """Tell by the name of the metric: TER is the only error rate; precomputed scores say which they are."""
        return self.metric_label.upper() != "TER" and self.metric_settings.get("better") != "lower"

    @cached_property
    def best(self) -> Round | None:
        """The round with the best score, the earliest of several."""
        if not self.rounds:
            return None
        sign = 1 if self.higher_is_better else -1
        return max(self.rounds, key=lambda row: (sign * row.score, -row.round))

    def weights(self, number: int) -> Weights | None:
        path = self._of_round(number, run.WEIGHTS)
        return self._try(f"weights of round {number}", lambda: Weights.read(path))

    @cached_property
    def best_weights(self) -> Weights | None:
        """The best weights so far; not there before the first round has ended."""
        path = self.folder / run.WEIGHTS
        return self._try("best weights", lambda: Weights.read(path)) if path.exists() else None

    def chosen(self, number: int) -> Chosen | None:
        """Return what the weights of a round chose on dev; None for runs of earlier versions."""
        path = self._of_round(number, CHOSEN)
        return self._try(f"translations of round {number}", lambda: read_chosen(path)) if path.exists() else None

    @cached_property
    def sentences(self) -> Sequence[Sentence] | None:
        """Source and references of dev, where the run has kept them."""
        path = self.folder / run.SENTENCES
        return self._try("development data", lambda: read_sentences(path)) if path.exists() else None

    @cached_property
    def judged(self) -> Sequence[Judged]:
        """Scores on held-out lists and by other metrics, where the run was judged by them."""
        path = self.folder / run.HELD_OUT
        found = self._try("held-out scores", lambda: read_judged(path)) if path.exists() else None
        return [each for each in found or [] if _is_number(each.start) and _is_number(each.score)]

    @cached_property
    def groups(self) -> GroupTable | None:
        """The groups of the best round, where there are some."""
        if not any(self.folder.glob(f"{run.ROUNDS}/*/{GROUPS}")):
            return None
        return self._try("groups", lambda: read_groups(self.folder))

    @cached_property
    def steps(self) -> Sequence[StepTime]:
        """Times of the steps by the log; a step that was killed, or whose end is not known, is not among them."""
        path = self.folder / run.LOG
        if not path.exists():
            return []
        return self._try("log", lambda: list(_steps(path))) or []

    @cached_property
    def notes(self) -> Sequence[str]:
        """Notes of the run about its data and its course, each once."""
        path = self.folder / run.LOG
        if not path.exists():
            return []
        lines = self._try("log", lambda: list(iter_lines(path))) or []
        found = (line.partition(" note: ")[2] for line in lines)
        return [text for text in dict.fromkeys(found) if text]

    @cached_property
    def metric(self) -> Metric | None:
        """A metric that gives the scores of the history for the statistics kept: what paired tests need."""
        best = self.best
        chosen = None if best is None else self.chosen(best.round)
        if best is None or chosen is None or not len(chosen):
            return None
        fitting = [each for each in _metrics(self.metric_label) if _gives(each, chosen, best.score)]
        fitting.sort(key=lambda each: -_agreement(each.settings(), self.metric_settings))
        return fitting[0] if fitting else None

    def _of_round(self, number: int, name: str) -> Path:
        return self.folder / run.ROUNDS / f"{number:02d}" / name


def _metrics(label: str) -> list[Metric]:
    """Return metrics with this label, in settings that people use."""
    made: list[Metric] = []
    for name in metrics.names():
        for settings in (*_BLEU, *_OTHERS):
            try:
                made.append(metrics.make(name, **settings))
            except TunesmithError:  # it does not take these settings, or its package does not work
                continue
    return [each for each in made if each.label == label]


def _agreement(some: Mapping[str, Any], others: Mapping[str, Any]) -> int:
    """Count equal settings."""
    return sum(others.get(key) == value for key, value in some.items())


def _gives(metric: Metric, chosen: Chosen, score: float) -> bool:
    if chosen.statistics.shape[1] != metric.width:
        return False
    return bool(np.isclose(float(metric.score(chosen.statistics.sum(axis=0))), score, rtol=1e-9, atol=1e-9))


def _steps(path: Path) -> list[StepTime]:
    found: list[StepTime] = []
    open_step: tuple[datetime.datetime, int, str] | None = None
    for line in iter_lines(path):
        began = _STEP.fullmatch(line)
        ended = began or _ENDS.match(line)
        if not ended:
            continue
        time = datetime.datetime.fromisoformat(ended[1])
        finished = not re.match(r"\S+ (resumed|interrupted|failed)", line)
        if open_step is not None and finished:
            seconds = (time - open_step[0]).total_seconds()
            found.append(StepTime(open_step[1], open_step[2], max(seconds, 0.0)))
        open_step = None if began is None else (time, int(began[2]), began[3])
    return found


def check_distinct(records: Sequence[RunRecord]) -> list[str]:
    """Return a name for each run: the last part of its path, more of it where several would be alike."""
    names = [record.name for record in records]
    if len(set(names)) < len(names):
        names = [str(record.folder) for record in records]
    if len(set(names)) < len(names):
        raise ConfigError(f"a run was given twice: {', '.join(names)}")
    return names


def _cleaned(row: Round) -> Round:
    """Return the row with numbers where numbers belong; another program may have written it."""
    usual = {"list_score": None, "length_ratio": None, "candidates": 0, "new": 0, "norm": 0.0, "active": 0}
    wrong: dict[str, Any] = {
        key: value for key, value in {**usual, "seconds": 0.0}.items() if not _is_number(getattr(row, key))
    }
    return replace(row, **wrong)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _is_number(value: Any) -> bool:
    """Return a number that can be drawn: neither infinite nor so large that differences would be."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < _LARGEST


def _is_round(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST_ROUNDS
