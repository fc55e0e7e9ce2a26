"""The experiment from data to table, at a size of no meaning: what it promises, not what it finds."""

import numpy as np
import pytest
from support.processes.killed_experiments import Killed, KillIn, published

from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.errors import ConfigError
from tunesmith.experiments import laboratory
from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.liu2013.experiment import Liu2013
from tunesmith.experiments.liu2013.rows import LISTS, ROWS, START, chosen_rows
from tunesmith.experiments.settings import ExperimentSettings, Scale
from tunesmith.training.start import feature_parts
from tunesmith.tuning import recipes
from tunesmith.weights import Weights

SCALE = Scale(train_sentences=20, rounds=1, inner_rounds=1, dev_rounds=1, k=5, reused_k=5, sweep=2, seeds=2)
SETTINGS = ExperimentSettings(SCALE, order=3, phrasebook=PhrasebookOptions(pairs=500, eval_sentences=15))
NAMES = [
    "pro-dev-default", "l1-train-id", "oscar", "mira-dev-default", "no-groups", "clusters", "random",
    "oscar-leave-one-out", "grouped", "grouped-mira", "shares-mira", "shares-mira-random", "counts-mira",
]  # fmt: skip


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    Liu2013(folder, None, SETTINGS).run(chosen_rows(NAMES))
    return folder


def test_every_row_has_its_numbers(finished):
    document = published(finished)
    assert [row["name"] for row in document["rows"]] == NAMES
    scores = {row["name"]: row["devtest"]["score"] for row in document["rows"]}
    assert document["base"] == max(("pro-dev-default", "mira-dev-default"), key=scores.__getitem__)
    for row in document["rows"]:
        assert 0 <= row["reused"] <= row["active"]
        assert 0 < row["test"]["score"] < 100
        assert (row["test"]["p_value"] is None) == (row["name"] == document["base"])
    by_name = {row["name"]: row for row in document["rows"]}
    for name, recipe in (("pro-dev-default", "pro --plain"), ("oscar", "oscar"),
                         ("grouped", "grouped"), ("grouped-mira", "grouped-mira")):  # fmt: skip
        assert by_name[name]["signature"].startswith(f"tune {recipe}|")
    assert by_name["random"]["test"]["deviation"] is not None
    assert len(by_name["oscar"]["sweep"]) == SCALE.sweep
    assert document["facts"]["rules (d)"] > 100
    assert "| PRO | dev | default |" in (finished / "table.md").read_text(encoding="utf-8")


def test_a_sweep_on_training_lists_scores_what_it_has_learnt(finished):
    row = next(row for row in published(finished)["rows"] if row["name"] == "l1-train-id")
    for at, tried in enumerate(row["sweep"], 1):
        learnt = finished / f"l1-train-id/try{at}/run/rounds/01/weights.tsv"
        rounds = [Weights.read(path) for path in (learnt, learnt.parents[1] / "00/weights.tsv")]
        assert not np.array_equal(*(weights.array for weights in rounds))
        opened = Laboratory(finished, None, SETTINGS, 1)
        decoder = opened.model(ids=True).decoder()
        decoder.set_weights(rounds[0])
        data = opened.sentences("devtest")
        found = [translation.text for translation in decoder.translate(data.lines)]
        statistics = opened.metric.prepare(data.references).statistics(found, np.arange(len(found)))
        assert opened.metric.score(statistics.sum(axis=0)) == pytest.approx(tried["devtest"])


def test_killed_and_resumed_it_ends_with_the_same_table(finished, tmp_path):
    folder = tmp_path / "killed"
    for name in ("model", "oscar/lists", "oscar/scores", "random/seed2"):
        watcher = KillIn(name)
        with pytest.raises(Killed):
            Liu2013(folder, None, SETTINGS).run(chosen_rows(NAMES), watcher)
    last = KillIn("")
    Liu2013(folder, None, SETTINGS).run(chosen_rows(NAMES), last)
    assert "oscar/lists" not in last.ran
    assert published(folder) == published(finished)


def test_nothing_is_done_twice_and_a_plan_says_so(finished):
    experiment = Liu2013(finished, None, SETTINGS)
    assert all(stage.done for stage in experiment.plan(chosen_rows(NAMES)))
    watcher = KillIn("")
    experiment.run(chosen_rows(NAMES), watcher)
    assert watcher.ran == []
    assert not all(stage.done for stage in experiment.plan(chosen_rows(["mert-dev-default"])))


@pytest.mark.parametrize(
    ("recipe", "change", "again"),
    [
        ("l1", "optimizer.passes=7", {"l1-train-id"}),
        ("grouped", "grouping.loss.keep=7", {"grouped"}),
        ("mira", "optimizer.passes=7",
         {"mira-dev-default", "grouped-mira", "shares-mira", "shares-mira-random", "counts-mira"}),
        # Other rows read lists of the training data that runs of `oscar` have left.
        ("oscar", "tune_from=learnt",
         {*NAMES} - {"pro-dev-default", "mira-dev-default", "shares-mira", "shares-mira-random"}),
        ("shares", "tune_from=learnt", {"shares-mira", "shares-mira-random"}),
    ],
)  # fmt: skip
def test_a_recipe_whose_defaults_change_is_run_again_and_no_other(finished, monkeypatch, recipe, change, again):
    made = recipes.recipes.get(recipe)
    changed = lambda **plain: made(**plain).with_settings(change)  # noqa: E731
    monkeypatch.setitem(recipes.recipes._factories, recipe, changed)
    plan = Liu2013(finished, None, SETTINGS).plan(chosen_rows(NAMES))
    left = {stage.name.partition("/")[0] for stage in plan if not stage.done}
    assert left == again


def test_a_model_whose_training_has_other_defaults_is_trained_again(finished, monkeypatch):
    monkeypatch.setattr(laboratory, "feature_parts", lambda text, kind: feature_parts("default", kind))
    plan = Liu2013(finished, None, SETTINGS).plan(chosen_rows(NAMES))
    assert [stage.name for stage in plan if stage.done] == ["data"]


def test_nothing_that_another_build_has_made_is_done(finished, another_build):
    another_build()
    assert not any(stage.done for stage in Liu2013(finished, None, SETTINGS).plan(chosen_rows(NAMES)))


def test_rows_are_well_formed():
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    assert START in names
    assert set(LISTS.values()) <= set(names)
    assert {row.start for row in ROWS} <= {"", *names}
    with pytest.raises(ConfigError, match="there are"):
        chosen_rows(["nothing"])


def test_a_folder_with_other_data_is_left_alone(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    with pytest.raises(ConfigError, match="other data"):
        Liu2013(tmp_path, None, SETTINGS).run(chosen_rows(["mert-dev-default"]))
    with pytest.raises(ConfigError, match="is a file"):
        Liu2013(tmp_path / "mine.txt", None, SETTINGS).run(chosen_rows(["mert-dev-default"]))
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
