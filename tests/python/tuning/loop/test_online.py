"""The online plan end to end: orders, delays, shards, kills, and what it refuses."""

import dataclasses
import itertools
import signal

import numpy as np
import pytest
from support.models.toy_decoder import ToyDecoder, toy_data
from support.processes.killing import die, in_child

from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.tuning import (
    BatchRounds,
    Constraints,
    FileSource,
    KBestSource,
    Observer,
    OnlineRounds,
    Tuner,
    recipes,
)
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.loop import context
from tunesmith.tuning.losses import ExpectedGain, HopeFear
from tunesmith.tuning.optimizers import AdaGrad, Lbfgs, OnlinePassiveAggressive, PassiveAggressive
from tunesmith.tuning.optimizers.adagrad import AdaGradLearner
from tunesmith.tuning.pools.lists import ListPool

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

LINES, REFERENCES = toy_data(sentences=14)
START = [0.1, 0.1, 0.1]
NAMES = ("expected-bleu", "online-pro", "online-mira", "mixed-mira")


class UpdatingToyDecoder(ToyDecoder):
    """One that takes single weights, and remembers what it was given."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.updates = 0

    def update_weights(self, ids, values):
        self.updates += 1
        self.weights[ids] = values


def source_of(decoder=None, lines=LINES, references=REFERENCES):
    return KBestSource(decoder or ToyDecoder(), lines, references, k=8, start=START)


def recipe_of(name, **settings):
    settings = {"rounds": 3, "batch": 3, **settings}
    if name == "mixed-mira":
        settings = {"shards": 2, **settings}
    return recipes.get(name, **settings)


def tables(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


def fixed_source():
    lists = source_of().candidates(np.array(START))
    return FileSource(lists, REFERENCES, start=START)


@pytest.mark.parametrize("name", NAMES)
def test_every_recipe_learns_on_a_decoder_and_on_lists(name):
    for source in (source_of(), fixed_source()):
        tuner = recipe_of(name).fit(source)
        assert len(tuner.history_) == 4
        assert tuner.history_.best.score > tuner.history_[0].score
        assert {"score last", "score average", "loss", "appeared", "died"} <= set(tuner.history_[1].details)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("delay", [0, 2])
def test_a_decoder_that_takes_changes_gives_the_same_bytes(name, delay):
    whole = recipe_of(name, delay=delay).fit(source_of())
    decoder = UpdatingToyDecoder()
    again = recipe_of(name, delay=delay).fit(source_of(decoder))
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert decoder.updates > 0


class RareDecoder(ToyDecoder):
    """One whose last feature is in the last lines alone; it remembers what each list was made with."""

    def __init__(self):
        super().__init__(features=4)
        self.used = []

    def translations(self, line):
        texts, rows = super().translations(line)
        rows[:, 3] *= line in LINES[-4:]
        return texts, rows

    def k_best(self, lines, k, *, threads=1):
        self.used.append(self.weights.tobytes())
        return super().k_best(lines, k, threads=threads)


class UpdatingRareDecoder(RareDecoder):
    def update_weights(self, ids, values):
        self.weights[ids] = values


@pytest.mark.parametrize("kind", [RareDecoder, UpdatingRareDecoder])
@pytest.mark.parametrize("dies", [1, 3])
@pytest.mark.parametrize("last", [None, 1, 3, 4])
def test_a_decoder_is_told_of_weights_that_die(tmp_path, monkeypatch, kind, dies, last):
    """In any batch, also the first one of a learner: it is opened for each epoch, and by a run that resumes.

    dies: the batch whose penalty makes the weight 0.   last: the batch in which the run ends; it resumes there.
    """
    monkeypatch.setattr(context, "SAVE_SECONDS", float("inf"))
    recipe = recipe_of("expected-bleu", rounds=2, shuffle=False).with_regularizer("l1:strength=0.5")
    start = [*START, 10.0 * dies - 5]  # a step takes 20 · 0.5 of a weight whose feature was not met
    learn = AdaGradLearner.learn

    def run(folder, ending=None):
        decoder, after = kind(), {}

        def watched(self, batch):
            if len(after) + 1 == ending:
                raise RuntimeError("ended")
            assert self.weights().tobytes() == decoder.used[-1]
            found = learn(self, batch)
            after[len(after)] = self.weights()
            return found

        monkeypatch.setattr(AdaGradLearner, "learn", watched)
        source = KBestSource(decoder, LINES, REFERENCES, k=8, start=start)
        return recipe.fit(source, output=tmp_path / folder, report=False, save_every=1), after

    whole, after = run("whole")
    assert after[dies - 1][3] == 0 != (start if dies == 1 else after[dies - 2])[3]
    if last is not None:
        with pytest.raises(RuntimeError, match="ended"):
            run("run", last)
    again, _ = run("run")
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert [row.score for row in again.history_] == [row.score for row in whole.history_]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("fixed", [False, True])
@pytest.mark.parametrize("last", [2, 8])
def test_a_run_killed_anywhere_resumes_to_the_same_bytes(tmp_path, monkeypatch, name, fixed, last):
    """A save after every second batch; the process dies in the middle of a batch of the first to third epoch."""
    monkeypatch.setattr(context, "SAVE_SECONDS", float("inf"))
    recipe = recipe_of(name, delay=1)

    def run(folder, last=None):
        done, kind = [], type(recipe.optimizer.open(None, Limits.none(3), recipe.optimizer.first(np.zeros(3))))
        learn = kind.learn

        def counted(self, batch):
            done.append(batch)
            if len(done) == last:
                die()
            return learn(self, batch)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(kind, "learn", counted)
            found = recipe.fit(fixed_source() if fixed else source_of(), output=tmp_path / folder, save_every=2)
        return found, len(done)

    whole, batches = run("whole")
    assert in_child(lambda: run("run", last)) == signal.SIGKILL
    again, rest = run("run")
    assert rest <= batches - last + 3
    assert again.weights_.array.tobytes() == whole.weights_.array.tobytes()
    assert tables(tmp_path / "run") == tables(tmp_path / "whole")


@pytest.mark.parametrize("name", NAMES)
def test_threads_change_nothing(name):
    one, two = (recipe_of(name).fit(source_of(), threads=threads) for threads in (1, 2))
    assert one.weights_.array.tobytes() == two.weights_.array.tobytes()


def test_a_batch_is_decoded_with_the_weights_of_its_moment():
    """With a delay of τ, batch t has the weights after batch t - τ - 1 of its epoch."""
    seen = {}
    for delay in (0, 2):
        after, used = [], []

        class Watched(ToyDecoder):
            def k_best(self, lines, k, *, threads=1, used=used):
                used.append(self.weights.copy())
                return super().k_best(lines, k, threads=threads)

        learn = AdaGradLearner.learn

        def watched(self, batch, after=after, learn=learn):
            found = learn(self, batch)
            after.append(self.weights())
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(AdaGradLearner, "learn", watched)
            recipe_of("expected-bleu", rounds=1, delay=delay).fit(source_of(Watched()))
        seen[delay] = (used[1 : 1 + len(after)], after)  # the first decoding is that of the start weights
    for delay, (used, after) in seen.items():
        before = [np.array(START)] * (delay + 1) + after
        assert all(np.array_equal(a, b) for a, b in zip(used, before, strict=False))


@pytest.mark.parametrize("empty", [(), (2, 3, 4, 13)])
def test_one_shard_on_fixed_lists_is_a_pass_of_mira(empty):
    """Batches of any size, the same order: the updates of Algorithm 1 of Cherry and Foster.

    empty: sentences without translations; they are steps of the average, in whole batches of them too.
    """
    lists = source_of().candidates(np.array(START))
    sizes = np.diff(lists.offsets)
    sizes[list(empty)] = 0
    rows = np.concatenate([lists.candidates_of(at) for at in range(len(LINES)) if at not in empty])
    source = FileSource(lists.take(rows, np.concatenate([[0], np.cumsum(sizes)])), REFERENCES, start=START)
    lists = source.candidates(np.zeros(0)).with_statistics(Bleu().prepare(REFERENCES))
    updates = HopeFear().prepare(ListPool(lists), Bleu(), 1).updates
    weights, drift, background = np.array(START), np.zeros(3), updates.background()
    order = np.arange(len(LINES), dtype=np.uint32)
    none = np.empty(0)
    steps, _, _ = updates.run_pass(weights, drift, background, 0, order, 0.01, none, none)
    for batch in (1, 4, 14):
        plan = OnlineRounds(rounds=1, batch=batch, keep="last", shuffle=False)
        tuner = Tuner(HopeFear(), OnlinePassiveAggressive(), plan=plan).fit(source)
        row = tuner.history_[1]
        assert row.norm == np.linalg.norm(weights)
        plan = dataclasses.replace(plan, keep="average", average="run")
        averaged = Tuner(HopeFear(), OnlinePassiveAggressive(), plan=plan).fit(source).history_[1]
        assert averaged.norm == pytest.approx(np.linalg.norm(weights - drift / steps), rel=1e-12)


def test_shards_begin_an_epoch_with_their_mean():
    """Two shards by hand: each sentence on its own from the mixed weights, mixed uniformly after each epoch."""
    source = fixed_source()
    lists = source.candidates(np.zeros(0)).with_statistics(Bleu().prepare(REFERENCES))
    pool, none = ListPool(lists), np.empty(0)
    updates = HopeFear().prepare(pool, Bleu(), 1).updates
    mixed = np.array(START)
    shards = [(updates.background(), np.arange(s, len(LINES), 2, dtype=np.uint32)) for s in range(2)]
    for _ in range(2):
        found = []
        for background, order in shards:
            weights, drift = mixed.copy(), np.zeros(3)
            updates.run_pass(weights, drift, background, 0, order, 0.01, none, none)
            found.append(weights)
        mixed = (found[0] + found[1]) / 2
    plan = OnlineRounds(rounds=2, batch=1, shards=2, shuffle=False)
    tuner = Tuner(HopeFear(), OnlinePassiveAggressive(), plan=plan).fit(source)
    assert tuner.history_[2].norm == pytest.approx(np.linalg.norm(mixed), rel=1e-12)


def test_batches_of_one_sentence_and_sentences_without_candidates_are_fine():
    lists = source_of().candidates(np.array(START))
    offsets = lists.offsets.copy()
    offsets[4:] = offsets[4]  # most sentences have none
    few = lists.take(np.arange(offsets[-1]), offsets)
    for name in NAMES:
        tuner = recipe_of(name, batch=1).fit(FileSource(few, REFERENCES, start=START))
        assert np.isfinite(tuner.weights_.array).all()


def test_a_batch_without_violation_leaves_the_weights():
    """Lists whose candidates are all alike teach nothing: MIRA and PRO stay where they are."""

    class Same(ToyDecoder):
        def translations(self, line):
            return [line] * 4, np.ones((4, 3))

    for name in ("online-mira", "mixed-mira"):
        tuner = recipe_of(name, rounds=1).fit(source_of(Same()))
        assert tuner.history_[1].norm == pytest.approx(np.linalg.norm(START))


def test_dev_chooses_what_train_teaches():
    """Weights are learnt on train alone: with another train they are others, with another dev another epoch."""
    lines, references = toy_data(sentences=9, seed=8)
    recipe = recipe_of("expected-bleu", shuffle=False)  # an order is seeded by the name of the data
    learnt = recipe.fit(source_of(), train=source_of(lines=lines, references=references))
    alone = recipe.fit(source_of(lines=lines, references=references))
    assert [row.norm for row in learnt.history_] == [row.norm for row in alone.history_]
    assert [row.score for row in learnt.history_] != [row.score for row in alone.history_]


def test_a_set_of_its_own_selects_the_epoch():
    lines, references = toy_data(sentences=9, seed=8)
    other = source_of(lines=lines, references=references)
    selected = recipe_of("expected-bleu").fit(source_of(), select=other)
    given = recipe_of("expected-bleu").fit(other, train=source_of())
    assert selected.weights_.array.tobytes() == given.weights_.array.tobytes()
    with pytest.raises(ConfigError, match="dev chooses"):
        recipe_of("expected-bleu").fit(source_of(), select=other, train=other)


def test_features_that_keep_their_weight_do_so():
    tuner = Tuner.from_recipe(recipe_of("expected-bleu"), constraints=Constraints(fixed=("f1",))).fit(source_of())
    assert tuner.weights_["f1"] == START[1]


def test_rows_of_epochs_count_weights_that_come_and_go_and_active_features_by_template():
    class Named(RareDecoder):
        def __init__(self):
            super().__init__()
            self.features = ["lm", "pair:a_b", "length", "pair:c_d"]

    source = KBestSource(Named(), LINES, REFERENCES, k=8, start=[*START, 5.0])
    rows = recipe_of("expected-bleu").with_regularizer("l1:strength=0.5").fit(source).history_
    assert {name for row in rows for name in row.details if name.startswith("active ")} == {
        "active dense",
        "active pair",
    }
    for before, row in itertools.pairwise(rows):
        counts = row.details
        assert row.active == before.active + counts["appeared"] - counts["died"]
        assert row.active == counts.get("active dense", 0) + counts.get("active pair", 0)
    assert any(row.details["died"] for row in rows[1:])


def test_what_keeps_no_bounds_says_so_before_anything_is_decoded():
    decoder = ToyDecoder()
    with pytest.raises(ConfigError, match="LargeMargin keeps no bounds"):
        Tuner.from_recipe(recipe_of("online-mira"), constraints=Constraints(fixed=("f1",))).fit(source_of(decoder))
    assert not decoder.calls


def test_rows_of_epochs_say_how_far_programs_are_from_solved():
    tuner = recipe_of("online-mira").fit(source_of())
    assert all(0 <= row.details["largest gap"] < 1e-9 for row in tuner.history_[1:])
    assert not any("largest gap" in row.details for row in recipe_of("mixed-mira").fit(source_of()).history_)


def test_progress_says_batch_loss_and_length():
    said = []

    class Watching(Observer):
        def progress(self, done, total, unit):
            said.append((done, total, unit))

    recipe_of("expected-bleu", rounds=1).fit(source_of(), observer=Watching())
    batches = [each for each in said if each[2].startswith("batches, loss -")]
    assert [(done, total) for done, total, _ in batches] == [(at, 5) for at in range(1, 6)]
    assert all(", length " in unit for *_, unit in batches)


def test_optimizers_and_plans_that_do_not_fit_are_refused():
    with pytest.raises(ConfigError, match=r"^PassiveAggressive needs all data at once and cannot learn online\."):
        Tuner(HopeFear(), PassiveAggressive(), plan=OnlineRounds()).fit(source_of())
    with pytest.raises(ConfigError, match=r"^Lbfgs needs all data at once"):
        Tuner(ExpectedGain(), Lbfgs(), plan=OnlineRounds()).fit(source_of())
    with pytest.raises(ConfigError, match=r"^AdaGrad makes one update a batch: tune with plan=OnlineRounds\(\)"):
        Tuner(ExpectedGain(), AdaGrad(), plan=BatchRounds()).fit(source_of())
    with pytest.raises(ConfigError, match="14 sentences cannot be dealt to 15 shards"):
        recipe_of("mixed-mira", shards=15).fit(source_of())


def test_a_source_of_whole_texts_is_refused_before_any_decoding():
    class Whole(KBestSource):
        whole_text = True

    decoder = ToyDecoder()
    with pytest.raises(ConfigError, match="a decoder command decodes its whole text at once"):
        recipe_of("expected-bleu").fit(Whole(decoder, LINES, REFERENCES, k=8, start=START))
    assert not decoder.calls


@pytest.mark.parametrize("settings", [{"batch": 0}, {"delay": -1}, {"shards": 0}, {"keep": "best"}, {"rounds": 0}])
def test_settings_that_cannot_work_are_refused(settings):
    with pytest.raises(ConfigError):
        OnlineRounds(**settings)


def test_shards_and_delay_are_in_the_signature():
    text = str(recipe_of("mixed-mira", delay=1).fit(source_of()).signature_)
    assert "shards=2" in text
    assert "delay=1" in text
