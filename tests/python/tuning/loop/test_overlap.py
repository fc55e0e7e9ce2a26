"""With a delay, the next batch is decoded in another thread while this one is learnt from: the same bytes."""

import itertools
import signal
import threading

import numpy as np
import pytest
from support.models.toy_decoder import ToyDecoder, toy_data
from support.processes.killing import die, in_child

from tunesmith.errors import FormatError
from tunesmith.tuning import FileSource, KBestSource, recipes
from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop import context, epoch
from tunesmith.tuning.loop.ahead import Ahead
from tunesmith.tuning.optimizers.adagrad import AdaGradLearner

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")
LINES, REFERENCES = toy_data(sentences=14)
START = [0.1, 0.1, 0.1]
NAMES = ("expected-bleu", "online-pro", "online-mira", "mixed-mira")
BATCHES = 5  # of three sentences


class Overlapping(ToyDecoder):
    """One that may decode in any thread; it remembers in which one it did, and calls `before` first."""

    overlaps = True

    def __init__(self, before=lambda call: None, **settings):
        super().__init__(**settings)
        self.before, self.in_main = before, []

    def k_best(self, lines, k, *, threads=1):
        self.in_main.append(threading.current_thread() is threading.main_thread())
        self.before(len(self.in_main))
        return super().k_best(lines, k, threads=threads)


class Updating(Overlapping):
    """It takes single weights."""

    def update_weights(self, ids, values):
        self.weights[ids] = values


class Twin:
    """All weights of an epoch so far; batch t gets those after batch t - delay - 1."""

    def __init__(self, context, source, weights, delay, arrays):
        assert not arrays.keys() & {"delayed weights"}
        self.context, self.source, self.delay, self.after = context, source, delay, [weights.copy()]

    def decode(self, sentences, following=None):
        weights = self.after[max(0, len(self.after) - 1 - self.delay)]
        pool = self.context.batch(self.source, weights, sorted(sentences.tolist()))
        return self.context.measured_batch(self.source, pool)

    def changed(self, change):
        ids, values = change
        weights = grown(self.after[-1], max(ids.tolist(), default=-1) + 1).copy()
        weights[ids] = values
        self.after.append(weights)

    def arrays(self):
        return {}

    def close(self):
        pass


def source_of(decoder):
    return KBestSource(decoder, LINES, REFERENCES, k=8, start=START)


def recipe_of(name="expected-bleu", **settings):
    shards = {"shards": 2} if name == "mixed-mira" else {}
    return recipes.get(name, **{"rounds": 2, "batch": 3, **shards, **settings})


