"""Groups whose members have learnt shares, and training data decoded with what its other parts teach."""

import dataclasses
import sys
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.lists.grouped_toy import DEV, SparseDecoder
from support.models.toy_decoder import toy_data
from support.processes.killing import killed_at

from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.search.lists.merging import concatenate
from tunesmith.tuning import (
    FileSource,
    GroupedRounds,
    Grouping,
    KBestSource,
    Learner,
    ListPool,
    Projection,
    Tuner,
    recipes,
)
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.groups.cross_fit import CrossFit
from tunesmith.tuning.groups.partitions import Random, Shares, Ties
from tunesmith.tuning.groups.steps import Group
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.loop.part_weights import weights_by_part
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.losses import ExpectedGain, HopeFear, PairwiseRanking
from tunesmith.tuning.optimizers import Lbfgs, PassiveAggressive
from tunesmith.tuning.regularizers import L2

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

TRAIN = toy_data(sentences=12, seed=5)
PARTS = np.arange(12) % 3
NUMBERS = st.floats(-4, 4).map(lambda value: round(value, 3))


class Own:
    """Which of the training pairs lines are; nothing is left out of the toy decoder."""

    signature = "toy"

    def __init__(self, pairs):
        self.pairs = np.asarray(pairs)

    def __len__(self):
        return len(self.pairs)

    def select(self, sentences):
        return Own(self.pairs[list(sentences)])

    def of_pairs(self, pairs):
        return Own(pairs)


