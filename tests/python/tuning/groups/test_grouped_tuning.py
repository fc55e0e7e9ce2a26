"""Algorithm 1 in the one outer loop: which steps run, what groups do, what is kept of them, what is refused."""

import json
import shutil
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from support.lists.grouped_toy import DEV, TRAIN, RoundedStep, SparseDecoder, grouped_tuner, sources
from support.lists.toy_parts import MeanDifference, SeededStep
from support.processes.killing import killed_at

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.io.documents import write_document
from tunesmith.metrics import Bleu
from tunesmith.tuning import (
    BatchRounds,
    Constraints,
    FileSource,
    GroupedRounds,
    Grouping,
    KBestSource,
    Learner,
    Projection,
    Tuner,
    recipes,
)
from tunesmith.tuning.groups.partitions import Ranks
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.losses import HopeFear
from tunesmith.tuning.optimizers import PassiveAggressive
from tunesmith.tuning.runs.directory import STATE
from tunesmith.tuning.runs.group_files import read_groups, round_folder
from tunesmith.weights import Weights

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

PARTS = (MeanDifference(), SeededStep())


class Seen(Observer):
    def __init__(self):
        self.steps, self.decoded = [], []

    def step(self, number, name):
        self.steps.append((number, name))

    def progress(self, done, total, unit):
        assert unit == "sentences"
        self.decoded.append((self.steps[-1][1], done, total))


@pytest.fixture(scope="module")
def whole(tmp_path_factory, no_waiting_for_the_disk):
    """A run and what was seen of it."""
    folder, seen = tmp_path_factory.mktemp("grouped") / "run", Seen()
    dev, train = sources()
    tuner = grouped_tuner(*PARTS).fit(dev, train=train, output=folder, observer=seen)
    return folder, tuner, seen


def test_a_round_groups_on_train_and_tunes_on_dev(whole):
    inner = [
        f"{verb} dev {turn}" for turn in ("1/2", "2/2") for verb in ("merge", "optimise", "decode", "measure")
    ]
    one = ["decode train", "merge train", "group", *inner, "unpack"]
    expected = [(0, "decode"), (0, "measure"), *((number, name) for number in (1, 2) for name in one)]
    assert whole[2].steps == expected


def test_progress_says_which_data_and_how_many_sentences(whole):
    train = [(done, total) for step, done, total in whole[2].decoded if step == "decode train"]
    assert train == [(0, 7), (3, 7), (6, 7), (7, 7)] * 2
    assert ("decode dev 2/2", 3, 4) in whole[2].decoded


def test_features_of_a_group_share_one_weight(whole):
    folder, tuner, _ = whole
    for number in (1, 2):
        table = read_groups(folder / "rounds" / f"{number:02d}")
        weights = Weights.read(folder / "rounds" / f"{number:02d}" / "weights.tsv")
        for name, group in zip(table.names, table.groups.tolist(), strict=True):
            assert weights[name] == table.weights[group]
        assert {table.names[at] for at in range(len(table.names)) if table.alone[table.groups[at]]} == {
            "f0", "f1", "f2",
        }  # fmt: skip
        for name in set(weights.names) - set(table.names):  # learnt as 0, so in no group
            assert weights[name] == 0
        assert len(np.unique(table.learnt[~table.alone])) == np.count_nonzero(~table.alone)
        assert 0 not in table.learnt[~table.alone]
    assert tuner.weights_.array.any()


def test_where_groups_fire_is_counted(whole):
    folder, _, _ = whole
    table = read_groups(folder)
    assert table.train.max() <= 7
    assert table.dev.max() <= 4
    for group in range(len(table)):
        members = table.members(group)
        assert max(table.train_of[at] for at in members) <= table.train[group] <= 7
        assert table.train[group] <= sum(table.train_of[at] for at in members)
        assert [table.train_of[at] for at in members] == sorted(
            (table.train_of[at] for at in members), reverse=True
        )


def test_the_history_tells_of_groups_and_of_every_turn(whole):
    row = whole[1].history_[1]
    details = row.details
    assert details["groups"] >= details["active_groups"] >= 3
    assert details["score 2/2"] == row.score
    assert details["group violated"] == 0.5
    assert {"before f0", "learnt f0", "silent_groups", "train candidates", "score 1/2"} <= set(details)
    assert details["train candidates"] == details["train new"] > 0


def test_the_score_of_a_round_is_that_of_its_weights(whole):
    _, tuner, _ = whole
    decoder = SparseDecoder()
    decoder.set_weights(tuner.weights_.array)
    texts = [decoder.k_best([line], 5).text(0) for line in DEV[0]]
    assert Bleu().corpus_score(texts, DEV[1]) == pytest.approx(tuner.history_.best.score)


