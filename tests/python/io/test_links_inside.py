"""A folder of tunesmith that another person made: no link in it is followed, and no pipe in it waited for.

Every kind of folder is made once. Then each file and folder in it, found by walking, is replaced by a link or by
something that is not a file, and the verbs that use such a folder are run.
"""

import os
import shutil
import signal
import sys
from dataclasses import dataclass

import numpy as np
import pytest
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.errors import IrregularFileError
from tunesmith.experiments.cherry2012.experiment import BatchTuning
from tunesmith.experiments.cherry2012.rows import chosen_rows
from tunesmith.experiments.settings import ExperimentSettings, Scale
from tunesmith.search import read_kbest

SECRET = "root:x:0:0:root"
EXPERIMENT = ExperimentSettings(
    Scale(dev_rounds=1, k=5), order=2, phrasebook=PhrasebookOptions(pairs=300, eval_sentences=12)
)


class TooLong(BaseException):
    """Something waits, such as for a pipe."""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    text: str


def run(*words):
    def stop(*_):
        raise TooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(120)
    try:
        ended = CliRunner().invoke(app, [str(word) for word in words])
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    if ended.exception is not None and not isinstance(ended.exception, SystemExit):
        raise ended.exception
    return Ended(ended.exit_code, ended.stdout + ended.stderr if words[0] == "check" else ended.stderr)


def ran(*words):
    ended = run(*words)
    assert ended.code == 0, ended.text


def experiment(folder):
    """The experiment in the folder, run; how the command line would end."""
    try:
        BatchTuning(folder, None, EXPERIMENT, samples=0).run(chosen_rows(["kb-mira-default", "pro-default"]))
    except IrregularFileError as error:
        return Ended(error.exit_code, str(error))
    return Ended(0, "")


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """Lists whose features tell good candidates from bad ones; a corpus and a model of it."""
    folder = tmp_path_factory.mktemp("data")
    random = np.random.default_rng(1)
    references, lines = [], []
    for at in range(12):
        words = [f"w{random.integers(20)}" for _ in range(8)]
        references.append(" ".join(words))
        for lost in range(4):
            kept = words[: 8 - lost]
            sparse = " ".join(f"{word}= {kept.count(word)}" for word in sorted(set(kept)))
            lines.append(
                f"{at} ||| {' '.join(kept)} ||| lm= {-1.5 * len(kept) + random.normal()} {sparse} ||| {-lost}"
            )
    (folder / "dev.nbest").write_text("\n".join(lines) + "\n")
    (folder / "dev.en").write_text("\n".join(references) + "\n")
    ran("phrasebook", "--pairs", 200, "--eval-sentences", 4, "-q", "-o", folder / "corpus")
    (folder / "weights.tsv").write_text("lm\t1\n")
    (folder / "line").write_text("".join((folder / "corpus/train.zh").read_text().splitlines(keepends=True)[:1]))
    return folder


def tune(data, run, *more):
    lists, references = data / "dev.nbest", data / "dev.en"
    return ("tune", "--candidates", lists, "--refs", references, "--rounds", 1, "-q", *more, "-o", run)


def tune_groups(data, run, *more):
    lists, references = data / "dev.nbest", data / "dev.en"
    return tune(data, run, "--recipe", "shares", "--inner-rounds", 1, "--train-candidates", lists, "--train-refs",
                references, "--group", "w*", *more)  # fmt: skip


def train(data, model):
    corpus = data / "corpus"
    return ("train", "--source", corpus / "train.zh", "--target", corpus / "train.en", "--order", 2, "--aligner",
            "fast_align", "--max-span", 4, "-q", "-o", model)  # fmt: skip


@pytest.fixture(scope="module")
def model(data):
    ran(*train(data, data / "model"))
    return data / "model"


def make_run(data, model, folder):
    ran(*tune_groups(data, folder))
    ran("report", folder, "-q")
    (folder / "failure.json").write_text('{"message": "full"}')


def use_run(data, model, folder):
    yield lambda: run(*tune_groups(data, folder))
    yield lambda: run("report", folder, "-q")
    yield lambda: run("runs", folder)
    yield lambda: run("groups", "show", folder)
    yield lambda: run(*tune_groups(data, folder, "--restart"))


def make_model(data, model, folder):
    shutil.copytree(model, folder)


def use_model(data, model, folder):
    yield lambda: run(*train(data, folder))
    yield lambda: run("translate", "-m", folder, "-q", data / "line", "-o", data / "line.out")
    yield lambda: run("features", "describe", folder)
    yield lambda: run("rules", "own", "-m", folder, "--source", data / "corpus/train.zh", "--target",
                      data / "corpus/train.en", "-q", "-o", data / "own-of-received")  # fmt: skip


def make_table(data, model, folder):
    shutil.copytree(model / "rules", folder)


def use_table(data, model, folder):
    yield lambda: run("rules", "stats", folder, "--check")
    yield lambda: run("rules", "show", folder)


def make_own(data, model, folder):
    corpus = data / "corpus"
    ran("rules", "own", "-m", model, "--source", corpus / "train.zh", "--target", corpus / "train.en", "-q",
        "-o", folder)  # fmt: skip


def use_own(data, model, folder):
    yield lambda: run("translate", "-m", model, "-q", "--leave-one-out", folder, data / "corpus/train.zh",
                      "-o", data / "own.out")  # fmt: skip


def make_candidates(data, model, folder):
    read_kbest(data / "dev.nbest").save(folder)


def use_candidates(data, model, folder):
    yield lambda: run("candidates", "stats", folder)
    yield lambda: run("rerank", folder, "-W", data / "weights.tsv", "-q", "-o", data / "reranked")
    yield lambda: run("candidates", "merge", folder, data / "dev.nbest", "-q", "-o", data / "merged")


