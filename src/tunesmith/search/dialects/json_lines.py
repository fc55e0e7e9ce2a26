"""Lists as JSON lines, one candidate each: `{"id": 0, "hypothesis": "…", "features": {"lm": -4.5}}`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import msgspec
import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import NOT_MINE, BadLines, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists


class Candidate(msgspec.Struct, omit_defaults=True):
    """A line as it is written. rest: what a file kept behind the score."""

    id: int
    hypothesis: str
    features: dict[str, float] = {}
    score: float | None = None
    rest: str = ""


@dialects.register("json")
class JsonDialect(Dialect):
    """For lists that a script makes. Sentences come in any order; fields that are not known are passed over.

    `references` (texts) and `source` (a text) belong to the sentence and may stand in any of its lines.
    """

    name: ClassVar[str] = "json"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """An object with a hypothesis."""
        first = next((line for line in head if line.strip()), "")
        if first.lstrip().startswith("{") and '"hypothesis"' in first:
            return Detection(0.95, 'objects with "hypothesis"')
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Blank lines are passed over."""
        reader = _core.JsonListReader(skip_bad)
        with core_errors(data.name):
            for block in data.blocks():
                reader.add(block)
            reader.finish()
        candidates = _by_sentence(reader)
        references, sources = _of_sentences(reader.extras(), data.name)
        every = range(candidates.sentences)
        return ListFile(
            candidates,
            self.name,
            sources=[sources[at] for at in every] if sources and all(at in sources for at in every) else None,
            references=(
                [references[at] for at in every] if references and all(at in references for at in every) else None
            ),
            bad=BadLines(reader.bad_count, tuple(reader.bad_lines())),
        )

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Values have the digits that give the same number again; a feature of 0 is left out."""
        if candidates.words is None:
            raise ConfigError("candidates without words cannot be written as an n-best list")
        encoder = msgspec.json.Encoder()
        names = list(candidates.features)[: candidates.columns]
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            rows = candidates.rows(list(numbers))
            lines = []
            for place, at in enumerate(numbers):
                begin, end = rows.indptr[place : place + 2]
                values = short_values(candidates, rows.data[begin:end])
                columns = rows.indices[begin:end].tolist()
                features = {names[column]: value for column, value in zip(columns, values, strict=True)}
                score = None if candidates.model_scores is None else float(candidates.model_scores[at])
                rest = "" if candidates.rest is None else candidates.rest.text(at)
                line = Candidate(first + sentence, candidates.text(at), features, score, rest)
                lines.append(encoder.encode(line).decode())
            yield "".join(line + "\n" for line in lines)


def _by_sentence(reader: _core.JsonListReader) -> CandidateSet:
    """The candidates by rising sentence; those of one keep their order."""
    sentences, scores, names = reader.sentences(), reader.scores(), reader.features()
    read = CandidateSet(
        PlainMatrix(len(names), *reader.matrix()),
        [0, len(sentences)],
        features=names,
        words=WordLists(*reader.words()),
        model_scores=scores if len(scores) else None,
        rest=WordLists(*reader.rest()) if reader.has_rest else None,
    )
    last = int(sentences.max()) + 1 if len(sentences) else 0
    order = np.argsort(sentences, kind="stable")
    offsets = np.searchsorted(sentences[order], np.arange(last + 1))
    if np.any(np.diff(sentences) < 0):
        return read.take(order, offsets)
    return CandidateSet(
        read.matrix,
        offsets,
        features=read.features,
        words=read.words,
        model_scores=read.model_scores,
        rest=read.rest,
    )


def _of_sentences(
    extras: Sequence[tuple[int, bool, str]], name: str
) -> tuple[dict[int, list[str]], dict[int, str]]:
    """References and sources, which must be texts."""
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
            what = "references are no list of texts" if are_references else "source is no text"
            raise FormatError(f"the {what} in a line of sentence {sentence}", path=name)
    return references, sources


def _value(text: str) -> Any:
    """What JSON says; something that is no text where it is nested too deeply to be one."""
    try:
        return json.loads(text)
    except RecursionError:
        return {}
