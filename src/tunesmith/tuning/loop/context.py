"""What steps work with: the sources of a run, its metric, its disk."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from tunesmith.checks import at_least, given
from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution import Executor
from tunesmith.features.index import FeatureIndex
from tunesmith.metrics import Metric, Prepared
from tunesmith.tuning.loop.safeguards import check_references
from tunesmith.tuning.loop.state import State, decoded
from tunesmith.tuning.optimizers.online import Change
from tunesmith.tuning.pools.base import Divisible, Floats, Pool
from tunesmith.tuning.sources.base import CandidateSource, ChangingSource, prepared_for

SAVE_SECONDS = 60.0
"""A step that takes long has its state saved this often."""


class Disk(Protocol):
    """Where a run keeps pools that should not all be in memory."""

    def write(self, name: str, number: int, make: Callable[[Path], Pool]) -> Pool:
        """Have a pool of this round made in a new folder, and return it from there."""


class Context:
    """What does not change during a run.

    executor: adds over the data when weights are optimised; None: this process does.
    save_every: a step saves its state after so many updates of its optimizer, and after SAVE_SECONDS.
    """

    def __init__(
        self,
        sources: Mapping[str, CandidateSource],
        metric: Metric,
        *,
        seed: int,
        threads: int = 1,
        note: Callable[[str], None] = lambda text: None,
        warn: Callable[[str], None] = lambda text: None,
        progress: Callable[[int, int, str], None] = lambda done, total, unit: None,
        disk: Disk | None = None,
        save_every: int | None = None,
        executor: Executor | None = None,
    ) -> None:
        at_least(1, **given(save_every=save_every))
        if "dev" not in sources:
            raise ConfigError("a run needs the source of its development data, called dev")
        self.sources, self.metric, self.seed, self.threads = sources, metric, seed, threads
        self.note, self._warn, self.executor = note, warn, executor
        self.progress, self.disk, self._save_every = progress, disk, save_every
        self.begin_step(lambda state: state)
        self._prepared: dict[str, Prepared] = {}
        self._fixed: dict[str, Pool] = {}
        self._said: set[str] = set()

    def prepare(self) -> None:
        """Check everything that can be checked before any decoding, so that bad input costs no time."""
        for name, source in self.sources.items():
            if source.references is not None:
                self.note_once(check_references(source.references, name))
                self._metric_of(name)

    def _metric_of(self, name: str) -> Prepared | None:
        """The references of a source, ready to be matched; None without any."""
        source = self.sources[name]
        if name not in self._prepared and source.references is not None:
            self._prepared[name] = prepared_for(self.metric, source)
        return self._prepared.get(name)

    def note_once(self, notes: Mapping[str, str]) -> None:
        """Report what was noticed, each kind of it once in a run."""
        for kind, text in notes.items():
            if kind not in self._said:
                self._said.add(kind)
                self.note(text)

    def warn_once(self, kind: str, text: str) -> None:
        """Report what makes the result worthless, each kind of it once in a run."""
        if kind not in self._said:
            self._said.add(kind)
            self._warn(text)

    def begin_step(self, save: Callable[[State], State]) -> None:
        """Count updates and time from here: the state before a step is saved.

        save: saves a state in the middle of the step; returns it, with pools that may now lie on disk.
        """
        self._save, self._saved, self._updates = save, time.monotonic(), 0

    def updated(self, state: State) -> State:
        """Count an update of an optimizer in the middle of a step; the state is saved now and then."""
        return self.saved(state) if self.due() else state

    def due(self) -> bool:
        """Count an update, and say whether the state is to be saved: where making one costs something."""
        self._updates += 1
        due = self._save_every is not None and self._updates >= self._save_every
        return due or time.monotonic() - self._saved >= SAVE_SECONDS

    def saved(self, state: State) -> State:
        """Save a state in the middle of a step."""
        state = self._save(state)
        self._saved, self._updates = time.monotonic(), 0
        return state

    def fetch(self, name: str, weights: Floats, number: int = 0, sentences: Sequence[int] | None = None) -> Pool:
        """Translations of a source, measured and checked. Fixed ones are fetched once.

        number: of the round.   sentences: only these are decoded; the others have none.
        Where there is a disk they are written to it part by part, so that they are never all in memory.
        """
        if name in self._fixed:
            return self._fixed[name]
        source = self.sources[name]
        parts = self._parts(name, weights, sentences)
        if self.disk is None or source.fixed:
            found = source.pool.joined(parts)
        else:

            def make(folder: Path) -> Pool:
                source.pool.write(parts, folder)
                return self.opened(name, folder)

            found = self.disk.write(decoded(name), number, make)
        notes = found.check(self.metric)
        if sentences is None:
            self.note_once(notes)
        if source.fixed:
            self._fixed[name] = found
        return found

    def batch(self, name: str, weights: Floats | Change, sentences: Sequence[int]) -> Pool:
        """Translations of a few sentences of a source, measured; the other sentences of the pool have none.

        weights: all of them, or those that changed since the last batch, where the source takes changes.
        sentences: their numbers, rising.
        """
        source = self.sources[name]
        if source.fixed:
            whole = self.fetch(name, np.empty(0))
            assert isinstance(whole, Divisible)
            return whole.only(sentences)
        if isinstance(weights, tuple):
            assert isinstance(source, ChangingSource)
            parts = source.parts_after(*weights, sentences, threads=self.threads)
        else:
            parts = source.parts(weights, sentences, threads=self.threads)
        spread = source.pool.joined(parts).spread(sentences, source.sentences)
        return spread.measured(self._metric_of(name), source=name, first=0, threads=self.threads)

    def opened(self, name: str, folder: Path) -> Pool:
        """Open a pool of a source that was saved, ready to be measured."""
        return (
            self.sources[name]
            .load(folder)
            .measured(self._metric_of(name), source=name, first=0, threads=self.threads)
        )

    def _parts(self, name: str, weights: Floats, sentences: Sequence[int] | None) -> Iterator[Pool]:
        """Measured pools of consecutive sentences that are all sentences together."""
        source = self.sources[name]
        total = source.sentences
        chosen = range(total) if sentences is None else sentences
        begin = done = 0
        self.progress(0, len(chosen), "sentences")
        for part in source.parts(weights, sentences, threads=self.threads):
            there = chosen[done : done + part.sentences]
            done += part.sentences
            end = total if done == len(chosen) else there[-1] + 1
            if sentences is not None:
                part = part.spread([at - begin for at in there], end - begin)
            yield part.measured(self._metric_of(name), source=name, first=begin, threads=self.threads)
            self.progress(done, len(chosen), "sentences")
            begin = end

    def newest(self, state: State, source: str) -> Pool:
        """What the last decoding of a source gave."""
        return self._pool(state, source, decoded(source))

    def pool(self, state: State, source: str) -> Pool:
        """All that a source gave so far."""
        return self._pool(state, source, source)

    def _pool(self, state: State, source: str, name: str) -> Pool:
        if self.sources[source].fixed:
            return self.fetch(source, state.weights)
        if name not in state.pools:
            raise FormatError(f"the pool {name!r} that this step needs is missing; start again with --restart")
        return state.pools[name]

    def features_of(self, state: State) -> FeatureIndex:
        """The names of the features that the state's weights belong to."""
        known = [each.features for each in state.pools.values() if each.columns == len(state.weights)]
        return known[0] if known else self.sources["dev"].features

    def seed_of(self, state: State, step: str) -> int:
        """A seed for one step of one round: the same when the step is run again, another for every other one."""
        text = f"{self.seed} {state.round} {step}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:4], "big")
