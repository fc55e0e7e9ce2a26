"""Sentences of several requests, decoded together: in turn, in order, and not after their request has gone."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tunesmith.errors import TunesmithError
from tunesmith.serving.refusals import RefusedError

K = TypeVar("K")
A = TypeVar("A")


@dataclass(eq=False)
class _Request(Generic[K, A]):
    """A request that waits: what it wants, its sentences, and answers so far."""

    wanted: K
    sentences: Sequence[str]
    done: asyncio.Future[list[A]]
    begun: int = 0
    answers: dict[int, A] = field(default_factory=dict)

    def take(self, most: int) -> list[int]:
        """Return numbers of the next sentences, which are being decoded from now on."""
        first = self.begun
        self.begun = min(len(self.sentences), first + most)
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
    """Batches of sentences with the same settings, a few sentences of each request in turn.

    decode: answers of some sentences; runs in a thread of its own.   at_once: sentences of a batch.
    waiting: sentences that may wait; more are refused.

    A long request does not hold up a short one: each gives an equal part of a batch. A request that was cancelled
    gives no further sentence.
    """

    def __init__(self, decode: Callable[[K, Sequence[str]], Sequence[A]], *, at_once: int, waiting: int) -> None:
        self._decode, self._at_once, self._most = decode, at_once, waiting
        self._requests: deque[_Request[K, A]] = deque()
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
            raise RefusedError(
                429, f"{busy} sentences wait already, at most {self._most} may; try again", retry_after=1
            )
        request = _Request[K, A](wanted, sentences, asyncio.get_running_loop().create_future())
        self._requests.append(request)
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
            await self._answer(batch)

    def _next(self) -> list[tuple[_Request[K, A], int]]:
        """Return the next batch: equal parts, in turn, of the requests with the same settings as the first."""
        self._requests = deque(each for each in self._requests if not each.exhausted)
        if not self._requests:
            return []
        alike = [each for each in self._requests if each.wanted == self._requests[0].wanted]
        part = max(1, self._at_once // len(alike))
        batch: list[tuple[_Request[K, A], int]] = []
        for request in alike:
            batch += [(request, number) for number in request.take(min(part, self._at_once - len(batch)))]
            if len(batch) == self._at_once:
                break
        self._requests.rotate(-1)
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
