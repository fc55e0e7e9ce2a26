"""`tunesmith tune --stability`, `--seeds` and `--sweep`: what they leave recomputes, resumes, is never lost."""

import json
import statistics

import numpy as np
import pytest
from support.damage.resealed import edited
from support.processes.killing import killed_at
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.bitext import read_references
from tunesmith.decoding import TranslationModel
from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.tuning import recipes
from tunesmith.tuning.runs import directory as run_directory
from tunesmith.tuning.sources.sub_samples import sub_sample
from tunesmith.weights import Weights

SENTENCES = 30


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture(scope="module")
def lists(tmp_path_factory):
    """Lists of 30 sentences: the truth, and words left out, with two features that can tell them apart."""
    folder = tmp_path_factory.mktemp("lists")
    random = np.random.default_rng(1)
    references, lines = [], []
    for at in range(SENTENCES):
        words = [f"w{random.integers(40)}" for _ in range(8)]
        references.append(" ".join(words))
        for lost in (0, 1, 2, 3):
            kept = words[: 8 - lost]
            noise = random.normal()
            lines.append(
                f"{at} ||| {' '.join(kept)} ||| length= {-len(kept)} lm= {-1.5 * len(kept) + noise} ||| 0"
            )
    (folder / "dev.nbest").write_text("\n".join(lines) + "\n")
    (folder / "dev.en").write_text("\n".join(references) + "\n")
    return ["--candidates", folder / "dev.nbest", "--refs", folder / "dev.en", "--recipe", "pro"]


@pytest.fixture(scope="module")
def repeated(lists, tmp_path_factory):
    folder = tmp_path_factory.mktemp("study") / "run"
    ended = run("tune", *lists, "--stability", 4, "-o", folder, "-f", "json", "-j", 1)
    assert ended.exit_code == 0, ended.output
    return folder, json.loads(ended.stdout)


def bytes_of(folder):
    """What does not hold a time: weights, what was chosen, settings, tables."""
    kept = [*folder.rglob("*.tsv"), *folder.rglob("settings.json"), folder / "table.json", folder / "table.md"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in kept}


def test_every_repetition_is_a_run_on_its_sub_sample(repeated, lists):
    folder, document = repeated
    names = ["full", "sample-1", "sample-2", "sample-3", "sample-4"]
    runs = document["settings"][0]["runs"]
    assert [each["path"] for each in runs] == names
    references = read_lines(lists[3])
    for number, each in enumerate(runs):
        chosen = range(SENTENCES) if number == 0 else sub_sample(SENTENCES, number).tolist()
        seen = [json.loads(line)["references"] for line in read_lines(folder / each["path"] / "dev.jsonl")]
        assert seen == [[references[at]] for at in chosen]
        assert each["sentences"] == len(chosen)
        assert (folder / each["path"] / "report.html").exists()


def test_the_table_recomputes_from_the_runs(repeated):
    folder, document = repeated
    found = document["settings"][0]
    tune = []
    for each in found["runs"]:
        rounds = [json.loads(line) for line in read_lines(folder / each["path"] / "history.jsonl")]
        tune.append(max(row["score"] for row in rounds))
        assert each["tune"] == tune[-1]
    assert found["tune"]["mean"] == pytest.approx(statistics.mean(tune))
    assert found["tune"]["deviation"] == pytest.approx(statistics.stdev(tune))
    assert found["runs"][0]["dev"] == pytest.approx(found["runs"][0]["tune"])  # tuned on all of dev
    text = (folder / "table.md").read_text(encoding="utf-8")
    assert f"| mean | {statistics.mean(tune):.2f} |" in text
    assert (folder / "weights.tsv").read_bytes() == (folder / "full" / "weights.tsv").read_bytes()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "sample-4" in page
    assert "p rand" in page


def test_the_same_bytes_whatever_runs_at_once(repeated, lists, tmp_path):
    folder, _ = repeated
    ended = run("tune", *lists, "--stability", 4, "-o", tmp_path / "run", "-j", 3, "-q")
    assert ended.exit_code == 0, ended.output
    assert bytes_of(tmp_path / "run") == bytes_of(folder)


@pytest.mark.parametrize("rename", [3, 20, 44])
def test_killed_and_resumed_it_ends_with_the_same_bytes(repeated, lists, tmp_path, rename):
    folder, _ = repeated
    words = ["tune", *lists, "--stability", 4, "-o", tmp_path / "run", "-q", "-j", 2]
    assert killed_at(rename, lambda: run(*words))
    assert not (tmp_path / "run" / "table.json").exists()
    assert run(*words).exit_code == 0
    assert bytes_of(tmp_path / "run") == bytes_of(folder)


def test_what_is_done_is_not_run_again(repeated, lists):
    folder, _ = repeated
    logs = {path: path.read_bytes() for path in folder.rglob("log.txt")}
    assert len(logs) == 5
    assert run("tune", *lists, "--stability", 4, "-o", folder, "-q").exit_code == 0
    assert all(path.read_bytes() == before for path, before in logs.items())


