"""The comparison of feature sets from data to tables, at a size of no meaning: what it promises, not finds."""

import dataclasses
from collections import Counter

import numpy as np
import pytest
from support.page_looks import assert_readable_everywhere
from support.processes.killed_experiments import Killed, KillIn, published
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.phrasebook import PhrasebookOptions, generate
from tunesmith.corpus.selection import FeatureDecay
from tunesmith.decoding import TranslationModel
from tunesmith.errors import ConfigError
from tunesmith.evaluation.correction import corrected
from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.experiments.green2014.experiment import ExtendedFeatures
from tunesmith.experiments.green2014.page import draw_all, page
from tunesmith.experiments.green2014.rows import KIND, MORE_THAN, ROWS, chosen_rows
from tunesmith.experiments.laboratory import MODEL
from tunesmith.experiments.settings import ExperimentSettings, PhraseModel, Scale
from tunesmith.features import parse_features
from tunesmith.metrics import Bleu
from tunesmith.tuning import recipes

RICH_ROW = next(row for row in ROWS if row.name == "ext-filt")
BOOK = PhrasebookOptions(pairs=300, eval_sentences=12)
SETTINGS = ExperimentSettings(Scale(dev_rounds=2, k=10), order=2, phrasebook=BOOK, phrases=PhraseModel())
SMALL = {"classes": 8, "more_than": 2}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The phrasebook with labels: lines of web and of news in turn, and a sample of web."""
    folder = tmp_path_factory.mktemp("corpus") / "zh-en"
    made = generate(BOOK)
    made.write(folder)
    for name, size in (("train", 300), ("dev", 12), ("devtest", 12), ("test", 12)):
        labels = [("news", "web")[at % 2] for at in range(size)]
        (folder / f"{name}.labels").write_text("".join(f"{label}\n" for label in labels), encoding="utf-8")
    sample = "".join(f"{each.source}\n" for each in made.dev[:3])
    (folder / "in-domain.web.zh").write_text(sample, encoding="utf-8")
    return CorpusFiles.find(folder)


@pytest.fixture(scope="module")
def finished(tmp_path_factory, corpus):
    folder = tmp_path_factory.mktemp("whole")
    return folder, ExtendedFeatures(folder, corpus, SETTINGS, **SMALL).run(ROWS)


def test_every_row_names_presets_and_recipes_that_exist():
    for row in ROWS:
        recipes.get(row.recipe)
        assert parse_features(row.templates(MORE_THAN), KIND)
        assert parse_features(row.templates(MORE_THAN), KIND)[0] == parse_features(row.templates(5), KIND)[0]
    names = [row.name for row in ROWS]
    assert len(set(names)) == len(names)
    assert [row.name for row in chosen_rows(["ext", "dense"])] == ["dense", "ext"]
    with pytest.raises(ConfigError, match="no row is called 'x'"):
        chosen_rows(["x"])


def test_a_row_may_have_another_recipe_and_settings():
    dense, other = chosen_rows(["ext-filt+mira+step_cap=0.1", "dense"])
    assert (dense.name, dense.recipe) == ("dense", "expected-bleu")
    assert (other.name, other.recipe, other.settings) == ("ext-filt+mira+step_cap=0.1", "mira", ("step_cap=0.1",))
    assert (other.features, other.filtered) == (RICH_ROW.features, True)
    assert other.dense == "dense+mira+step_cap=0.1"
    with pytest.raises(ConfigError, match="no row is called 'x'"):
        chosen_rows(["x+mira"])
    with pytest.raises(ConfigError, match=r"ext-filt-dom\+shares: .* take ext-filt\+shares"):
        chosen_rows(["ext-filt-dom+shares"])


def test_one_reference_is_compared_with_all_by_the_same_recipe():
    rows = chosen_rows(["ext-filt", "ext-filt-1ref", "ext-filt-1ref+mira"])
    assert [row.with_all_references for row in rows] == ["ext-filt", "ext-filt", "ext-filt+mira"]


def test_rows_with_other_recipes_are_compared_with_dense_by_the_same(tmp_path):
    rows = chosen_rows(["dense", "dense-batch", "ext-filt", "ext-filt+mira", "ext-filt+shares"])
    table = ExtendedFeatures(tmp_path, None, SETTINGS, **SMALL).run(rows)
    by_name = {each.row.name: each for each in table.results}
    assert {name: each.dense for name, each in by_name.items()} == {
        "dense": "dense", "dense-batch": "dense", "ext-filt": "dense", "ext-filt+mira": "dense-batch",
        "ext-filt+shares": "dense-batch",
    }  # fmt: skip
    assert by_name["ext-filt+shares"].active > by_name["dense-batch"].active
    assert "training sentences for shares" in table.facts
    claim = next(each for each in table.findings() if "recipes that dev chooses" in each.claim)
    best = max((each for each in table.results if each.row.is_rich), key=lambda each: each.scores["dev"])
    base = max((each for each in table.results if each.row.is_dense), key=lambda each: each.scores["dev"])
    assert claim.why.startswith(f"{best.row.name} {best.difference(base.row.name):+.2f} against {base.row.name}")
    section = next(each for each in table.sections() if "Holm" in each.heading)
    shown = [float(row[-1]) for row in section.rows]
    p_values = [each.p(each.dense) for each in table.results if each.p(each.dense) is not None]
    assert shown == pytest.approx(corrected(p_values), abs=6e-4)


def test_a_smaller_filter_changes_settings_and_no_templates():
    row = next(row for row in ROWS if row.name == "ext-filt")
    preset, own = (parse_features(row.templates(count), KIND) for count in (MORE_THAN, 7))
    assert {spec.name for spec in preset} == {spec.name for spec in own}
    assert {spec.settings["more_than"] for spec in own if spec.name.startswith("lexical_")} == {7}


def test_the_numbers_of_every_row_recompute(finished):
    folder, _ = finished
    document = published(folder)
    assert [row["name"] for row in document["rows"]] == [row.name for row in ROWS]
    for row in document["rows"]:
        for name, shown in (("dev", "tune"), ("devtest", "dev"), ("test", "test")):
            rows = np.load(folder / f"{row['name']}-scores" / f"{name}.npy")
            assert row["scores"][shown] == pytest.approx(float(Bleu().score(rows.sum(axis=0))))
            web = rows[1::2].sum(axis=0)
            assert row["domains"][shown]["web"] == pytest.approx(float(Bleu().score(web)))
        assert sum(row["templates"].values()) == row["active"]
        assert ("sparse" in row["against"]) == (row["name"] != "sparse")
    by_name = {row["name"]: row for row in document["rows"]}
    assert by_name["dense"]["active"] <= 18


def test_dense_has_the_eighteen_features_of_the_paper(finished):
    folder, _ = finished
    names = list(TranslationModel.open(folder / MODEL / MODEL).decoder().index)
    by_template = Counter(name.partition(":")[0] for name in names)
    assert by_template == {
        "translation": 4, "word_penalty": 1, "rule_penalty": 1, "log_count": 1, "singleton": 1, "lm": 1,
        "distortion": 1, "reordering": 8,
    }  # fmt: skip
    assert len(names) == 18


def test_rows_learn_the_features_that_they_name(finished):
    """After the first epoch, whichever devtest chose."""
    folder, _ = finished

    def learnt(name):
        lines = (folder / name / "run/rounds/01/weights.tsv").read_text(encoding="utf-8").splitlines()
        return {line.split("\t")[0] for line in lines if not line.startswith("#")}

    assert len(learnt("dense")) <= 18
    assert any(name.startswith("lexical_rule:") for name in learnt("sparse"))
    assert not any(name.startswith("lexical_") for name in learnt("ext"))
    assert any(name.startswith("lexical_") for name in learnt("ext-filt"))
    copies = {name.partition(":")[0] for name in learnt("ext-filt-dom") if "@" in name.partition(":")[0]}
    assert copies
    assert {name.partition("@")[2] for name in copies} == {"web"}
    assert len(learnt("cutoff-2")) >= len(learnt("cutoff-5")) >= len(learnt("cutoff-10"))


def test_training_pairs_are_labelled_by_selection_and_its_precision_is_measured(finished, corpus):
    folder, table = finished
    labels = (folder / "labels" / "labels").read_text(encoding="utf-8").split()
    chosen = FeatureDecay().select(corpus.folder / "in-domain.web.zh", corpus.bitext().source, 60)
    assert {at for at, label in enumerate(labels) if label == "web"} == set(chosen.lines.tolist())
    web = table.selections["web"]
    assert (web["sample"], web["chosen"]) == (3, 60)
    assert web["precision"] == pytest.approx(sum(line % 2 for line in chosen.lines.tolist()) / 60)


def test_table_page_and_findings_say_what_there_is(finished):
    folder, table = finished
    text = (folder / "table.md").read_text(encoding="utf-8")
    for heading in (
        "Each domain (Table 5)",
        "Reference variance",
        "Word classes (Table 1)",
        "Findings of the paper",
    ):
        assert heading in text
    assert str(table.signature) in text
    assert all(each.why for each in table.findings())
    assert not any("was not run" in each.why for each in table.findings())
    assert "<h1>Extended features" in page(table, draw_all(table))


def test_the_page_can_be_read(finished, browser):
    table = finished[1]
    assert_readable_everywhere(browser, page(table, draw_all(table)))


def test_without_labels_there_is_no_row_with_domains(tmp_path):
    work = ExtendedFeatures(tmp_path, None, SETTINGS, **SMALL)
    assert [row.name for row in work.possible(ROWS)] == [row.name for row in ROWS if not row.domains]
    with pytest.raises(ConfigError, match="needs labels of domains"):
        work.run(chosen_rows(["ext-filt-dom"]))
    assert "cannot be determined" in {each.verdict for each in work.table(ROWS).findings()}


def test_killed_and_run_again_it_is_the_same(tmp_path):
    rows = chosen_rows(["dense", "ext"])
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    wanted = ExtendedFeatures(whole, None, SETTINGS, **SMALL).run(rows)
    with pytest.raises(Killed):
        ExtendedFeatures(killed, None, SETTINGS, **SMALL).run(rows, KillIn("ext"))
    found = ExtendedFeatures(killed, None, SETTINGS, **SMALL).run(rows)
    assert [each.scores for each in found.results] == [each.scores for each in wanted.results]
    again = ExtendedFeatures(killed, None, SETTINGS, **SMALL)
    assert all(done for _, done in again.plan(rows))


def test_labels_that_do_not_fit_samples(tmp_path, corpus):
    folder = tmp_path / "zh-en"
    folder.mkdir()
    for path in corpus.folder.iterdir():
        if not path.name.startswith("in-domain"):
            (folder / path.name).symlink_to(path)
    with pytest.raises(ConfigError, match=r"the labels are news, web, samples .* are there of none"):
        ExtendedFeatures(tmp_path / "run", CorpusFiles.find(folder), SETTINGS)


def test_the_verb_lists_plans_and_runs(tmp_path):
    runner = CliRunner()
    listed = runner.invoke(app, ["experiment", "green2014", "--list"])
    assert "ext-filt-dom" in listed.stdout
    words = ["experiment", "green2014", "--data", "phrasebook", "-o", str(tmp_path / "run"), "--tiny"]
    planned = runner.invoke(app, [*words, "--rows", "dense", "--dry-run"])
    assert planned.stdout.split("\n")[:3] == ["data\tto do", "classes\tto do", "model\tto do"]
    assert not (tmp_path / "run").exists()


def test_stages_depend_on_settings(tmp_path):
    one = ExtendedFeatures(tmp_path, None, SETTINGS, **SMALL)
    other = ExtendedFeatures(tmp_path, None, dataclasses.replace(SETTINGS, seed=2), **SMALL)
    fewer = ExtendedFeatures(tmp_path, None, SETTINGS, classes=4, more_than=2)
    rows = chosen_rows(["ext"])
    keys = [[stage.key for stage in each.stages(rows)] for each in (one, other, fewer)]
    assert keys[0][0] != keys[1][0]
    assert keys[0][0] == keys[2][0]
    assert keys[0][-1] != keys[2][-1]
