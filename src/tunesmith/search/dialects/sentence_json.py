"""JSON with a sentence in each line, as scripts write what neural toolkits return; read in Python."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search.dialects.base import BadLines, Dialect, ListFile
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.rows import BadRowError, RowBuilder

SCORE = "score"
_LONGEST = 1 << 26
_LISTED = 100
_BOM = b"\xef\xbb\xbf"


class Row(NamedTuple):
    """A candidate: its words, its features, the score that came with it."""

    text: str
    features: Mapping[str, float]
    score: float


class SentenceJsonDialect(Dialect):
    """A line is a sentence: a number in `id`, the number of the line without one, and its candidates."""

    @abstractmethod
    def rows(self, line: Mapping[str, Any]) -> Iterable[Row]:
        """Return the candidates of a line; BadRowError for what is wrong."""

    @abstractmethod
    def line(self, sentence: int, rows: Sequence[Row]) -> Mapping[str, Any]:
        """Return a line with these candidates."""

    def number(self, line: Mapping[str, Any], default: int) -> int:
        """Return the sentence that a line is about."""
        return whole(line["id"], "the id") if "id" in line else default

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Read lists; blank lines and keys that are not known are passed over."""
        builder = RowBuilder()
        sentence, bad, listed = 0, 0, list[tuple[int, str]]()
        for number, text in enumerate(_lines(data), start=1):
            if not text.strip():
                continue
            try:
                line = _parsed(text)
                found = list(self.rows(line))
                at = self.number(line, sentence)
                for row in found:  # a line is taken whole or not at all
                    builder.checked(at, row.text, row.features.items(), row.score)
                for row in found:
                    builder.add(at, row.text, row.features.items(), row.score)
            except BadRowError as error:
                if not skip_bad:
                    raise FormatError(str(error), path=data.name, line=number) from None
                bad += 1
                listed += [(number, str(error))] if len(listed) < _LISTED else []
            sentence += 1
        return ListFile(builder.finish(), self.name, bad=BadLines(bad, tuple(listed)))

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Yield lines; features other than the score are in `features`; no sentence without candidates."""
        self.words(candidates)
        if candidates.rest is not None:
            self.lost("what follows the score", lossy=lossy)
        names = list(candidates.features)[: candidates.columns]
        if candidates.model_scores is None and SCORE not in names:
            raise ConfigError(f"lists of {self.name} have a score for every translation, these have none")
        encoder = msgspec.json.Encoder()
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            if not numbers:
                continue
            values = [short_values(candidates, row) for row in candidates.rows(list(numbers)).toarray()]
            rows = [
                _row(candidates, at, dict(zip(names, row, strict=True)))
                for at, row in zip(numbers, values, strict=True)
            ]
            yield encoder.encode(self.line(first + sentence, rows)).decode() + "\n"


def whole(value: Any, what: str) -> int:
    """Return a whole number from 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadRowError(f"{what} {str(value)[:40]!r} is not a whole number from 0")
    return value


def number(value: Any, what: str) -> float:
    """Return any number; RowBuilder checks whether it is finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise BadRowError(f"{what} {str(value)[:40]!r} is not a number")
    try:
        return float(value)
    except OverflowError:
        raise BadRowError(f"{what} is not a finite number") from None


def array(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise BadRowError(f"{what}: expected an array, got {str(value)[:40]!r}")
    return value


def mapping(value: Any, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise BadRowError(f"{what}: expected an object, got {str(value)[:40]!r}")
    return value


def text(value: Any, what: str) -> str:
    """Return a text, or pieces of one as an array of texts."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(piece, str) for piece in value):
        return " ".join(value)
    raise BadRowError(f"{what}: expected a text or an array of pieces, got {str(value)[:40]!r}")


def same_length(texts: Sequence[Any], others: Sequence[Any], names: tuple[str, str]) -> None:
    if len(texts) != len(others):
        raise BadRowError(f"there are {len(texts)} {names[0]} and {len(others)} {names[1]}")


def columns(line: Mapping[str, Any], size: int) -> list[dict[str, float]]:
    """Return features, from `"features": {"lm": [-4.5, -5]}`, and token scores of each candidate of a line."""
    rows: list[dict[str, float]] = [{} for _ in range(size)]
    for name, values in mapping(line.get("features", {}), "features").items():
        same_length(rows, array(values, name), ("candidates", f"values of {name!r}"))
        for row, value in zip(rows, values, strict=True):
            row[name] = number(value, name)
    if "token_logprobs" in line:
        each = array(line["token_logprobs"], "token_logprobs")
        same_length(rows, each, ("candidates", "arrays of token_logprobs"))
        for row, values in zip(rows, each, strict=True):
            row.update(token_features(array(values, "token_logprobs")))
    return rows


def token_features(values: Sequence[Any]) -> dict[str, float]:
    """Sum up ln p of a text from those of its tokens, and their number; null stands for a token without one."""
    found = [number(value, "the log-probability") for value in values if value is not None]
    return {"logprob": sum(found), "tokens": float(len(found))}


def _row(candidates: CandidateSet, at: int, features: dict[str, float]) -> Row:
    own = features.get(SCORE)
    score = own if candidates.model_scores is None else float(candidates.model_scores[at])
    assert score is not None
    return Row(candidates.text(at), features, score)


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        line = msgspec.json.decode(text)
    except (ValueError, RecursionError) as error:
        raise BadRowError(f"this is not JSON ({error})") from None
    if not isinstance(line, dict):
        raise BadRowError("this is not a JSON object")
    return line


def _lines(data: ListInput) -> Iterator[bytes]:
    held = b""
    first = True
    for block in data.blocks():
        *whole_lines, held = (held + block).split(b"\n")
        for line in whole_lines:
            yield line.removeprefix(_BOM) if first else line
            first = False
        if len(held) > _LONGEST:
            raise FormatError("the line has more than 64 MiB", path=data.name)
    if held:
        yield held.removeprefix(_BOM) if first else held
