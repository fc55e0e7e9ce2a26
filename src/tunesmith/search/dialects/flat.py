"""Flat files: equally many lines for each sentence, the words of a candidate and perhaps columns of numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.checks import at_least
from tunesmith.errors import ConfigError, core_errors
from tunesmith.io import StrPath, display_name, iter_blocks
from tunesmith.search.dialects.base import NOT_MINE, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.dialects.parts import read_parts, read_whole
from tunesmith.search.lists.candidates import CandidateSet

_HEADER = re.compile(r"# n=([1-9]\d{0,8})((?:\t\S+)*)", re.ASCII)
MODEL_SCORE = "model_score"


@dialects.register("flat")
@dataclass(frozen=True)
class FlatDialect(Dialect):
    """`n` candidates for every sentence, one line each.

    Numbers follow tabs in the line, or are in a second file (`scores`) with white space between
    them. Columns are called `column_0`, … unless a first line `# n=4<TAB>name<TAB>name` (`# name name` in the
    file of scores) says otherwise. A column `model_score` is the score of the list, no feature.
    """

    name: ClassVar[str] = "flat"
    writes_whole: ClassVar[bool] = True

    n: int = 0
    scores: str | None = None

    def __post_init__(self) -> None:
        at_least(0, n=self.n)

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """Return the first line that we write; others must be given, with n."""
        if head and _HEADER.fullmatch(head[0]):
            return Detection(1.0, f"the first line is {head[0].split(chr(9))[0]!r}")
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Read lists; a bad line is left out, and the next one still belongs to the sentence it stands for."""
        reader = _core.FlatReader(self.n, self.scores is not None, skip_bad)
        score_file = ScoreFile(reader, self.scores)
        found = read_whole(reader, data, self.name, score_file.feed)
        with core_errors(data.name):
            reader.check()
        score_file.end()
        return found

    def read_parts(self, data: ListInput, *, skip_bad: bool = False) -> Iterator[ListFile]:
        reader = _core.FlatReader(self.n, self.scores is not None, skip_bad)
        score_file = ScoreFile(reader, self.scores)
        for part in read_parts(reader, data, self.name, score_file.feed):
            with core_errors(data.name):
                reader.check()
            yield part
        score_file.end()

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Yield lines; every sentence must have as many candidates as the others, and none can be left out."""
        self.words(candidates)
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


class ScoreFile:
    """Reader of lists, and before them the scores of the same candidates from a second file."""

    def __init__(self, reader: _core.FlatReader, scores: StrPath | None) -> None:
        self._reader = reader
        self._name = None if scores is None else display_name(scores)
        self._blocks = None if scores is None else iter_blocks(scores)
        self._lines = 0

    def feed(self, block: bytes) -> None:
        self._lines += block.count(b"\n")
        self._add_scores(self._lines + 1)
        self._reader.add(block)
        self._check_scores()

    def end(self) -> None:
        """Check that no scores are left, or lacking."""
        self._check_scores()
        if self._blocks is not None:
            self._add_scores(None)
            with core_errors(self._name):
                self._reader.check_end()

    def _check_scores(self) -> None:
        with core_errors(self._name):
            self._reader.check_scores()

    def _add_scores(self, rows: int | None) -> None:
        """Read scores until there are `rows` rows; None reads all that are left."""
        while self._blocks is not None and (rows is None or self._reader.score_rows < rows):
            block = next(self._blocks, b"")
            with core_errors(self._name):
                if block:
                    self._reader.add_scores(block)
                else:
                    self._reader.finish_scores()
                    return
