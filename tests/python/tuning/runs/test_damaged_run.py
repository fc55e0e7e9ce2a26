"""Runs whose files are cut off, changed in single bits, or hold other values: one line that says so, always."""

import json
import math
import shutil
from functools import partial

import numpy as np
import pytest
from support.damage.damage import bits_flipped, cut_off, refused
from support.lists.grouped_toy import grouped_tuner, sources
from support.lists.toy_parts import MeanDifference, SeededStep
from support.models.toy_decoder import ToyDecoder, toy_data
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.errors import FormatError, MissingFileError
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.io.documents import write_document
from tunesmith.io.npy import read_npy
from tunesmith.tuning import BatchRounds, KBestSource, Tuner
from tunesmith.tuning.loop.history import Round, read_history, write_history
from tunesmith.tuning.runs.checkpoint import Checkpoints
from tunesmith.tuning.runs.chosen import read_chosen, read_sentences
from tunesmith.tuning.runs.directory import is_run
from tunesmith.tuning.runs.group_files import read_groups
from tunesmith.tuning.runs.status import status

pytestmark = pytest.mark.usefixtures("no_waiting_for_the_disk")

LINES, REFERENCES = toy_data(sentences=4)
WRONG = ("NaN", "Infinity", "-Infinity", "1e999", "-1", "0.5", "1" + "0" * 30, '"x"', '"../../x"', "null", "[]",
         "{}", "true", '"\\ud800"', "[" * 2000)  # fmt: skip


def source():
    return KBestSource(ToyDecoder(), LINES, REFERENCES, k=3)


def tune(folder, **more):
    return Tuner(MeanDifference(), SeededStep(), plan=BatchRounds(2), name="toy").fit(
        source(), output=folder, **more
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory, no_waiting_for_the_disk):
    folder = tmp_path_factory.mktemp("runs") / "run"
    tune(folder)
    return folder


@pytest.fixture(scope="module")
def grouped(tmp_path_factory, no_waiting_for_the_disk):
    folder = tmp_path_factory.mktemp("runs") / "grouped"
    dev, train = sources()
    grouped_tuner(MeanDifference(), SeededStep(), rounds=1).fit(dev, train=train, output=folder)
    return folder


@pytest.fixture
def run(finished, tmp_path):
    return shutil.copytree(finished, tmp_path / "run")


def loaded(folder):
    """The position of a run, as the same command would find it."""
    ignored = {"higher_is_better": True, "write_weights": lambda *given: None}
    return Checkpoints(folder, load_pool=lambda name, path: source().load(path), **ignored).load()


def looked_at(folder):
    """What `tunesmith report` reads."""
    record = RunRecord(folder)
    assert all("\n" not in text for text in record.missing)
    return record.state, record.rounds, record.best, record.sentences, record.steps, record.notes, record.metric


def other_values(text):
    """The JSON text with every value replaced by every wrong one."""
    document = json.loads(text)

    def places(value, path=()):
        yield path
        for key, each in (
            value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
        ):
            yield from places(each, (*path, key))

    for path in places(document):
        changed = holder = json.loads(json.dumps({"all": document}))
        last = "all"
        for key in path:
            holder, last = holder[last], key
        holder[last] = "@@"
        for wrong in WRONG:
            yield json.dumps(changed["all"]).replace('"@@"', wrong)


def damaged(data, *, cuts=60, flips=120):
    yield from cut_off(data, cuts)
    yield from bits_flipped(data, flips)


@pytest.mark.parametrize("name", ["settings.json", "state.json", "history.jsonl", "failure.json"])
def test_runs_are_listed_whatever_their_files_hold(run, name):
    path = run / name
    if name == "failure.json":
        state = json.loads((run / "state.json").read_text())
        write_document(run / "state.json", {**state, "finished": None}, seal=True)
        path.write_text('{"error": "FormatError", "message": "no more", "time": "now"}')
    data = path.read_bytes()
    rest, last = ([], data) if name != "history.jsonl" else (data.splitlines(True)[:-1], data.splitlines(True)[-1])
    texts = [b"".join([*rest, text.encode()]) for text in other_values(last)]
    for text in [*damaged(data), *texts]:
        path.write_bytes(text)
        if name == "settings.json" and not text.strip():
            continue
        found = status(run)
        assert found.state in ("finished", "failed", "interrupted", "damaged")
        json.dumps(found.as_dict(), allow_nan=False)
        if found.state == "damaged":
            assert str(path) in found.reason
            assert ("--restart" if is_run(run) else "remove the folder") in found.reason
            assert "\n" not in found.reason
            assert len(found.reason) < 600
        refused(partial(looked_at, run), str(run))


