"""Context of steps: the sources of a run, its metric, its disk."""

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
from tunesmith.tuning.sources.decoders import Resting

SAVE_SECONDS = 60.0
"""Interval in which the state of a long step is saved."""


class Disk(Protocol):
    """Storage of a run for pools that should not be in memory as a whole."""

    def write(self, name: str, number: int, make: Callable[[Path], Pool]) -> Pool:
        """Let `make` write a pool of this round to a new folder, and return it from there."""


class Context:
    """Constant data of a run.

    executor: adds over the data when weights are optimised; None: this process does.
    save_every: number of updates of its optimizer after which a step saves its state; also after SAVE_SECONDS.
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
        """Run all checks that are possible before decoding, so that bad input costs no time."""
        for name, source in self.sources.items():
            if source.references is not None:
                self.note_once(check_references(source.references, name))
                self._metric_of(name)

    def _metric_of(self, name: str) -> Prepared | None:
        """Return the prepared references of a source; None if it has none."""
        source = self.sources[name]
        if name not in self._prepared and source.references is not None:
            self._prepared[name] = prepared_for(self.metric, source)
        return self._prepared.get(name)

    def note_once(self, notes: Mapping[str, str]) -> None:
        """Report notes, each kind once per run."""
        for kind, text in notes.items():
            if kind not in self._said:
                self._said.add(kind)
                self.note(text)

    def warn_once(self, kind: str, text: str) -> None:
        """Report a warning that may make the result worthless, each kind once per run."""
        if kind not in self._said:
            self._said.add(kind)
            self._warn(text)

    def begin_step(self, save: Callable[[State], State]) -> None:
        """Count updates and time from here, where the state is saved.

        save: saves a state in the middle of the step; returns it, with pools that may now be on disk.
        """
        self._save, self._saved, self._updates = save, time.monotonic(), 0

    def updated(self, state: State) -> State:
        """Count an update of an optimizer in the middle of a step; saves the state from time to time."""
        return self.saved(state) if self.due() else state

    def due(self) -> bool:
        """Count an update and return whether to save; for states that are costly to make."""
        self._updates += 1
        due = self._save_every is not None and self._updates >= self._save_every
        return due or time.monotonic() - self._saved >= SAVE_SECONDS

    def saved(self, state: State) -> State:
        """Save a state in the middle of a step."""
        state = self._save(state)
        self._saved, self._updates = time.monotonic(), 0
        return state

    def fetch(self, name: str, weights: Floats, number: int = 0, sentences: Sequence[int] | None = None) -> Pool:
        """Decode and measure a source and check the result.

        Fixed translations are fetched once.

        number: of the round.
        sentences: decode only these. With a disk, translations are written in parts, so that they are never all in
            memory.
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
        if isinstance(source, Resting):
            source.rest()
        notes = found.check(self.metric)
        if sentences is None:
            self.note_once(notes)
        if source.fixed:
            self._fixed[name] = found
        return found

    def batch(self, name: str, weights: Floats | Change, sentences: Sequence[int]) -> Pool:
        """Decode some sentences of a source; the other sentences of the pool are empty.

        `measured_batch` measures it. Nothing else of the context is used, so that another thread may decode.

        weights: all weights, or the changes since the last batch if the source accepts changes.
        sentences: their numbers, ascending.
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
        return source.pool.joined(parts).spread(sentences, source.sentences)

    def measured_batch(self, name: str, pool: Pool) -> Pool:
        """Measure what `batch` has decoded."""
        if self.sources[name].fixed:
            return pool
        return pool.measured(self._metric_of(name), source=name, first=0, threads=self.threads)

    def opened(self, name: str, folder: Path) -> Pool:
        """Open a saved pool of a source, ready for measuring."""
        return (
            self.sources[name]
            .load(folder)
            .measured(self._metric_of(name), source=name, first=0, threads=self.threads)
        )

    def _parts(self, name: str, weights: Floats, sentences: Sequence[int] | None) -> Iterator[Pool]:
        """Yield measured pools of consecutive sentences that cover all sentences."""
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
        """Return the pool of the last decoding of a source."""
        return self._pool(state, source, decoded(source))

    def pool(self, state: State, source: str) -> Pool:
        """Return the accumulated pool of a source."""
        return self._pool(state, source, source)

    def _pool(self, state: State, source: str, name: str) -> Pool:
        if self.sources[source].fixed:
            return self.fetch(source, state.weights)
        if name not in state.pools:
            raise FormatError(f"the pool {name!r} that this step needs is missing; start again with --restart")
        return state.pools[name]

    def features_of(self, state: State) -> FeatureIndex:
        """Return the names of the features of the state's weights."""
        known = [each.features for each in state.pools.values() if each.columns == len(state.weights)]
        return known[0] if known else self.sources["dev"].features

    def seed_of(self, state: State, step: str) -> int:
        """Return a seed for one step of one round: reproducible, and different for every step and round."""
        text = f"{self.seed} {state.round} {step}".encode()
        # Any other digest than SHA-256 would give other seeds, and other results.
        return int.from_bytes(hashlib.sha256(text).digest()[:4], "big")
