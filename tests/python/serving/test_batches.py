"""Sentences of several requests in batches: order, equal parts, cancellation, refusals, errors of one sentence."""

import asyncio
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.errors import FormatError
from tunesmith.serving.batches import Batches
from tunesmith.serving.pace import work_of
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


def test_a_short_request_that_wants_something_else_does_not_wait_for_a_long_one():
    decode = Recorder()
    answered(decode, [("x", ["a"] * 20), ("y", ["b"] * 2)])
    assert [wanted for wanted, _ in decode.batches[:2]] == ["y", "x"]


def test_requests_of_one_length_are_answered_in_the_order_in_which_they_came():
    decode = Recorder()
    answered(decode, [(wanted, [name] * 6) for wanted, name in zip("xyx", "abc", strict=True)])
    assert "".join(each for _, batch in decode.batches for each in batch) == "aaaaaacc" + "bbbbbb" + "cccc"


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


class Slow:
    """A decoder that takes a second for each unit of work, by its own clock.   factor: times as slow later."""

    def __init__(self):
        self.now, self.factor, self.decoded = 0.0, 1.0, []

    def clock(self):
        return self.now

    def __call__(self, wanted, sentences):
        self.decoded += sentences
        self.now += self.factor * work_of(sentences)
        return list(sentences)


async def timed(slow, batches, sentences):
    """Moment of the answer, or the refusal."""
    try:
        await batches.answers("x", sentences)
        return slow.now
    except RefusedError as error:
        return error


def known_pace(slow, run, **options):
    """Results of coroutines that begin once the pace is known; `run` makes them."""

    async def whole():
        batches = Batches(slow, **{"at_once": 4, "waiting": 10_000, "clock": slow.clock, **options})
        await batches.answers("x", ["first"])
        slow.now = 0.0
        return await asyncio.gather(*run(batches))

    return asyncio.run(whole())


@given(st.lists(st.integers(1, 30), min_size=1, max_size=20), st.floats(20, 200))
def test_requests_that_are_taken_are_answered_in_time_and_others_are_refused_at_once(lengths, seconds):
    slow = Slow()
    results = known_pace(slow, lambda b: [timed(slow, b, ["a"] * length) for length in lengths], seconds=seconds)
    taken = [length for length, result in zip(lengths, results, strict=True) if isinstance(result, float)]
    assert len(slow.decoded) == 1 + sum(taken)  # nothing is decoded for those that are refused
    for at, (length, result) in enumerate(zip(lengths, results, strict=True)):
        if isinstance(result, RefusedError):
            before = sum(
                each for each, found in zip(lengths[:at], results, strict=False) if isinstance(found, float)
            )
            assert 2 * (before + length) > 0.75 * seconds
            assert (result.status, result.retry_after) == (429, max(1, before))
            assert "too much waits already" in str(result)
        elif 2 * length <= 0.75 * seconds:
            assert result <= seconds


def test_requests_that_become_too_late_are_refused_before_they_are_decoded():
    slow = Slow()

    def run(batches):
        slow.factor = 10.0  # after they were taken
        return [timed(slow, batches, [name] * 4) for name in "abcdefgh"]

    results = known_pace(slow, run, seconds=100)
    assert [type(each) for each in results] == [float] * 2 + [RefusedError] * 6
    assert "".join(slow.decoded) == "first" + "aaaabbbb"


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