def make_experiment(data, model, folder):
    assert experiment(folder).code == 0
    shutil.rmtree(folder / "pro-default/full-scores")  # so that the model and the data are used once more


def use_experiment(data, model, folder):
    yield lambda: experiment(folder)


def make_study(data, model, folder):
    ran(*tune(data, folder, "--seeds", 2))


def use_study(data, model, folder):
    yield lambda: run(*tune(data, folder, "--seeds", 2))
    yield lambda: run(*tune(data, folder, "--seeds", 2, "--restart"))


KINDS = {
    "run": (make_run, use_run),
    "model": (make_model, use_model),
    "table": (make_table, use_table),
    "own": (make_own, use_own),
    "candidates": (make_candidates, use_candidates),
    "experiment": (make_experiment, use_experiment),
    "study": (make_study, use_study),
}


@pytest.fixture(scope="module", params=KINDS)
def kind(request, data, model):
    """A folder of one kind, and the verbs for it."""
    make, use = KINDS[request.param]
    folder = data / f"good-{request.param}"
    make(data, model, folder)
    return folder, lambda received: [*use(data, model, received), lambda: run("check", received)]


def everything(folder):
    """All names with what is there, but times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        what = "folder" if path.is_dir() else path.read_bytes()
        found[str(path.relative_to(folder))] = (path.lstat().st_mode, what)
    return found


def put(what, path, outside, *, is_folder):
    """Put something where a file or folder was, which is outside now, or a secret."""
    if what == "link":  # to just what was there, so that following it would work
        path.symlink_to(outside / path.name)
    elif what == "secret":
        (outside / "folder" / "05").mkdir(parents=True)
        for name in ("passwd", "folder/passwd.npy", "folder/05/passwd.npy"):
            (outside / name).write_text(f"{SECRET}\n")
        path.symlink_to(outside / ("folder" if is_folder else "passwd"))
    elif what == "pipe":
        os.mkfifo(path)
    else:
        try:
            os.mknod(path, 0o600 | 0o020000, os.makedev(1, 3))  # /dev/null
        except OSError:
            pytest.skip("devices cannot be made here")


@pytest.mark.parametrize("what", ["link", "secret", "pipe", "device"])
def test_nothing_outside_is_touched_whatever_is_replaced(kind, what, tmp_path):
    good, verbs = kind
    received, outside = tmp_path / "received", tmp_path / "outside"
    shutil.copytree(good, received)
    names = sorted(path.relative_to(good) for path in good.rglob("*"))
    # Every file in turn; where a folder holds whole runs and models, which have turns of their own, some of them.
    some = 5 if good.name in ("good-experiment", "good-study") else 1 if what in ("link", "pipe") else 4
    deep = [name for name in names if len(name.parts) > 3]  # arrays of lists in a run, which are their own kind
    for name in [*[name for name in names if name not in deep][::some], *deep[:: 4 * some]]:
        path = received / name
        outside.mkdir()
        path.rename(outside / name.name)
        put(what, path, outside, is_folder=(good / name).is_dir())
        before = everything(outside)
        refused = 0
        for at, verb in enumerate(verbs(received)):
            ended = verb()
            assert everything(outside) == before, (name, at)
            assert SECRET not in ended.text
            if ended.code == 0:
                continue
            assert ended.code in (1, 2)
            lines = ended.text.strip().splitlines()
            assert f"{path}: is a " in (ended.text if ended.text.startswith("damaged ") else lines[-1]), (name, at)
            refused += 1
            if what != "link":  # a link to what was there is the one that all verbs would follow
                break
        assert refused, f"{name} as a {what}: no verb has said anything"
        path.unlink()
        (outside / name.name).rename(path)
        shutil.rmtree(outside)


SEEN: list[str] | None = None


def watch(event, arguments):
    if SEEN is not None and event.partition(".")[0] in ("open", "os", "shutil", "glob", "pathlib"):
        SEEN.extend(f"{event} {each}" for each in arguments[:2] if isinstance(each, str))


def test_every_file_is_opened_by_the_handle_of_its_folder(kind, tmp_path):
    """No name that leads through the folder is given to the system, so no link in it can be followed."""
    global SEEN
    good, verbs = kind
    received = tmp_path / "received"
    shutil.copytree(good, received)
    sys.addaudithook(watch)
    for verb in verbs(received):
        SEEN = []
        try:
            assert verb().code == 0
            seen = SEEN
        finally:
            SEEN = None
        by_name = [each for each in seen if f"{received}/" in each]
        assert by_name == []


def test_a_link_to_the_folder_is_fine(kind, tmp_path):
    good, verbs = kind
    shutil.copytree(good, tmp_path / "received")
    (tmp_path / "link").symlink_to("received")
    for verb in verbs(tmp_path / "link"):
        assert verb().code == 0
    assert (tmp_path / "link").is_symlink()


@pytest.mark.parametrize("name", ["settings.json", "state.json", "history.jsonl", "failure.json"])
def test_runs_lists_the_others(data, tmp_path, name):
    for each in ("bad", "good"):
        ran(*tune(data, tmp_path / each))
    path = tmp_path / "bad" / name
    (tmp_path / "outside").write_text(f"{SECRET}\n")
    path.unlink(missing_ok=True)
    path.symlink_to(tmp_path / "outside")
    ended = CliRunner().invoke(app, ["runs", str(tmp_path)])
    assert ended.exit_code == 0
    assert f"{tmp_path / 'good'} " in ended.stdout
    assert f"{path}: is a link" in ended.stderr
    assert SECRET not in ended.output
