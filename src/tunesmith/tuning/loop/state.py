"""What steps hand to each other (`State`, all of it survives a kill) and what they work with (`Context`)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError, FormatError
from tunesmith.metrics import Metric, Prepared
from tunesmith.search.candidate_writer import CandidateWriter
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.merging import concatenate, spread
from tunesmith.tuning.feature_names import FeatureNames
from tunesmith.tuning.groups.projection import Projection
from tunesmith.tuning.loop.safeguards import check_references, check_values
from tunesmith.tuning.sources.base import CandidateSource, PartsSource

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class State:
    """A moment between two steps.

    weights: one for each feature seen so far.
    lists: candidate sets by name: `decoded` is what came last, a source's own name all that it gave so far; for
        other data than dev, `decoded NAME` and `NAME`.
    arrays: what steps keep for later ones and for people, by name.
    numbers: what this round's steps measured, for its row of the history. details: what the optimizer told.
    stop: why the run ends here; None while it goes on.
    """

    weights: Floats
    round: int = 0
    lists: Mapping[str, CandidateSet] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, float] = field(default_factory=dict)
    projection: Projection | None = None
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    stop: str | None = None


class Disk(Protocol):
    """Where a run keeps candidates that should not all be in memory."""

    def write(self, name: str, number: int, make: Callable[[Path], CandidateSet]) -> CandidateSet:
        """Have a set of this round made in a new folder; it is given back as it lies there."""


class Context:
    """What does not change during a run. Steps read it; only the references' preparation is kept here."""

    def __init__(
        self,
        sources: Mapping[str, CandidateSource],
        metric: Metric,
        *,
        seed: int,
        threads: int = 1,
        note: Callable[[str], None] = lambda text: None,
        progress: Callable[[int, int, str], None] = lambda done, total, unit: None,
        disk: Disk | None = None,
    ) -> None:
        if "dev" not in sources:
            raise ConfigError("a run needs the source of its development data, called dev")
        self.sources, self.metric, self.seed, self.threads, self.note = sources, metric, seed, threads, note
        self.progress, self.disk = progress, disk
        self._prepared: dict[str, Prepared] = {}
        self._fixed: dict[str, CandidateSet] = {}
        self._said: set[str] = set()

    def prepare(self) -> None:
        """Look at everything that can be looked at before any decoding, so that bad input costs no time."""
        for name, source in self.sources.items():
            if source.references is not None:
                self.note_once(check_references(source.references, name))
                self._prepared[name] = self.metric.prepare(source.references)

    def note_once(self, notes: Mapping[str, str]) -> None:
        """Say what was noticed, each kind of it once in a run."""
        for kind, text in notes.items():
            if kind not in self._said:
                self._said.add(kind)
                self.note(text)

    def fetch(
        self, name: str, weights: Floats, number: int = 0, sentences: Sequence[int] | None = None
    ) -> CandidateSet:
        """Candidates of a source, with statistics and looked at. Fixed ones are fetched once.

        number: of the round.   sentences: only these are decoded; the others have empty lists.
        Where there is a disk they are written to it part by part, so that they are never all in memory.
        """
        if name in self._fixed:
            return self._fixed[name]
        source = self.sources[name]
        parts = self._parts(name, weights, sentences)
        if self.disk is None or source.fixed:
            found = _joined(list(parts))
        else:

            def make(folder: Path) -> CandidateSet:
                with CandidateWriter(folder) as writer:
                    for part in parts:
                        writer.append(part)
                return source.load(folder)

            found = self.disk.write(decoded(name), number, make)
        notes = check_values(found, self.metric)
        if sentences is None:
            self.note_once(notes)
        if source.fixed:
            self._fixed[name] = found
        return found

    def _parts(self, name: str, weights: Floats, sentences: Sequence[int] | None) -> Iterator[CandidateSet]:
        """Sets of consecutive sentences that are all sentences together, each with its statistics."""
        source = self.sources[name]
        total = source.sentences
        chosen = range(total) if sentences is None else sentences
        if isinstance(source, PartsSource):
            decoded_parts = source.parts(weights, sentences, threads=self.threads)
        else:
            decoded_parts = iter([source.candidates(weights, sentences, threads=self.threads)])
        begin = done = 0
        self.progress(0, len(chosen), "sentences")
        for part in decoded_parts:
            there = chosen[done : done + part.sentences]
            done += part.sentences
            end = total if done == len(chosen) else there[-1] + 1
            if sentences is not None:
                part = spread(part, [at - begin for at in there], end - begin)
            yield self._with_statistics(name, part, begin)
            self.progress(done, len(chosen), "sentences")
            begin = end

    def _with_statistics(self, name: str, part: CandidateSet, first: int) -> CandidateSet:
        if part.statistics is not None:
            return part
        if name not in self._prepared:
            raise ConfigError(f"the candidates of {name} carry no statistics and there are no references")
        return part.with_statistics(self._prepared[name], first=first, threads=self.threads)

    def seed_of(self, state: State, step: str) -> int:
        """A seed for one step of one round: the same when the step is run again, another for every other one."""
        text = f"{self.seed} {state.round} {step}".encode()
        return int.from_bytes(hashlib.sha256(text).digest()[:4], "big")


