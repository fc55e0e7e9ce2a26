"""Domains on the command line: a model with labels is trained, tuned, decoded and judged by domain."""

import json
import re

import pytest
from support.processes.shell import Shell, bad, good

from tunesmith.corpus.phrasebook import PhrasebookOptions, generate
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.features.domains import weights_in
from tunesmith.weights import Weights

TRAIN = ("train", "--source", "train.zh", "--target", "train.en", "--labels", "train.labels", "--kind", "phrase",
         "--aligner", "hmm", "--order", "2", "-q", "-o", "model", "--features",
         "small,unknown,lexical_rule:more_than=0,domains:templates=lexical_rule,default=news")  # fmt: skip
TUNE = ("tune", "-m", "model", "--dev", "dev.zh", "--refs", "dev.en.0", "--rounds", "2", "--k", "10", "-q")

LISTS = ("tune", "--candidates", "nbest", "--refs", "dev.en.0", "--recipe", "mira", "-q", "-o", "lists")


@pytest.fixture(scope="module")
def shell(tmp_path_factory):
    """A corpus whose lines are news and web in turn, and a model of it."""
    shell = Shell(tmp_path_factory.mktemp("domains"))
    corpus = generate(PhrasebookOptions(pairs=120, eval_sentences=8))
    corpus.write(shell.folder)
    for name in ("train", "dev", "test"):
        lines = shell.text(f"{name}.zh").splitlines()
        labels = [("news", "web")[at % 2] for at in range(len(lines))]
        pairs = [f"{label}\t{line}\n" for label, line in zip(labels, lines, strict=True)]
        shell.write(**{f"{name}.labels": "".join(f"{label}\n" for label in labels), f"{name}.tsv": "".join(pairs)})
    good(shell(*TRAIN))
    good(shell(*TUNE, "--recipe", "mira", "--labels", "dev.labels", "-o", "run"))
    return shell


def test_tuning_learns_weights_of_the_domain(shell):
    names = [
        line.split("\t")[0] for line in shell.text("run/weights.tsv").splitlines() if not line.startswith("#")
    ]
    assert any(name.startswith("lexical_rule@web:") for name in names)
    assert not any("@news" in name for name in names)


def test_reports_have_the_scores_of_each_domain(shell):
    assert_each_domain_is_reported(shell, "run")
    sentences = [json.loads(line) for line in shell.text("run/dev.jsonl").splitlines()]
    assert [each["source"] for each in sentences] == shell.text("dev.zh").splitlines()
    assert [each["label"] for each in sentences] == ["news", "web"] * 4


def assert_each_domain_is_reported(shell, run):
    """The section of the page, from what the best round chose."""
    page = shell.text(f"{run}/report.html")
    rows = re.findall(r"<tr><td[^>]*>(news|web)</td><td[^>]*>4</td><td[^>]*>[\d.]+</td><td[^>]*>([\d.]+)<", page)
    assert [domain for domain, _ in rows] == ["news", "web"]
    record = RunRecord(shell.folder / run)
    chosen = record.chosen(record.best.round)
    for at, (_, score) in enumerate(rows):
        assert float(score) == pytest.approx(record.metric.score(chosen.statistics[at::2].sum(axis=0)), abs=0.006)


def test_a_column_and_a_file_of_labels_are_the_same(shell):
    words = ("translate", "-m", "model", "-W", "run/weights.tsv", "-q")
    by_file = good(shell(*words, "test.zh", "--labels", "test.labels"))
    assert good(shell(*words, "test.tsv")) == by_file
    assert len(by_file.splitlines()) == 8


def test_lists_name_copies_of_their_domain_only(shell):
    lists = good(shell("translate", "-m", "model", "-W", "run/weights.tsv", "-q", "test.tsv", "--kbest", "3"))
    for line in lists.splitlines():
        assert ("lexical_rule@web:" in line) == (int(line.split(" ||| ")[0]) % 2 == 1), line


def test_the_same_command_resumes_and_online_tuners_take_labels(shell):
    words = (*TUNE, "--recipe", "expected-bleu", "--labels", "dev.labels", "-o", "online")
    good(shell(*words))
    before = shell.text("online/weights.tsv")
    good(shell(*words))
    assert shell.text("online/weights.tsv") == before
    assert "lexical_rule@web:" in before


