"""The comparison of batch tuners from data to table, at a size of no meaning: what it promises, not finds."""

import dataclasses
import statistics

import numpy as np
import pytest
from support.page_looks import assert_readable_everywhere
from support.processes.killed_experiments import Killed, KillIn, published
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.errors import ConfigError, MissingFileError, TunesmithError
from tunesmith.experiments.cherry2012.experiment import BatchTuning
from tunesmith.experiments.cherry2012.page import draw_all, page
from tunesmith.experiments.cherry2012.published import ACTIVE, PUBLISHED
from tunesmith.experiments.cherry2012.rows import FEATURES, ROWS, TUNERS, TunerRow, chosen_rows
from tunesmith.experiments.liu2013.experiment import Liu2013
from tunesmith.experiments.settings import ExperimentSettings, PhraseModel, Scale
from tunesmith.features import parse_features
from tunesmith.grammar import RuleTable
from tunesmith.lm import LmOptions, NgramModel
from tunesmith.metrics import Bleu
from tunesmith.tuning import recipes

SCALE = Scale(dev_rounds=1, k=5)
SETTINGS = ExperimentSettings(SCALE, order=2, phrasebook=PhrasebookOptions(pairs=300, eval_sentences=12))
FIGURE = TunerRow("kb-mira", "overfit", "mira", setting="step_cap", sweep=("1", "0.01"))
NAMES = ["kb-mert-default", "kb-mira-default", "lb-mira-default", "pro-big"]
CHOSEN = [*chosen_rows(NAMES), FIGURE]


def experiment(folder, **more):
    return BatchTuning(folder, None, SETTINGS, **{"samples": 1, **more})


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, experiment(folder).run(CHOSEN)


def test_the_numbers_of_every_row_recompute(finished):
    folder, _ = finished
    document = published(folder)
    assert [row["name"] for row in document["rows"]] == NAMES
    for row in document["rows"]:  # MERT and MIRA are repeated on sub-samples
        assert row["runs"] == (["full"] if row["name"] == "pro-big" else ["full", "sample-1"])
        scores = []
        for name in row["runs"]:
            rows = np.load(folder / row["name"] / f"{name}-scores" / "test.npy")
            scores.append(float(Bleu().score(rows.sum(axis=0))))
        assert row["test"]["scores"] == pytest.approx(scores)
        assert row["test"]["mean"] == pytest.approx(statistics.mean(scores))
        averages = [statistics.mean(both) for both in zip(scores, row["devtest"]["scores"], strict=True)]
        assert row["deviation"] == (pytest.approx(statistics.stdev(averages)) if len(averages) > 1 else None)
        assert (row["baseline"] or {}).get("base") == (
            None if row["name"] == "kb-mert-default" else "kb-mert-default"
        )
        assert len(scores) > 1 or sum(row["templates"].values()) == row["active"]
    devtest = {row["name"]: row["devtest"]["mean"] for row in document["rows"]}
    assert document["base"] == max(devtest, key=devtest.get)
    for row in document["rows"]:
        assert (row["test"]["difference"] is None) == (row["name"] == document["base"])
    assert [point["value"] for point in document["curves"]["figure-kb-mira"]] == ["1", "0.01"]
    sample, full = (
        (folder / "kb-mira-default" / name / "run" / "dev.jsonl").read_text(encoding="utf-8").splitlines()
        for name in ("sample-1", "full")
    )
    assert len(full) == 12
    assert set(sample) <= set(full)


def test_killed_and_resumed_with_more_threads_it_ends_with_the_same_table(finished, tmp_path):
    for name in ("model", "pro-big/full", "pro-big/full-scores", "kb-mira-default/sample-1"):
        with pytest.raises(Killed):
            experiment(tmp_path / "killed").run(CHOSEN, KillIn(name))
    last = KillIn("")
    experiment(tmp_path / "killed", threads=2).run(CHOSEN, last)
    assert "kb-mira-default/full" not in last.ran
    assert published(tmp_path / "killed") == published(finished[0])


def test_nothing_is_done_twice_and_a_plan_says_so(finished):
    folder, _ = finished
    assert all(done for _, done in experiment(folder).plan(CHOSEN))
    watcher = KillIn("")
    experiment(folder).run(CHOSEN, watcher)
    assert watcher.ran == []
    plan = experiment(folder, samples=2, repeated=["kb-mira-default"]).plan(CHOSEN)
    assert [name for name, done in plan if not done] == [
        "kb-mira-default/sample-2",
        "kb-mira-default/sample-2-scores",
    ]


def test_a_recipe_whose_defaults_change_is_run_again_and_no_other(finished, monkeypatch):
    good = recipes.get

    def get(name, *, plain=False):
        found = good(name, plain=plain)
        return found.with_settings("passes=7") if name == "mira" else found

    monkeypatch.setattr(recipes, "get", get)
    left = {name.partition("/")[0] for name, done in experiment(finished[0]).plan(CHOSEN) if not done}
    assert left == {"kb-mira-default", "figure-kb-mira"}


