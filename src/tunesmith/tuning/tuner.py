"""The tuner: loss × regularizer × optimizer × metric, fed by a source of candidates."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import tunesmith
from tunesmith.errors import ConfigError
from tunesmith.io import StrPath
from tunesmith.metrics import Bleu, Metric
from tunesmith.signature import Signature
from tunesmith.tuning import compat
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.feature_names import vector_by_name, weights_by_name
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.groups.steps import grouping_steps
from tunesmith.tuning.loop.history import History
from tunesmith.tuning.loop.loop import InMemory, Observer, Plan, Position, Store, batch_plan, positions, train_plan
from tunesmith.tuning.loop.state import Context, Floats, State, features_of, padded, plain, settings_of
from tunesmith.tuning.loop.steps import Decode, Measure, Optimise
from tunesmith.tuning.losses import Loss
from tunesmith.tuning.optimizers import Optimizer
from tunesmith.tuning.recipes import Recipe
from tunesmith.tuning.regularizers import Penalty
from tunesmith.tuning.runs import directory as run_directory
from tunesmith.tuning.runs.checkpoint import Checkpoints
from tunesmith.tuning.runs.chosen import write_chosen, write_sentences
from tunesmith.tuning.runs.group_files import write_groups
from tunesmith.tuning.runs.log import RunLog
from tunesmith.tuning.runs.signature import run_signature
from tunesmith.tuning.sources.base import CandidateSource, sentence_parts
from tunesmith.weights import Weights

Start = Weights | Mapping[str, float] | Floats | Sequence[float]


class Tuner:
    """Four parts; `fit` gives them data and sets the learnt attributes, which end in an underscore.

    rounds: the most rounds of decoding and optimising; a source whose lists are fixed needs one.
    interpolation: share of the new weights in each round, the rest is that of the weights before.
    constraints: features that are fixed, bounded or have a penalty of their own.
    grouping: groups of features are learnt on training data first, and tuned instead of features.
    name: what signature and run directory call the composition.

    weights_: the weights with the best score on the development data.
    history_: one row a round.   signature_: what the weights were computed with.   reason_: why the run ended.
    """

    weights_: Weights
    history_: History
    signature_: Signature
    reason_: str | None

    def __init__(
        self,
        loss: Loss,
        optimizer: Optimizer,
        regularizer: Penalty | None = None,
        metric: Metric | None = None,
        *,
        seed: int = 1,
        rounds: int = 15,
        interpolation: float = 1.0,
        constraints: Constraints | None = None,
        grouping: Grouping | None = None,
        name: str = "custom",
    ) -> None:
        self.loss, self.optimizer, self.regularizer = loss, optimizer, regularizer
        self.metric: Metric = Bleu() if metric is None else metric
        self.seed, self.rounds, self.interpolation = seed, rounds, interpolation
        self.constraints, self.grouping, self.name = constraints, grouping, name
        if rounds < 1:
            raise ConfigError(f"rounds = {rounds}: at least one round is needed")
        if not 0.0 < interpolation <= 1.0:
            raise ConfigError(f"interpolation = {interpolation}: a share above 0 and up to 1 was expected")
        if seed < 0:
            raise ConfigError(f"seed = {seed}: a number of at least 0 was expected")
        compat.check(loss, regularizer, optimizer, self.metric)
        if grouping is not None:
            compat.check(grouping.loss, grouping.regularizer, grouping.optimizer, self.metric)
            if constraints is not None:
                raise ConfigError(f"constraints name features; {name} tunes groups of them and cannot keep any")

    @classmethod
    def from_recipe(cls, recipe: Recipe, *, seed: int = 1, constraints: Constraints | None = None) -> Tuner:
        """The tuner that a recipe describes."""
        return cls(
            recipe.loss,
            recipe.optimizer,
            recipe.regularizer,
            recipe.metric,
            seed=seed,
            rounds=recipe.rounds,
            interpolation=recipe.interpolation,
            constraints=constraints,
            grouping=recipe.grouping,
            name=recipe.name,
        )

    def fit(
        self,
        source: CandidateSource,
        *,
        train: CandidateSource | None = None,
        start: Start | None = None,
        output: StrPath | None = None,
        restart: bool = False,
        threads: int = 1,
        observer: Observer | None = None,
    ) -> Tuner:
        """Tune on the candidates of a source, from `start` or the source's own weights.

        train: training data. Groups are learnt on it; where the tuner makes none, weights are learnt on it and the
        source, the development data, says how good they are.

        With `output`, a run directory: killed at any moment, the same call goes on and ends with the same bytes;
        other settings on the same directory are refused unless `restart`. Interrupted by Ctrl-C, the tuner has the
        best weights so far.
        """
        watcher = Observer() if observer is None else observer
        vector = start_vector(start, source, watcher)
        grouping = self._check_train(source, train)
        settings = self._checked_settings(source, train, grouping, vector)
        self.signature_ = run_signature(settings)
        log = RunLog(watcher)
        sources = {"dev": source} if train is None else {"dev": source, "train": train}
        context = Context(
            sources, self.metric, seed=self.seed, threads=threads, note=log.note, progress=log.progress
        )
        position: Position | None = None
        with contextlib.ExitStack() as stack:
            store: Store = InMemory()
            if output is not None:
                signature = {"text": str(self.signature_), **self.signature_.as_dict()}
                folder = stack.enter_context(run_directory.opened(output, settings, signature, restart=restart))
                log.folder = folder
                write_sentences(folder, source)
                store = context.disk = Checkpoints(
                    folder,
                    higher_is_better=self.metric.higher_is_better,
                    write_weights=lambda path, weights, state: self._weights(weights, state, context).write(path),
                    write_round=lambda path, state: self._write_round(path, state, context),
                    load_lists=source.load,
                )
            try:
                for reached in positions(self._plan(source, train, grouping), context, vector, store, log):
                    position = reached
            finally:
                self._learn(position, context)
            log.finished(position)
        return self

    def settings(
        self, source: CandidateSource, *, train: CandidateSource | None = None, start: Start | None = None
    ) -> dict[str, Any]:
        """Everything that `fit` with these arguments depends on; what cannot work is refused as it would be."""
        vector = start_vector(start, source, Observer())
        return self._checked_settings(source, train, self._check_train(source, train), vector)

    def _checked_settings(
        self, source: CandidateSource, train: CandidateSource | None, grouping: Grouping | None, start: Floats
    ) -> dict[str, Any]:
        self._check_constraints(source, start)
        return self._settings(source, train, grouping, start)

    def _check_constraints(self, source: CandidateSource, start: Floats) -> None:
        """Find a constraint that cannot be kept before anything is decoded."""
        if self.constraints is None:
            return
        if self.constraints.penalties and self.regularizer is None:
            raise ConfigError(
                f"features cannot have penalties of their own ({', '.join(self.constraints.penalties)}) "
                f"where there is no regularizer; {self.name} has none"
            )
        features: Any = source.features
        limits = self.constraints.resolve(features, padded(start, max(len(start), len(features))))
        check_limits = getattr(self.optimizer, "check_limits", None)
        if check_limits is not None:
            check_limits(self.regularizer, limits)

    def _check_train(self, source: CandidateSource, train: CandidateSource | None) -> Grouping | None:
        """Find out before anything is decoded whether groups can be made; they are those of the whole model."""
        if train is not None:
            one, other = source.features, train.features
            if one is not other and not (len(one) == len(other) and all(map(str.__eq__, one, other))):
                raise ConfigError(
                    "development and training data must have the same features in the same order; decode both "
                    "with one decoder, or give lists that share an index"
                )
        if self.grouping is None:
            return None
        if train is None:
            raise ConfigError(
                f"{self.name} learns groups of features on training data, which is missing: give fit(…, train=…), "
                "on the command line --train FILE --train-refs FILE"
            )
        if self._crosses(source, train):
            sentence_parts(train)
        return self.grouping.sized(source.features)

    def _plan(self, source: CandidateSource, train: CandidateSource | None, grouping: Grouping | None) -> Plan:
        share = self._share_of_new(source, train)
        optimise = Optimise(self.loss, self.optimizer, self.regularizer, self.constraints, share)
        rounds = self._rounds(source, train)
        if grouping is not None:
            inner = 1 if source.fixed else grouping.inner_rounds
            crossing = train is not None and self._crosses(source, train)
            steps = grouping_steps(grouping, optimise, inner, cross_fit=crossing)
            return Plan((Decode(), Measure()), steps, rounds)
        if train is not None:
            return train_plan(optimise, rounds)
        return batch_plan(optimise, rounds, fixed=source.fixed)

    def _crosses(self, source: CandidateSource, train: CandidateSource) -> bool:
        """Whether training data is decoded again with what was learnt; lists that are given are not."""
        asked = self.grouping is not None and self.grouping.cross_fit
        return asked and not train.fixed and self._rounds(source, train) > 1

    def _rounds(self, source: CandidateSource, train: CandidateSource | None) -> int:
        """One says all where no list depends on the weights; groups are made of the training lists."""
        return 1 if self._fixed(source, train) else self.rounds

    def _fixed(self, source: CandidateSource, train: CandidateSource | None) -> bool:
        return source.fixed if train is None else train.fixed and (source.fixed or self.grouping is None)

    def _share_of_new(self, source: CandidateSource, train: CandidateSource | None) -> float:
        """The interpolation; all of the new weights where no later round could go the rest of the way."""
        return 1.0 if self._fixed(source, train) else self.interpolation

    def _learn(self, position: Position | None, context: Context) -> None:
        """Set the learnt attributes to the best so far; nothing to set before the first round has ended."""
        if position is None or position.best is None:
            return
        self.history_, self.reason_ = position.history, position.finished
        self.weights_ = self._weights(position.best, position.state, context)

    def _weights(self, weights: Floats, state: State, context: Context) -> Weights:
        return weights_by_name(features_of(state, context), weights, str(self.signature_))

    def _write_round(self, folder: Path, state: State, context: Context) -> None:
        write_chosen(folder, state, context, str(self.signature_))
        if state.projection is not None:
            write_groups(folder, state, features_of(state, context), str(self.signature_))

    def _settings(
        self, source: CandidateSource, train: CandidateSource | None, grouping: Grouping | None, start: Floats
    ) -> dict[str, Any]:
        """Everything the weights depend on; the number of threads is not among it."""
        more = {"grouping": settings_of(grouping), "train": None if train is None else plain(train.settings())}
        return {
            "version": tunesmith.__version__,
            "recipe": self.name,
            "loss": settings_of(self.loss),
            "optimizer": settings_of(self.optimizer),
            "regularizer": settings_of(self.regularizer),
            "metric": {"name": self.metric.label, **self.metric.settings()},
            "constraints": settings_of(self.constraints),
            "interpolation": self._share_of_new(source, train),
            "rounds": self._rounds(source, train),
            "seed": self.seed,
            "start": plain(start),
            "dev": plain(source.settings()),
            **{key: value for key, value in more.items() if value is not None},
        }


def start_vector(start: Start | None, source: CandidateSource, observer: Observer) -> Floats:
    """Start weights in the order of the source's features; names it does not have are told and left out."""
    if start is None:
        own = source.start()
        return np.zeros(0) if own is None else np.array(own, dtype=np.float64)
    if not isinstance(start, (Weights, Mapping)):
        return np.array(start, dtype=np.float64)
    named = start if isinstance(start, Weights) else Weights.from_mapping(start)
    by_source = getattr(source, "vector", None)
    vector, unknown = vector_by_name(source.features, named) if by_source is None else by_source(named)
    if unknown:
        shown = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
        observer.note(
            f"start weights of {len(unknown)} features that the source does not have are left out: {shown}"
        )
    return vector
