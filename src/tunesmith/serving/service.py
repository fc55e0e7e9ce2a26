"""What the server does for a request, without HTTP: checks, batches, counters."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from tunesmith.serving.batches import Batches
from tunesmith.serving.counters import Counters
from tunesmith.serving.limits import Limits
from tunesmith.serving.messages import (
    Item,
    ModelAnswer,
    Ranked,
    ReloadAnswer,
    RerankAnswer,
    RerankRequest,
    TranslateAnswer,
    Translated,
    TranslateRequest,
)
from tunesmith.serving.refusals import RefusedError
from tunesmith.serving.served_model import ServedModel, Wanted

_AT_ONCE = 16
"""Sentences of a batch for each thread: enough to keep threads busy, few enough for short waits."""
_CHARACTERS = 100
"""Characters of a line that are read for each word that a sentence may have: a tokeniser gets no more."""


class Service:
    """A served model behind limits; everything is called from one event loop."""

    def __init__(self, model: ServedModel, limits: Limits | None = None, *, threads: int = 1) -> None:
        self.model, self.limits = model, limits or Limits()
        self.counters = Counters()
        self._batches = Batches[Wanted, Translated](
            model.decode,
            at_once=_AT_ONCE * threads,
            waiting=self.limits.waiting,
            seconds=self.limits.seconds,
        )
        self._beside = ThreadPoolExecutor(1, "reading")
        """Reads files of weights and tokenises, while sentences are decoded."""

    @property
    def waiting(self) -> int:
        """Sentences that wait for the decoder."""
        return self._batches.waiting

    async def translate(self, request: TranslateRequest) -> TranslateAnswer:
        """Translate the sentences of a request; RefusedError where a limit is exceeded."""
        wanted = Wanted(
            request.weights or self.model.names[0], tuple(sorted(request.changes.items())),
            request.nbest, request.distinct, request.features, request.alignment, request.explain,
            request.tokenized, request.label,
        )  # fmt: skip
        self.model.check(wanted)
        self.model.check_label(request.label)
        self._check(request.sentences, request.nbest)
        try:
            return await asyncio.wait_for(self._answer(wanted, request.sentences), self.limits.seconds)
        except asyncio.TimeoutError:
            raise RefusedError(
                504, f"no answer within {self.limits.seconds:g} s; send fewer sentences at once", retry_after=1
            ) from None

    async def _answer(self, wanted: Wanted, sentences: Sequence[str]) -> TranslateAnswer:
        lines = sentences
        if self.model.is_raw(wanted):
            loop = asyncio.get_running_loop()
            lines = await loop.run_in_executor(self._beside, self.model.text.sources, sentences)
        words = self._count_words(lines)
        answers = await self._batches.answers(wanted, lines)
        self.counters.sentences += len(answers)
        self.counters.words += words
        return TranslateAnswer(answers)

    def rerank(self, request: RerankRequest) -> RerankAnswer:
        """Rank posted lists by weights · features; the order of equal scores stays."""
        if sum(map(len, request.lists)) > self.limits.waiting:
            raise RefusedError(413, f"at most {self.limits.waiting} translations can be ranked at once")
        given = request.weights
        weights: Mapping[str, float] = (
            given if isinstance(given, dict) else self.model.scores_of(given or self.model.names[0])
        )
        return RerankAnswer([_ranked(each, weights) for each in request.lists])

    async def reload(self) -> ReloadAnswer:
        """Read the files of weights again. Sentences that are being decoded keep the old weights."""
        loop = asyncio.get_running_loop()
        return ReloadAnswer(await loop.run_in_executor(self._beside, self.model.reload))

    def describe(self) -> ModelAnswer:
        """Describe the served model."""
        return self.model.describe()

    async def close(self) -> None:
        """Stop decoding."""
        await self._batches.close()
        self._beside.shutdown(wait=False)

    def _check(self, sentences: Sequence[str], nbest: int) -> None:
        """Refuse too many sentences or characters, and line breaks."""
        limits, characters = self.limits, _CHARACTERS * self.limits.words
        if len(sentences) > limits.sentences:
            raise RefusedError(413, f"{len(sentences)} sentences; a request may have at most {limits.sentences}")
        if len(sentences) * nbest > limits.waiting:
            raise RefusedError(
                413, f"{len(sentences)} lists of {nbest} translations; at most {limits.waiting} are made at once"
            )
        for number, sentence in enumerate(sentences):
            if any(mark in sentence for mark in "\n\r\0"):
                raise RefusedError(
                    400, f"sentence {number} has a line break or a NUL character; send one line each"
                )
            if len(sentence) > characters:
                raise RefusedError(
                    413, f"sentence {number} has {len(sentence)} characters; at most {characters} are read"
                )

    def _count_words(self, lines: Sequence[str]) -> int:
        """Count the words of all lines, as the decoder sees them; RefusedError where a line has too many."""
        counts = [len(line.split()) for line in lines]
        for number, count in enumerate(counts):
            if count > self.limits.words:
                raise RefusedError(
                    413, f"sentence {number} has {count} words; at most {self.limits.words} are translated"
                )
        return sum(counts)


def _ranked(items: Sequence[Item], weights: Mapping[str, float]) -> list[Ranked]:
    scored = []
    for rank, item in enumerate(items):
        score = sum(weights.get(name, 0.0) * value for name, value in item.features.items())
        if not math.isfinite(score):
            raise RefusedError(400, f"the score of {item.text!r} is not a finite number")
        scored.append(Ranked(item.text, score, rank))
    return sorted(scored, key=lambda each: -each.score)
