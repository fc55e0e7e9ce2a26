"""Comparison of tunings in a folder: models first, then as many tunings at once as there are threads.

What `run` of the experiments on tuners does; an experiment says which stages a row has and what the table shows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from tunesmith.errors import ConfigError
from tunesmith.execution import Executor
from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.experiments.foundations import refuse_other_data, write_about
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.parallel import Budget, raise_failures, run_at_once, shared_out
from tunesmith.experiments.settings import ExperimentSettings
from tunesmith.experiments.stages import Place, PlannedStage, Stage, StageObserver, in_order, is_done, planned
from tunesmith.experiments.tuning_work import TuningNotes
from tunesmith.io import make_folder
from tunesmith.io.folders import alone
from tunesmith.io.inside import inside
from tunesmith.jobs.tuning import TuningJob
from tunesmith.signature import Signature
from tunesmith.tuning import Tuner

SCORES = "-scores"
"""Suffix of the names of stages whose results the table shows."""
RUN, WEIGHTS = "run", "weights.tsv"
"""Run directory of a tuning in the folder of its stage, and the weights there."""


class WrittenTable(Protocol):
    """What becomes of the rows that are scored."""

    def write(self, folder: Path) -> None:
        """Write the files of the table."""


RowT = TypeVar("RowT")
TableT = TypeVar("TableT", bound=WrittenTable)


class TuningComparison(ABC, Generic[RowT, TableT]):
    """Rows of tunings in a folder, and the table of those that are scored.

    data: files of a corpus, None for the built-in phrasebook.
    budget: minutes of processor time after which no further stage begins, those of earlier calls included.
    executor: decodes for tuners in place of threads of this process.
    """

    name: ClassVar[str]

    def __init__(
        self,
        folder: Path,
        data: CorpusFiles | None,
        settings: ExperimentSettings,
        *,
        budget: float | None = None,
        threads: int = 1,
        executor: Executor | None = None,
    ) -> None:
        self.folder, self.settings, self.threads, self.budget = inside(folder), settings, threads, budget
        self.laboratory = Laboratory(self.folder, data, settings, threads, executor)

    @abstractmethod
    def stages(self, rows: Sequence[RowT]) -> list[Stage]:
        """Return all stages of these rows, in order."""

    @abstractmethod
    def models(self, rows: Sequence[RowT]) -> Sequence[Stage]:
        """Return the stages that make the models of these rows; without them there is nothing to tune."""

    @abstractmethod
    def table(self, rows: Sequence[RowT]) -> TableT:
        """Return the table of the rows that are scored."""

    def checked(self, rows: Sequence[RowT]) -> Sequence[RowT]:
        """Return the rows that these data allow; refuses, before any work, what cannot work."""
        return rows

    def plan(self, rows: Sequence[RowT]) -> list[PlannedStage]:
        """Return the stages of `run` and which of them are done, without writing."""
        refuse_other_data(self.folder, self.name)
        return planned(self.folder, self.stages(rows))

    def run(self, rows: Sequence[RowT], observer: StageObserver | None = None) -> TableT:
        """Run missing stages; updates the table whenever a tuning is scored.

        After a kill at any time, repeating the call resumes. Failed tunings are reported at the end, the others
        are completed.
        """
        chosen = self.checked(rows)
        if not chosen:
            raise ConfigError("no row to run")
        refuse_other_data(self.folder, self.name)
        make_folder(self.folder)
        with alone(self.folder):
            write_about(self.folder, self.name, self.settings)
            failed = self._run_stages(chosen, observer)
            table = self.table(chosen)
            table.write(self.folder)
            raise_failures(failed, f"The others are done; the table is in {self.folder / 'table.md'}")
        return table

    def _run_stages(self, rows: Sequence[RowT], observer: StageObserver | None) -> Mapping[str, Exception]:
        """Return failures of stages after the models by name."""
        stages = self.stages(rows)
        raise_failures(run_at_once(self.folder, in_order(self.models(rows)), observer))
        jobs = sum(not is_done(self.folder, stage) and stage.resumable for stage in stages)
        workers, self.laboratory.threads = shared_out(self.threads, jobs)

        def after(stage: Stage) -> None:
            if stage.name.endswith(SCORES):
                self.table(rows).write(self.folder)

        budget = Budget(self.folder, stages, self.budget)
        return run_at_once(self.folder, stages, observer, workers=workers, after=after, may_start=budget.is_left)

    def _fit(self, place: Place, name: str, job: TuningJob) -> Tuner:
        """Run a tuning in the folder of its stage."""
        laboratory = self.laboratory
        with job.open(
            models=laboratory.models, executor=laboratory.executor, threads=laboratory.threads
        ) as opened:
            return opened.fit(output=place.folder / RUN, observer=TuningNotes(place, name), report=False)

    def _data_facts(self, place: Place, data: Stage, names: str, sets: Sequence[str]) -> dict[str, Any]:
        """Return what the table says of the data.   names: of the sets, as the table calls them."""
        result, found = place.result(data), self.laboratory.data
        return {
            "data": "phrasebook" if found is None else found.name,
            "training pairs": result["train"],
            f"sentences in {names}": ", ".join(str(result[name]) for name in sets),
        }

    def _signed(self, start: str, **fields: Any) -> Signature:
        """Return the signature of the table.   start: start weights.   fields: those of this experiment alone."""
        data = self.laboratory.data
        return Signature(
            f"experiment {self.name}",
            {
                "data": "phrasebook" if data is None else data.digest,
                **fields,
                "order": self.settings.order,
                "start": start,
                "metric": "BLEU[case=lc]",
                "seed": self.settings.seed,
            },
        )
