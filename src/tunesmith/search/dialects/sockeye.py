"""JSON lines of sockeye, one sentence each (cpp/search/lists/sockeye_lists.hpp)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import ClassVar

import msgspec

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.search.dialects.base import NOT_MINE, Detection, Dialect, ListFile, dialects
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.dialects.numbers import short_values
from tunesmith.search.dialects.parts import read_parts, read_whole
from tunesmith.search.lists.candidates import CandidateSet

SCORE = "score"


@dialects.register("sockeye")
class SockeyeDialect(Dialect):
    """What `sockeye-translate --nbest-size n --output-type json` prints (sockeye/inference.py, TranslatorOutput).

    Features: `score`, and `score_1`, … where there are scores of factors. sockeye counts sentences from 1; a list
    that has a sentence 0 counts from 0. Its scores are costs as a rule: a tuner finds the sign.
    """

    name: ClassVar[str] = "sockeye"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        first = next((line for line in head if line.strip()), "")
        if first.lstrip().startswith("{") and '"sentence_id"' in first and '"translation' in first:
            return Detection(0.95, 'objects with "sentence_id" and "translation"')
        return NOT_MINE

    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Read lists; other fields (of the input, factors, alignments) are passed over, and so are blank lines."""
        reader = _core.SockeyeReader(skip_bad=skip_bad)
        found = read_whole(reader, data, self.name)
        if not found.candidates.sentences or reader.from_zero:
            return found
        return replace(found, candidates=found.candidates.select(1, found.candidates.sentences))

    def read_parts(self, data: ListInput, *, skip_bad: bool = False) -> Iterator[ListFile]:
        """Yield the first candidate says whether sentences are counted from 0."""
        counted_from: int | None = None
        reader = _core.SockeyeReader(rising=True, skip_bad=skip_bad)
        for part in read_parts(reader, data, self.name):
            candidates = part.candidates
            if counted_from is None:
                counted_from = 0 if reader.from_zero else 1
                candidates = candidates.select(min(counted_from, candidates.sentences), candidates.sentences)
            yield replace(part, candidates=candidates, first=max(part.first - counted_from, 0))

    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Yield lines; sentences are numbered from 1, and one without candidates is left out."""
        self.words(candidates)
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