@pytest.mark.parametrize(
    "name", ["state.json", "history.jsonl", "rounds/02/weights.npy", "rounds/02/candidates/manifest.json"]
)
def test_a_position_is_read_or_refused_with_the_way_out(run, name):
    path = next(iter(run.glob(name)), None) or next(run.glob(f"rounds/*/{name.rpartition('/')[2]}"))
    data = path.read_bytes()
    texts = [text.encode() for text in other_values(data)] if name == "state.json" else []
    kept = shutil.copytree(run, run.parent / "kept")
    for text in [*damaged(data), *texts]:
        path.write_bytes(text)
        if refused(partial(loaded, run), str(run)):
            assert status(run).state in ("finished", "damaged")
        if not all((run / each.relative_to(kept)).exists() for each in kept.rglob("*")):
            shutil.rmtree(run)
            shutil.copytree(kept, run)
    path.write_bytes(data[:-4])
    with pytest.raises(FormatError, match="--restart"):
        loaded(run)


def test_a_damaged_run_is_restarted_as_it_was_begun(run, finished):
    weights = (run / "weights.tsv").read_bytes()
    for name in ("settings.json", "state.json", "history.jsonl"):
        data = (run / name).read_bytes()
        (run / name).write_bytes(data[: len(data) - 5])
        with pytest.raises(FormatError, match="--restart"):
            tune(run)
        tune(run, restart=True)
        assert (run / "weights.tsv").read_bytes() == weights
        assert status(run).state == "finished"


def test_one_damaged_run_beside_others_is_listed(run):
    for name in ("other", "unknown", "with-link"):
        shutil.copytree(run, run.parent / name)
    (run.parent / "with-link" / "settings.json").write_text("{")
    (run.parent / "with-link" / "state.json").unlink()
    (run.parent / "with-link" / "state.json").symlink_to("/nonexistent")
    (run / "state.json").write_text('{"round": Infinity}')
    (run.parent / "unknown" / "settings.json").write_bytes(b"\xff\xfe{")
    words = ["runs", str(run.parent)]
    ended = CliRunner().invoke(app, words)
    states = ["finished", "damaged", "damaged", "damaged"]
    assert [line.split()[1] for line in ended.stdout.splitlines()[1:]] == states
    notes = [line for line in ended.stderr.splitlines() if "is damaged" in line]
    assert len(notes) == 3
    assert str(run / "state.json") in notes[0]
    found = json.loads(CliRunner().invoke(app, [*words, "-f", "json"]).stdout)
    assert [each["state"] for each in found] == states
    assert "--restart" in found[1]["reason"]
    assert (found[1]["recipe"], found[1]["rounds"]) == ("toy", 2)  # what can be read is shown


@pytest.mark.parametrize("name", ["dev.jsonl", "chosen.tsv", "log.txt", "groups.tsv", "members.tsv"])
def test_what_people_read_is_read_or_refused(run, grouped, tmp_path, name):
    folder = (
        run if name in ("dev.jsonl", "chosen.tsv", "log.txt") else shutil.copytree(grouped, tmp_path / "grouped")
    )
    path = next(folder.rglob(name))
    read = {"dev.jsonl": read_sentences, "chosen.tsv": read_chosen}.get(name)
    data = path.read_bytes()
    for text in damaged(data):
        path.write_bytes(text)
        if read is not None:
            refused(partial(read, path), str(path))
        elif name != "log.txt":
            refused(partial(read_groups, path.parent), str(path.parent))
        looked_at(folder)


@pytest.mark.parametrize("kind", ["damaged", "values"])
def test_groups_of_a_checkpoint_are_read_or_refused(grouped, tmp_path, kind):
    folder = shutil.copytree(grouped, tmp_path / "run")
    state = json.loads((folder / "state.json").read_text())
    names = [state["projection"]["groups"], *state["arrays"].values()]
    for name in names:
        array = np.load(folder / name)
        data = (folder / name).read_bytes()
        if kind == "damaged":
            for text in damaged(data, cuts=20, flips=40):
                (folder / name).write_bytes(text)
                refused(partial(read_npy, folder / name, "--restart", dimensions=1), str(folder / name))
        else:
            for other in (
                array[:0],
                array.reshape(1, -1),
                array.astype(complex),
                array.astype(">f8"),
                array[:, None],
            ):
                np.save(folder / name, other)
                refused(partial(loaded, folder), str(folder))
        (folder / name).write_bytes(data)


