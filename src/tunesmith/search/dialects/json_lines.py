"""Lists as JSON lines, one candidate each: `{"id": 0, "hypothesis": "…", "features": {"lm": -4.5}}`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, TypeVar

import msgspec

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import NOT_MINE, BadLines, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import BadLineLog, ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.dialects.rows import BadRowError, RowBuilder

T = TypeVar("T")


class Candidate(msgspec.Struct, omit_defaults=True):
    """A line. rest: what a file kept behind the score; references and source belong to the sentence."""

    id: int
    hypothesis: str
    features: dict[str, float] = {}
    score: float | None = None
    rest: str = ""
    references: list[str] = []
    source: str | None = None


def decode(decoder: msgspec.json.Decoder[T], line: str, expected: str) -> T:
    """The object of a line; BadRowError says what is wrong with it."""
    try:
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        raise BadRowError(f"{str(error)[:200]}; {expected} was expected") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError, OverflowError) as error:
        raise BadRowError(f"this is no JSON ({str(error)[:100]}); {expected} was expected") from None


@dialects.register("json")
class JsonDialect(Dialect):
    """For lists that a script makes. Sentences come in any order; fields that are not known are passed over."""

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
        bad = BadLineLog(data.name, skip=skip_bad)
        decoder = msgspec.json.Decoder(Candidate)
        rows = RowBuilder()
        references: dict[int, list[str]] = {}
        sources: dict[int, str] = {}
        for number, line in data.lines(bad):
            if not line.strip():
                continue
            try:
                found = decode(decoder, line, '{"id": 0, "hypothesis": "…", "features": {…}}')
                rows.add(found.id, found.hypothesis, found.features.items(), found.score, found.rest)
            except BadRowError as error:
                bad.add(number, str(error))
                continue
            if found.references:
                references[found.id] = found.references
            if found.source is not None:
                sources[found.id] = found.source
        candidates = rows.finish()
        every = range(candidates.sentences)
        return ListFile(
            candidates,
            self.name,
            sources=[sources[at] for at in every] if sources and all(at in sources for at in every) else None,
            references=(
                [references[at] for at in every] if references and all(at in references for at in every) else None
            ),
            bad=BadLines(bad.count, tuple(bad.listed)),
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
