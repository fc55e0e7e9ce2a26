"""JSON lines of sockeye, one sentence each: `{"sentence_id": 1, "translations": […], "scores": […], …}`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import msgspec

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.base import NOT_MINE, BadLines, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import BadLineLog, ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.dialects.rows import BadRowError, RowBuilder

SCORE = "score"
_EXPECTED = '{"sentence_id": 1, "translations": ["…"], "scores": [0.5]}'


class Sentence(msgspec.Struct):
    """A line. `translations` and `scores` are there where more than one was asked for."""

    sentence_id: int | str
    translation: str | None = None
    score: float | None = None
    translations: list[str] = []
    scores: list[float | list[float]] = []


@dialects.register("sockeye")
class SockeyeDialect(Dialect):
    """What `sockeye-translate --nbest-size n --output-type json` prints (sockeye/inference.py, TranslatorOutput).

    Features: `score`, and `score_1`, … where there are scores of factors. sockeye counts sentences from 1; a list
    that has a sentence 0 counts from 0. Its scores are costs as a rule: a tuner finds the sign.
    """

    name: ClassVar[str] = "sockeye"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """An object with a translation and a sentence_id."""
        first = next((line for line in head if line.strip()), "")
        if first.lstrip().startswith("{") and '"sentence_id"' in first and '"translation' in first:
            return Detection(0.95, 'objects with "sentence_id" and "translation"')
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Other fields (those of the input, factors, alignments) are passed over; so are blank lines."""
        bad = BadLineLog(data.name, skip=skip_bad)
        decoder = msgspec.json.Decoder(Sentence)
        read: list[tuple[int, int, list[str], list[list[float]]]] = []
        for number, line in data.lines(bad):
            if not line.strip():
                continue
            try:
                read.append((number, *_checked(decoder, line)))
            except BadRowError as error:
                bad.add(number, str(error))
        first = 0 if any(sentence == 0 for _, sentence, _, _ in read) else 1
        rows = RowBuilder()
        for number, sentence, texts, scores in read:
            for text, values in zip(texts, scores, strict=True):
                names = [SCORE, *(f"{SCORE}_{at}" for at in range(1, len(values)))]
                try:
                    rows.add(sentence - first, text, zip(names, values, strict=True), values[0])
                except BadRowError as error:
                    bad.add(number, str(error))
        return ListFile(rows.finish(), self.name, bad=BadLines(bad.count, tuple(bad.listed)))

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Sentences are numbered from 1; one without candidates is left out."""
        if candidates.words is None:
            raise ConfigError("candidates without words cannot be written as an n-best list")
        names = list(candidates.features)[: candidates.columns]
        known = [SCORE, *(f"{SCORE}_{at}" for at in range(1, len(names)))]
        others = [name for name in names if name not in known]
        if others:
            self.lost(f"features besides score ({', '.join(others[:3])}, …)", lossy=lossy)
        if candidates.rest is not None:
            self.lost("what follows the score", lossy=lossy)
        columns = [names.index(name) for name in known if name in names]
        encoder = msgspec.json.Encoder()
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            if not numbers:
                continue
            if columns:
                rows = candidates.rows(list(numbers)).toarray()[:, columns]
                values = [short_values(candidates, row) for row in rows]
            elif candidates.model_scores is not None:
                values = [[float(candidates.model_scores[at])] for at in numbers]
            else:
                raise ConfigError("lists of sockeye have a score for every translation, these have none")
            scores = values if len(columns) > 1 else [row[0] for row in values]
            texts = [candidates.text(at) for at in numbers]
            line = {"score": values[0][0], "scores": scores, "sentence_id": first + sentence + 1}
            yield encoder.encode({**line, "translation": texts[0], "translations": texts}).decode() + "\n"


def _decoded(decoder: msgspec.json.Decoder[Sentence], line: str) -> Sentence:
    try:
        return decoder.decode(line)
    except msgspec.ValidationError as error:
        raise BadRowError(f"{str(error)[:200]}; {_EXPECTED} was expected") from None
    except (msgspec.DecodeError, UnicodeError, RecursionError, OverflowError) as error:
        raise BadRowError(f"this is no JSON ({str(error)[:100]}); {_EXPECTED} was expected") from None


def _checked(decoder: msgspec.json.Decoder[Sentence], line: str) -> tuple[int, list[str], list[list[float]]]:
    found = _decoded(decoder, line)
    try:
        sentence = int(found.sentence_id)
    except ValueError:
        raise BadRowError(f"the sentence_id {str(found.sentence_id)[:40]!r} is not a whole number") from None
    texts, scores = found.translations, found.scores
    if not texts:
        if found.translation is None or found.score is None:
            raise BadRowError(f"there is no translation with a score; {_EXPECTED} was expected")
        texts, scores = [found.translation], [found.score]
    if len(texts) != len(scores):
        raise BadRowError(f"there are {len(texts)} translations and {len(scores)} scores")
    values = [list(score) if isinstance(score, list) else [score] for score in scores]
    if not all(values):
        raise BadRowError("a translation has no score")
    return sentence, texts, values