def test_arrays_of_other_lengths_are_refused(grouped, finished, tmp_path):
    """Whole arrays that do not belong together would fail steps later, far from the cause."""
    for whole in (grouped, finished):
        folder = shutil.copytree(whole, tmp_path / whole.name)
        state = json.loads((folder / "state.json").read_text())
        names = [
            state["weights"],
            *(state["arrays"][name] for name in ("learnt", "alone") if name in state["arrays"]),
        ]
        for name in names:
            data = (folder / name).read_bytes()
            np.save(folder / name, np.load(folder / name)[:-1])
            with pytest.raises(FormatError, match="--restart"):
                loaded(folder)
            (folder / name).write_bytes(data)
        loaded(folder)


ARRAYS = {
    "vector": np.arange(5.0),
    "empty": np.zeros(0),
    "number": np.array(3.5),
    "matrix": np.arange(12.0).reshape(3, 4),
    "columns first": np.asfortranarray(np.arange(12.0).reshape(3, 4)),
    "counts": np.arange(7),
    "small": np.arange(7, dtype=np.int8),
    "truth": np.array([True, False]),
    "single": np.arange(3, dtype=np.float32),
    "cube": np.zeros((2, 0, 3)),
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_arrays_are_read_as_they_were_saved(tmp_path, kind):
    path = tmp_path / "array.npy"
    np.save(path, ARRAYS[kind])
    found = read_npy(path, "make it again", dimensions=ARRAYS[kind].ndim)
    assert (found.dtype, found.shape) == (ARRAYS[kind].dtype, ARRAYS[kind].shape)
    assert np.array_equal(found, ARRAYS[kind])
    assert found.flags.writeable
    data = path.read_bytes()
    for text in [*cut_off(data), *bits_flipped(data[:128], 300)]:
        path.write_bytes(text + data[128:] if len(text) == 128 else text)
        refused(lambda: read_npy(path, "make it again", dimensions=ARRAYS[kind].ndim), str(path))


HEADERS = {
    "absurd shape": "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999999,), }",
    "beyond 64 bits": "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999999, 99999999), }",
    "negative shape": "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
    "pickled objects": "{'descr': '|O', 'fortran_order': False, 'shape': (1,), }",
    "call": "{'descr': __import__('os').getcwd(), 'fortran_order': False, 'shape': (1,), }",
    "open bracket": "{'descr': '<f8', 'fortran_order': False, 'shape': (1,, }",
    "fields": "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
}


@pytest.mark.parametrize("kind", HEADERS)
def test_headers_that_we_do_not_write_are_refused(tmp_path, kind):
    header = HEADERS[kind].encode() + b"\n"
    path = tmp_path / "array.npy"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8))
    with pytest.raises(FormatError, match="make it again"):
        read_npy(path, "make it again", dimensions=1)
    with pytest.raises(MissingFileError):
        read_npy(tmp_path / "none.npy", "make it again", dimensions=1)


def test_numbers_that_are_not_finite_are_kept_as_such(tmp_path):
    path = tmp_path / "history.jsonl"
    rows = [Round(0, 1.5, details={"passes": 3, "change": math.inf}), Round(1, math.nan, norm=math.inf)]
    write_history(path, rows)
    assert "NaN" not in path.read_text()
    found = read_history(path)
    assert found[0].details["passes"] == 3
    assert math.isnan(found[0].details["change"])
    assert math.isnan(found[1].score)
    before = path.read_bytes()
    write_history(path, found)
    assert path.read_bytes() == before
    # Runs of earlier versions have them as Python writes them; a count is never one.
    path.write_text('{"round": 0, "score": NaN, "details": {"a NaN": -Infinity}}\n')
    assert math.isnan(read_history(path)[0].details["a NaN"])
    path.write_text('{"round": Infinity, "score": 1.0}\n')
    with pytest.raises(FormatError, match=r"history\.jsonl:1: is damaged"):
        read_history(path)


def test_a_foreign_file_is_not_quoted(run):
    """A file of another program under the name of a file of tunesmith: its content stays in it."""
    for name in ("state.json", "history.jsonl", "failure.json", "settings.json"):
        data = (run / name).read_bytes() if (run / name).exists() else b""
        for secret in ("root:hidden:0:0", '{"format": "hidden", "kind": "hidden"}', '"hidden"', "{'hidden"):
            (run / name).write_text(secret)
            assert "hidden" not in (status(run).reason or "")
            refused(lambda: loaded(run), str(run))
        (run / name).write_bytes(data)