def test_a_run_on_disk_is_that_in_memory(whole):
    dev, train = sources()
    tuner = grouped_tuner(*PARTS).fit(dev, train=train, threads=2)
    assert tuner.weights_.array.tobytes() == whole[1].weights_.array.tobytes()
    assert [row.details for row in tuner.history_] == [row.details for row in whole[1].history_]


def test_signature_and_settings_name_the_grouping(whole):
    folder, tuner, _ = whole
    assert "grouping:RoundedStep[" in str(tuner.signature_)
    assert "train:k-best[" in str(tuner.signature_)
    settings = json.loads((folder / "settings.json").read_text())["settings"]
    assert settings["grouping"]["features"] == ["word:*"]
    dev, train = sources(k=6)
    with pytest.raises(ConfigError, match=r"train\.k: 5 there, 6 now"):
        grouped_tuner(*PARTS).fit(dev, train=train, output=folder)


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


def tuned_into(folder):
    dev, train = sources()
    grouped_tuner(*PARTS).fit(dev, train=train, output=folder)


def test_killed_at_any_step_it_ends_with_the_same_bytes(whole, tmp_path):
    change, kills = 3, 0
    while True:
        folder = tmp_path / f"{change}" / "run"
        ended = killed_at(change, partial(tuned_into, folder), {"os.rename", "os.remove", "shutil.rmtree"})
        tuned_into(folder)
        assert files_of(folder) == files_of(whole[0]), f"killed at change {change}"
        if not ended:
            break
        kills += 1
        change += 5 + change // 12
    assert kills > 12


def test_no_lists_but_the_newest_stay(whole):
    manifests = list(whole[0].rglob("manifest.json"))
    assert len(manifests) <= 4  # dev and train, decoded and merged
    assert not [path for path in whole[0].rglob("*") if "partial" in path.name]


def test_samples_are_others_in_each_round_and_the_same_again(tmp_path):
    seen = []

    class Watched(SparseDecoder):
        def k_best(self, lines, k, *, threads=1):
            seen.append(tuple(lines))
            return super().k_best(lines, k, threads=threads)

    def tuned():
        seen.clear()
        decoder = Watched()
        dev, train = (KBestSource(decoder, *data, k=5) for data in (DEV, TRAIN))
        tuner = grouped_tuner(*PARTS, sample=3, rounds=3).fit(dev, train=train)
        return tuner.weights_.array.tobytes(), [lines for lines in seen if set(lines) <= set(TRAIN[0])]

    first, again = tuned(), tuned()
    assert first == again
    assert [len(lines) for lines in first[1]] == [3, 3, 3]
    assert len(set(first[1])) > 1


def test_groups_by_chance_have_the_same_sizes():
    groups = np.array([0, 1, 2, 3, 3, 3, 4, 4, -1, -1, 5])
    grouped = np.arange(11) > 2
    shuffled = Projection(groups, 6).shuffled(grouped, seed=4)
    assert np.array_equal(np.bincount(shuffled.groups + 1), np.bincount(groups + 1))
    assert np.array_equal(shuffled.groups[:3], groups[:3])
    assert np.array_equal(shuffled.groups == -1, groups == -1)
    assert not np.array_equal(shuffled.groups, groups)


def test_equal_weights_of_one_sign_are_a_group():
    weights = np.array([0.5, 0.5, -0.5, 0.0, 0.5, 2.0, 0.0])
    projection = Projection.by_value(weights, np.array([False, *[True] * 6]))
    assert projection.size == 4
    groups = projection.groups
    assert groups[1] == groups[4]
    assert len({groups[0], groups[1], groups[2], groups[5]}) == 4
    assert groups[3] == groups[6] == -1
    assert np.array_equal(projection.unpack(projection.weights(weights)), weights)


def test_a_group_that_never_fires_on_dev_has_no_weight():
    """Words of the training data that no candidate of the development data says."""
    lines = ["w0 w1 w2 w3", "w2 w3 w1 w0"]
    train_lines = ["w9 w10 w11 w8 w9", "w8 w10 w9 w11 w10"]

    class Own(SparseDecoder):
        def translations(self, line):
            texts, rows = super().translations(line)
            words = set(line.split())
            kept = [at for at, text in enumerate(texts) if set(text.split()) <= words]
            return [texts[at] for at in kept], rows[kept]

    decoder = Own(pool=400)
    dev, train = (KBestSource(decoder, given, [[line] for line in given], k=6) for given in (lines, train_lines))
    tuner = grouped_tuner(*PARTS, rounds=1).fit(dev, train=train)
    assert all(tuner.weights_[f"word:w{number}"] == 0 for number in (8, 9, 10, 11))
    assert tuner.history_[1].details["silent_groups"] > 0


