"""Groups of features on disk, for users: two tables in the folder of every round.

groups.tsv     a row for each group: number, kind (`group`, or `alone` for a feature that is not grouped), size,
               weight as tuned, weight as learnt, sentences of train and dev it fires in
members.tsv    a row for each feature that is in a group: name, group, sentences of train and dev it fires in;
               group by group, those that fire most first; after the group the share of its weight, where members
               have shares

    # groups of tune oscar|…
    # crc32 1a2b3c4d
    group   kind    size    weight  learnt  train   dev
    9       group   114     0.0213  0.0371  880     27

    # groups of tune oscar|…
    # crc32 5e6f7081
    feature      group   train   dev
    id:茶|tea    9       120     4
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath, atomic_bytes, iter_lines, open_bytes
from tunesmith.io.documents import read_document
from tunesmith.io.inside import inside
from tunesmith.io.seals import check_line, seal_line
from tunesmith.tuning.growth import resized
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.pools.base import Floats
from tunesmith.tuning.runs import directory as run
from tunesmith.tuning.runs.documents import StateDocument

GROUPS, MEMBERS = "groups.tsv", "members.tsv"
LEARNT = "learnt"
"""The array of a state that holds the weight each group was learnt with."""
ALONE = "alone"
"""The array that says which groups are single features that were not to be grouped."""
SUPPORT = {(data, what): f"{data} {what}" for data in ("train", "dev") for what in ("features", "groups")}
"""Arrays of a state: in the lists of how many sentences of train and dev each feature and each group fires."""
_GROUP_COLUMNS = ("group", "kind", "size", "weight", "learnt", "train", "dev")
_KINDS = ("group", "alone")
_MEMBER_COLUMNS = ("feature", "group", "train", "dev")
_SHARED_COLUMNS = ("feature", "group", "share", "train", "dev")

_ROUND = re.compile(r"[0-9]{2,9}")

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class GroupTable:
    """The groups of a round. Feature `names[i]` is in group `groups[i]`; the other arrays are per group.

    alone: single features that were not to be grouped.
    weights: as tuned.   learnt: what made them groups.   train, dev: sentences whose lists they fire in;
    of single features, `train_of` and `dev_of`.
    shares: how much of its group's weight each feature has; None where all have the whole of it.
    """

    signature: str
    names: Sequence[str]
    groups: Counts
    train_of: Counts
    dev_of: Counts
    alone: NDArray[np.bool_]
    sizes: Counts
    weights: Floats
    learnt: Floats
    train: Counts
    dev: Counts
    shares: Floats | None = None

    def __len__(self) -> int:
        return len(self.sizes)

    def ordered(self, key: NDArray[Any]) -> list[int]:
        """Order groups by this number, largest first: of several features, then of one, then features alone."""
        kind = np.where(self.alone, 2, np.where(self.sizes > 1, 0, 1))
        return [int(at) for at in np.lexsort((-key, kind))]

    def members(self, group: int) -> list[int]:
        """Choose names of a group: with the largest shares, or without shares those that fire most in training."""
        found = np.flatnonzero(self.groups == group)
        if self.shares is not None:
            found = found[np.argsort(-np.abs(self.shares[found]), kind="stable")]
        return [int(at) for at in found]


def write_groups(folder: Path, state: State, features: FeatureIndex, signature: str) -> None:
    assert state.projection is not None
    projection = state.projection
    sizes = np.bincount(projection.groups[projection.groups >= 0], minlength=projection.size)
    weights = projection.weights(state.weights)
    learnt, alone = state.arrays[LEARNT], state.arrays[ALONE]
    train, dev = (state.arrays[SUPPORT[data, "groups"]] for data in ("train", "dev"))
    rows = (
        (at, _KINDS[bool(alone[at])], sizes[at], float(weights[at]), float(learnt[at]), train[at], dev[at])
        for at in range(projection.size)
    )
    _write(folder / GROUPS, signature, _GROUP_COLUMNS, (map(str, row) for row in rows))
    of = [resized(state.arrays[SUPPORT[data, "features"]], len(projection.groups)) for data in ("train", "dev")]
    members = np.flatnonzero(projection.groups >= 0)
    order = members[np.lexsort((members, -of[1][members], -of[0][members], projection.groups[members]))]
    shares = () if projection.shares is None else (projection.shares,)
    columns = (each[order].tolist() for each in (projection.groups, *shares, *of))
    named = (
        (features.name(feature), *map(repr, numbers))
        for feature, *numbers in zip(order.tolist(), *columns, strict=True)
    )
    _write(folder / MEMBERS, signature, _SHARED_COLUMNS if shares else _MEMBER_COLUMNS, named)


def check_group_arrays(state: State) -> None:
    """Raise FormatError where arrays about groups, read back, are about fewer than the state has."""
    size = 0 if state.projection is None else state.projection.size
    names = (LEARNT, ALONE, SUPPORT["train", "groups"])
    if any(len(state.arrays[name]) < size for name in names if name in state.arrays):
        raise FormatError(f"the arrays of the groups are not about {size} of them")


def read_groups(path: StrPath) -> GroupTable:
    """Return the groups in the folder of a round, or of a run: then those of its best round."""
    folder = round_folder(inside(path))
    signature, rows = _rows(folder / GROUPS, _GROUP_COLUMNS)
    counts: list[list[int]] = []  # size, train, dev of each group
    weights: list[list[float]] = []  # as tuned, as learnt
    alone: list[bool] = []
    for line, row in rows:
        number, *more = _counts([row[0], row[2], *row[5:]], folder / GROUPS, line)
        if row[1] not in _KINDS:
            raise FormatError(f"expected {' or '.join(_KINDS)}", path=str(folder / GROUPS), line=line)
        if number != len(alone):
            raise FormatError(f"group {number} follows {len(alone) - 1}", path=str(folder / GROUPS), line=line)
        alone.append(row[1] == _KINDS[True])
        counts.append(more)
        weights.append(_numbers(row[3:5], folder / GROUPS, line))
    names: list[str] = []
    members: list[list[int]] = []  # group, train, dev of each feature
    shares: list[float] = []
    file = folder / MEMBERS  # a path made for each of a million members takes longer than reading it
    for line, row in _rows(file, _MEMBER_COLUMNS, _SHARED_COLUMNS)[1]:
        names.append(row[0])
        if len(row) == len(_SHARED_COLUMNS):
            shares += _numbers([row.pop(2)], file, line)
        members.append(_counts(row[1:], file, line))
        if members[-1][0] >= len(alone):
            raise FormatError(f"group {row[1]} is none of the {len(alone)} in {GROUPS}", path=str(file), line=line)
    group, train_of, dev_of = np.array(members, dtype=np.int64).reshape(-1, 3).T.copy()
    sizes, train, dev = np.array(counts, dtype=np.int64).reshape(-1, 3).T.copy()
    if not np.array_equal(np.bincount(group, minlength=len(sizes)), sizes):
        raise FormatError(f"the sizes of groups are not those in {MEMBERS}", path=str(folder / GROUPS))
    tuned, learnt = np.array(weights, dtype=np.float64).reshape(-1, 2).T.copy()
    which = (np.array(alone, dtype=bool), sizes, tuned, learnt, train, dev)
    return GroupTable(signature, names, group, train_of, dev_of, *which, np.array(shares) if shares else None)


def round_folder(path: Path, number: int | None = None) -> Path:
    """Return the folder of a round: this one, or in a run that round, by default the best one that has groups."""
    path = inside(path)
    if (path / GROUPS).is_file():
        if number is not None:
            raise ConfigError(
                f"{path}: is the folder of one round; give the run directory to choose another round"
            )
        return path
    if not run.is_run(path):
        raise MissingFileError(f"{path}: is neither the folder of a tuning run nor of one of its rounds")
    if number is None:
        state = path / run.STATE
        best = read_document(state, StateDocument, RESTART).best if state.exists() else None
        folders = (each.parent.name for each in path.glob(f"{run.ROUNDS}/*/{GROUPS}"))
        with_groups = sorted(int(name) for name in folders if _ROUND.fullmatch(name))
        if not with_groups:
            raise MissingFileError(
                f"{path}: no round of this run has groups. They are learnt by: tunesmith tune --recipe shares "
                "(or oscar)"
            )
        number = best if best in with_groups else with_groups[-1]
    folder = path / run.round_folder(number)
    if not (folder / GROUPS).is_file():
        raise MissingFileError(f"{folder}: there are no groups of this round")
    return folder


def _write(path: Path, signature: str, columns: Sequence[str], rows: Iterable[Iterable[str]]) -> None:
    """Write a table with a checksum line below its signature."""
    head = f"# groups of {signature}\n".encode()
    table = "".join("\t".join(row) + "\n" for row in (columns, *rows)).encode()
    with atomic_bytes(path) as out:
        out.writelines((head, seal_line(head, table), table))


def _rows(path: Path, *known: Sequence[str]) -> tuple[str, Iterator[tuple[int, list[str]]]]:
    """Yield the signature, and numbered lines in columns: one of those that are known."""
    lines = enumerate(iter_lines(path), start=1)
    _, first = next(lines, (1, ""))
    _, titles = next(lines, (2, ""))
    if titles.startswith("# "):  # the checksum; earlier versions wrote none
        _, titles = next(lines, (3, ""))
    columns = titles.split("\t")
    if not first.startswith("# groups of ") or columns not in map(list, known):
        expected = ", ".join(known[0])
        raise FormatError(f"expected a line '# groups of …' and one with {expected}", path=str(path), line=1)
    has_checksum(path)

    def rows() -> Iterator[tuple[int, list[str]]]:
        for number, line in lines:
            row = line.split("\t")
            if len(row) != len(columns):
                raise FormatError(f"expected {len(columns)} columns", path=str(path), line=number)
            yield number, row

    return first.removeprefix("# groups of "), rows()


def has_checksum(path: Path) -> bool:
    """Return whether a table of groups has a checksum line, which is then right; FormatError if it is wrong."""
    with open_bytes(path) as stream:
        return check_line(stream.read(), str(path))


def _numbers(texts: Sequence[str], path: Path, line: int) -> list[float]:
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        numbers = [np.nan]
    if not all(np.isfinite(number) for number in numbers):
        raise FormatError(f"expected numbers, got {' '.join(texts)[:100]!r}", path=str(path), line=line)
    return numbers


def _counts(texts: Sequence[str], path: Path, line: int) -> list[int]:
    """Return numbers of sentences, features or a group: whole and not negative."""
    if not all(text.isascii() and text.isdigit() and len(text) < 19 for text in texts):
        raise FormatError(f"expected whole numbers, got {' '.join(texts)[:100]!r}", path=str(path), line=line)
    return [int(text) for text in texts]
