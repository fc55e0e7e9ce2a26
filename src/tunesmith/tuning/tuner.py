"""The tuner: loss × regularizer × optimizer × metric × plan, fed by a source of candidates."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tunesmith
from tunesmith.build import build_digest
from tunesmith.checks import at_least, kind_of
from tunesmith.corpus.given_text import GivenReferences
from tunesmith.errors import ConfigError, TunesmithError, WrongTypeError
from tunesmith.execution import Executor
from tunesmith.io import StrPath
from tunesmith.metrics import Bleu, Metric
from tunesmith.metrics.base import metric_of
from tunesmith.services import service
from tunesmith.settings import plain, settings_of
from tunesmith.signature import Signature
from tunesmith.tuning import compat
from tunesmith.tuning.constraints import Constraints, limits_of
from tunesmith.tuning.estimator import Estimator
from tunesmith.tuning.feature_names import weights_by_name
from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop.batch import BatchRounds
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.history import History
from tunesmith.tuning.loop.loop import Position, Store, positions
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.loop.plan import Planner, Sources
from tunesmith.tuning.loop.state import State, source_of
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.observers import GivenObserver, observer_of
from tunesmith.tuning.optimizers.base import Optimizer
from tunesmith.tuning.pools.base import Floats
from tunesmith.tuning.recipe import Recipe
from tunesmith.tuning.recipes import recipes
from tunesmith.tuning.regularizers.base import Penalty
from tunesmith.tuning.runs import directory
from tunesmith.tuning.runs.checkpoint import Checkpoints
from tunesmith.tuning.runs.chosen import write_chosen, write_sentences
from tunesmith.tuning.runs.group_files import write_groups
from tunesmith.tuning.runs.log import RunLog
from tunesmith.tuning.runs.signature import run_signature
from tunesmith.tuning.sources.base import CandidateSource, Start, named, numbers_of
from tunesmith.tuning.sources.given import GivenSource, refuse_other_features, sources_of
from tunesmith.weights import Weights


class Tuner(Estimator):
    """Parts that fit together; `fit` gives them data and sets the learnt attributes, which end in an underscore.

    plan: what a run does, round by round: `BatchRounds`, or `GroupedRounds` to tune groups of features.
    constraints: features that are fixed, bounded or have their own penalty.
    penalised: patterns of the features that have a penalty; all without them.
    name: what signature and run directory call the composition.

    Parameters, copies, `predict` and `score` are as users of scikit-learn expect them.

    weights_: the weights with the best score on the development data.
    history_: one row a round.   signature_: what the weights were computed with.   reason_: why the run ended.
    """

    history_: History
    signature_: Signature
    reason_: str | None

    def __init__(
        self,
        loss: Loss[Any, Any],
        optimizer: Optimizer[Any, Any],
        regularizer: Penalty | None = None,
        metric: Metric | str | None = None,
        *,
        plan: Planner | None = None,
        seed: int = 1,
        constraints: Constraints | None = None,
        penalised: Sequence[str] = (),
        name: str = "custom",
    ) -> None:
        self.metric: Metric = Bleu() if metric is None else metric_of(metric)
        compat.check(loss, regularizer, optimizer, self.metric)
        self.parts = Parts(loss, optimizer, regularizer, constraints, tuple(penalised))
        self.plan: Planner = BatchRounds() if plan is None else plan
        self.seed, self.name = seed, name
        at_least(0, seed=seed)

    def _parameters(self) -> dict[str, Any]:
        parts = self.parts
        return {
            "loss": parts.loss,
            "optimizer": parts.optimizer,
            "regularizer": parts.regularizer,
            "metric": self.metric,
            "plan": self.plan,
            "seed": self.seed,
            "constraints": parts.constraints,
            "penalised": parts.penalised,
            "name": self.name,
        }

    @classmethod
    def from_recipe(cls, recipe: Recipe | str, *, seed: int = 1, constraints: Constraints | None = None) -> Tuner:
        """Return the tuner of a recipe, such as `recipes.mira()`, or of its name."""
        if isinstance(recipe, str):
            recipe = recipes.make(recipe)
        if not isinstance(recipe, Recipe):
            raise WrongTypeError(
                f"recipe must be a recipe such as recipes.mira(), or its name, got {kind_of(recipe)}"
            )
        return cls(
            recipe.loss,
            recipe.optimizer,
            recipe.regularizer,
            recipe.metric,
            plan=recipe.plan,
            seed=seed,
            constraints=constraints,
            penalised=recipe.penalised,
            name=recipe.name,
        )

    def fit(
        self,
        source: GivenSource,
        references: GivenReferences | None = None,
        *,
        train: GivenSource | None = None,
        train_references: GivenReferences | None = None,
        select: GivenSource | None = None,
        start: Start | None = None,
        output: StrPath | None = None,
        restart: bool = False,
        save_every: int | None = None,
        threads: int = 1,
        executor: Executor | None = None,
        observer: GivenObserver = None,
        report: bool = True,
    ) -> Tuner:
        """Tune on the candidates of a source, from `start` or the source's own weights.

        source: a source such as `KBestSource`, or lists: a `CandidateSet`, a file of any dialect, records.
        references: of lists that carry neither references nor statistics: files, or texts of each sentence.
        start: weights by name or number, or a file of them.
        train, train_references: training data. Groups are learnt on it; where the plan makes none, weights are
        learnt on it and the source, the development data, says how good they are.
        select: a separate set that chooses the best weights instead, while weights are learnt on the source.

        With `output`, a run directory: killed at any moment, the same call resumes and ends with the same bytes;
        other settings on the same directory are refused unless `restart`. Interrupted by Ctrl-C, the tuner has the
        best weights so far. The position is saved after every step and, where an optimizer runs in several
        updates, every minute and after `save_every` of them. With `report` the directory gets its report too.

        executor: adds over the data when weights are optimised, with the same bytes as threads here.
        observer: one observer or several, such as `CsvObserver("history.csv")`.
        """
        watcher = observer_of(observer)
        sources = sources_of(source, train, references, train_references, select)
        source = sources["dev"]
        vector = start_vector(start, source, watcher)
        planner = self.plan.begun(start=start is not None)
        settings = self._settings(sources, vector, planner)
        self.signature_ = run_signature(settings, planner.signature_fields(sources))
        log = RunLog(watcher)
        context = Context(
            sources,
            self.metric,
            seed=self.seed,
            threads=threads,
            note=log.note,
            warn=log.warn,
            progress=log.progress,
            save_every=save_every,
            executor=executor,
        )
        position: Position | None = None
        with contextlib.ExitStack() as stack:
            if report:
                stack.callback(lambda: _write_report(log.folder, watcher))
            store: Store | None = None
            if output is not None:
                signature = {"text": str(self.signature_), **self.signature_.as_dict()}
                folder = stack.enter_context(directory.opened(output, settings, signature, restart=restart))
                log.folder = folder
                write_sentences(folder, source)
                store = context.disk = Checkpoints(
                    folder,
                    higher_is_better=self.metric.higher_is_better,
                    write_weights=lambda path, weights, state: self._weights(weights, state, context).write(path),
                    write_round=lambda path, state: self._write_round(path, state, context),
                    load_pool=lambda name, path: context.opened(source_of(name), path),
                    features=source.features,
                )
            try:
                for reached in positions(planner.plan(self.parts, sources), context, vector, store, log):
                    position = reached
            finally:
                self._learn(position, context)
            log.ended(position)
        return self

    def settings(
        self, source: GivenSource, *, train: GivenSource | None = None, start: Start | None = None
    ) -> dict[str, Any]:
        """Return all that `fit` with these arguments depends on; refuses what `fit` would refuse."""
        sources = sources_of(source, train)
        vector = start_vector(start, sources["dev"], Observer())
        return self._settings(sources, vector, self.plan.begun(start=start is not None))

    def _check_limits(self, source: CandidateSource, start: Floats) -> None:
        """Find a constraint that cannot be kept."""
        parts = self.parts
        if parts.constraints is None and not parts.penalised:
            return
        if parts.constraints is not None and parts.constraints.penalties and parts.regularizer is None:
            raise ConfigError(
                f"features cannot have penalties of their own ({', '.join(parts.constraints.penalties)}) "
                f"where there is no regularizer; {self.name} has none"
            )
        features = source.features
        known = [each for each in parts.penalised if each.partition(":")[0] not in features.growing]
        limits = limits_of(parts.constraints, features, grown(start, len(features)), known)
        parts.optimizer.check(parts.loss, parts.regularizer, limits)

    def _learn(self, position: Position | None, context: Context) -> None:
        """Set the learnt attributes to the best so far; nothing to set before the first round has ended."""
        if position is None or position.best is None:
            return
        self.history_, self.reason_ = position.history, position.finished
        self.weights_ = self._weights(position.best, position.state, context)

    def _weights(self, weights: Floats, state: State, context: Context) -> Weights:
        return weights_by_name(context.features_of(state), weights, str(self.signature_))

    def _write_round(self, folder: Path, state: State, context: Context) -> None:
        write_chosen(folder, state, context, str(self.signature_))
        if state.projection is not None:
            write_groups(folder, state, context.features_of(state), str(self.signature_))

    def _settings(self, sources: Sources, start: Floats, planner: Planner) -> dict[str, Any]:
        """Return all that the weights depend on, after every check that needs no decoding."""
        parts = self.parts
        refuse_other_features(sources)
        planner.check(parts, sources)
        self._check_limits(sources["dev"], start)
        more = {"penalised": list(parts.penalised)} if parts.penalised else {}
        return {
            "version": tunesmith.__version__,
            "build": build_digest(),
            "recipe": self.name,
            "loss": settings_of(parts.loss),
            "optimizer": settings_of(parts.optimizer),
            "regularizer": settings_of(parts.regularizer),
            "metric": {"name": self.metric.label, **self.metric.settings()},
            "constraints": settings_of(parts.constraints),
            **more,
            "plan": type(planner).__name__,
            **planner.signature_fields(sources),
            **planner.settings(sources),
            "seed": self.seed,
            "start": plain(start),
            **{name: plain(source.settings()) for name, source in sources.items()},
        }


def _write_report(folder: Path | None, watcher: Observer) -> None:
    """Write the page of the run, where it has a directory; a run is complete without one too."""
    if folder is None:
        return
    try:
        service("report of a run")(folder)
    except (TunesmithError, OSError) as error:
        watcher.note(f"there is no report: {error}")


def start_vector(start: Start | None, source: CandidateSource, observer: Observer) -> Floats:
    """Start weights in the order of the source's features; a note names those that it does not have."""
    if start is None:
        own = source.start()
        return np.zeros(0) if own is None else np.array(own, dtype=np.float64)
    if not named(start):
        return numbers_of(start)
    vector, unknown = source.vector(Weights.of(start))
    if unknown:
        shown = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        observer.note(
            f"start weights of {len(unknown)} features that the source does not have are left out: {shown}"
        )
    return vector