def test_results_of_each_domain(shell):
    out = good(shell("translate", "-m", "model", "-q", "test.tsv"))
    shell.write(out=out, other=out.upper())
    words = ("--refs", "test.en.0", "--labels", "test.labels")
    document = json.loads(good(shell("evaluate", "out", *words, "-f", "json", "--bootstrap", "0")))
    (metric,) = document["metrics"]
    assert [(each["domain"], each["sentences"]) for each in metric["domains"]] == [("news", 4), ("web", 4)]
    lines = [line.split("\t", 1)[1] for line in shell.text("test.tsv").splitlines()]
    web = "".join(f"{line}\n" for line in out.splitlines()[1::2])
    references = "".join(f"{line}\n" for line in shell.text("test.en.0").splitlines()[1::2])
    assert len(lines) == 8
    shell.write(**{"web.out": web, "web.en": references})
    alone = json.loads(good(shell("evaluate", "web.out", "--refs", "web.en", "-f", "json", "--bootstrap", "0")))
    assert metric["domains"][1]["score"] == alone["metrics"][0]["score"]
    text = good(shell("evaluate", "out", *words))
    assert "|domain:news|" in text
    table = good(shell("compare", "out", "other", *words, "--bootstrap", "0", "--trials", "0"))
    assert "\nnews, 4 sentences\n" in table
    assert "\nweb, 4 sentences\n" in table


def test_lists_with_labels_are_tuned_and_reranked_by_domain(shell):
    shell.write(nbest=good(shell("translate", "-m", "model", "-q", "dev.tsv", "--kbest", "20", "--distinct")))
    good(shell(*LISTS, "--labels", "dev.labels", "--domains", "templates=lm/word_penalty,default=news"))
    weights = dict(Weights.read(shell.folder / "lists/weights.tsv").items())
    assert {name for name in weights if "@" in name.partition(":")[0]} >= {"lm@web", "word_penalty@web"}
    assert not any(name.startswith("lm@news") for name in weights)
    best = good(shell("rerank", "-W", "lists/weights.tsv", "--labels", "dev.labels", "nbest", "-q")).splitlines()
    for at, label in enumerate(("news", "web")):
        of_domain = Weights.from_mapping(weights_in(weights, label, {"news", "web"}))
        of_domain.write(shell.folder / f"{label}.tsv")
        alone = good(shell("rerank", "-W", f"{label}.tsv", "nbest", "-q")).splitlines()
        assert best[at::2] == alone[at::2]
    assert_each_domain_is_reported(shell, "lists")
    good(shell(*LISTS, "--labels", "dev.labels", "--domains", "templates=lm/word_penalty,default=news"))


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((*LISTS, "--labels", "few"), 1, "few: 1 labels for 8 lines of --candidates"),
        ((*LISTS, "--domains", "templates=lm"), 2, "--domains goes with --candidates and --labels"),
        ((*LISTS, "--labels", "dev.labels", "--domains", "templats=lm"), 2, "--domains has no setting 'templats'"),
        ((*LISTS, "--labels", "dev.labels", "--train-candidates", "nbest"), 2, "lists of both kinds have labels"),
        (("rerank", "-W", "model/weights.tsv", "--labels", "few", "nbest", "-q"), 2, "more lists than the 1"),
        (("rerank", "--labels", "dev.labels", "nbest", "-q"), 2, "--labels choose among weights"),
        (("translate", "-m", "model", "-q", "test.zh"), 1, "a line without a label: give --labels FILE"),
        (("translate", "-m", "model", "-q", "test.zh", "--labels", "few"), 1, "few: has 1 labels, fewer than"),
        (("translate", "-m", "model", "-q", "test.zh", "--labels", "wrong"), 2,
         "the label 'sport' is not a domain of this model; it has news, web"),
        ((*TUNE, "--recipe", "mira", "--labels", "wrong", "-o", "no"), 2, "the label 'sport' is not a domain"),
        ((*TUNE, "--recipe", "mira", "--labels", "few", "-o", "no"), 1, "few: 1 labels for 8 lines of dev.zh"),
        (("evaluate", "test.en.1", "--refs", "test.en.0", "--labels", "few", "-q"), 1, "few: 1 labels for 8"),
        (("evaluate", "test.en.1", "--refs", "test.en.0", "--labels", "test.labels", "-b", "-q"), 2, "choose one"),
    ],
)  # fmt: skip
def test_labels_that_do_not_fit(shell, words, code, said):
    nbest = "".join(f"{at} ||| a ||| lm= -1 ||| -1\n" for at in range(8))
    shell.write(few="web\n", wrong="sport\n" * 8, nbest=nbest)
    assert said in bad(shell(*words), code)
    assert not (shell.folder / "no").exists()
