"""`tunesmith runs`, and what people see of a run."""

import json

import pytest
from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.cli.tuning.tuning_progress import LiveTable, PlainLines
from tunesmith.errors import FormatError
from tunesmith.tuning import BatchRounds, History, KBestSource, Round, Tuner

LINES, REFERENCES = toy_data(sentences=4)


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def tune(folder, on_decode=lambda: None, rounds=2):
    tuner = Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(rounds), name="toy")
    return tuner.fit(KBestSource(ToyDecoder(on_decode=on_decode), LINES, REFERENCES, k=4), output=folder)


@pytest.fixture
def runs(tmp_path):
    """A finished, an interrupted and a failed run, one of them deeper, next to other folders."""
    calls = 0

    def end(error):
        def on_decode():
            nonlocal calls
            calls += 1
            if calls % 2 == 0:
                raise error

        return on_decode

    tune(tmp_path / "a")
    with pytest.raises(KeyboardInterrupt):
        tune(tmp_path / "b" / "deeper", end(KeyboardInterrupt()))
    with pytest.raises(FormatError):
        tune(tmp_path / "c", end(FormatError("the decoder is out of order")))
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "settings.json").write_text("{}")
    return tmp_path


def test_runs_are_found_and_told(runs):
    ended = run("runs", runs)
    lines = ended.stdout.splitlines()
    assert lines[0].split() == ["run", "state", "recipe", "round", "best", "score", "time"]
    told = [line.split()[:4] for line in lines[1:]]
    assert told == [
        [str(runs / "a"), "finished", "toy", "2/2"],
        [str(runs / "b/deeper"), "interrupted", "toy", "0/2"],
        [str(runs / "c"), "failed", "toy", "0/2"],
    ]
    assert "the decoder is out of order" in ended.stderr


def test_runs_as_json(runs):
    found = json.loads(run("runs", runs / "a", "-f", "json").stdout)
    history = [json.loads(line) for line in (runs / "a" / "history.jsonl").read_text().splitlines()]
    assert [each["state"] for each in found] == ["finished"]
    assert found[0]["best_score"] == max(row["score"] for row in history)
    assert json.loads(run("runs", runs / "other", "-f", "json").stdout) == []


def test_a_folder_that_is_not_there(tmp_path):
    ended = run("runs", tmp_path / "none")
    assert (ended.exit_code, "no such folder" in ended.stderr) == (2, True)


def test_a_damaged_run_does_not_hide_the_others(runs):
    (runs / "c" / "state.json").write_text("{")
    ended = run("runs", runs)
    assert [line.split()[1] for line in ended.stdout.splitlines()[1:]] == ["finished", "interrupted", "damaged"]
    assert "state.json" in ended.stderr


ROWS = History([Round(0, 12.0, length_ratio=0.7), Round(1, 34.5, 40.0, 100, 100, 1.0, 2.0, 3, 0.5)])


def test_lines_for_those_who_read_later(capsys):
    with PlainLines(quiet=False) as lines:
        lines.resumed(ROWS, 1, "merge")
        lines.round(ROWS[1], ROWS)
        lines.note("look out")
    assert capsys.readouterr().err.splitlines() == [
        "resumes at round 1, merge",
        "round 1  candidates 100  new +100  list 40.00  dev 34.50  length 1.000  norm 2  active 3  seconds 0.5",
        "tunesmith: note: look out",
    ]
    with PlainLines(quiet=True) as lines:
        lines.round(ROWS[1], ROWS)
        lines.note("look out")
    assert capsys.readouterr().err == ""


def test_the_live_table_shows_every_round(capsys):
    with LiveTable(quiet=False) as table:
        table.step(0, "decode")
        table.resumed(ROWS, 1, "merge")
        table.round(ROWS[1], ROWS)
        table.note("[look] out")
    shown = capsys.readouterr().err
    for text in ("34.50", "12.00", "+100", "candidates", "tunesmith: note: [look] out"):
        assert text in shown
