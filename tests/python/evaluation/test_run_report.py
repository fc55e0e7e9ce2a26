"""Reports of runs: whatever is in the folder, there is a page; whatever is on the page is escaped and true."""

import dataclasses
import html
import json
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest
from support.lists.grouped_toy import grouped_tuner, sources
from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data

from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.evaluation.compare import compare
from tunesmith.evaluation.comparison_report import comparison_page, latex_tables
from tunesmith.evaluation.pages.sentence_changes import changes_section, largest_changes
from tunesmith.evaluation.run_comparison import compare_runs
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.run_report import own_changes, run_page, write_run_report
from tunesmith.evaluation.significance import Resampling, approximate_randomization
from tunesmith.metrics import Bleu, Ter
from tunesmith.signature import Signature
from tunesmith.tuning import BatchRounds, KBestSource, Tuner
from tunesmith.tuning.runs.chosen import Chosen
from tunesmith.tuning.runs.documents import Sentence
from tunesmith.weights import Weights

LINES, REFERENCES = toy_data(sentences=6)
FEW = Resampling(samples=50, trials=100)


class Nesting(HTMLParser):
    """Every tag that is opened is closed, in order; nothing comes from elsewhere and nothing runs."""

    void = frozenset({"meta", "br"})

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        assert tag not in ("script", "link", "img", "iframe", "object", "injected"), tag
        assert not {name for name, _ in attributes} & {"src", "href", "onclick", "onload", "onerror"}
        if tag not in self.void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        pass

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def check_page(text):
    parser = Nesting()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    assert "prefers-color-scheme: dark" in text
    assert "url(" not in text
    assert "@import" not in text
    return text


def tune(folder, *, seed=1, rounds=3, metric=None, decoder=None, name="toy"):
    source = KBestSource(decoder or ToyDecoder(), LINES, REFERENCES, k=4)
    return Tuner(
        MeanDifference(), SeededStep(), metric=metric, plan=BatchRounds(rounds), seed=seed, name=name
    ).fit(source, output=folder)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "first"
    tune(folder)
    return folder