class DecoderInParts(SparseDecoder):
    """Every part of the training data may have weights of its own; `used` are those of the last decodings."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.folds, self.given, self.used = PARTS, self.weights, []

    def set_weights(self, weights):
        self.given = np.array(weights)
        if self.given.ndim == 1:
            super().set_weights(weights)

    def k_best(self, lines, k, *, threads=1, leave_one_out=None):
        if leave_one_out is None or self.given.ndim == 1:
            return super().k_best(lines, k, threads=threads)
        found = []
        for line, pair in zip(lines, leave_one_out.pairs.tolist(), strict=True):
            super().set_weights(self.given[self.folds[pair]])
            found.append(super().k_best([line], k, threads=threads))
        self.used.append(self.given)
        return concatenate(found)


def sources():
    decoder = DecoderInParts()
    return KBestSource(decoder, *DEV, k=5), KBestSource(decoder, *TRAIN, k=5, leave_one_out=Own(range(len(PARTS))))


LEARNER = Learner(PairwiseRanking(keep=5, pairs=200), Lbfgs(), L2(1e-3))


def grouping(**settings):
    return Grouping(**{"learner": LEARNER, "features": ("word:*",), "partition": Shares(), **settings})


def tuner(rounds=3):
    plan = GroupedRounds(grouping(), rounds=rounds, inner_rounds=2, cross_fit=True)
    return Tuner(HopeFear(), PassiveAggressive(passes=5), plan=plan, name="shares")


@given(st.lists(st.tuples(st.integers(-1, 3), NUMBERS, NUMBERS), min_size=1, max_size=30))
def test_a_group_gives_each_member_its_share(features):
    groups, shares, values = (np.array(each) for each in zip(*features, strict=True))
    found = Projection(groups, 4, shares)
    of_groups = np.array([2.0, -1.0, 0.5, 3.0])
    unpacked = found.unpack(of_groups)
    for group, share, weight in zip(groups, shares, unpacked, strict=True):
        assert weight == (0 if group < 0 else of_groups[group] * share)
    assert values @ unpacked == pytest.approx((values @ found.matrix) @ of_groups)
    back = found.weights(unpacked)
    for group in range(4):
        has_share = bool(np.any(shares[groups == group]))
        assert back[group] == pytest.approx(of_groups[group] if has_share else 0)
    assert np.array_equal(found.resized(len(groups) + 2).unpack(of_groups), [*unpacked, 0, 0])


@given(st.lists(st.tuples(st.booleans(), NUMBERS), min_size=2, max_size=30), st.integers(0, 9))
def test_weights_of_groups_are_the_nearest_ones(features, seed):
    random = np.random.default_rng(seed)
    groups = np.array([int(each) for each, _ in features])
    found = Projection(groups, 2, np.array([share for _, share in features]))
    weights = random.normal(size=len(groups))
    best = found.weights(weights)
    distance = np.sum((found.unpack(best) - weights) ** 2)
    for _ in range(5):
        other = best + random.normal(scale=0.1, size=2)
        assert distance <= np.sum((found.unpack(other) - weights) ** 2) + 1e-12


def test_shares_are_shuffled_with_the_places_in_groups():
    groups, shares = np.array([0, 1, 1, 2, 2, 2, -1]), np.array([1.0, 0.1, 0.2, 0.3, 0.4, 0.5, 9.0])
    grouped = np.arange(7) > 0
    found = [Projection(groups, 3, shares).shuffled(grouped, seed) for seed in range(20)]
    wanted = sorted(zip(groups.tolist(), shares.tolist(), strict=True))
    assert all(sorted(zip(each.groups.tolist(), each.shares.tolist(), strict=True)) == wanted for each in found)
    assert all(
        (each.groups[0], each.shares[0], each.groups[6], each.shares[6]) == (0, 1.0, -1, 9.0) for each in found
    )
    assert len({each.shares.tobytes() for each in found}) > 5


@pytest.fixture
def lists():
    """Training lists of a decoder with weights, and those weights."""
    weights = np.array([1.0, 0.5, -0.5, *np.zeros(len(SparseDecoder().features) - 3)])
    source = sources()[1]
    return source.candidates(weights).with_statistics(Bleu().prepare(TRAIN[1])), weights


def context_of(candidates, source=None):
    train = FileSource(candidates) if source is None else source
    return Context({"dev": FileSource(candidates), "train": train}, Bleu(), seed=1)


def test_one_group_with_weight_1_ranks_as_what_was_learnt(lists):
    """Next to the other features it counts as much as it did next to what was learnt for them."""
    candidates, weights = lists
    learn = grouping()
    state = Group(learn).run(State(weights), context_of(candidates))
    projection = state.projection
    assert projection.size == 4
    seed = context_of(candidates).seed_of(State(weights), "group")
    pairs = LEARNER.loss.prepare(ListPool(candidates), Bleu(), seed)
    limits = Limits.penalising(np.arange(len(weights)) >= 3)
    fitted = LEARNER.optimizer.minimize(pairs, LEARNER.regularizer, weights, seed=1, limits=limits).weights
    assert np.count_nonzero(fitted[3:]) > 3
    ratio = projection.shares[3:][fitted[3:] != 0] / fitted[3:][fitted[3:] != 0]
    assert ratio == pytest.approx(ratio[0])
    assert ratio[0] > 0

    def spread(vector):
        rows = candidates.rows().toarray()[:, :3] @ vector[:3]
        cuts = [
            rows[begin:end] for begin, end in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True)
        ]
        return np.sqrt(np.concatenate([(cut - cut.mean()) ** 2 for cut in cuts]).mean())

    assert ratio[0] == pytest.approx(spread(weights) / spread(fitted))
    assert state.arrays["learnt"][3] == pytest.approx(1 / ratio[0])
    assert np.array_equal(state.weights, weights)


def test_what_a_part_is_decoded_with_does_not_depend_on_its_own_references(lists):
    candidates, weights = lists
    learn = grouping()
    source = sources()[1]

    def by_part(statistics):
        given = candidates.with_statistics(statistics)
        pair = context_of(given, source)
        state = Group(learn).run(State(weights, pools={"train": ListPool(given)}), pair)
        state = dataclasses.replace(state, weights=state.projection.unpack(np.array([1.0, 0.5, -0.5, 0.7])))
        return weights_by_part(CrossFit(learn).run(state, pair).arrays, len(weights))

    known = np.asarray(candidates.statistics)
    found = by_part(known)
    assert found.shape == (3, len(weights))
    assert found[:, :3] == pytest.approx(np.tile([1.0, 0.5, -0.5], (3, 1)))
    assert all(np.count_nonzero(row[3:]) > 3 for row in found)
    own = PARTS[candidates.sentence_of] == 1
    changed = known.copy()
    changed[own] = changed[own][::-1]  # other gains for the candidates of part 1
    other = by_part(changed)
    assert other[1] == pytest.approx(found[1], abs=1e-12)
    assert not np.allclose(other[0], found[0])
    assert not np.allclose(other[2], found[2])


def test_pairs_of_some_sentences_are_all_that_these_have(lists):
    candidates, weights = lists
    pairs = PairwiseRanking(keep=5, pairs=200).prepare(ListPool(candidates), Bleu(), 3)
    some = pairs.of_sentences(PARTS != 0)
    kept = np.isin(candidates.sentence_of[pairs.better], np.flatnonzero(PARTS != 0))
    assert 0 < np.count_nonzero(kept) < len(kept)
    assert np.array_equal(some.better, pairs.better[kept])
    assert np.array_equal(some.worse, pairs.worse[kept])
    rows = candidates.rows().toarray()
    margins = (rows[some.better] - rows[some.worse]) @ weights
    assert some.value_and_grad(weights)[0] == pytest.approx(np.logaddexp(0, -margins).mean())


def test_what_is_rare_in_the_other_parts_does_not_count_for_a_part(lists):
    candidates, weights = lists
    fires = np.zeros((12, len(weights)), dtype=bool)
    for sentence, row in zip(candidates.sentence_of.tolist(), candidates.rows().toarray(), strict=True):
        fires[sentence] |= row != 0
    support = int(fires.sum(axis=0)[3:].min())  # enough with all parts, and too few without one of them
    learn = grouping(support=support)
    context = context_of(candidates, sources()[1])
    state = Group(learn).run(State(weights, pools={"train": ListPool(candidates)}), context)
    state = dataclasses.replace(state, weights=state.projection.unpack(np.ones(4)))
    assert np.count_nonzero(state.weights) == len(weights)
    found = weights_by_part(CrossFit(learn).run(state, context).arrays, len(weights))
    for part, row in enumerate(found):
        enough = fires[part != PARTS].sum(axis=0) >= support
        assert np.array_equal(row[3:] != 0, enough[3:])
    assert not np.all(found)


def test_chance_gives_out_the_shares_of_parts_too(lists):
    candidates, weights = lists
    context = context_of(candidates, sources()[1])
    state = Group(grouping()).run(State(weights, pools={"train": ListPool(candidates)}), context)
    state = dataclasses.replace(state, weights=state.projection.unpack(np.array([1.0, 0.5, -0.5, 0.7])))
    learnt, chance = (
        weights_by_part(CrossFit(grouping(partition=each)).run(state, context).arrays, len(weights))
        for each in (Shares(), Random(of=Shares()))
    )
    assert np.array_equal(np.sort(chance[:, 3:]), np.sort(learnt[:, 3:]))
    assert not any(np.array_equal(*rows) for rows in zip(chance, learnt, strict=True))


def test_the_first_round_decodes_with_one_vector_and_later_ones_with_one_for_each_part():
    dev, train = sources()
    found = tuner().fit(dev, train=train)
    decoder = train.decoder
    assert {each.ndim for each in decoder.used} == {2}
    different = {each.tobytes() for each in decoder.used}
    assert len(different) == 2  # rounds 2 and 3
    for rows in decoder.used:
        assert not np.array_equal(rows[0], rows[1])
        assert np.array_equal(rows[0, :3], rows[1, :3])
    assert found.weights_.array.any()
    assert tuner(rounds=1).fit(*sources()[:1], train=sources()[1]).history_[1].details["groups"] == 4


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


def tuned_into(folder, rounds=2):
    dev, train = sources()
    tuner(rounds).fit(dev, train=train, output=folder)


def test_killed_at_any_step_it_ends_with_the_same_bytes(tmp_path):
    tuned_into(tmp_path / "whole")
    whole = files_of(tmp_path / "whole")
    assert not list((tmp_path / "whole").rglob("by-part*"))  # used up
    change, kills = 5, 0
    while True:
        folder = tmp_path / f"{change}" / "run"
        ended = killed_at(change, partial(tuned_into, folder), {"os.rename", "os.remove", "shutil.rmtree"})
        tuned_into(folder)
        assert files_of(folder) == whole, f"killed at change {change}"
        if not ended:
            break
        kills += 1
        change += 20 + change // 4
    assert kills > 4


class StoppedError(Exception):
    """Instead of a kill."""


class StopIn(Observer):
    def __init__(self, number, name):
        self.at = (number, name)

    def step(self, number, name):
        if (number, name) == self.at:
            raise StoppedError


def test_weights_of_parts_are_on_disk_until_they_are_used(tmp_path):
    tuned_into(tmp_path / "whole")
    dev, train = sources()
    with pytest.raises(StoppedError):
        tuner(2).fit(dev, train=train, output=tmp_path / "run", observer=StopIn(2, "decode train"))
    assert len(list((tmp_path / "run").rglob("by-part-*.npy"))) == 3
    tuned_into(tmp_path / "run")
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")
    assert not list((tmp_path / "run").rglob("by-part*"))


def test_the_number_of_threads_is_no_setting(monkeypatch):
    """With sentences enough to be shared out among threads."""
    monkeypatch.setattr(sys.modules[__name__], "TRAIN", toy_data(sentences=70, seed=5))
    monkeypatch.setattr(sys.modules[__name__], "PARTS", np.arange(70) % 3)
    one, two = (tuner(2).fit(*sources()[:1], train=sources()[1], threads=threads).weights_ for threads in (1, 2))
    assert one.array.tobytes() == two.array.tobytes()


def test_what_cannot_be_cross_fitted_is_refused_at_once():
    dev, train = sources()
    plain = KBestSource(SparseDecoder(), *TRAIN, k=5)
    with pytest.raises(ConfigError, match=r"decoded in held-out folds.*--leave-one-out OWN --folds 5"):
        tuner().fit(KBestSource(SparseDecoder(), *DEV, k=5), train=plain)
    assert tuner(rounds=1).fit(KBestSource(SparseDecoder(), *DEV, k=5), train=plain).reason_
    with pytest.raises(ConfigError, match="groups by rank of a batch fit"):
        GroupedRounds(grouping(learner=Learner(ExpectedGain(), Lbfgs())), cross_fit=True)
    with pytest.raises(ConfigError, match="groups by rank of a batch fit"):
        GroupedRounds(grouping(partition=Ties()), cross_fit=True)
    with pytest.raises(ConfigError, match="groups by rank of a batch fit"):
        recipes.get("oscar").with_settings(["partition=ranks:bins=2", "cross_fit=true"])
    with pytest.raises(ConfigError, match="3 features in groups, and shares of 2"):
        Projection(np.zeros(3, dtype=np.int64), 1, np.ones(2))
    fixed = FileSource(train.candidates(np.zeros(len(train.features))).with_statistics(Bleu().prepare(TRAIN[1])))
    assert tuner().fit(dev, train=fixed).history_[1].details["groups"] == 4  # nothing is decoded again


def test_the_recipe_is_one_group_of_learnt_shares():
    plan = recipes.get("shares").plan
    assert (plan.grouping.partition, plan.cross_fit, plan.grouping.support) == (Shares(1), True, 3)
    assert not recipes.get("shares").with_settings(["cross_fit=false"]).plan.cross_fit
