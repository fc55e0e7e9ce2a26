"""n-best lists of Moses: `id ||| words ||| Name= v v sparse_name= v ||| score [||| alignment …]`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.io import StrPath, display_name, iter_blocks
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import Dialect, dialects
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists

_SENTENCES = 100  # formatted at once
_SEPARATOR = "|||"
_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,8})")

Label = tuple[str, list[int], bool]


@dialects.register("moses")
class MosesDialect(Dialect):
    """A label with one value is the feature of that name, one with several is `label_0`, `label_1` and so on.

    Fields behind the score (alignment, segmentation) are kept and written again.
    """

    def read(self, path: StrPath) -> CandidateSet:
        """The candidates; sentences must come in ascending order, those left out have none."""
        reader = _core.MosesNbestReader()
        with core_errors(display_name(path)):
            for block in iter_blocks(path):
                reader.add(block)
            reader.finish()
        scores = reader.scores()
        names = reader.features()
        rest = WordLists(*reader.rest()) if reader.has_rest else None
        return CandidateSet(
            PlainMatrix(len(names), *reader.matrix()),
            reader.offsets(),
            features=names,
            words=WordLists(*reader.words()),
            model_scores=scores if len(scores) else None,
            rest=rest,
        )

    def write(
        self, candidates: CandidateSet, first: int = 0, *, in_every_line: Collection[int] | None = None
    ) -> Iterator[str]:
        """Blocks of lines. Values have their shortest text.

        in_every_line: columns that are written where they are 0 too. A line then depends on nothing but its
        candidate, so that a list can be written part by part; None takes the columns that most candidates have.
        """
        words = candidates.words
        if words is None:
            raise ConfigError("candidates without words cannot be written as an n-best list")
        scores, rest = candidates.model_scores, candidates.rest
        if rest is not None and scores is None:
            raise ConfigError("fields behind the score cannot be written where there are no scores")
        matrix = candidates.matrix
        plain = matrix if isinstance(matrix, PlainMatrix) else None
        part_of_more = in_every_line is not None
        if in_every_line is None:
            in_every_line = () if plain is None else _in_most_rows(plain)
        writer = _core.MosesNbestWriter(
            candidates.native,
            labels_of(
                list(candidates.features)[: candidates.columns], set(in_every_line), join_sparse=not part_of_more
            ),
            plain is not None and plain.dense.dtype == np.float32,
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


def labels_of(names: Sequence[str], dense: set[int], *, join_sparse: bool = True) -> list[Label]:
    """Labels with their columns, and whether they are in every line (those with a column of `dense`).

    `a_0`, `a_1`, … side by side are the values of one label `a`, unless a feature has that name itself.
    join_sparse: those that are not in `dense` too; which of them are side by side depends on what fires.
    """
    known = set(names)
    labels: list[Label] = []
    column = 0
    while column < len(names):
        name = names[column]
        if not name or name.split() != [name]:
            raise ConfigError(f"the feature name {name!r} is empty or holds white space, so it cannot be written")
        columns = [column]
        numbered = _NUMBERED.fullmatch(name)
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
