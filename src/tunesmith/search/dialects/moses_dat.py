"""`features.dat` of Moses' tuning tools, with its `scores.dat` if given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import NOT_MINE, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.moses_files import read_moses_blocks
from tunesmith.search.plain import PlainMatrix


@dialects.register("moses-dat")
@dataclass(frozen=True)
class MosesDatDialect(Dialect):
    """Blocks of numbers without words. scores: the scores.dat of the same candidates."""

    name: ClassVar[str] = "moses-dat"

    scores: str | None = None

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """The first line of a block."""
        if head and head[0].startswith("FEATURES_"):
            return Detection(1.0, "blocks of Moses' tuning tools")
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Lines of a block belong together, so that none can be left out."""
        if skip_bad:
            raise ConfigError("features.dat says how many lines a block has; bad lines cannot be left out of it")
        return ListFile(read_moses_blocks(data.name, data.blocks(), self.scores), self.name)

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Features of most candidates are dense, named in the first line of a block; the others are pairs."""
        for given, what in (
            (candidates.words, "words"),
            (candidates.model_scores, "scores of the list"),
            (candidates.rest, "what follows the score"),
        ):
            if given is not None:
                self.lost(what, lossy=lossy)
        names = list(candidates.features)[: candidates.columns]
        for name in names:
            if not name or name.split() != [name]:
                raise ConfigError(
                    f"the feature name {name!r} is empty or holds white space, so it cannot be written"
                )
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


def write_scores_dat(candidates: CandidateSet, metric: str = "BLEU") -> Iterator[str]:
    """The blocks of scores.dat. Statistics of BLEU are put into Moses' order."""
    statistics = candidates.statistics
    if statistics is None:
        raise ConfigError("these candidates have no statistics of a metric")
    if metric == "BLEU":
        order = (statistics.shape[1] - 2) // 2
        matches, ngrams = statistics[:, 2 : 2 + order], statistics[:, 2 + order :]
        pairs = np.stack([matches, ngrams], axis=2).reshape(len(statistics), -1)
        statistics = np.hstack([pairs, statistics[:, 1:2]])
    for sentence in range(candidates.sentences):
        numbers = candidates.candidates_of(sentence)
        lines = [f"SCORES_TXT_BEGIN_0 {sentence} {len(numbers)} {statistics.shape[1]} {metric}"]
        lines += [" ".join(map(str, statistics[at].tolist())) for at in numbers]
        yield "\n".join([*lines, "SCORES_TXT_END_0", ""])