BY_PART = {each: f"by part {each}" for each in ("offsets", "columns", "weights")}
"""Arrays of a state: weights for the next decoding of the training data, a vector for each of its parts; cut at
the offsets, the columns that are not 0 and their weights."""


def packed_by_part(rows: Sequence[Floats]) -> dict[str, NDArray[Any]]:
    """Vectors of which most is 0, as these arrays."""
    columns = [np.flatnonzero(row) for row in rows]
    return {
        BY_PART["offsets"]: np.cumsum([0, *map(len, columns)]),
        BY_PART["columns"]: np.concatenate(columns),
        BY_PART["weights"]: np.concatenate([row[at] for row, at in zip(rows, columns, strict=True)]),
    }


def weights_by_part(state: State, columns: int) -> Floats | None:
    """The vectors as rows, for so many features; None where there are none."""
    if BY_PART["offsets"] not in state.arrays:
        return None
    offsets, at, weights = (state.arrays[BY_PART[each]] for each in ("offsets", "columns", "weights"))
    rows = np.zeros((len(offsets) - 1, columns))
    rows[np.repeat(np.arange(len(rows)), np.diff(offsets)), at] = weights
    return rows


def check_arrays(state: State) -> None:
    """Raise FormatError where the arrays of a state that was read back do not fit each other."""
    parts = {each: state.arrays[name] for each, name in BY_PART.items() if name in state.arrays}
    if parts:
        if len(parts) < len(BY_PART):
            raise FormatError("an array of the weights by part is missing")
        offsets, columns, weights = (parts[each] for each in BY_PART)
        whole = offsets.dtype.kind == columns.dtype.kind == "i" and weights.dtype == np.float64
        if (
            not (whole and offsets.size and offsets[0] == 0 and np.all(np.diff(offsets) >= 0))
            or not offsets[-1] == len(columns) == len(weights)
            or (columns.size and columns.min() < 0)
        ):
            raise FormatError("the arrays of the weights by part do not fit each other")


def decoded(source: str) -> str:
    """The name of what a source gave last, among the lists of a state."""
    return "decoded" if source == "dev" else f"decoded {source}"


def padded(weights: Floats, columns: int) -> Floats:
    """The weights with zeros for features that were seen since, at least so many."""
    more = columns - len(weights)
    return np.concatenate([weights, np.zeros(more)]) if more > 0 else weights


def _joined(parts: Sequence[CandidateSet]) -> CandidateSet:
    return parts[0] if len(parts) == 1 else concatenate(parts)


def features_of(state: State, context: Context) -> FeatureNames:
    """The names of the features that the state's weights belong to."""
    known: list[FeatureNames] = [
        each.features for each in state.lists.values() if each.columns == len(state.weights)
    ]
    return known[0] if known else context.sources["dev"].features


def settings_of(part: Any) -> dict[str, Any] | None:
    """Name and settings of a loss, regularizer, optimizer or metric, for comparison and signature."""
    import dataclasses

    if part is None:
        return None
    found: dict[str, Any] = {"name": type(part).__name__}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        for each in dataclasses.fields(part):
            value = getattr(part, each.name)
            found[each.name] = settings_of(value) if dataclasses.is_dataclass(value) else plain(value)
    return found


def plain(value: Any) -> Any:
    """The value as JSON would give it back."""
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        return hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()[:16]
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    return value if value is None or isinstance(value, (str, int, float, bool)) else repr(value)
