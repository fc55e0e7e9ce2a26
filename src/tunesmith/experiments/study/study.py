"""One tuning repeated: on sub-samples, with other seeds, with other settings. What `tune --stability` … do.

step_cap=0.1/sample-2/    a run directory for every tuning: value, repetition, or both
stages/                   markers, translations and statistics (see `stages`)
table.md, table.json      means and standard deviations; the same bytes however many ran at once
report.html, sweep.svg    the table and curves for users
weights.tsv               of the first repetition of the chosen setting
study.json                says that the folder is one
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.evaluation.run_report import write_run_report
from tunesmith.experiments.corpus import EvaluationSet
from tunesmith.experiments.foundations import refuse_other_data
from tunesmith.experiments.parallel import raise_failures, run_at_once, shared_out
from tunesmith.experiments.stages import Place, Stage, StageObserver, is_done
from tunesmith.experiments.study.sweeps import Sweep, grid, recipes_of
from tunesmith.experiments.study.table import RunResult, SettingResult, StudyTable
from tunesmith.experiments.tuning_work import TuningNotes, judge, keep_statistics, outcome
from tunesmith.experiments.variations import Variation
from tunesmith.io import make_folder
from tunesmith.io.documents import write_document
from tunesmith.io.folders import alone
from tunesmith.io.inside import inside
from tunesmith.io.leftovers import remove_tree
from tunesmith.jobs.opening import Sources
from tunesmith.signature import Signature
from tunesmith.tuning import KBestSource, ListPool, Recipe, Tuner
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.runs import directory as run_directory
from tunesmith.tuning.runs.chosen import chosen_of
from tunesmith.tuning.sources.base import prepared_for
from tunesmith.weights import Weights

ABOUT, KIND, NAME = "study.json", "tunesmith tuning study", "tune"
STAGES, WEIGHTS = "stages", "weights.tsv"


@dataclass(frozen=True)
class Task:
    """What is tuned.

    sources: makes new ones, with lists of this length.   start: weights to begin with, None for the sources' own.
    devtest: data to judge settings by, None where there are none.
    """

    recipe: Recipe
    sources: Callable[[int], Sources]
    start: Weights | None = None
    constraints: Constraints | None = None
    devtest: EvaluationSet | None = None


@dataclass(frozen=True)
class Trial:
    """One tuning.   path: of its run directory, below the folder of the study."""

    path: str
    recipe: Recipe
    variation: Variation
    settings: Mapping[str, Any] = field(repr=False)
    tuned: Stage = field(repr=False)
    scored: Stage = field(repr=False)


class TuningStudy:
    """A task in a folder, for every setting of the sweeps and every variation."""

    def __init__(
        self,
        folder: Path,
        task: Task,
        variations: Sequence[Variation],
        sweeps: Sequence[Sweep],
        *,
        threads: int = 1,
    ) -> None:
        self.folder, self.task = inside(folder), task
        self.variations, self.sweeps = tuple(variations), tuple(sweeps)
        self.threads = self._each = threads
        self.settings = grid(self.sweeps)
        self._sources: dict[int, Sources] = {}
        made = recipes_of(task.recipe, self.settings)
        self.trials = [
            [self._trial(each, recipe, variation) for variation in self.variations]
            for each, recipe in zip(self.settings, made, strict=True)
        ]
        self._sources.clear()  # opened for checks only; every tuning opens new ones

    def run(self, observer: StageObserver | None = None, *, restart: bool = False) -> StudyTable:
        """Run what is not done, as many tunings at once as there are threads.

        Killed at any time, the same call resumes. A tuning that fails is named at the end, the others are done and
        the table is about them. More repetitions or values than before only add to what is there.
        """
        refuse_other_data(self.folder, NAME, ABOUT)
        every = [trial for trials in self.trials for trial in trials]
        make_folder(self.folder)
        with alone(self.folder):
            write_document(self.folder / ABOUT, {"kind": KIND, "format": 1, "name": NAME})
            for trial in every:
                self._look_at(trial, restart=restart)
            jobs = sum(not is_done(self.folder, trial.tuned) for trial in every)
            workers, self._each = shared_out(self.threads, jobs)
            stages = [stage for trial in every for stage in (trial.tuned, trial.scored)]
            failed = run_at_once(self.folder, stages, observer, workers=workers)
            table = self.table()
            if table is None:
                raise_failures(failed)
                raise ConfigError("there was nothing to run")
            table.write(self.folder)
            if table.chosen is None:
                (self.folder / WEIGHTS).unlink(missing_ok=True)
            else:
                first = self.folder / table.settings[table.chosen].runs[0].path / WEIGHTS
                Weights.read(first).write(self.folder / WEIGHTS)
            raise_failures(
                {name.removeprefix(f"{STAGES}/"): error for name, error in failed.items()},
                f"The others are done, their table is in {self.folder / 'table.md'}; the same command tries again",
            )
        return table

    def _look_at(self, trial: Trial, *, restart: bool) -> None:
        """Refuse a run with other settings before anything is run; forget a run whose folder was removed."""
        run, marks = self.folder / trial.path, self.folder / STAGES / trial.path
        if restart and run_directory.is_run(run):
            run_directory.remove_run(run)
        if run_directory.is_run(run):
            run_directory.refuse_other_settings(run, trial.settings)
        if not (run / WEIGHTS).exists():
            remove_tree(marks)

    def _trial(self, settings: tuple[str, ...], recipe: Recipe, variation: Variation) -> Trial:
        repeated = [variation.name] if len(self.variations) > 1 or not settings else []
        path = "/".join([*([",".join(settings)] if settings else []), *repeated])
        if recipe.k not in self._sources:
            self._sources[recipe.k] = self.task.sources(recipe.k)
        given = self._sources[recipe.k]
        used = self._tuner(recipe, variation).settings(
            variation.of(given.dev), train=given.train, start=self.task.start
        )

        def tune(place: Place) -> dict[str, Any]:
            sources = self.task.sources(recipe.k)
            dev, run = variation.of(sources.dev), place.root / path
            tuner = self._tuner(recipe, variation)
            try:
                tuner.fit(dev, train=sources.train, start=self.task.start, output=run, threads=self._each,
                          observer=TuningNotes(place, path), report=False)  # fmt: skip
            finally:
                _write_report(place, run)
            return outcome(tuner, dev.sentences)

        tuned = Stage(f"{STAGES}/{path}/tune", used, tune, resumable=True, cost=recipe.plan.rounds + 1)
        judged_on = {} if self.task.devtest is None else {"devtest": _digest(self.task.devtest)}
        scored = Stage(
            f"{STAGES}/{path}/scores", judged_on, lambda place: self._judge(place, path, recipe.k), (tuned,)
        )
        return Trial(path, recipe, variation, used, tuned, scored)

    def _tuner(self, recipe: Recipe, variation: Variation) -> Tuner:
        return Tuner.from_recipe(recipe, seed=variation.seed, constraints=self.task.constraints)

    def _judge(self, place: Place, path: str, k: int) -> dict[str, float]:
        """Return all of dev, whatever part of it was tuned on, and devtest."""
        source: Any = self.task.sources(k).dev
        metric = self.task.recipe.metric
        weights = Weights.read(place.root / path / WEIGHTS)
        if isinstance(source, KBestSource):
            decoder: Any = source.decoder
            decoder.decoder.set_weights(weights)
            sets = {"dev": EvaluationSet(list(source.lines), [tuple(each) for each in source.references])}
            if self.task.devtest is not None:
                sets["devtest"] = self.task.devtest
            return judge(place, decoder.decoder, sets, metric, subwords=source.subwords, threads=self._each)
        vector, _ = source.vector(weights)
        lists = source.candidates(vector, threads=self._each)
        if lists.statistics is None:
            lists = lists.with_statistics(prepared_for(metric, source), threads=self._each)
        chosen = chosen_of(ListPool(lists), vector, metric, threads=self._each)
        return {"dev": keep_statistics(place.folder, "dev", chosen.statistics, metric)}

    def table(self) -> StudyTable | None:
        """Return the table of the tunings that are done; None without any."""
        place, found = Place(self.folder, self.folder), []
        for settings, trials in zip(self.settings, self.trials, strict=True):
            done = [trial for trial in trials if is_done(self.folder, trial.scored)]
            runs = [
                RunResult(trial.path, trial.variation.name, place.result(trial.tuned), place.result(trial.scored))
                for trial in done
            ]
            if runs:
                found.append(SettingResult(settings, tuple(runs)))
        if not found:
            return None
        metric = self.task.recipe.metric
        return StudyTable(tuple(found), self.sweeps, metric.label, metric.higher_is_better, self.signature())

    def statistics_folder(self, path: str) -> Path:
        """Return the folder of translations and statistics of a run's weights."""
        return self.folder / STAGES / path / "scores"

    def signature(self) -> Signature:
        """Return what was varied; the runs have signatures of their own."""
        swept = {sweep.name: "/".join(sweep.values) for sweep in self.sweeps}
        names = "/".join(variation.name for variation in self.variations)
        return Signature(
            f"study {self.task.recipe.name}", {**({"sweep": swept} if swept else {}), "repetitions": names}
        )


def _digest(given: EvaluationSet) -> list[str]:
    from tunesmith.tuning.sources.digests import references_digest, text_digest

    return [text_digest(given.lines), references_digest(given.references)]


def _write_report(place: Place, run: Path) -> None:
    """Write the page of a run; a run without a page is not less done."""
    try:
        write_run_report(run)
    except (TunesmithError, OSError) as error:
        place.observer.note(f"there is no report of {run}: {error}")