def test_more_repetitions_add_to_those_that_are_there(lists, tmp_path):
    for count in (2, 3):
        ended = run("tune", *lists, "--seeds", count, "-o", tmp_path / "run", "-f", "json", "-q")
        assert ended.exit_code == 0, ended.output
        found = json.loads(ended.stdout)["settings"][0]["runs"]
        assert [each["path"] for each in found] == [f"seed-{at}" for at in range(1, count + 1)]
    assert len({(tmp_path / "run" / each["path"] / "weights.tsv").read_bytes() for each in found}) == 3


def test_a_dead_run_names_itself_and_does_not_lose_the_others(lists, tmp_path):
    folder = tmp_path / "run"
    run("tune", *lists, "--stability", 1, "-o", folder, "-q")
    (folder / "sample-2").mkdir()
    (folder / "sample-2" / "mine.txt").write_text("x")
    ended = run("tune", *lists, "--stability", 3, "-o", folder, "-q")
    assert ended.exit_code == 1, ended.output
    assert "sample-2" in ended.stderr
    assert "other data" in ended.stderr
    assert "The others are done" in ended.stderr
    document = json.loads((folder / "table.json").read_text(encoding="utf-8"))
    assert [each["path"] for each in document["settings"][0]["runs"]] == ["full", "sample-1", "sample-3"]
    (folder / "sample-2" / "mine.txt").unlink()
    ended = run("tune", *lists, "--stability", 3, "-o", folder, "-f", "json", "-q")
    assert len(json.loads(ended.stdout)["settings"][0]["runs"]) == 4


def test_a_run_that_was_removed_is_made_again_and_other_settings_are_refused(lists, tmp_path):
    folder = tmp_path / "run"
    words = ["tune", *lists, "--sweep", "keep=5,20", "-o", folder, "-q"]
    assert run(*words).exit_code == 0
    before = bytes_of(folder)
    run_directory.remove_run(folder / "keep=5")
    assert run(*words).exit_code == 0
    assert bytes_of(folder) == before
    other = run(*words, "--seed", 2)
    assert (other.exit_code, "seed: 1 there, 2 now" in other.stderr) == (2, True), other.output
    assert bytes_of(folder) == before
    assert run(*words, "--seed", 2, "--restart").exit_code == 0
    assert bytes_of(folder) != before


def test_tunings_of_another_build_or_with_other_defaults_are_refused(lists, tmp_path, monkeypatch, another_build):
    words = ["tune", *lists, "--seeds", 2, "-o", tmp_path / "run", "-q"]
    assert run(*words).exit_code == 0
    before = bytes_of(tmp_path / "run")
    with monkeypatch.context() as patch:
        changed = recipes.get("pro").with_settings("keep=7")
        patch.setitem(recipes.recipes._factories, "pro", lambda: changed)
        other = run(*words)
    assert (other.exit_code, "loss.keep: 50 there, 7 now" in other.stderr) == (2, True), other.output
    another_build()
    other = run(*words)
    assert (other.exit_code, "made by another build of tunesmith" in other.stderr) == (2, True), other.output
    assert bytes_of(tmp_path / "run") == before
    assert run(*words, "--restart").exit_code == 0
    assert bytes_of(tmp_path / "run") != before  # settings.json names the build


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--stability", 0], "--stability must be at least 1, such as 4, got 0"),
        (["--stability", -3], "at least 1, such as 4, got -3"),
        (["--seeds", 1], "--seeds must be at least 2 to see how runs differ, got 1"),
        (["--stability", 2, "--seeds", 2], "two questions"),
        (["--sweep", ""], "--sweep"),
        (["--sweep", "keep"], "--sweep"),
        (["--sweep", "keep="], "--sweep"),
        (["--sweep", "colour=red"], "no setting 'colour'"),
        (["--sweep", "keep=many"], "keep must be a whole number, got 'many'"),
        (["--sweep", "keep=5,5"], "are the same"),
        (["--sweep", "keep=5", "--sweep", "keep=6"], "given twice"),
        (["--devtest", "x", "--devtest-refs", "y"], "one run needs none"),
        (["--devtest-refs", "y"], "belong together"),
        (["--sweep", "keep=5,6", "--devtest", "x", "--devtest-refs", "y"], "lists from files cannot"),
    ],
)
def test_what_cannot_be_meant_is_told_and_nothing_is_written(lists, tmp_path, words, message):
    ended = run("tune", *lists, *words, "-o", tmp_path / "run")
    assert (ended.exit_code, ended.stdout) == (2, ""), ended.output
    assert message in ended.stderr
    assert not (tmp_path / "run").exists()