def test_what_cannot_be_grouped_is_refused_at_once():
    dev, train = sources(on_decode=lambda: pytest.fail("decoded"))
    with pytest.raises(ConfigError, match="training data, which is missing"):
        grouped_tuner(*PARTS).fit(dev)
    with pytest.raises(ConfigError, match=r"'id:\*'.*nothing to group.*--features default,id"):
        grouped_tuner(*PARTS, features=("id:*",)).fit(dev, train=train)
    with pytest.raises(ConfigError, match=r"nothing to group: all features are dense.*--features default,shares"):
        grouped_tuner(*PARTS, features=()).fit(dev, train=train)
    empty = KBestSource(train.decoder, TRAIN[0], [[""] for _ in TRAIN[0]], k=5)
    with pytest.raises(FormatError, match="every reference of the training data is empty"):
        grouped_tuner(*PARTS).fit(dev, train=empty)
    with pytest.raises(ConfigError, match="references for 3"):
        KBestSource(train.decoder, TRAIN[0], TRAIN[1][:3])
    other = KBestSource(type("Other", (SparseDecoder,), {})(features=4), *TRAIN, k=5)
    with pytest.raises(ConfigError, match="same features"):
        grouped_tuner(*PARTS).fit(dev, train=other)
    for wrong, named in (
        ({"support": 0}, "support"),
        ({"inner_rounds": 0}, "inner_rounds"),
        ({"sample": 0}, "sample"),
        ({"tune_from": "zero"}, "tune_from"),
    ):
        with pytest.raises(ConfigError, match=named):
            grouped_tuner(*PARTS, **wrong)


def test_one_training_sentence_is_enough():
    dev, train = sources()
    one = KBestSource(train.decoder, TRAIN[0][:1], TRAIN[1][:1], k=5)
    assert grouped_tuner(*PARTS, rounds=1).fit(dev, train=one).history_[1].details["groups"] > 3


def test_groups_may_start_from_what_made_them():
    dev, train = sources()
    previous, learnt = (
        grouped_tuner(*PARTS, rounds=1, tune_from=what).fit(dev, train=train) for what in ("previous", "learnt")
    )
    assert previous.history_[1].score != learnt.history_[1].score or not np.array_equal(
        previous.weights_.array, learnt.weights_.array
    )


def test_fixed_lists_are_grouped_too():
    decoder = SparseDecoder()
    index = decoder.k_best(TRAIN[0], 20).features
    dev, train = (FileSource(decoder.k_best(data[0], 20), data[1]) for data in (DEV, TRAIN))
    tuner = grouped_tuner(*PARTS).fit(dev, train=train)
    assert len(index) == len(dev.features)
    assert tuner.reason_ == "one round"
    assert tuner.history_[1].details["groups"] > 3


def test_without_groups_training_data_is_what_weights_are_learnt_on():
    """Lists and pairs are those of the training data, scores those of the development data."""
    dev, train = sources()
    seen = Seen()
    tuner = Tuner(*PARTS, plan=BatchRounds(2)).fit(dev, train=train, observer=seen)
    later = ["decode train", "merge train", "optimise train", "decode", "measure"]
    assert seen.steps == [(0, "decode"), (0, "measure"), *((at, name) for at in (1, 2) for name in later)]
    alone = Tuner(*PARTS, plan=BatchRounds(1)).fit(train)
    decoder = dev.decoder
    decoder.set_weights(Tuner(*PARTS, plan=BatchRounds(1)).fit(dev, train=train).weights_.array)
    assert tuner.history_[1].candidates == alone.history_[1].candidates
    assert tuner.history_[0].score == Tuner(*PARTS, plan=BatchRounds(1)).fit(dev).history_[0].score


