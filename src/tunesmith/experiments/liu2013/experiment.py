"""Running an experiment: rows to stages, stages to a table, the table to files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.execution import Executor
from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.experiments.foundations import refuse_other_data, write_about
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.liu2013 import work
from tunesmith.experiments.liu2013.graph import Graph
from tunesmith.experiments.liu2013.results import collect
from tunesmith.experiments.liu2013.row import Row
from tunesmith.experiments.liu2013.rows import LISTS, ROWS, SEEDS, START
from tunesmith.experiments.liu2013.table import Table
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import (
    Clock,
    Place,
    PlannedStage,
    Stage,
    StageObserver,
    in_order,
    is_done,
    planned,
    run_stages,
)
from tunesmith.io import make_folder
from tunesmith.io.folders import alone
from tunesmith.io.inside import inside
from tunesmith.signature import Signature

NAME = "liu2013"


class Liu2013:
    """The experiment in a folder.   data: files of a corpus, None for the built-in phrasebook.

    executor: decodes for tuners in place of threads of this process.
    """

    def __init__(
        self,
        folder: Path,
        data: CorpusFiles | None,
        settings: ExperimentSettings,
        *,
        threads: int = 1,
        executor: Executor | None = None,
    ) -> None:
        self.folder, self.settings = inside(folder), settings
        self.laboratory = Laboratory(self.folder, data, settings, threads, executor)
        self.graph = Graph(self.laboratory, ROWS, START, LISTS)

    def stages(self, rows: Sequence[Row]) -> list[Stage]:
        """Return all stages that these rows need, in order."""
        checks = [self.graph.train_check()] if any(row.data != "dev" for row in rows) else []
        return in_order([*(stage for row in rows for stage in self.graph.row(row.name).all), *checks])

    def plan(self, rows: Sequence[Row]) -> list[PlannedStage]:
        """Return what `run` would do; nothing is written."""
        refuse_other_data(self.folder, NAME)
        return planned(self.folder, self.stages(rows))

    def run(self, rows: Sequence[Row], observer: StageObserver | None = None) -> Table:
        """Run what is not done; the table is written again whenever a row is finished.

        Killed at any time, the same call resumes; with other settings only what depends on them is done again.
        """
        if not rows:
            raise ConfigError("no row to run")
        refuse_other_data(self.folder, NAME)
        make_folder(self.folder)
        with alone(self.folder):
            write_about(self.folder, NAME, self.settings)
            clock = Clock(self.folder, self.stages(rows))
            for row in rows:
                run_stages(self.folder, self.graph.row(row.name).all, observer, clock)
                self.table(rows).write(self.folder)
            run_stages(self.folder, self.stages(rows), observer, clock)
            table = self.table(rows)
            table.write(self.folder)
        return table

    def table(self, rows: Sequence[Row]) -> Table:
        results, base = collect(self.folder, self.graph, list(rows))
        place = Place(self.folder, self.folder)
        facts: dict[str, Any] = {}
        if is_done(self.folder, self.graph.data):
            data = place.result(self.graph.data)
            facts["data"] = "phrasebook" if self.laboratory.data is None else self.laboratory.data.name
            facts["training pairs"] = data["train"]
            facts["sentences in dev, devtest, test"] = ", ".join(str(data[name]) for name in _SETS)
        if is_done(self.folder, self.graph.model):
            facts["rules (d)"] = place.result(self.graph.model)["rules"]
        scale = self.settings.scale
        facts["training sentences decoded"] = scale.train_sentences or "all"
        facts["rounds"] = (
            f"{scale.rounds} over training data, {scale.inner_rounds} on dev in each, {scale.dev_rounds} on dev "
            f"alone; {scale.k}-best lists"
        )
        check = self.graph.train_check()
        if is_done(self.folder, check):
            found = place.result(check)
            facts[f"BLEU on {found['sentences']} training sentences"] = (
                f"{found['plain']:.1f}; {found['unread']:.1f} as if each were not in the training data"
            )
        seeds = self.graph.row(SEEDS).tuned
        if len(seeds) > 1 and all(is_done(self.folder, stage) for stage in seeds[:2]):
            index = work.overlap(place, *seeds[:2])
            facts["groups of two seeds"] = f"adjusted Rand index {index:.3f}"
        return Table("Table 1 of Liu et al. 2013, on these data", results, base, facts, self.signature())

    def signature(self) -> Signature:
        data = self.laboratory.data
        return Signature(
            f"experiment {NAME}",
            {
                "data": "phrasebook" if data is None else data.digest,
                "scale": _without_none(self.settings.scale, "all"),
                "extraction": _without_none(self.settings.extraction, "none"),
                "order": self.settings.order,
                "metric": "BLEU[case=lc]",
                "seed": self.settings.seed,
            },
        )


def _without_none(settings: Any, nothing: str) -> dict[str, Any]:
    """Return the fields for a signature, which has no None."""
    return {name: nothing if value is None else value for name, value in asdict(settings).items()}


_SETS = ("dev", "devtest", "test")