def tables(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


def ahead_threads():
    return [each.name for each in threading.enumerate() if each.name.startswith("tunesmith-ahead")]


@pytest.mark.parametrize("delay", [0, 1, 2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_the_bytes_are_those_of_a_twin_without_overlap(tmp_path, monkeypatch, name, delay):
    recipe = recipe_of(name, delay=delay)
    with monkeypatch.context() as patch:
        patch.setattr(epoch, "BatchDecoder", Twin)
        twin = recipe.fit(source_of(ToyDecoder()), output=tmp_path / "twin", report=False)
    for kind, threads in itertools.product((Overlapping, Updating), (1, 2)):
        decoder = kind()
        folder = tmp_path / f"{kind.__name__} {threads}"
        found = recipe.fit(source_of(decoder), output=folder, threads=threads, report=False)
        assert found.weights_.array.tobytes() == twin.weights_.array.tobytes()
        assert tables(folder) == tables(tmp_path / "twin")
        assert all(decoder.in_main) == (delay == 0)
    assert not ahead_threads()


def test_a_batch_is_learnt_from_while_the_next_is_decoded(monkeypatch):
    """Neither waits for the other: only the other one lets each continue."""
    decoding, learning = threading.Event(), threading.Event()
    learn = AdaGradLearner.learn

    def while_decoding(self, batch):
        assert decoding.wait(60)
        learning.set()
        return learn(self, batch)

    def before(call):
        if call == 3:  # after the start weights and the first batch
            decoding.set()
            assert learning.wait(60)

    monkeypatch.setattr(AdaGradLearner, "learn", while_decoding)
    decoder = Overlapping(before)
    recipe_of(rounds=1, delay=1).fit(source_of(decoder))
    assert decoder.in_main[:7] == [True, True, False, False, False, False, True]


def test_without_consent_nothing_is_decoded_in_another_thread(monkeypatch):
    monkeypatch.setattr(Ahead, "begin", lambda self, work: pytest.fail("begun"))
    lists = source_of(ToyDecoder()).candidates(np.array(START))
    refusing = Overlapping()
    refusing.overlaps = False
    for source in (source_of(ToyDecoder()), source_of(refusing), FileSource(lists, REFERENCES, start=START)):
        recipe_of(delay=2).fit(source)


@pytest.mark.parametrize("where", ["learning", "decoding"])
@pytest.mark.parametrize("last", [2, 4, 8])
@pytest.mark.parametrize("again", [Overlapping, Updating, ToyDecoder])
def test_a_run_killed_within_an_epoch_resumes_to_the_same_bytes(tmp_path, monkeypatch, where, last, again):
    """With overlap or without; it is saved after every second batch."""
    monkeypatch.setattr(context, "SAVE_SECONDS", float("inf"))
    recipe = recipe_of(delay=2)
    whole = recipe.fit(source_of(ToyDecoder()), output=tmp_path / "whole", save_every=2)

    def killed():
        learn, done = AdaGradLearner.learn, []

        def counted(self, batch):
            done.append(batch)
            if where == "learning" and len(done) == last:
                die()
            return learn(self, batch)

        AdaGradLearner.learn = counted
        decoder = Updating(lambda call: die() if where == "decoding" and call == last + 1 else None)
        recipe.fit(source_of(decoder), output=tmp_path / "run", save_every=2)

    assert in_child(killed) == signal.SIGKILL
    resumed = recipe.fit(source_of(again()), output=tmp_path / "run", save_every=2)
    assert resumed.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")


@pytest.mark.parametrize("kind", [FormatError, ZeroDivisionError, SystemExit])
def test_an_exception_in_the_other_thread_arrives_as_itself(monkeypatch, kind):
    """After the batch before was learnt from, as without overlap."""
    failure, learnt = kind("in a list"), []
    learn = AdaGradLearner.learn
    monkeypatch.setattr(AdaGradLearner, "learn", lambda self, batch: learnt.append(batch) or learn(self, batch))

    def before(call):
        if call == 4:
            raise failure

    decoder = Overlapping(before)
    with pytest.raises(kind) as caught:
        recipe_of(delay=1).fit(source_of(decoder))
    assert caught.value is failure
    assert not decoder.in_main[-1]
    assert len(learnt) == 2
    assert not ahead_threads()


@pytest.mark.parametrize("kind", [ZeroDivisionError, KeyboardInterrupt])
def test_an_exception_while_learning_leaves_nothing_running(monkeypatch, kind):
    """The batch that is being decoded is waited for, and what it gives, or raises, is forgotten."""
    begun, ended = threading.Event(), []

    def before(call):
        if call == 3:
            begun.set()
            ended.append(True)
            raise FormatError("nobody hears this")

    def learn(self, batch):
        assert begun.wait(60)
        raise kind

    monkeypatch.setattr(AdaGradLearner, "learn", learn)
    with pytest.raises(kind):
        recipe_of(delay=1).fit(source_of(Overlapping(before)))
    assert ended == [True]
    assert not ahead_threads()


def test_ctrl_c_while_waiting_for_a_batch_leaves_nothing_running():
    def before(call):
        if call == 4:
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    decoder = Overlapping(before)
    with pytest.raises(KeyboardInterrupt):
        recipe_of(delay=1).fit(source_of(decoder))
    assert len(decoder.in_main) <= 5
    assert not ahead_threads()