def test_constraints_name_features_and_are_refused_for_groups():
    dev, train = sources(on_decode=lambda: pytest.fail("decoded"))
    plan = GroupedRounds(Grouping(Learner(MeanDifference(), RoundedStep()), features=("word:*",)))
    tuner = Tuner(*PARTS, plan=plan, constraints=Constraints(fixed=("f0",)))
    with pytest.raises(ConfigError, match="groups"):
        tuner.fit(dev, train=train)


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("groups.tsv", "", "expected a line"),
        ("groups.tsv", "# groups of x\ngroup\tsize\n", "expected a line"),
        ("groups.tsv", "{head}0\tgroup\t1\tnan\t0\t1\t1\n", "expected numbers"),
        ("groups.tsv", "{head}0\tgroup\t1\t1\n", "7 columns"),
        ("groups.tsv", "{head}5\tgroup\t1\t1\t1\t1\t1\n", "follows"),
        ("groups.tsv", "{head}0\theap\t1\t1\t1\t1\t1\n", "group or alone"),
        ("groups.tsv", "{head}0\tgroup\t1\t1\t1\t0.5\t1\n", "whole numbers"),
        ("groups.tsv", "{head}0\tgroup\t1\t1\t1\t1\t99999999999999999999\n", "whole numbers"),
        ("members.tsv", "{head}f0\t0.5\t1\t1\n", "whole numbers"),
        ("members.tsv", "{head}f0\t-1\t1\t1\n", "whole numbers"),
        ("members.tsv", "{head}f0\t99\t1\t1\n", "none of the"),
        ("members.tsv", "{head}f0\t0\t1\t1\n", "sizes"),
        ("members.tsv", "{head}f0\tx\t1\t1\n", "expected whole numbers"),
        (
            "members.tsv",
            "# groups of x\nfeature\tgroup\tshare\ttrain\tdev\nf0\t0\tnan\t1\t1\n",
            "expected numbers",
        ),
        ("members.tsv", "# groups of x\nfeature\tgroup\tshare\ttrain\tdev\nf0\t0\t1\t1\n", "5 columns"),
    ],
)
def test_damaged_groups_are_errors_for_people(whole, tmp_path, file, text, message):
    source = whole[0] / "rounds" / "02"
    for name in ("groups.tsv", "members.tsv"):
        (tmp_path / name).write_text((source / name).read_text())
    signature, _, titles = (source / file).read_text().splitlines(keepends=True)[:3]
    head = signature + titles  # without the checksum, as who edits the file leaves it
    (tmp_path / file).write_text(text.replace("{head}", head))
    with pytest.raises(FormatError, match=message):
        read_groups(tmp_path)


@pytest.mark.parametrize(("best", "named"), [(0, "02"), (1, "01"), (2, "02"), (None, "02")])
def test_the_groups_of_a_run_are_those_of_its_best_round_or_the_last(whole, tmp_path, best, named):
    """Round 0 has no groups: where the start is the best, or nothing is known to be, the last ones count."""
    folder = tmp_path / "run"
    shutil.copytree(whole[0], folder)
    write_document(folder / STATE, json.loads((folder / STATE).read_text()) | {"best": best}, seal=True)
    assert round_folder(folder) == folder / "rounds" / named


def test_rounds_are_found_or_named(whole, tmp_path):
    folder = whole[0]
    assert round_folder(folder, 1).name == "01"
    with pytest.raises(MissingFileError, match="no groups of this round"):
        round_folder(folder, 9)
    with pytest.raises(MissingFileError, match="neither"):
        round_folder(tmp_path)
    with pytest.raises(ConfigError, match="is the folder of one round"):
        round_folder(folder / "rounds" / "01", 2)
    dev, _ = sources()
    Tuner(*PARTS, plan=BatchRounds(1)).fit(dev, output=tmp_path / "plain")
    with pytest.raises(MissingFileError, match="--recipe shares"):
        read_groups(tmp_path / "plain")


def test_an_optimizer_with_passes_that_tells_no_progress_groups_too():
    """Any optimizer of `Tuner` may make the groups; hope and fear knows neither penalties nor progress."""
    learner = Learner(HopeFear(), PassiveAggressive(passes=3))
    plan = GroupedRounds(Grouping(learner, Ranks(2), features=("word:*",)), rounds=1, inner_rounds=1)
    dev, train = sources()
    tuner = Tuner(*PARTS, plan=plan, name="by mira").fit(dev, train=train)
    assert tuner.history_[1].details["groups"] == 5  # three dense features, two groups of words


def test_a_run_of_the_oscar_of_earlier_versions_is_not_resumed_as_the_published_one(tmp_path):
    """`oscar` was what `shares` is: a run directory of that name holds another method."""
    small = {"features": ("word:*",), "cross_fit": False, "rounds": 1, "inner_rounds": 1, "k": 5}
    dev, train = sources()
    replace(recipes.shares(**small), name="oscar").fit(dev, train=train, output=tmp_path / "run")
    assert '"recipe": "oscar"' in (tmp_path / "run" / "settings.json").read_text()
    before = (tmp_path / "run" / "weights.tsv").read_bytes()
    dev, train = sources()
    with pytest.raises(ConfigError, match="restart"):
        recipes.oscar(**small).fit(dev, train=train, output=tmp_path / "run")
    assert (tmp_path / "run" / "weights.tsv").read_bytes() == before
