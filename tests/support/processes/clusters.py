"""Runs on a cluster and here, for comparison."""

from support.processes.waiting import until
from tunesmith.corpus.text_files import TextFiles
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.jobs.decoded import Decoded, DecodedText
from tunesmith.jobs.recipe import RecipeSpec
from tunesmith.jobs.tuning import TuningJob

BAD = {"lm": -0.3, "word_penalty": -0.5, "distortion": 0.2, "unknown": 0.1}
"""Start weights from which there is something to learn."""


def tuned(home, model, name, executor, recipe="mira", train=None, features=None, rounds=2, labels=None):
    """The folder of a run on `dev.f` and `dev.e`."""
    text = TextFiles(str(home / "dev.f"), (str(home / "dev.e"),), labels=labels and str(labels))
    dev = DecodedText(DecoderSpec(str(model), features=features), text)
    spec = RecipeSpec(name=recipe, rounds=rounds, k=8, inner_rounds=None if train is None else 1)
    with TuningJob(data=Decoded(dev, train), recipe=spec, start=BAD).open(
        executor=executor, fitting=executor
    ) as job:
        job.fit(output=home / name, report=False)
    return home / name


def same_folders(one, other):
    """The bytes of every file, times aside."""
    found = []
    for root in (one, other):
        files = {path.relative_to(root).as_posix(): path for path in root.rglob("*") if path.is_file()}
        left_out = ("lock", "log.txt", "report.html", "history.jsonl", "state.json")
        found.append({name: path.read_bytes() for name, path in files.items() if name not in left_out})
    assert found[0].keys() == found[1].keys()
    assert [name for name in found[0] if found[0][name] != found[1][name]] == []
    assert found[0]


def scaled(cluster, workers):
    """Ask for this number of workers until they are there, as `Tending` does."""
    client = cluster.client
    until(lambda: client.cluster.scale(workers) or len(client.scheduler_info(n_workers=-1)["workers"]) == workers)