@pytest.fixture(scope="module")
def grouped(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "grouped"
    dev, train = sources()
    grouped_tuner(MeanDifference(), SeededStep()).fit(dev, train=train, output=folder)
    return folder


def test_the_page_has_every_section_and_the_numbers_of_the_history(run):
    path = write_run_report(run)
    assert path == str(run / "report.html")
    text = check_page((run / "report.html").read_text(encoding="utf-8"))
    record = RunRecord(run)
    assert record.missing == []
    assert f"<b>{record.best.score:.2f}</b>" in text
    for title in ("Round by round", "Weights", "Sentences that changed", "Settings", "Length ratio",
                  "Active features", "Candidates per sentence", "Seconds per step"):  # fmt: skip
        assert title in text
    assert record.signature.split("|")[0] in text
    assert text.count("<tr") >= len(record.rounds) + 1


def test_groups_are_on_the_page_with_their_members(grouped):
    text = check_page(run_page(RunRecord(grouped)))
    assert "Groups of features" in text
    table = RunRecord(grouped).groups
    assert any(name in text for name in table.names)
    assert "group train" in text or "decode train" in text  # steps of training data have times too


def test_the_same_folder_gives_the_same_bytes(run):
    assert run_page(RunRecord(run)) == run_page(RunRecord(run))


def test_steps_have_the_times_of_the_log(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run/log.txt").write_text(
        "2026-01-01T00:00:00+00:00 round 0: decode\n2026-01-01T00:00:02.500+00:00 round 0: measure\n"
        "2026-01-01T00:00:03+00:00 round 0: {'round': 0}\n2026-01-01T00:00:03+00:00 note: strange\n"
        "2026-01-01T00:00:04+00:00 round 1: merge\n2026-01-01T00:00:05+00:00 interrupted\n"
        "2026-01-01T01:00:00+00:00 resumed at round 1, merge\n2026-01-01T01:00:01+00:00 round 1: merge\n"
        "2026-01-01T01:00:05+00:00 finished: x; best round 0\n"
    )
    record = RunRecord(tmp_path / "run")
    assert [(step.round, step.name, step.seconds) for step in record.steps] == [
        (0, "decode", 2.5), (0, "measure", 0.5), (1, "merge", 4.0)
    ]  # fmt: skip
    assert record.notes == ["strange"]


def test_changes_are_against_the_start_weights(run):
    record = RunRecord(run)
    found = own_changes(record, limit=100)
    before, after = record.chosen(0), record.chosen(record.best.round)
    gains = after.scores - before.scores
    assert [each.sentence for each in found.gains] == sorted(
        np.flatnonzero(gains > 0).tolist(), key=lambda at: -gains[at]
    )
    assert {each.sentence for each in found.losses} == set(np.flatnonzero(gains < 0).tolist())
    assert all(each.source == LINES[each.sentence] for each in found.gains)


def test_the_head_has_an_interval_and_a_p(run):
    """Scores that `compare` computes of what was chosen."""
    record = RunRecord(run)
    rows = {name: record.chosen(at).statistics for name, at in (("start", 0), ("tuned", record.best.round))}
    tuned = compare(record.metric, rows, Signature("x"), FEW).systems[1]
    text = run_page(record, resampling=FEW)
    assert f"95% interval {tuned.interval.low:.2f} to {tuned.interval.high:.2f}" in text
    p = tuned.tests.p_randomization
    assert html.escape("p < 0.001" if p < 0.001 else f"p = {p:.3f}") in text
    test = compare(record.metric, rows, Signature("BLEU", {"data": "test.zh"}), FEW)
    assert "BLEU on test.zh; 95% interval" in run_page(record, test=test, resampling=FEW)


def test_padded_references_are_not_shown():
    rows, known = np.zeros((1, 2)), [Sentence("s", ("one", "two", "one", "", "one"))]
    found = largest_changes(Chosen(np.zeros(1), rows, ["a"]), Chosen(np.ones(1), rows, ["b"]), known)
    assert found.gains[0].references == ("one", "two")
    text = "".join(changes_section(found))
    assert text.count("<dt>reference</dt>") == 2
    assert "more reference" not in text


def test_few_rounds_are_a_table_and_not_charts_of_two_points(tmp_path):
    tune(tmp_path / "a", rounds=1)
    tune(tmp_path / "b", rounds=1, seed=5)
    records = [RunRecord(tmp_path / name) for name in "ab"]
    for text in (run_page(records[0]), comparison_page(compare_runs(records, resampling=FEW))):
        assert "<svg" not in check_page(text)
        assert f"{records[0].best.length_ratio:.3f}" in text


def test_normalised_weights_do_not_depend_on_the_scale(run, tmp_path):
    shutil.copytree(run, tmp_path / "other")
    weights = RunRecord(run).best_weights
    scaled = dict(zip(weights.names, (10 * weights.array).tolist(), strict=True))
    Weights.from_mapping(scaled, "scaled").write(tmp_path / "other/weights.tsv")
    header, rows = compare_runs([RunRecord(run), RunRecord(tmp_path / "other")], resampling=FEW).weights()
    assert header == ["feature", "first", "first, normalised", "other", "other, normalised"]
    for _, raw, normal, other_raw, other_normal in rows:
        assert float(other_raw) == pytest.approx(10 * float(raw), rel=1e-2)
        assert other_normal == normal
    assert sum(abs(float(row[2])) for row in rows) == pytest.approx(1, abs=0.01)


def test_features_that_all_runs_share_come_before_the_many_of_one(run, tmp_path):
    shutil.copytree(run, tmp_path / "other")
    weights = dict(RunRecord(run).best_weights)
    Weights(weights | {f"w:{at}": 100.0 + at for at in range(50)}, "many").write(tmp_path / "other/weights.tsv")
    _, rows = compare_runs([RunRecord(run), RunRecord(tmp_path / "other")], resampling=FEW).weights()
    names = [row[0] for row in rows]
    shared = sorted((name for name in weights if weights[name]), key=lambda name: -abs(weights[name]))[:10]
    assert len(names) == len(set(names)) == 20
    assert names == [*shared, *(f"w:{at}" for at in range(49, 49 - 20 + len(shared), -1))]


def test_significant_differences_are_green_or_red(run, tmp_path):
    """Not by the sign: a lower TER is better."""
    for metric, seeds in ((Bleu(), (1, 5)), (Ter(), (1, 5))):
        records = []
        for seed in seeds:
            folder = tmp_path / f"{metric.label}{seed}"
            tune(folder, metric=metric, seed=seed, rounds=2)
            records.append(RunRecord(folder))
        found = compare_runs(records, resampling=FEW)
        tests = found.tests.systems[1].tests
        sure = dataclasses.replace(tests, p_randomization=0.0)
        systems = (found.tests.systems[0], dataclasses.replace(found.tests.systems[1], tests=sure))
        text = comparison_page(dataclasses.replace(found, tests=dataclasses.replace(found.tests, systems=systems)))
        assert f'<b class="{"good" if tests.better else "bad"}">{tests.difference:+.2f}</b>' in text


def test_a_lower_error_is_a_gain():
    rows = np.zeros((2, 2))
    before, after = (
        Chosen(np.array([10.0, 10.0]), rows, ["a", "b"]),
        Chosen(np.array([5.0, 20.0]), rows, ["c", "d"]),
    )
    found = largest_changes(before, after, higher_is_better=False)
    assert [each.sentence for each in found.gains] == [0]
    assert [each.sentence for each in found.losses] == [1]
    assert largest_changes(before, Chosen(np.zeros(1), rows[:1], ["a"])) is None


@pytest.mark.parametrize("damage", ["removed", "empty", "noise", "half", "other json", "numbers"])
def test_whatever_is_damaged_there_is_a_page(run, grouped, tmp_path, damage):
    """Each file that a report reads, one after the other."""
    for source in (run, grouped):
        folder = tmp_path / source.name
        shutil.copytree(source, folder)
        patterns = ("*.json", "*.jsonl", "*.txt", "rounds/*/*.tsv", "weights.tsv")
        files = [
            path for pattern in patterns for path in sorted(folder.glob(pattern)) if path.name != "settings.json"
        ]
        assert len(files) > 10
        for target in files:
            data = target.read_bytes()
            damaged = {
                "removed": None, "empty": b"", "noise": b"\xff\x00<\n\t1", "half": data[: len(data) // 2],
                "other json": b"[]\n", "numbers": re.sub(rb"[0-9]+", b"null", data),
            }[damage]  # fmt: skip
            target.unlink()
            if damaged is not None:
                target.write_bytes(damaged)
            check_page(run_page(RunRecord(folder)))
            target.write_bytes(data)
        assert RunRecord(folder).state[0] == "finished"


def test_damage_is_named(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    (tmp_path / "run/history.jsonl").write_text('{"round": "<injected>"}\n')
    text = check_page(run_page(RunRecord(tmp_path / "run")))
    assert "What could not be read" in text
    assert "No round has ended yet" in text


@pytest.mark.parametrize(
    "value", [10**400, 1e308, -1e308, 1e99, -1e99, -1, "<injected>", None, [], {}, True], ids=range(11)
)
def test_a_history_of_any_numbers_has_a_page(run, tmp_path, value):
    shutil.copytree(run, tmp_path / "run")
    rows = [json.loads(line) for line in (run / "history.jsonl").read_text().splitlines()]
    others = {key: value for key in rows[0] if key not in ("round", "score")}
    for changed in (others, {"round": value}, {"score": value}):
        rows[1] = {**rows[1], **changed}
        (tmp_path / "run/history.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        check_page(run_page(RunRecord(tmp_path / "run")))


def test_settings_of_any_kind_are_shown(run, tmp_path):
    shutil.copytree(run, tmp_path / "run")
    for settings in ([], 3, None, {"metric": 3, "dev": "x", "recipe": ["<injected>"]}, {"<injected>": {"a": [1]}}):
        document = {"kind": "tunesmith tuning run", "format": 7, "settings": settings, "signature": settings}
        (tmp_path / "run/settings.json").write_text(json.dumps(document))
        check_page(run_page(RunRecord(tmp_path / "run")))


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(MissingFileError, match="not the folder of a tuning run"):
        RunRecord(tmp_path)


def test_a_run_that_has_only_begun_has_a_page(tmp_path):
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tune(tmp_path / "run", decoder=ToyDecoder(on_decode=interrupt))
    text = check_page(run_page(RunRecord(tmp_path / "run")))
    assert "No round has ended yet" in text
    assert "interrupted" in text


def test_names_are_escaped_everywhere(tmp_path):
    decoder = ToyDecoder()
    decoder.features = ["<injected>", "a&b", '"quoted"<injected>']
    tune(tmp_path / "<injected>", decoder=decoder, name="<injected>")
    tune(tmp_path / "b&", decoder=decoder, name="<injected>", seed=2)
    one, other = RunRecord(tmp_path / "<injected>"), RunRecord(tmp_path / "b&")
    assert "&lt;injected&gt;" in check_page(run_page(one))
    check_page(comparison_page(compare_runs([one, other], resampling=FEW)))


@pytest.mark.parametrize("metric", [Bleu(), Bleu(smoothing="floor"), Ter()])
def test_runs_are_tested_on_what_they_chose(tmp_path, metric):
    tune(tmp_path / "a", metric=metric)
    tune(tmp_path / "b", metric=metric, seed=5, rounds=1)
    records = [RunRecord(tmp_path / name) for name in "ab"]
    found = compare_runs(records, resampling=FEW)
    assert [each.score for each in found.tests.systems] == [record.best.score for record in records]
    assert found.tests.higher_is_better == metric.higher_is_better == records[0].higher_is_better
    rows = [record.chosen(record.best.round).statistics for record in records]
    expected = approximate_randomization(metric, *rows, FEW.trials, FEW.seed)
    assert found.tests.systems[1].tests.p_randomization == expected.p_value
    settings = {row[0] for row in found.differing_settings()[1]}
    assert {"seed", "rounds"} <= settings
    assert not settings & {"loss.name", "metric.name"}


def test_a_run_is_no_better_than_itself(run, tmp_path):
    shutil.copytree(run, tmp_path / "copy")
    found = compare_runs([RunRecord(run), RunRecord(tmp_path / "copy")], resampling=FEW)
    assert found.tests.systems[1].tests.difference == 0
    assert not found.tests.systems[1].tests.significant_randomization
    assert found.differing_settings()[1] == []
    with pytest.raises(ConfigError, match="given twice"):
        compare_runs([RunRecord(run), RunRecord(run)])
    with pytest.raises(ConfigError, match="at least one more"):
        compare_runs([RunRecord(run)])


def test_runs_that_cannot_be_compared_say_why(run, grouped, tmp_path):
    other_data = compare_runs([RunRecord(run), RunRecord(grouped)])
    assert other_data.tests is None
    assert "not about the same development data" in other_data.why_not
    tune(tmp_path / "ter", metric=Ter())
    other_metric = compare_runs([RunRecord(run), RunRecord(tmp_path / "ter")])
    assert "not about the same metric" in other_metric.why_not
    shutil.copytree(run, tmp_path / "old")
    for path in (tmp_path / "old").rglob("chosen.tsv"):
        path.unlink()
    old = compare_runs([RunRecord(run), RunRecord(tmp_path / "old")])
    assert "no translations" in old.why_not
    for found in (other_data, other_metric, old):
        assert "no tests of significance" in check_page(comparison_page(found))
        assert "% no tests" in latex_tables(found)


def test_latex_tables_have_as_many_cells_in_every_row(run, tmp_path):
    shutil.copytree(run, tmp_path / "a_b & 50% <c>")
    tune(tmp_path / "other", seed=3)
    records = [RunRecord(run), RunRecord(tmp_path / "a_b & 50% <c>"), RunRecord(tmp_path / "other")]
    text = latex_tables(compare_runs(records, resampling=FEW))
    assert r"a\_b \& 50\% \textless{}c\textgreater{}" in text
    for block in text.split(r"\begin{tabular}")[1:]:
        columns = len(re.match(r"\{([lr]+)\}", block)[1])
        rows = [line for line in block.splitlines() if line.endswith(r"\\")]
        assert len(rows) >= 2
        assert all(len(re.split(r"(?<!\\)&", row)) == columns for row in rows)
