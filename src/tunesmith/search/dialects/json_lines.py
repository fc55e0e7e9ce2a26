"""Lists as JSON lines, one candidate each: `{"id": 0, "hypothesis": "…", "features": {"lm": -4.5}}`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import msgspec

from tunesmith import _core
from tunesmith.errors import FormatError
from tunesmith.search.dialects.base import NOT_MINE, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.dialects.parts import by_sentence, read_parts, read_whole
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix


class Candidate(msgspec.Struct, omit_defaults=True):
    """A line as it is written. rest: what follows the score in a file."""

    id: int
    hypothesis: str
    features: dict[str, float] = {}
    score: float | None = None
    rest: str = ""


@dialects.register("json")
class JsonDialect(Dialect):
    """Lists that a script makes. Sentences come in any order; fields that are not known are passed over.

    `references` (texts) and `source` (a text) belong to the sentence and may stand in any of its lines.
    """

    name: ClassVar[str] = "json"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        first = next((line for line in head if line.strip()), "")
        if first.lstrip().startswith("{") and '"hypothesis"' in first:
            return Detection(0.95, 'objects with "hypothesis"')
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Read lists; blank lines are passed over."""
        reader = _core.JsonListReader(skip_bad=skip_bad)
        found = read_whole(reader, data, self.name)
        references, sources = _of_sentences(reader.extras(), data.name)
        size = found.candidates.sentences
        return replace(found, sources=by_sentence(sources, size), references=by_sentence(references, size))

    def read_parts(self, data: ListInput, *, skip_bad: bool = False) -> Iterator[ListFile]:
        return read_parts(_core.JsonListReader(rising=True, skip_bad=skip_bad), data, self.name)

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Yield lines; values are read back unchanged, and a 0 is written only if the list had it."""
        self.words(candidates)
        encoder = msgspec.json.Encoder()
        names = list(candidates.features)[: candidates.columns]
        matrix = candidates.matrix
        stated = matrix.stated if isinstance(matrix, PlainMatrix) else None
        zeros = {} if stated is None else dict.fromkeys(stated.tolist(), 0.0)
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            rows = candidates.rows(list(numbers))
            lines = []
            for place, at in enumerate(numbers):
                begin, end = rows.indptr[place : place + 2]
                values = short_values(candidates, rows.data[begin:end])
                row = zeros | dict(zip(rows.indices[begin:end].tolist(), values, strict=True))
                features = {names[column]: row[column] for column in sorted(row)}
                score = None if candidates.model_scores is None else float(candidates.model_scores[at])
                rest = "" if candidates.rest is None else candidates.rest.text(at)
                line = Candidate(first + sentence, candidates.text(at), features, score, rest)
                lines.append(encoder.encode(line).decode())
            yield "".join(line + "\n" for line in lines)


def _of_sentences(
    extras: Sequence[tuple[int, bool, str]], name: str
) -> tuple[dict[int, list[str]], dict[int, str]]:
    """Return references and sources, which must be texts."""
    references: dict[int, list[str]] = {}
    sources: dict[int, str] = {}
    for sentence, are_references, text in extras:
        value = _value(text)
        if are_references and isinstance(value, list) and all(isinstance(each, str) for each in value):
            present = [each for each in value if each.strip()]
            if present:
                references[sentence] = present
        elif not are_references and isinstance(value, str):
            sources[sentence] = value
        elif value is not None:
            what = "references are not a list of texts" if are_references else "source is not text"
            raise FormatError(f"the {what} in a line of sentence {sentence}", path=name)
    return references, sources


def _value(text: str) -> Any:
    """Return what JSON says; something that is not text where it is nested too deeply to be one."""
    try:
        return json.loads(text)
    except RecursionError:
        return {}
