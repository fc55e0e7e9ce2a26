"""Sentences of several requests, decoded together: in order, in time, and not after their request has gone."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tunesmith.errors import TunesmithError
from tunesmith.serving.pace import Pace, work_of
from tunesmith.serving.refusals import RefusedError

K = TypeVar("K")
A = TypeVar("A")

_HURRY = 8.0
"""Shorter requests pass a request if they arrive within its own decoding time multiplied by this factor."""
_SPARE = 0.25
"""Part of the time of a request that is kept for wrong guesses."""
_BUSY = "too much waits already for an answer within {:g} s"


@dataclass(eq=False)
class _Request(Generic[K, A]):
    """A request that waits: what it wants, its sentences, and answers so far.

    due: moment by which it is ordered.   latest: when it must be expected to end.   left: work that no batch has.
    """

    wanted: K
    sentences: Sequence[str]
    done: asyncio.Future[list[A]]
    due: float
    latest: float
    left: float
    begun: int = 0
    answers: dict[int, A] = field(default_factory=dict)

    def take(self, most: int) -> list[int]:
        """Return numbers of the next sentences, which are being decoded from now on."""
        first = self.begun
        self.begun = min(len(self.sentences), first + most)
        self.left -= work_of(self.sentences[first : self.begun])
        return list(range(first, self.begun))

    @property
    def exhausted(self) -> bool:
        return self.begun == len(self.sentences) or self.done.done()

    def answer(self, number: int, answer: A) -> None:
        self.answers[number] = answer
        if len(self.answers) == len(self.sentences) and not self.done.done():
            self.done.set_result([self.answers[at] for at in range(len(self.sentences))])

    def fail(self, error: BaseException) -> None:
        if not self.done.done():
            self.done.set_exception(error)


class Batches(Generic[K, A]):
    """Batches of sentences with the same settings, the request that is due first in front.

    decode: answers of some sentences; runs in a thread of its own.   at_once: sentences of a batch.
    waiting: sentences that may wait; more are refused.   seconds: after which nobody waits for an answer.

    Every request is due after a multiple of the time that it takes itself, and after half of `seconds` at the
    latest: a short one passes a long one, and requests of one length are answered in the order in which they came.
    At the pace of the last batches, a request that would be too late, or would make another one too late, is
    refused. If the pace falls, requests that have not begun are refused as soon as they are known to be too late.
    A request that was cancelled gives no further sentence.
    """

    def __init__(
        self,
        decode: Callable[[K, Sequence[str]], Sequence[A]],
        *,
        at_once: int,
        waiting: int,
        seconds: float = math.inf,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._decode, self._at_once, self._most = decode, at_once, waiting
        self._seconds, self._clock = seconds, clock
        self._pace = Pace()
        self._requests: list[_Request[K, A]] = []
        self._arrived = asyncio.Event()
        self._thread: Executor = ThreadPoolExecutor(1, "decoding")
        self._worker: asyncio.Task[None] | None = None

    @property
    def waiting(self) -> int:
        """Sentences that no batch has yet."""
        return sum(len(each.sentences) - each.begun for each in self._requests if not each.done.done())

    async def answers(self, wanted: K, sentences: Sequence[str]) -> list[A]:
        """Return answers in the order of the sentences; RefusedError where too many wait already."""
        if not sentences:
            return []
        if (busy := self.waiting) and busy + len(sentences) > self._most:
            raise self._refusal(f"{busy} sentences wait already, at most {self._most} may")
        now, work = self._clock(), work_of(sentences)
        request = _Request[K, A](
            wanted,
            sentences,
            asyncio.get_running_loop().create_future(),
            due=now + min(_HURRY * self._pace.seconds(work), self._seconds / 2),
            latest=now + (1 - _SPARE) * self._seconds,
            left=work,
        )
        self._requests.append(request)
        self._requests.sort(key=lambda each: each.due)
        if next(self._late(), None) is not None:
            self._requests.remove(request)
            raise self._refusal(_BUSY.format(self._seconds))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        self._arrived.set()
        return await request.done

    async def close(self) -> None:
        """Stop decoding; requests that still wait are refused."""
        if self._worker is not None:
            self._worker.cancel()
        for request in self._requests:
            request.fail(RefusedError(503, "the server is shutting down"))
        self._thread.shutdown(wait=False, cancel_futures=True)

    async def _work(self) -> None:
        while True:
            batch = self._next()
            if not batch:
                self._arrived.clear()
                await self._arrived.wait()
                continue
            sentences = [request.sentences[number] for request, number in batch]
            since = self._clock()
            await self._answer(batch)
            self._pace.add(work_of(sentences), self._clock() - since)
            for request in self._late():
                request.fail(self._refusal(_BUSY.format(self._seconds)))

    def _late(self) -> Iterator[_Request[K, A]]:
        """Yield requests that have not begun and would not be answered in time; the first one is always tried."""
        self._requests = [each for each in self._requests if not each.exhausted]
        now, ahead = self._clock(), 0.0
        for request in list(self._requests):
            late = now + self._pace.seconds(ahead + request.left) > request.latest
            if late and ahead and not request.begun and self._pace.known:
                yield request
            else:
                ahead += request.left

    def _refusal(self, why: str) -> RefusedError:
        """Return the refusal of a request, with the time after which half of what waits now is done."""
        half = self._pace.seconds(sum(each.left for each in self._requests)) / 2
        return RefusedError(429, f"{why}; try again", retry_after=max(1, math.ceil(half)))

    def _next(self) -> list[tuple[_Request[K, A], int]]:
        """Return the next batch: sentences of requests that want what the first one wants."""
        self._requests = [each for each in self._requests if not each.exhausted]
        batch: list[tuple[_Request[K, A], int]] = []
        for request in self._requests:
            if request.wanted == self._requests[0].wanted:
                batch += [(request, number) for number in request.take(self._at_once - len(batch))]
            if len(batch) == self._at_once:
                break
        return batch

    async def _answer(self, batch: Sequence[tuple[_Request[K, A], int]]) -> None:
        wanted = batch[0][0].wanted
        sentences = [request.sentences[number] for request, number in batch]
        loop = asyncio.get_running_loop()
        try:
            answers = await loop.run_in_executor(self._thread, self._decode, wanted, sentences)
        except Exception as error:
            if len({id(request) for request, _ in batch}) == 1 or not isinstance(error, TunesmithError):
                for request, _ in batch:
                    request.fail(error)
                return
            for single in batch:  # one sentence may be to blame, the others are answered
                await self._answer([single])
            return
        for (request, number), answer in zip(batch, answers, strict=True):
            request.answer(number, answer)
