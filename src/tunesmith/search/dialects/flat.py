"""Flat files: so many lines for each sentence, the words of a candidate and perhaps columns of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import StrPath, display_name, iter_lines
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import NOT_MINE, BadLines, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import BadLineLog, ListInput
from tunesmith.search.dialects.numbers import number_of, short_values
from tunesmith.search.dialects.rows import BadRowError, RowBuilder

_HEADER = re.compile(r"# n=([1-9]\d{0,8})((?:\t\S+)*)", re.ASCII)
MODEL_SCORE = "model_score"


@dialects.register("flat")
@dataclass(frozen=True)
class FlatDialect(Dialect):
    """`n` candidates for every sentence, one line each.

    Numbers stand behind tabulators in the line, or in a file of their own (`scores`) with white space between
    them. Columns are called `column_0`, … unless a first line `# n=4<TAB>name<TAB>name` (`# name name` in the
    file of scores) says otherwise. A column `model_score` is the score of the list, no feature.
    """

    name: ClassVar[str] = "flat"

    n: int = 0
    scores: str | None = None

    def __post_init__(self) -> None:
        if self.n < 0:
            raise ConfigError(f"n = {self.n}: the number of candidates of a sentence was expected")

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """The first line that we write; others must be given, with n."""
        if head and _HEADER.fullmatch(head[0]):
            return Detection(1.0, f"the first line is {head[0].split(chr(9))[0]!r}")
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """A bad line is left out; the next one still belongs to the sentence it stands for."""
        bad = BadLineLog(data.name, skip=skip_bad)
        size, names = self.n, None
        beside = None if self.scores is None else ScoreColumns(self.scores)
        rows = RowBuilder()
        at = number = 0
        for number, line in _all_lines(data, bad):
            if number == 1 and line is not None and (header := _HEADER.fullmatch(line)):
                size, names = int(header[1]), header[2].split("\t")[1:]
                continue
            if size == 0:
                bad.refuse(None, "how many candidates has a sentence? Give the dialect as flat:n=10")
            sentence, at = at // size, at + 1
            more = [] if beside is None else beside.next(number)
            if line is None:
                continue
            try:
                text, *columns = line.split("\t")
                named = _named(names, [number_of(column, "the value") for column in columns])
                score = dict(named).get(MODEL_SCORE)
                features = [pair for pair in [*named, *more] if pair[0] != MODEL_SCORE]
                rows.add(sentence, text, features, score)
            except BadRowError as error:
                bad.add(number, str(error))
        if at % max(size, 1):
            bad.refuse(number, f"the file ends behind candidate {at % size} of {size} of sentence {at // size}")
        if beside is not None:
            beside.end(at)
        return ListFile(rows.finish(), self.name, bad=BadLines(bad.count, tuple(bad.listed)))

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Every sentence must have as many candidates as the others; sentences cannot be left out."""
        if candidates.words is None:
            raise ConfigError("candidates without words cannot be written as an n-best list")
        sizes = set(np.diff(candidates.offsets).tolist())
        if len(sizes) > 1 or 0 in sizes:
            raise ConfigError(
                f"sentences have {min(sizes)} to {max(sizes)} candidates; flat files need as many for all"
            )
        if candidates.rest is not None:
            self.lost("what follows the score", lossy=lossy)
        names = list(candidates.features)[: candidates.columns]
        scores = candidates.model_scores
        if first == 0:
            columns = names if scores is None else [MODEL_SCORE, *names]
            yield "\t".join([f"# n={max(sizes, default=1)}", *columns]) + "\n"
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            values = candidates.rows(list(numbers)).toarray()
            lines = []
            for at, row in zip(numbers, values, strict=True):
                own = [] if scores is None else [float(scores[at])]
                line = [candidates.text(at), *map(repr, [*own, *short_values(candidates, row)])]
                lines.append("\t".join(line) + "\n")
            yield "".join(lines)


class ScoreColumns:
    """Columns of numbers, a line for each candidate."""

    def __init__(self, path: StrPath) -> None:
        self._name = display_name(path)
        self._lines = enumerate(iter_lines(path), 1)
        self._names: list[str] | None = None
        self._read = 0

    def next(self, candidate: int) -> list[tuple[str, float]]:
        """The values of the next candidate."""
        for number, line in self._lines:
            if number == 1 and line.startswith("#"):
                self._names = line[1:].split()
                continue
            self._read += 1
            try:
                return _named(self._names, [number_of(word, "the value") for word in line.split()])
            except BadRowError as error:
                raise FormatError(str(error), path=self._name, line=number) from None
        raise FormatError(f"ends behind {self._read} candidates, there are more", path=self._name)

    def end(self, expected: int) -> None:
        """No line may be left."""
        if any(line.strip() for _, line in self._lines):
            raise FormatError(f"has more lines than the {expected} candidates", path=self._name)


def _named(names: Sequence[str] | None, values: Sequence[float]) -> list[tuple[str, float]]:
    if names is not None and len(names) != len(values):
        raise BadRowError(f"there are {len(values)} columns, the first line names {len(names)}")
    return list(zip(names or [f"column_{at}" for at in range(len(values))], values, strict=True))


def _all_lines(data: ListInput, bad: BadLineLog) -> Iterator[tuple[int, str | None]]:
    """Lines with their numbers; None for one that was left out, which counts nevertheless."""
    expected = 1
    for number, line in data.lines(bad):
        while expected < number:
            yield expected, None
            expected += 1
        yield number, line
        expected = number + 1
