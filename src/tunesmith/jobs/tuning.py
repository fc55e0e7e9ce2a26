"""A tuning job as a description that can travel: data, recipe, start and seed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from tunesmith.decoding.work.left_out import LeftOut
from tunesmith.decoding.work.open_models import Models
from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.execution import Executor, Work, kinds
from tunesmith.features.start import START, start_weights
from tunesmith.io import display_name
from tunesmith.jobs.data import Data
from tunesmith.jobs.observer import JobObserver
from tunesmith.jobs.opening import Opening, Sources
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.tuning import CandidateSource, Recipe, Tuner
from tunesmith.weights import Weights

FOLDS = 5
"""Held-out folds of the training data for recipes that decode it so, where no other number is given."""


class TuningJob(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """All that tuned weights depend on.

    start: a file of weights, a preset by name, or weights by name; None for those of the data's source.
    """

    data: Data
    recipe: RecipeSpec = RecipeSpec()
    start: str | dict[str, float] | None = None
    seed: int = 1

    def sealed(self) -> TuningJob:
        """Return the job with absolute names and digests of its files, for another process to open."""
        start = self.start
        if isinstance(start, str) and Path(start).exists():
            start = dict(Weights.read(start).items())
        return msgspec.structs.replace(self, data=self.data.sealed(), start=start)

    def open(
        self,
        *,
        recipe: Recipe | None = None,
        models: Models | None = None,
        observer: JobObserver | None = None,
        executor: Executor | None = None,
        fitting: Executor | None = None,
        threads: int = 1,
    ) -> OpenJob:
        """Open tuner and sources; what cannot work is refused before a model is opened, which may take a while.

        recipe: in place of the one described, where it has parts that no text describes.
        models: that are open already.   executor: decodes in place of threads of this process.
        fitting: adds over the data when weights are optimised.
        """
        chosen = self.recipe.open() if recipe is None else recipe
        tuner = self.recipe.tuner(chosen, self.seed)
        if tuner.plan.needs_training_data and not self.data.has_train():
            raise ConfigError(
                f"{tuner.name} learns groups of features on training data: give {self.data.missing_train} "
                "--train-refs FILE"
            )
        stack = contextlib.ExitStack()
        opening = Opening(
            chosen.metric, stack, models or Models(), observer or JobObserver(), executor, threads, chosen.graphs,
            fitting,
        )  # fmt: skip
        if chosen.graphs is not None and "graphs" not in self.data.gives:
            raise ConfigError(
                f"{chosen.name} tunes on search graphs of a model (-m FOLDER --dev FILE --refs FILE…) or of files "
                "(--graphs FILE… --refs FILE…); mert and mira tune on lists"
            )
        if chosen.graphs is None and "lists" not in self.data.gives:
            raise ConfigError(
                f"{chosen.name} tunes on n-best lists; for search graphs take lattice-mert, lattice-mira or "
                "forest-risk"
            )
        try:
            return OpenJob(self, chosen, tuner, opening)
        except BaseException:
            stack.close()
            raise


class OpenJob:
    """A job that is open in this process; a context that removes what was made for it alone.

    recipe, tuner: ready to fit.   sources: makes new ones, of dev and of training data, with lists of a length.
    """

    def __init__(self, job: TuningJob, recipe: Recipe, tuner: Tuner, opening: Opening) -> None:
        self.job, self.recipe, self.tuner, self._opening = job, recipe, tuner, opening
        self.sources: Callable[[int], Sources] = job.data.open(opening)

    def __enter__(self) -> OpenJob:
        return self

    def __exit__(self, *error: object) -> None:
        self._opening.stack.close()

    def start(self, source: CandidateSource) -> Weights | None:
        """Return weights to begin with, None for the source's own."""
        start = self.job.start
        if start is None or isinstance(start, dict):
            return None if start is None else Weights.from_mapping(start)
        if not Path(start).exists() and start in START:
            return start_weights(start, source.features)
        try:
            weights = Weights.read(self._opening.models.placed(start))
        except MissingFileError as error:
            raise MissingFileError(f"{error}; presets are {', '.join(START)}") from None
        for note in weights.notes:
            self._opening.observer.remark(f"{display_name(start)}: {note}")
        return weights

    def fit(self, **options: Any) -> Tuner:
        """Tune with new sources; options are those of `Tuner.fit`."""
        dev, train = self.sources(self.recipe.k)
        return self.tuner.fit(
            dev,
            train=train,
            start=self.start(dev),
            threads=self._opening.threads,
            executor=self._opening.fitting,
            **options,
        )


def held_out_for(recipe: Recipe, own: str | None, folds: int | None) -> LeftOut | None:
    """Return what is left out of a model while it decodes training data for a recipe; None for nothing.

    own: the folder of leave-one-out counts; for recipes that need folds (`cross_fit`) they are found without it.
    """
    if recipe.plan.cross_fit:
        return LeftOut(own or "", FOLDS if folds is None else folds)
    if own is None:
        if folds is not None:
            raise ConfigError("--folds says how much --leave-one-out FOLDER leaves out: give that too")
        return None
    return LeftOut(own, folds)


@kinds.register("tune")
class Tune(Work[str, dict[str, float]], frozen=True):
    """Tune; a block is a run directory, its result the best weights."""

    job: TuningJob

    def open(self, threads: int) -> Callable[[str], dict[str, float]]:
        opened = self.job.open(threads=threads)
        return lambda folder: dict(opened.fit(output=folder).weights_.items())
