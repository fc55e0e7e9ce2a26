"""n-best lists whose fields are separated by `|||`; the core reads and writes them (cpp/search/nbest_*)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.search.dialects.base import Dialect, ListFile
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.parts import read_parts, read_whole
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix

_SENTENCES = 100  # formatted at once
_SEPARATOR = "|||"
_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,8})")

Label = tuple[str, list[int], bool]


class BarDialect(Dialect):
    """A label with one value is the feature of that name, one with several is `label_0`, `label_1` and so on.

    Fields after the score (alignment, segmentation) are kept and written again.

    order: of the fields.   joined: features are written `name=v`, not `name= v`.   unlabelled: values without
    names are read too, as `feature_0`, `feature_1`, ….
    """

    order: ClassVar[Any] = _core.NbestOrder.features_first
    joined: ClassVar[bool] = False
    unlabelled: ClassVar[bool] = False

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Return the candidates; sentences must come in ascending order, those left out have none."""
        return read_whole(_core.NbestReader(self.order, self.unlabelled, skip_bad), data, self.name)

    def read_parts(self, data: ListInput, *, skip_bad: bool = False) -> Iterator[ListFile]:
        return read_parts(_core.NbestReader(self.order, self.unlabelled, skip_bad), data, self.name)

    def write(
        self,
        candidates: CandidateSet,
        first: int = 0,
        *,
        lossy: bool = False,
        in_every_line: Collection[int] | None = None,
    ) -> Iterator[str]:
        """Yield blocks of lines. Values have their shortest text.

        in_every_line: columns that are written where they are 0 too. A line then depends on nothing but its
        candidate, so that a list can be written part by part; None takes the columns that the list stated. Where
        no list did, those that most candidates have, and none where toolkits do not write a 0 (`joined`).
        """
        every = self._in_every_line(candidates) if in_every_line is None else set(in_every_line)
        names = list(candidates.features)[: candidates.columns]
        labels = labels_of(names, every, join_sparse=in_every_line is None, alone=self.joined)
        yield from self._lines(candidates, first, labels, lossy=lossy)

    def write_parts(self, parts: Iterable[tuple[int, CandidateSet]], *, lossy: bool = False) -> Iterator[str]:
        """Yield lines; the first part decides which features share a label and which are in every line."""
        layout: Layout | None = None
        for first, candidates in parts:
            names = list(candidates.features)[: candidates.columns]
            if layout is None:
                labels = labels_of(names, self._in_every_line(candidates), alone=self.joined)
                layout = Layout.of(labels, names)
            else:
                labels = layout.labels(names)
            yield from self._lines(candidates, first, labels, lossy=lossy)

    def _in_every_line(self, candidates: CandidateSet) -> set[int]:
        matrix = candidates.matrix
        if not isinstance(matrix, PlainMatrix):
            return set()
        if matrix.stated is not None:
            return set(matrix.stated.tolist())
        return set() if self.joined else _in_most_rows(matrix)

    def _lines(
        self, candidates: CandidateSet, first: int, labels: Sequence[Label], *, lossy: bool
    ) -> Iterator[str]:
        words, scores, rest = self.words(candidates), candidates.model_scores, candidates.rest
        if scores is None and self.order == _core.NbestOrder.score_first and len(candidates):
            raise ConfigError(
                f"lists of {self.name} have a score in every line, these have none; give them some with "
                "tunesmith candidates sort -W weights.tsv"
            )
        if rest is not None and scores is None:
            self.lost("fields after the score, where there are no scores,", lossy=lossy)
            rest = None
        plain = candidates.matrix if isinstance(candidates.matrix, PlainMatrix) else None
        writer = _core.NbestWriter(
            candidates.native,
            labels,
            plain is not None and plain.dense.dtype == np.float32,
            self.order,
            self.joined,
            (_without_separators(words.vocabulary), words.ids, words.offsets),
            None if rest is None else (rest.vocabulary, rest.ids, rest.offsets),
            np.empty(0) if scores is None else scores,
        )
        for begin in range(0, candidates.sentences, _SENTENCES):
            yield writer.format(begin, min(begin + _SENTENCES, candidates.sentences), first)


@dataclass(frozen=True)
class Layout:
    """Labels that were chosen for the first part of a list, for the parts that follow.

    joined: names that are the values of one label, by the first of them.   every: first names of labels that are
    in every line.
    """

    joined: Mapping[str, tuple[str, ...]]
    every: Set[str]

    @classmethod
    def of(cls, labels: Sequence[Label], names: Sequence[str]) -> Layout:
        joined = {names[ids[0]]: tuple(names[id] for id in ids) for _, ids, _ in labels if len(ids) > 1}
        return cls(joined, {names[ids[0]] for _, ids, always in labels if always})

    def labels(self, names: Sequence[str]) -> list[Label]:
        """Return the same labels for more names: those that are new get one each."""
        labels: list[Label] = []
        known = set(names)
        column = 0
        while column < len(names):
            name = names[column]
            columns = [column]
            if name in self.joined:
                columns = list(range(column, column + len(self.joined[name])))
                if (label := name[: -len("_0")]) in known:
                    raise ConfigError(
                        f"the feature {label!r} follows lines where {label}_0, {label}_1, … were written as "
                        "values of one label of that name; write another dialect (cdec, json)"
                    )
            check_name(name)
            labels.append((name if len(columns) == 1 else label, columns, name in self.every))
            column += len(columns)
        return labels


def _in_most_rows(matrix: PlainMatrix) -> set[int]:
    """Return columns of the block that at least half of the rows have; of few columns the block has them all."""
    counts = np.count_nonzero(matrix.dense, axis=0)
    return set(matrix.dense_ids[2 * counts >= max(matrix.rows, 1)].tolist())


def _without_separators(vocabulary: Sequence[str]) -> Sequence[str]:
    """Return a word that looks like the end of a field is written as Moses' tokeniser writes it."""
    if _SEPARATOR not in vocabulary:
        return vocabulary
    return [_SEPARATOR.replace("|", "&#124;") if word == _SEPARATOR else word for word in vocabulary]


def labels_of(
    names: Sequence[str], dense: set[int], *, join_sparse: bool = True, alone: bool = False
) -> list[Label]:
    """Return labels with their columns, and whether they are in every line (those with a column of `dense`).

    `a_0`, `a_1`, … side by side are the values of one label `a`, unless a feature has that name itself.
    join_sparse: those that are not in `dense` too; which of them are side by side depends on what fires.
    alone: every column has its own label.
    """
    known = set(names)
    labels: list[Label] = []
    column = 0
    while column < len(names):
        name = names[column]
        check_name(name)
        columns = [column]
        numbered = None if alone else _NUMBERED.fullmatch(name)
        if numbered and numbered[2] == "0" and numbered[1] not in known:
            label = numbered[1]
            while (
                (at := column + len(columns)) < len(names)
                and names[at] == f"{label}_{len(columns)}"
                and (join_sparse or {column, at} <= dense)
            ):
                columns.append(at)
        labels.append(
            (name if len(columns) == 1 else name[: -len("_0")], columns, any(each in dense for each in columns))
        )
        column += len(columns)
    return labels


def check_name(name: str) -> None:
    """Refuse a name that could not be read again."""
    if not name or name.split() != [name]:
        raise ConfigError(f"the feature name {name!r} is empty or holds white space, so it cannot be written")
