"""`features.dat` of Moses' tuning tools, with its `scores.dat` if given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tunesmith.errors import ConfigError
from tunesmith.search.dialects.bars import check_name
from tunesmith.search.dialects.base import NOT_MINE, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.moses_files import read_moses_blocks
from tunesmith.search.lists.plain import PlainMatrix


@dialects.register("moses-dat")
@dataclass(frozen=True)
class MosesDatDialect(Dialect):
    """Blocks of numbers without words. scores: the scores.dat of the same candidates."""

    name: ClassVar[str] = "moses-dat"

    scores: str | None = None

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        if head and head[0].startswith("FEATURES_"):
            return Detection(1.0, "blocks of Moses' tuning tools")
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Read lists; lines of a block belong together, so that none can be left out."""
        if skip_bad:
            raise ConfigError("features.dat says how many lines a block has; bad lines cannot be left out of it")
        return ListFile(read_moses_blocks(data.name, data.blocks(), self.scores), self.name)

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Yield lines; features of most candidates are dense, named in the first line, the others are pairs."""
        for given, what in (
            (candidates.words, "words"),
            (candidates.model_scores, "scores of the list"),
            (candidates.rest, "what follows the score"),
        ):
            if given is not None:
                self.lost(what, lossy=lossy)
        names = list(candidates.features)[: candidates.columns]
        for name in names:
            check_name(name)
        matrix = candidates.matrix
        dense: list[int] = []
        if isinstance(matrix, PlainMatrix):
            dense = (matrix.dense_ids if matrix.stated is None else matrix.stated).tolist()
        rare = set(range(candidates.columns)) - set(dense)
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            header = ["FEATURES_TXT_BEGIN_0", str(first + sentence), str(len(numbers)), str(len(dense))]
            lines = [" ".join([*header, *(names[column] for column in dense)])]
            rows = candidates.rows(list(numbers))
            for place in range(len(numbers)):
                begin, end = rows.indptr[place : place + 2]
                texts = map(repr, short_values(candidates, rows.data[begin:end]))
                row = dict(zip(rows.indices[begin:end].tolist(), texts, strict=True))
                pairs = (f"{names[column]}={value}" for column, value in row.items() if column in rare)
                lines.append(" ".join([*(row.get(column, "0") for column in dense), *pairs]))
            yield "\n".join([*lines, "FEATURES_TXT_END_0", ""])
