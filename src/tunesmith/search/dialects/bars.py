"""n-best lists whose fields are separated by `|||`; the core reads and writes them (cpp/search/nbest_*)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import BadLines, Dialect, ListFile
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists

_SENTENCES = 100  # formatted at once
_SEPARATOR = "|||"
_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,8})")

Label = tuple[str, list[int], bool]


class BarDialect(Dialect):
    """A label with one value is the feature of that name, one with several is `label_0`, `label_1` and so on.

    Fields behind the score (alignment, segmentation) are kept and written again.

    order: of the fields.   joined: features are written `name=v`, not `name= v`.   unlabelled: values without
    names are read too, as `feature_0`, `feature_1`, ….
    """

    order: ClassVar[Any] = _core.NbestOrder.features_first
    joined: ClassVar[bool] = False
    unlabelled: ClassVar[bool] = False

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """The candidates; sentences must come in ascending order, those left out have none."""
        reader = _core.NbestReader(self.order, self.unlabelled, skip_bad)
        with core_errors(data.name):
            for block in data.blocks():
                reader.add(block)
            reader.finish()
        scores = reader.scores()
        names = reader.features()
        rest = WordLists(*reader.rest()) if reader.has_rest else None
        candidates = CandidateSet(
            PlainMatrix(len(names), *reader.matrix()),
            reader.offsets(),
            features=names,
            words=WordLists(*reader.words()),
            model_scores=scores if len(scores) else None,
            rest=rest,
        )
        return ListFile(candidates, self.name, bad=BadLines(reader.bad_count, tuple(reader.bad_lines())))

    def write(
        self,
        candidates: CandidateSet,
        first: int = 0,
        *,
        lossy: bool = False,
        in_every_line: Collection[int] | None = None,
    ) -> Iterator[str]:
        """Blocks of lines. Values have their shortest text.

        in_every_line: columns that are written where they are 0 too. A line then depends on nothing but its
        candidate, so that a list can be written part by part; None takes the columns that most candidates have,
        and none where toolkits do not write a 0 (`joined`).
        """
        words = candidates.words
        if words is None:
            raise ConfigError("candidates without words cannot be written as an n-best list")
        scores, rest = candidates.model_scores, candidates.rest
        if scores is None and self.order == _core.NbestOrder.score_first:
            raise ConfigError(
                f"lists of {self.name} have a score in every line, these have none; give them some with "
                "tunesmith candidates sort -W weights.tsv"
            )
        if rest is not None and scores is None:
            self.lost("fields behind the score, where there are no scores,", lossy=lossy)
            rest = None
        matrix = candidates.matrix
        plain = matrix if isinstance(matrix, PlainMatrix) else None
        part_of_more = in_every_line is not None
        if in_every_line is None:
            in_every_line = () if plain is None or self.joined else _in_most_rows(plain)
        names = list(candidates.features)[: candidates.columns]
        labels = labels_of(names, set(in_every_line), join_sparse=not part_of_more, alone=self.joined)
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


def _in_most_rows(matrix: PlainMatrix) -> set[int]:
    """Columns of the block that at least half of the rows have; of few columns the block has them all."""
    counts = np.count_nonzero(matrix.dense, axis=0)
    return set(matrix.dense_ids[2 * counts >= max(matrix.rows, 1)].tolist())


def _without_separators(vocabulary: Sequence[str]) -> Sequence[str]:
    """A word that looks like the end of a field is written as Moses' tokeniser writes it."""
    if _SEPARATOR not in vocabulary:
        return vocabulary
    return [_SEPARATOR.replace("|", "&#124;") if word == _SEPARATOR else word for word in vocabulary]


def labels_of(
    names: Sequence[str], dense: set[int], *, join_sparse: bool = True, alone: bool = False
) -> list[Label]:
    """Labels with their columns, and whether they are in every line (those with a column of `dense`).

    `a_0`, `a_1`, … side by side are the values of one label `a`, unless a feature has that name itself.
    join_sparse: those that are not in `dense` too; which of them are side by side depends on what fires.
    alone: every column has a label of its own.
    """
    known = set(names)
    labels: list[Label] = []
    column = 0
    while column < len(names):
        name = names[column]
        if not name or name.split() != [name]:
            raise ConfigError(f"the feature name {name!r} is empty or holds white space, so it cannot be written")
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
