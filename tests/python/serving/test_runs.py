"""Runs and experiments of a folder, as the page lists and opens them."""

import json

import pytest

from tunesmith.errors import TunesmithError
from tunesmith.io.folders import alone
from tunesmith.serving.refusals import RefusedError
from tunesmith.serving.runs import REPORT, Runs


@pytest.fixture
def folder(tmp_path):
    """Two experiments, one of them with a report, next to a secret."""
    (tmp_path / "secret.txt").write_text("secret")
    shown = tmp_path / "shown"
    for name in ("done", "begun"):
        (shown / name).mkdir(parents=True)
        (shown / name / "experiment.json").write_text("{}")
    (shown / "done" / REPORT).write_text("<p>the table</p>")
    return shown


def test_experiments_are_listed_and_their_reports_opened(folder):
    runs = Runs(folder)
    listed = {row.name: row for row in runs.listed().runs}
    assert {name: row.report for name, row in listed.items()} == {"begun": False, "done": True}
    assert runs.report(["done"]) == "<p>the table</p>"
    with pytest.raises(RefusedError, match="no report yet") as refused:
        runs.report(["begun"])
    assert refused.value.status == 404


def test_experiments_that_run_say_how_far_they_are(folder):
    runs = Runs(folder)
    for name, state in (("tune", "begun"), ("scores/one", "done"), ("scores/two", "done"), ("broken", "?")):
        (folder / "begun" / name).mkdir(parents=True)
        (folder / "begun" / name / "stage.json").write_text(json.dumps({"state": state}))
    with alone(folder / "begun"):
        begun, done = runs.listed().runs
    assert (begun.state, begun.done, begun.working, begun.written) == ("running", 2, "tune", 0.0)
    assert (done.state, done.done, done.working) == ("has a report", 0, "")
    assert done.written == (folder / "done" / REPORT).stat().st_mtime
    assert runs.listed().runs[0].state == "unfinished"
    with alone(folder / "begun"):  # looking has not kept the lock
        pass


@pytest.mark.parametrize("name", ["..", "../secret.txt", "/etc", "done/..", "done/", "DONE", "", "do\0ne"])
def test_no_other_path_is_opened(folder, name):
    runs = Runs(folder)
    for ask in (runs.history, lambda one: runs.report([one]), lambda one: runs.report([one, "done"])):
        with pytest.raises(RefusedError, match="no run or experiment is called") as refused:
            ask(name)
        assert refused.value.status == 404
    (folder / "done" / REPORT).unlink()
    (folder / "done" / REPORT).symlink_to(folder.parent / "secret.txt")
    with pytest.raises(TunesmithError, match="link"):
        Runs(folder).report(["done"])


def test_a_folder_without_runs_is_empty(tmp_path):
    assert Runs(tmp_path).listed().runs == []