def test_a_sub_sample_without_a_sentence_is_told(tmp_path):
    """Of a single sentence, one of the first fifty sub-samples has none."""
    (tmp_path / "dev.nbest").write_text("0 ||| a b ||| x= 1 ||| 0\n0 ||| a ||| x= 2 ||| 0\n")
    (tmp_path / "dev.en").write_text("a b\n")
    given = ["--candidates", tmp_path / "dev.nbest", "--refs", tmp_path / "dev.en"]
    ended = run("tune", *given, "--stability", 50, "-o", tmp_path / "run")
    assert (ended.exit_code, "has none of them" in ended.stderr) == (2, True), ended.output
    assert not (tmp_path / "run").exists()


def test_folders_of_other_data_are_left_alone(lists, tmp_path):
    (tmp_path / "mine.txt").write_text("x")
    ended = run("tune", *lists, "--seeds", 2, "-o", tmp_path)
    assert (ended.exit_code, "other data" in ended.stderr) == (2, True), ended.output
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    assert run("tune", *lists, "-o", tmp_path / "single", "-q").exit_code == 0
    ended = run("tune", *lists, "--seeds", 2, "-o", tmp_path / "single")
    assert (ended.exit_code, "other data" in ended.stderr) == (2, True), ended.output


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A small model, with features that get their numbers while it decodes."""
    folder = tmp_path_factory.mktemp("data")
    for words in (
        ["phrasebook", "--pairs", "300", "--eval-sentences", "12", "--references", "2", "-q", "-o", folder / "c"],
        ["train", "--source", folder / "c/train.zh", "--target", folder / "c/train.en", "--order", "2",
         "--aligner", "fast_align", "--max-span", "6", "-q", "-o", folder / "model"],
    ):  # fmt: skip
        ended = run(*words)
        assert ended.exit_code == 0, ended.output
    with edited(folder / "model/system.toml").open("a") as out:
        out.write('\n[[features]]\ntemplate = "target_bigrams"\n')
    return folder


def test_a_sweep_chooses_what_is_best_on_devtest(model, tmp_path):
    words = ["tune", "-m", model / "model", "--dev", model / "c/dev.zh", "--refs", model / "c/dev.en.0",
             model / "c/dev.en.1", "--recipe", "mira", "--rounds", 2, "--k", 10, "--sweep", "step_cap=1,0.001",
             "--stability", 1, "--devtest", model / "c/devtest.zh", "--devtest-refs", model / "c/devtest.en.0",
             model / "c/devtest.en.1"]  # fmt: skip
    documents = []
    for threads in (1, 2):
        ended = run(*words, "-o", tmp_path / f"run{threads}", "-f", "json", "-q", "-j", threads)
        assert ended.exit_code == 0, ended.output
        documents.append(json.loads(ended.stdout))
    assert bytes_of(tmp_path / "run1") == bytes_of(tmp_path / "run2")
    document, folder = documents[0], tmp_path / "run1"
    means = [each["devtest"]["mean"] for each in document["settings"]]
    best = document["settings"][int(np.argmax(means))]
    assert document["chosen"] == best["settings"]
    assert (folder / "weights.tsv").read_bytes() == (folder / best["runs"][0]["path"] / "weights.tsv").read_bytes()
    lines = read_lines(model / "c/devtest.zh")
    references = read_references([model / "c/devtest.en.0", model / "c/devtest.en.1"]).sentences
    for each in (run for setting in document["settings"] for run in setting["runs"]):
        decoder = TranslationModel.open(model / "model").decoder(
            Weights.read(folder / each["path"] / "weights.tsv")
        )
        rows = Bleu().prepare(references).statistics([found.text for found in decoder.translate(lines)])
        assert each["devtest"] == pytest.approx(float(Bleu().score(rows.sum(axis=0))))
    assert (folder / "sweep.svg").read_text(encoding="utf-8").startswith("<svg ")
    assert "Scores against the setting" in (folder / "report.html").read_text(encoding="utf-8")
    without = run(*words[: words.index("--devtest")], "-o", folder, "-f", "json", "-q")
    assert json.loads(without.stdout)["chosen"] is None
    assert not (folder / "weights.tsv").exists()  # nobody has chosen any


def test_what_is_left_of_a_sweep_is_not_chosen_for_that(lists, tmp_path):
    """A file of another person is in the way of one of two values; nothing is judged by devtest nor said to be."""
    folder = tmp_path / "run"
    assert run("tune", *lists, "--sweep", "keep=5", "-o", folder, "-q").exit_code == 0
    assert "keep=5 is the only setting" in (folder / "table.md").read_text(encoding="utf-8")
    (folder / "keep=9").mkdir()
    (folder / "keep=9" / "mine.txt").write_text("x")
    assert run("tune", *lists, "--sweep", "keep=5,9", "-o", folder, "-q").exit_code == 1
    document = json.loads((folder / "table.json").read_text(encoding="utf-8"))
    assert [each["settings"] for each in document["settings"]] == [["keep=5"]]
    assert document["chosen"] is None
    assert "best on devtest" not in (folder / "report.html").read_text(encoding="utf-8")
    assert not (folder / "weights.tsv").exists()