def test_a_tuning_that_fails_is_named_and_the_others_are_done(finished, tmp_path, monkeypatch):
    good = recipes.get

    def get(name, *, plain=False):
        found = good(name, plain=plain)
        if name == "pro":  # as if the optimizer could not do it
            monkeypatch.setattr(type(found.loss), "prepare", broken)
        return found

    def broken(*arguments, **named):
        raise ConfigError("cannot be")

    monkeypatch.setattr(recipes, "get", get)
    with pytest.raises(TunesmithError, match=r"pro-big/full: cannot be.*The others are done"):
        experiment(tmp_path / "run", samples=0).run(chosen_rows(["kb-mira-default", "pro-big"]))
    assert [row["name"] for row in published(tmp_path / "run")["rows"]] == ["kb-mira-default"]


def test_without_budget_nothing_is_tuned_and_what_was_used_before_counts(finished, tmp_path):
    watcher = KillIn("")
    table = experiment(tmp_path / "run", budget=0).run(CHOSEN, watcher)
    assert watcher.ran == ["data", "model"]
    assert table.results == []
    experiment(finished[0], samples=2, budget=1e-9).run(CHOSEN, watcher)
    assert watcher.ran == ["data", "model"]


def test_page_and_pictures_tell_the_table(finished):
    table = finished[1]
    pictures = draw_all(table)
    assert sorted(pictures) == ["figure1", "scores"]
    text = page(table, pictures)
    assert text.count("<svg") == 1 + len(pictures["figure1"])
    assert "kb-mira" in text  # the phrasebook is zh-en, for which the paper has figures
    assert str(table.signature) in table.markdown()
    assert f"| pro | big | 1 | {statistics.mean(table.results[-1].tune):.2f} |" in table.markdown()


def test_the_page_can_be_read(finished, browser):
    table = finished[1]
    assert_readable_everywhere(browser, page(table, draw_all(table)))


def test_the_page_of_three_feature_sets_can_be_read(finished, browser):
    """All tables of phrase-based models in one are wider than the page: there is one for each feature set."""
    table = finished[1]
    results = [
        dataclasses.replace(each, row=dataclasses.replace(each.row, features=name))
        for name in ("small", "medium", "big")
        for each in table.results[:2]
    ]
    table = dataclasses.replace(table, results=results, kind="phrase")
    headings = [heading for heading, _, _ in table.sections(by_set=True)]
    assert headings[:3] == [f"Tables 4 to 6 of the paper: {name}" for name in ("Small", "Medium", "Big")]
    for _, cells, _ in table.sections(by_set=True)[:3]:
        assert [row[0] for row in cells.rows] == [each.row.tuner for each in results[:2]]
        assert cells.rows[0][1] == f"{statistics.mean(results[0].tune):.2f}"
    assert_readable_everywhere(browser, page(table, draw_all(table)))


def test_tables_have_the_layout_of_the_paper(finished):
    """A line for each of its tuners, n/a where it has n/a; pairs on lattices and lists; Table 3 adds up."""
    table = finished[1]
    scores, pairs, templates = (cells for _, cells, _ in table.sections())
    assert [row[0] for row in scores.rows] == list(PUBLISHED["zh-en"])
    cells = {row[0]: dict(zip(scores.header, row, strict=True)) for row in scores.rows}
    found = {each.row.name: each for each in table.results}["kb-mira-default"]
    assert cells["kb-mira"]["Default tune"] == f"{statistics.mean(found.tune):.2f}"
    assert cells["kb-mira"]["Default SD"] == f"{found.deviation:.2f}"
    assert cells["kb-mert"]["Default p"] == "–"
    assert cells["kb-mert"]["Big test 1"] == "n/a"
    assert cells["svm"]["Big test 1"] == "–"
    assert [row[:2] for row in pairs.rows] == [["lb-mira - kb-mira", "default"]]
    counts = [[int(cell) for cell in row[1:]] for row in templates.rows]
    assert [sum(column) for column in zip(*counts[:-1], strict=True)] == counts[-1]
    assert counts[-1][-1] == sum(ACTIVE["zh-en"])
    text = table.markdown()
    assert text.index("Tables 4 to 6") < text.index("Lattices against lists") < text.index("Table 3")


def test_the_folder_of_another_experiment_is_left_alone(finished, tmp_path):
    with pytest.raises(ConfigError, match="holds the experiment 'cherry2012', not liu2013"):
        Liu2013(finished[0], None, SETTINGS).plan([])


