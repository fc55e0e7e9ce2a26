"""The table of repeated tunings: every run, and mean and standard deviation for every setting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.experiments.repetitions import deviation, mean
from tunesmith.experiments.study.sweeps import Sweep, grid
from tunesmith.experiments.tables import pipe_table, write_table
from tunesmith.signature import Signature

COLUMNS = ("tune", "dev", "devtest")
ABOUT = {
    "tune": "on the sentences that a run was tuned on",
    "dev": "on all of dev",
    "devtest": "on data that no run was tuned on",
}


@dataclass(frozen=True)
class RunResult:
    """One run.   tuned: its outcome.   scores: of its weights, by data set."""

    path: str
    name: str
    tuned: Mapping[str, Any]
    scores: Mapping[str, float]

    def score(self, column: str) -> float | None:
        """Return one of the columns, None where it was not measured."""
        found = self.tuned["tune"] if column == "tune" else self.scores.get(column)
        return None if found is None else float(found)


@dataclass(frozen=True)
class SettingResult:
    """The repetitions with one setting."""

    settings: tuple[str, ...]
    runs: tuple[RunResult, ...]

    @property
    def label(self) -> str:
        return ", ".join(self.settings) or "as it is"

    def scores(self, column: str) -> list[float]:
        return [found for run in self.runs if (found := run.score(column)) is not None]

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"settings": list(self.settings)}
        for column in COLUMNS:
            if scores := self.scores(column):
                found[column] = {"mean": mean(scores), "deviation": deviation(scores)}
        found["runs"] = [{"path": run.path, **run.tuned, **run.scores} for run in self.runs]
        return found


@dataclass(frozen=True)
class StudyTable:
    """All settings that were tried; one where nothing was swept."""

    settings: tuple[SettingResult, ...]
    sweeps: tuple[Sweep, ...]
    metric: str
    higher_is_better: bool
    signature: Signature

    @property
    def columns(self) -> list[str]:
        return [column for column in COLUMNS if any(each.scores(column) for each in self.settings)]

    @property
    def repeated(self) -> bool:
        """Whether a setting was tuned with more than once."""
        return any(len(each.runs) > 1 for each in self.settings)

    @property
    def chosen(self) -> int | None:
        """The setting with the best mean on devtest, the first of equal ones; None: nobody knows.

        The data that were tuned on would choose the setting that over-fits them most. A single setting needs no
        judge, unless it is all that is left of several.
        """
        if len(grid(self.sweeps)) == 1:
            return 0
        if "devtest" not in self.columns:
            return None
        sign = 1.0 if self.higher_is_better else -1.0
        means = [sign * mean(each.scores("devtest")) for each in self.settings]
        return max(range(len(means)), key=lambda at: (means[at], -at))

    def rows(self, digits: int = 2) -> tuple[list[str], list[list[str]]]:
        """Return header and cells: a row for each setting; for one setting, for each run and their mean."""
        return self._of_settings(digits) if self.sweeps else self._of_runs(digits)

    def _of_settings(self, digits: int) -> tuple[list[str], list[list[str]]]:
        repeated = self.repeated
        header = ["setting", *(["runs"] if repeated else [])]
        for column in self.columns:
            header += [column, *(["SD"] if repeated else [])]
        rows = []
        for at, each in enumerate(self.settings):
            cells = [f"{each.label} *" if at == self.chosen else each.label]
            cells += [str(len(each.runs))] if repeated else []
            for column in self.columns:
                scores = each.scores(column)
                cells += [f"{mean(scores):.{digits}f}", *([_deviation(scores, digits)] if repeated else [])]
            rows.append(cells)
        return header, rows

    def _of_runs(self, digits: int) -> tuple[list[str], list[list[str]]]:
        runs = self.settings[0].runs
        rows = [
            [run.name, *(f"{run.score(column) or 0.0:.{digits}f}" for column in self.columns),
             str(run.tuned["sentences"]), str(run.tuned["best_round"]), str(run.tuned["active"])]
            for run in runs
        ]  # fmt: skip
        every = [self.settings[0].scores(column) for column in self.columns]
        rows.append(["mean", *(f"{mean(scores):.{digits}f}" for scores in every), "", "", ""])
        rows.append(["SD", *(_deviation(scores, digits) for scores in every), "", "", ""])
        return ["run", *self.columns, "sentences", "best round", "active"], rows

    def about(self) -> str:
        listed = "; ".join(f"{column}: {ABOUT[column]}" for column in self.columns)
        text = f"{self.metric}; {listed}."
        if self.repeated:
            text += " SD is the standard deviation over the runs."
        if not self.sweeps:
            return text
        if self.chosen is None:
            return f"{text} Nothing is chosen: give --devtest, data that no run was tuned on."
        return f"{text} *: chosen, {self.choice(self.chosen)}."

    def choice(self, chosen: int) -> str:
        why = "is best on devtest" if len(grid(self.sweeps)) > 1 else "is the only setting"
        return f"{self.settings[chosen].label} {why}"

    def markdown(self) -> str:
        header, rows = self.rows()
        escaped = [[cell.replace("*", r"\*") for cell in row] for row in rows]
        lines = [f"# {self.title}", "", *pipe_table(header, escaped, texts=1), "",
                 self.about().replace("*", r"\*"), ""]  # fmt: skip
        return "\n".join([*lines, "```", str(self.signature), "```", ""])

    @property
    def title(self) -> str:
        return "Settings tried" if self.sweeps else "Repeated tuning"

    def as_dict(self) -> dict[str, Any]:
        """Return values for JSON, not rounded and without times: two runs of a study give the same bytes."""
        return {
            "metric": self.metric,
            "settings": [each.as_dict() for each in self.settings],
            "chosen": None if self.chosen is None else list(self.settings[self.chosen].settings),
            "signature": {"text": str(self.signature), **self.signature.as_dict()},
        }

    def write(self, folder: Path) -> None:
        write_table(folder, self.markdown(), self.as_dict())


def _deviation(scores: Sequence[float], digits: int) -> str:
    found = deviation(scores)
    return "–" if found is None else f"{found:.{digits}f}"
