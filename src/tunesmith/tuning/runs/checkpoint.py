"""Positions of a run on disk. `state.json` is the only truth: what it does not name was never written.

A position's files are written under names that the present `state.json` does not use; then a new one replaces it
in one go; then what it no longer names is removed. So a process may be killed anywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError, TunesmithError
from tunesmith.features.index import FeatureIndex
from tunesmith.io import atomic_bytes
from tunesmith.io.documents import read_document, write_document
from tunesmith.io.inside import inside
from tunesmith.io.npy import read_npy, save_array
from tunesmith.tuning.loop.history import History, measured_values, read_history, write_history
from tunesmith.tuning.loop.loop import Position
from tunesmith.tuning.loop.part_weights import check_part_weights
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.optimizers.base import OptimizerState
from tunesmith.tuning.pools.base import Floats, Pool
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.runs import directory as run
from tunesmith.tuning.runs.checksums import checksums, verify_checksums
from tunesmith.tuning.runs.documents import GroupsPosition, OptimizerPosition, StateDocument
from tunesmith.tuning.runs.group_files import check_group_arrays

_ADVICE = f"the best weights so far are in {run.WEIGHTS}; {RESTART}"

WriteWeights = Callable[[Path, Floats, State], None]
WriteRound = Callable[[Path, State], None]
LoadPool = Callable[[str, Path], Pool]


class Checkpoints:
    """The positions of the run in `folder`, and the files for users next to them.

    write_weights: writes weights for users: the file, the weights, and a state whose features they belong to.
    write_round: writes what else people read of a state at the end of a round, into the folder of that round.
    load_pool: opens the pool of a name that was saved; that of a decoder needs its features.
    features: those of the source, of which some may get their numbers in the run.
    """

    def __init__(
        self,
        folder: Path,
        *,
        higher_is_better: bool,
        write_weights: WriteWeights,
        load_pool: LoadPool,
        write_round: WriteRound = lambda folder, state: None,
        features: FeatureIndex | None = None,
    ) -> None:
        self._folder, self._higher = inside(folder), higher_is_better
        self._write_weights, self._write_round, self._load_pool = write_weights, write_round, load_pool
        self._features, self._named = features, np.empty(0, dtype=np.uint8)
        self._first = self._known_names = 0 if features is None else len(features)
        self._on_disk: dict[str, Any] = {}  # what state.json names: path → the array or pool
        self._new: dict[str, Pool] = {}  # what steps have written since

    def load(self) -> Position | None:
        path = self._folder / run.STATE
        if not path.exists():
            self._remove_unused()
            return None
        found = read_document(path, StateDocument, _ADVICE)
        try:
            position = self._position(found)
        except TunesmithError as error:
            raise FormatError(f"names a file that is damaged ({error}); {_ADVICE}", path=str(path)) from None
        self._remove_unused()
        return position

    def _position(self, found: StateDocument) -> Position:
        verify_checksums(self._folder, found)
        self._add_names(found.names)
        pools = {name: self._load_pool(name, self._folder / path) for name, path in found.pools.items()}
        self._on_disk = {path: pools[name] for name, path in found.pools.items()}
        groups = found.projection
        state = State(
            weights=self._vector(found.weights),
            round=found.round,
            pools=pools,
            numbers=measured_values(found.numbers),
            details=measured_values(found.details),
            projection=None if groups is None else self._projection(groups),
            arrays={name: self._load(path) for name, path in found.arrays.items()},
            optimizers={name: self._optimizer(each) for name, each in found.optimizers.items()},
        )
        check_part_weights(state.arrays)
        check_group_arrays(state)
        best = None if found.best_weights is None else self._vector(found.best_weights)
        if found.columns not in (None, len(state.weights)) or (
            best is not None and len(best) > len(state.weights)
        ):
            raise FormatError("does not hold as many weights as there are features", path=found.weights)
        rows = read_history(self._folder / run.HISTORY)[: found.rows] if found.rows else []
        if len(rows) < found.rows or [row.round for row in rows] != list(range(len(rows))):
            raise FormatError(f"{run.HISTORY} does not have the {found.rows} rounds of {run.STATE}")
        history = History(rows, higher_is_better=self._higher)
        return Position(state, found.done, history, best, found.finished)

    def _add_names(self, path: str | None) -> None:
        """Give features of the search the numbers that they had; lists of batches are not saved."""
        if path is None or self._features is None:
            return
        self._named = self._load(path, "u")
        for number, name in enumerate(bytes(self._named).decode().split("\n"), self._first):
            if self._features.add(name) != number:
                raise FormatError(f"feature {number} is {name!r} here and another one in the model", path=path)
        self._known_names = len(self._features)

    def _names(self, keep: Callable[[str, Any], str]) -> str | None:
        """Return the path of the names that features of the search got in the run; None without any."""
        if self._features is None or not self._features.growing or len(self._features) == self._first:
            return None
        if len(self._features) > self._known_names:
            self._known_names = len(self._features)
            names = map(self._features.name, range(self._first, self._known_names))
            self._named = np.frombuffer("\n".join(names).encode(), dtype=np.uint8)
        return keep("names.npy", self._named)

    def _projection(self, found: GroupsPosition) -> Projection:
        shares = None if found.shares is None else self._vector(found.shares)
        return Projection(self._load(found.groups, "i"), found.size, shares)

    def _optimizer(self, found: OptimizerPosition) -> OptimizerState:
        if not found.arrays.keys() >= set(found.by_feature):
            raise FormatError("does not name all arrays of an optimizer", path=found.weights)
        return OptimizerState(
            self._vector(found.weights),
            math.inf if found.value is None else found.value,
            details=measured_values(found.details),
            arrays={name: self._vector(path) for name, path in found.arrays.items()},
            numbers=measured_values(found.numbers),
            by_feature=tuple(found.by_feature),
        )

    def _load(self, path: str, kinds: str = "biuf") -> Any:
        """Return an array; the same path gives the same array."""
        if path not in self._on_disk:
            self._on_disk[path] = read_npy(self._folder / path, RESTART, kinds=kinds, dimensions=1)
        return self._on_disk[path]

    def _vector(self, path: str) -> Floats:
        array = self._load(path, "f")
        if array.dtype != np.float64 or not np.all(np.isfinite(array)):
            raise FormatError("does not hold weights", path=path)
        weights: Floats = array
        return weights

    def write(self, name: str, number: int, make: Callable[[Path], Pool]) -> Pool:
        """Return a pool of this round, made in a new folder.

        It is part of the run when a position with it is saved.
        """
        place = run.round_folder(number)
        path = self._free(place, _folder_name(name))
        (self._folder / place).mkdir(parents=True, exist_ok=True)
        self._new[path] = make(self._folder / path)
        return self._new[path]

    def save(self, position: Position) -> Position:
        """Commit a position; pools in what is given back are read from disk."""
        state, history = position.state, position.history
        ended = position.done == 0 and not position.within  # the state is at the beginning of the next round
        place = run.round_folder(state.round - ended)
        (self._folder / place).mkdir(parents=True, exist_ok=True)
        kept: dict[str, Any] = {}

        def keep(name: str, item: Any) -> str:
            return self._write(place, name, item, kept)

        pools = {name: self._write_pool(place, name, each, kept) for name, each in state.pools.items()}
        groups = state.projection
        document = StateDocument(
            format=2,
            round=state.round,
            done=position.done,
            weights=keep("weights.npy", state.weights),
            columns=len(state.weights),
            names=self._names(keep),
            best_weights=None if position.best is None else keep("best.npy", position.best),
            pools=pools,
            numbers=dict(state.numbers),
            details=dict(state.details),
            projection=None
            if groups is None
            else GroupsPosition(
                groups=keep("groups.npy", groups.groups),
                size=groups.size,
                shares=None if groups.shares is None else keep("shares.npy", groups.shares),
            ),
            arrays={name: keep(f"{_file_name(name)}.npy", each) for name, each in state.arrays.items()},
            optimizers={name: _optimizer_position(each, keep) for name, each in state.optimizers.items()},
            rows=len(history),
            best=None if history.best is None else history.best.round,
            finished=position.finished,
            saved=run.now(),
        )
        if ended:
            self._write_weights(self._folder / place / run.WEIGHTS, state.weights, state)
            if position.best is state.weights:
                self._write_weights(self._folder / run.WEIGHTS, state.weights, state)
            self._write_round(self._folder / place, state)
            write_history(self._folder / run.HISTORY, history)
        document.checksums = checksums(self._folder, kept, len(history))
        write_document(self._folder / run.STATE, document, seal=True)
        self._on_disk, self._new = kept, {}
        self._remove_unused()
        return replace(position, state=replace(state, pools={name: kept[path] for name, path in pools.items()}))

    def _write_pool(self, place: str, name: str, pool: Pool, kept: dict[str, Any]) -> str:
        """Return the path, below the folder, of a pool; it is written unless it is there."""
        path = self._known(pool, kept)
        if path is None:
            path = self._free(place, _folder_name(name), kept)
            pool.save(self._folder / path)
            kept[path] = self._load_pool(name, self._folder / path)
        return path

    def _write(self, place: str, name: str, array: NDArray[Any], kept: dict[str, Any]) -> str:
        """Return the path of an array, below the folder; writes it unless it exists."""
        path = self._known(array, kept)
        if path is None:
            path = self._free(place, name, kept)
            with atomic_bytes(self._folder / path) as out:
                save_array(out, array)
            kept[path] = array
        return path

    def _known(self, item: Any, kept: dict[str, Any]) -> str | None:
        """Return the path where an item is on disk, which is kept."""
        for path, present in (self._on_disk | self._new | kept).items():
            if present is item:
                kept[path] = item
                return path
        return None

    def _free(self, place: str, name: str, kept: Mapping[str, Any] | None = None) -> str:
        """Return a path that nothing of this run has, and where nothing is."""
        taken = {**self._on_disk, **self._new, **(kept or {})}
        path, number = f"{place}/{name}", 1
        while path in taken:
            number += 1
            path = f"{place}/{number}-{name}"
        (self._folder / path).remove_tree()
        return path

    def _remove_unused(self) -> None:
        """Remove arrays and pools that state.json does not name."""
        for entry in (self._folder / run.ROUNDS).glob("*/*"):
            path = f"{run.ROUNDS}/{entry.parent.name}/{entry.name}"
            if path not in self._on_disk and (entry.is_dir() or entry.suffix == ".npy"):
                entry.remove_tree()


def _optimizer_position(state: OptimizerState, keep: Callable[[str, Floats], str]) -> OptimizerPosition:
    """Return the document of an optimizer's state.   keep: writes an array of a name, and returns its path."""
    return OptimizerPosition(
        weights=keep("optimizer.npy", state.weights),
        value=state.value,
        details=dict(state.details),
        arrays={name: keep(f"optimizer-{_file_name(name)}.npy", each) for name, each in state.arrays.items()},
        numbers=dict(state.numbers),
        by_feature=list(state.by_feature),
    )


def _folder_name(name: str) -> str:
    known = {"dev": "candidates", "decoded": "decoded"}
    if name in known:
        return known[name]
    verb, _, source = name.rpartition(" ")
    return f"{verb or 'candidates'}.{source}"


def _file_name(name: str) -> str:
    return name.replace(" ", "-")
