"""JSON lines of results of `generate` of Hugging Face's transformers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from tunesmith.search.dialects.base import NOT_MINE, Detection, dialects
from tunesmith.search.dialects.sentence_json import (
    SCORE,
    Row,
    SentenceJsonDialect,
    array,
    columns,
    number,
    same_length,
    text,
)
from tunesmith.search.lists.rows import BadRowError


class ScoredArrays(SentenceJsonDialect):
    """Base of dialects with candidates and scores as two arrays, and features as arrays by name.

    texts, scores: keys of the arrays.
    """

    texts: ClassVar[str]
    scores: ClassVar[str]

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        first = next((line for line in head if line.strip()), "")
        if first.lstrip().startswith("{") and f'"{cls.texts}"' in first and f'"{cls.scores}"' in first:
            return Detection(0.9, f'objects with "{cls.texts}" and "{cls.scores}"')
        return NOT_MINE

    def rows(self, line: Mapping[str, Any]) -> Iterable[Row]:
        for key in (self.texts, self.scores):
            if key not in line:
                raise BadRowError(
                    f'there is no {key}; expected {{"{self.texts}": ["…"], "{self.scores}": [-0.5]}}'
                )
        texts, scores = array(line[self.texts], self.texts), array(line[self.scores], self.scores)
        same_length(texts, scores, (self.texts, self.scores))
        features = columns(line, len(texts))
        for value, score, row in zip(texts, scores, features, strict=True):
            own = number(score, "the score")
            yield Row(text(value, self.texts), {SCORE: own, **row}, own)

    def line(self, sentence: int, rows: Sequence[Row]) -> Mapping[str, Any]:
        names = list(dict.fromkeys(name for row in rows for name in row.features))
        if all(row.features.get(SCORE) == row.score for row in rows):
            names = [name for name in names if name != SCORE]
        made: dict[str, Any] = {
            "id": sentence,
            self.texts: [self.written(row.text) for row in rows],
            self.scores: [row.score for row in rows],
        }
        features = {name: [row.features.get(name, 0.0) for row in rows] for name in names}
        return {**made, "features": features} if features else made

    def written(self, words: str) -> Any:
        """Convert words to the form of the toolkit."""
        return words


@dialects.register("huggingface")
class HuggingFaceDialect(ScoredArrays):
    """Texts and `sequences_scores` of a sentence in each line; the feature is `score`.

    `token_logprobs`, an array for each text (`compute_transition_scores`), gives `logprob` (the sum) and `tokens`;
    `features` holds an array for each further feature.
    """

    name: ClassVar[str] = "huggingface"
    texts = "sequences"
    scores = "sequences_scores"
