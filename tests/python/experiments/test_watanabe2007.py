"""Online training from data to table, at a size of no meaning: what it promises, not finds."""

import numpy as np
import pytest
from support.page_looks import assert_readable_everywhere
from support.processes.killed_experiments import Killed, KillIn, published
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.config import read_system
from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.errors import ConfigError
from tunesmith.experiments.settings import ExperimentSettings, Scale
from tunesmith.experiments.watanabe2007.experiment import OnlineTraining
from tunesmith.experiments.watanabe2007.models import DOCUMENT, fold
from tunesmith.experiments.watanabe2007.page import draw_all, page
from tunesmith.experiments.watanabe2007.published import FOLDS, TABLES
from tunesmith.experiments.watanabe2007.rows import ROWS, STRUCTURES, chosen_rows
from tunesmith.features import parse_features
from tunesmith.metrics import Bleu
from tunesmith.metrics.nist import Nist
from tunesmith.weights import Weights

SCALE = Scale(train_sentences=60, rounds=1, inner_rounds=1, dev_rounds=1, k=5, reused_k=10)
SETTINGS = ExperimentSettings(SCALE, order=2, phrasebook=PhrasebookOptions(pairs=300, eval_sentences=40))
NAMES = ["mert", "mira", "surface", "all", "shares", "hiero-mert", "folds-mert"]
CHOSEN = chosen_rows(NAMES)


def experiment(folder, **more):
    return OnlineTraining(folder, None, SETTINGS, **more)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole")
    return folder, experiment(folder).run(CHOSEN)


def test_the_numbers_of_every_row_recompute(finished):
    folder, _ = finished
    document = published(folder)
    assert [row["name"] for row in document["rows"]] == NAMES
    metrics = {"BLEU": (Bleu(), "{}.npy"), "NIST": (Nist(), "{}.nist.npy")}
    for row in document["rows"]:
        scored = [folder / f"{row['name']}-scores"]
        if row["name"] == "folds-mert":
            scored = [folder / "folds-mert" / f"fold-{number}-scores" for number in (1, 2)]
        for data, of_set in row["scores"].items():
            for metric, found in of_set.items():
                made, name = metrics[metric]
                rows = np.concatenate([np.load(each / name.format(data)) for each in scored])
                assert found["mean"] == pytest.approx(float(made.score(rows.sum(axis=0))))
                assert (found["difference"] is None) == (row["name"] in ("mert", "hiero-mert", "folds-mert"))
    assert [set(row["scores"]) for row in document["rows"]] == [{"dev", "devtest"}] * 6 + [{"closed", "open"}]


def test_rows_have_the_features_that_they_name(finished):
    folder, _ = finished

    def templates(row):
        weights = Weights.read(folder / row / "tuned" / "run" / "weights.tsv")
        return {name.split(":")[0] for name, value in weights.items() if value}

    assert templates("surface") & set(STRUCTURES) == set(STRUCTURES)
    assert not templates("mert") & set(STRUCTURES)
    assert templates("shares") & set(STRUCTURES)
    weights = Weights.read(folder / "all" / "tuned" / "run" / "weights.tsv")
    assert any(name.startswith("link_pairs:[") for name, _ in weights.items())
    assert {row["name"]: row["active"] for row in published(folder)["rows"]}["all"] > 1000
    for search in ("left-to-right", "hiero"):
        system = read_system(folder / f"model-{search}" / "model")
        assert (system.kind, set(system.classes)) == (search, {"source", "target"})


def test_folds_are_whole_documents_that_cover_everything(finished):
    folder, _ = finished
    lines = len((folder / "pooled" / "all.source").read_text(encoding="utf-8").splitlines())
    assert lines == 120
    one, two = (fold(lines, number) for number in range(2))
    assert sorted((*one, *two)) == list(range(lines))
    assert {at // DOCUMENT for at in one}.isdisjoint({at // DOCUMENT for at in two})
    rows = [np.load(folder / "folds-mert" / f"fold-{number}-scores" / "open.npy") for number in (1, 2)]
    assert [len(each) for each in rows] == [len(two), len(one)]


def test_killed_and_resumed_it_ends_with_the_same_table(finished, tmp_path):
    for name in ("classes", "model-left-to-right", "surface-scores", "all/tuned", "folds-mert/fold-2"):
        with pytest.raises(Killed):
            experiment(tmp_path / "killed").run(CHOSEN, KillIn(name))
    experiment(tmp_path / "killed", threads=2).run(CHOSEN, KillIn(""))
    assert published(tmp_path / "killed") == published(finished[0])


def test_nothing_is_done_twice_and_a_plan_says_so(finished):
    folder, _ = finished
    assert all(done for _, done in experiment(folder).plan(CHOSEN))
    watcher = KillIn("")
    experiment(folder).run(CHOSEN, watcher)
    assert watcher.ran == []


def test_without_a_budget_no_tuning_is_begun(tmp_path):
    table = experiment(tmp_path / "none", budget=0.0).run(CHOSEN[:1])
    assert table.results == []
    assert (tmp_path / "none" / "model-left-to-right" / "model" / "system.toml").exists()


def test_findings_are_judged_by_the_rows_that_are_there(finished):
    _, table = finished
    found = {each.claim.split(" (")[0]: each for each in table.findings}
    assert len(found) == len(table.findings) == 16
    assert {each.verdict for each in table.findings} <= {"appears", "does not appear", "cannot be determined"}
    assert found["Target bigrams over-fit"].why == "not run: target-bigram, word-pairs"
    assert "p " in found["All token types are better than surface forms on open data"].why
    assert found["Scores with case"].verdict == "cannot be determined"


def test_the_page_has_all_tables(finished):
    _, table = finished
    text = page(table, draw_all(table))
    for heading in ("Table 1", "Table 2", "Table 3", "Table 4", "Findings of the paper"):
        assert heading in text
    assert "13759K" in text
    assert "13759K" in table.markdown()


def test_the_page_can_be_read(finished, browser):
    table = finished[1]
    assert_readable_everywhere(browser, page(table, draw_all(table)))


def test_rows_are_those_of_the_paper():
    for number, of_table in TABLES.items():
        assert set(of_table) == {row.name for row in ROWS if number in row.tables}
    assert set(FOLDS) == {row.name for row in ROWS if 4 in row.tables}
    assert ROWS[-1].folds  # the look at test is last
    for row in ROWS:
        parse_features(row.features)
    assert {row.name for row in chosen_rows(tables=[4])} == set(FOLDS)
    assert "all-50" not in {row.name for row in chosen_rows()}
    with pytest.raises(ConfigError, match="no row is called 'nobody'"):
        chosen_rows(["nobody"])


def test_the_verb_lists_and_plans(tmp_path):
    runner = CliRunner()
    listed = runner.invoke(app, ["experiment", "watanabe2007", "--list"])
    assert listed.exit_code == 0
    assert "10-oracle-1-best" in listed.stdout
    words = ["experiment", "watanabe2007", "--data", "phrasebook", "--tiny", "--rows", "mert", "-o",
             str(tmp_path / "tiny")]  # fmt: skip
    planned = runner.invoke(app, [*words, "--dry-run"])
    assert planned.stdout.splitlines()[0].split("\t") == ["data", "to do"]
    assert not (tmp_path / "tiny").exists()
