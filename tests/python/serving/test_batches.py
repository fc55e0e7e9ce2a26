"""Sentences of several requests in batches: order, equal parts, cancellation, refusals, errors of one sentence."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.errors import FormatError
from tunesmith.serving.batches import Batches
from tunesmith.serving.refusals import RefusedError


class Recorder:
    """Decodes by writing in upper case, and remembers the batches; a gate holds the first one."""

    def __init__(self, *, held=False):
        self.batches = []
        self.gate = threading.Event()
        if not held:
            self.gate.set()

    def __call__(self, wanted, sentences):
        self.batches.append((wanted, list(sentences)))
        assert self.gate.wait(600)
        if "bad" in sentences:
            raise FormatError("this sentence cannot be decoded")
        return [f"{wanted}:{sentence.upper()}" for sentence in sentences]


def answered(decode, requests, **options):
    """Answers of requests that come at once."""

    async def run():
        batches = Batches(decode, **{"at_once": 4, "waiting": 1000, **options})
        return await asyncio.gather(
            *(batches.answers(wanted, each) for wanted, each in requests), return_exceptions=True
        )

    return asyncio.run(run())


async def settled(condition):
    while not condition():
        await asyncio.sleep(0.001)


@given(st.lists(st.tuples(st.sampled_from("xy"), st.lists(st.text("abc", max_size=3), max_size=9)), max_size=6))
def test_every_request_gets_its_answers_in_order(requests):
    decode = Recorder()
    answers = answered(decode, requests)
    assert answers == [[f"{wanted}:{each.upper()}" for each in sentences] for wanted, sentences in requests]
    assert all(len(batch) <= 4 for _, batch in decode.batches)
    decoded = sorted((wanted, each) for wanted, batch in decode.batches for each in batch)
    assert decoded == sorted((wanted, each) for wanted, sentences in requests for each in sentences)


def test_a_short_request_does_not_wait_for_a_long_one():
    decode = Recorder()
    answered(decode, [("x", [f"long{at}" for at in range(40)]), ("x", ["short1", "short2"])])
    assert "short2" in decode.batches[0][1]


def test_requests_that_want_something_else_take_turns():
    decode = Recorder()
    answered(decode, [("x", ["a"] * 20), ("y", ["b"] * 20)])
    assert [wanted for wanted, _ in decode.batches[:4]] == ["x", "y", "x", "y"]


def test_a_cancelled_request_is_not_decoded_any_further():
    decode = Recorder(held=True)

    async def run():
        batches = Batches(decode, at_once=4, waiting=1000)
        gone = asyncio.create_task(batches.answers("x", ["a"] * 100))
        await settled(lambda: decode.batches)
        gone.cancel()
        other = asyncio.create_task(batches.answers("x", ["b"]))
        await asyncio.sleep(0)
        decode.gate.set()
        assert await other == ["x:B"]
        assert batches.waiting == 0

    asyncio.run(run())
    assert sum(batch.count("a") for _, batch in decode.batches) == 4


def test_more_sentences_than_may_wait_are_refused_with_the_time_to_try_again():
    decode = Recorder(held=True)

    async def run():
        batches = Batches(decode, at_once=1, waiting=5)
        first = asyncio.create_task(batches.answers("x", ["a"] * 4))
        await settled(lambda: decode.batches)
        with pytest.raises(RefusedError, match="3 sentences wait already, at most 5") as refused:
            await batches.answers("x", ["b"] * 3)
        assert (refused.value.status, refused.value.retry_after) == (429, 1)
        decode.gate.set()
        assert await first == ["x:A"] * 4
        assert await batches.answers("x", ["c"] * 3) == ["x:C"] * 3

    asyncio.run(run())


def test_a_sentence_that_fails_fails_its_own_request_alone():
    first, second = answered(Recorder(), [("x", ["good", "bad"]), ("x", ["fine"])])
    assert isinstance(first, FormatError)
    assert second == ["x:FINE"]


def test_requests_that_wait_when_the_server_ends_are_refused():
    decode = Recorder(held=True)

    async def run():
        batches = Batches(decode, at_once=1, waiting=10)
        request = asyncio.create_task(batches.answers("x", ["a", "b"]))
        await settled(lambda: decode.batches)
        await batches.close()
        decode.gate.set()
        with pytest.raises(RefusedError, match="shutting down"):
            await request

    asyncio.run(run())