@pytest.mark.parametrize("kind", ["hiero", "phrase"])
def test_rows_are_well_formed(kind):
    names = [row.name for row in ROWS[kind]]
    assert len(set(names)) == len(names)
    for row in chosen_rows(kind=kind):
        for settings in row.settings:
            recipes.get(row.recipe, plain=row.plain).with_settings(settings)
        assert parse_features(FEATURES[kind][row.features], kind)
    with pytest.raises(ConfigError, match="there are"):
        chosen_rows(["nothing"], kind)
    assert {row.tuner for row in chosen_rows(kind=kind)} == set(PUBLISHED["zh-en"])
    assert {row.name for row in chosen_rows(kind=kind) if row.sweep} == {
        "figure-lb-mira",
        "figure-mr",
        "figure-svm",
    }
    assert [row.name for row in chosen_rows(kind=kind, tuners=["ramp"], sizes=["big"])] == ["ramp-big"]
    assert {tuner.label for tuner in TUNERS} == {row.tuner for row in ROWS[kind]}


def dense_features(work):
    """Numbers of features of each set, decoders opened."""
    stages = {"small": "model", "medium": "medium", "big": "medium"}
    return {
        name: work.laboratory.featured(FEATURES["phrase"][name], stage).decoder().index
        for name, stage in stages.items()
    }


def test_small_medium_and_big_of_a_phrase_based_model(tmp_path):
    """They have the 7 and 18 dense features of the paper; the second table is by forced decoding."""
    NgramModel.train(["this is a text", "that is another one"], LmOptions(order=2)).save(tmp_path / "second.bin")
    phrases = PhraseModel(more_lms=(str(tmp_path / "second.bin"),))
    settings = dataclasses.replace(SETTINGS, phrases=phrases)
    rows = chosen_rows(["kb-mert-small", "kb-mira-medium", "kb-mira-big"], "phrase")
    work = BatchTuning(tmp_path / "run", None, settings, samples=0)
    table = work.run(rows)
    assert [each.row.name for each in table.results] == ["kb-mert-small", "kb-mira-medium", "kb-mira-big"]
    dense = dense_features(work)
    assert (len(dense["small"]), len(dense["medium"])) == (7, 18)
    assert set(dense["small"]) < set(dense["medium"]) < set(dense["big"])
    assert len(dense["big"]) > 100
    assert "model:[kind=phrase" in str(table.signature)
    assert "of 300 training pairs have a derivation" in table.markdown()
    small, medium = (RuleTable.open(work.laboratory.home(name) / "rules") for name in ("model", "medium"))
    assert len(small) == len(medium)
    assert np.array_equal(small.array("joint_counts"), medium.array("joint_counts"))
    again = BatchTuning(tmp_path / "run", None, dataclasses.replace(settings, phrases=PhraseModel()), samples=0)
    done = dict(again.plan(rows))
    assert done["kb-mert-small/full"]
    assert not done["medium"]
    with pytest.raises(MissingFileError, match="nowhere"):
        BatchTuning(tmp_path / "x", None, dataclasses.replace(SETTINGS, phrases=PhraseModel("nowhere"))).plan(rows)


def test_with_labels_each_sub_corpus_has_a_table(tmp_path):
    (tmp_path / "labels").write_text("".join("in\n" if at % 2 else "out\n" for at in range(300)))
    settings = dataclasses.replace(SETTINGS, phrases=PhraseModel(str(tmp_path / "labels")))
    work = BatchTuning(tmp_path / "run", None, settings, samples=0)
    table = work.run(chosen_rows(["kb-mira-medium"], "phrase"))
    assert "second table: by label" in table.markdown()
    dense = dense_features(work)
    assert (len(dense["small"]), len(dense["medium"])) == (7, 18 - 1)  # one language model


def test_numbers_of_the_paper():
    assert {len(sets) for tuners in PUBLISHED.values() for sets in tuners.values()} == {2, 3}
    assert list(PUBLISHED) == list(ACTIVE)


def test_what_cannot_be_meant_is_told(tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    for words, message in (
        (["--rows", "mira-huge"], "no row is called 'mira-huge'"),
        (["--repeat", "nothing"], "no row is called"),
        (["--rows", "kb-mira-default", "--kind", "phrase"], "no row is called 'kb-mira-default'"),
        (["--tuners", "best"], "no tuner is called 'best'"),
        (["--sizes", "huge"], "no feature set is called 'huge'"),
        (["--tuners", "kb-mert", "--sizes", "big"], "no row has this tuner and this feature set"),
        (["--data", "none.toml", "-o", tmp_path / "x"], "none.toml: no such file"),
        (["--data", "none.toml", "--pair", "a-b", "-o", tmp_path / "x"], "--pair is for folders"),
        (["--data", "phrasebook", "-o", tmp_path / "x", "--labels", "l"], "are for --kind phrase"),
        (["--data", "phrasebook"], "give the data and a folder"),
        (["--data", "phrasebook", "-o", tmp_path], "other data"),
    ):
        ended = CliRunner().invoke(app, ["experiment", "cherry2012", *map(str, words)])
        assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
