"""A real scheduler and real workers, on loopback: the same bytes as here, whatever is lost."""

import dataclasses
import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from msgspec.structs import replace
from support.lists.random_differences import random_differences
from support.processes.clusters import BAD, same_folders, scaled, tuned
from support.processes.dask_preload import Reading, Squares, preload
from support.processes.killing import signalled_at
from support.processes.waiting import until
from typer.testing import CliRunner

from tunesmith import execution
from tunesmith.cli.cluster import cluster_options
from tunesmith.cli.main import app
from tunesmith.corpus.text_files import Lines, TextFiles
from tunesmith.decoding.work.kinds import Decode, KBest, Translate
from tunesmith.decoding.work.left_out import LeftOut
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.execution.cluster import ClusterError, ClusterObserver, open_cluster, read_place
from tunesmith.execution.cluster import mapping as cluster_mapping
from tunesmith.execution.cluster import opening as cluster_opening
from tunesmith.jobs.decoded import DecodedText
from tunesmith.training.start import feature_parts
from tunesmith.tuning.optimizers.batch_oscar import batch_oscar

pytest.importorskip("distributed", reason="needs the extra cluster")

pytestmark = pytest.mark.filterwarnings("default")  # of Dask and its event loops


def blocks_of(home, size=2, *, numbered=False):
    lines = (home / "f").read_text(encoding="utf-8").splitlines()
    return [
        Lines(lines[at : at + size], list(range(at, min(at + size, len(lines)))) if numbered else None)
        for at in range(0, len(lines), size)
    ]


def test_results_come_in_the_order_of_the_blocks(cluster):
    seen = []

    class Watching(ClusterObserver):
        def progress(self, progress):
            seen.append(progress)

    watched = replace_observer(cluster, Watching())
    assert list(execution.map(Squares(1), list(range(20)), watched)) == [at**2 + 1 for at in range(20)]
    assert [each.done for each in seen] == list(range(1, 21))
    assert seen[-1].blocks == 20
    assert seen[-1].left == 0


def replace_observer(cluster, observer):
    return dataclasses.replace(cluster, observer=observer)


def test_translations_are_the_same(cluster, model, home):
    spec = DecoderSpec.of(model, pop_limit=20)
    for work in (Translate(spec), Decode(spec)):
        here = list(execution.map(work, blocks_of(home)))
        assert list(execution.map(work, blocks_of(home), cluster)) == here


def test_translations_are_the_same_while_there_are_one_to_four_workers(cluster, model, home):
    work, blocks = Translate(DecoderSpec.of(model, pop_limit=20)), blocks_of(home, 1)
    expected = list(execution.map(work, blocks))
    untended = dataclasses.replace(cluster, tend=lambda: False)  # which would go back to two of them
    try:
        for workers in (1, 4):
            scaled(cluster, workers)
            assert list(execution.map(work, blocks, untended)) == expected
        found = execution.map(work, blocks, untended)
        begun = [next(found)]
        cluster.client.cluster.scale(3)
        assert [*begun, *found] == expected
    finally:
        scaled(cluster, 2)


def test_the_command_sends_models_and_says_how_far_it_is(address, model, home, monkeypatch):
    monkeypatch.setattr(cluster_options, "_EVERY", 0.0)
    words = ["translate", "-m", str(model), str(home / "f")]
    here, there = (
        CliRunner().invoke(app, [*words, *more]) for more in ([], ["--cluster", address, "--ship-model"])
    )
    assert (there.exit_code, there.stdout) == (0, here.stdout)
    assert re.search(r"cluster: scheduler tcp://\S+, dashboard http://\S+", there.stderr)
    assert re.search(r"cluster: 2 workers, block 1 of 1, [\d.]+ blocks a second, 0 s left", there.stderr)


def test_leave_one_out_and_folds_are_the_same(cluster, model, home):
    text = TextFiles(str(home / "f"), (str(home / "e"),), parallel=True)
    for left_out in (LeftOut(str(home / "own")), LeftOut(str(home / "own"), 2, text)):
        spec = replace(DecoderSpec.of(model, pop_limit=20), left_out=left_out).sealed()
        blocks = blocks_of(home, 3, numbered=True)
        for number, executor in enumerate((None, cluster)):
            lists = list(execution.map(KBest(spec, 5), blocks, executor))
            for at, each in enumerate(lists):
                each.save(home / f"lists-{left_out.folds}-{number}" / str(at))
        same_folders(home / f"lists-{left_out.folds}-0", home / f"lists-{left_out.folds}-1")


@pytest.fixture(scope="module")
def here(home, sparse_model):
    return tuned(home, sparse_model, "here", None)


def test_tuning_has_the_same_bytes_though_a_worker_is_killed_in_each_round(cluster, sparse_model, home, here):
    """Sparse features across rules have the numbers that they have here, whoever met them first."""
    (home / "kills").mkdir()
    try:
        there = tuned(home, sparse_model, "there", cluster)
        assert len(list((home / "kills").iterdir())) == 3  # of the start weights, and in each round
    finally:
        (home / "kills").rename(home / "killed")
    same_folders(here, there)


def test_grouping_and_its_fits_have_the_same_bytes(cluster, model, home):
    """Weights of rules are learnt on workers (L-BFGS on pairs), and so are weights of groups."""
    features = feature_parts("default,id", "hierarchical")
    text = TextFiles(str(home / "dev.f"), (str(home / "dev.e"),))
    train = DecodedText(DecoderSpec(str(model), features=features), text)
    folders = [
        tuned(home, model, f"grouped-{number}", executor, "grouped", train, features, 1)
        for number, executor in enumerate((None, cluster))
    ]
    assert list(folders[0].rglob("groups*"))
    same_folders(*folders)


def test_oscar_in_shards_has_the_same_bytes_though_a_worker_is_killed(cluster, home):
    data = random_differences(8, pairs=600, features=40, dense=2)
    (home / "kills").mkdir()
    try:
        for number, shipping in enumerate((cluster, dataclasses.replace(cluster, alone=False))):
            settings = {"l1": 1e-3, "l2": 1e-4, "tolerance": 0.1, "iterations": 2 + number}
            there = batch_oscar(data, np.zeros(data.columns), executor=shipping, **settings)
            here = batch_oscar(data, np.zeros(data.columns), **settings)
            assert there.weights.tobytes() == here.weights.tobytes()
        assert [each.name for each in (home / "kills").iterdir()] == ["sum-256"]
    finally:
        (home / "kills").rename(home / "killed-sums")


def test_a_driver_that_is_killed_resumes_to_the_same_bytes(address, sparse_model, home, here):
    data = ["--dev", home / "dev.f", "--refs", home / "dev.e", "--recipe", "mira", "--rounds", 2, "--k", 8]
    (home / "start.tsv").write_text("".join(f"{name}\t{value}\n" for name, value in BAD.items()))
    words = [
        "tune",
        "-m",
        sparse_model,
        *data,
        "--start",
        home / "start.tsv",
        "-q",
        "-o",
        home / "resumed",
        "--cluster",
        address,
    ]
    assert signalled_at(8, signal.SIGKILL, words).returncode == -signal.SIGKILL
    command = [sys.executable, "-m", "tunesmith", *map(str, words)]
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    same_folders(here, home / "resumed")


def test_a_block_that_always_fails_is_named(cluster):
    with pytest.raises(
        ClusterError, match=r"block 2 \(-1\) failed 3 times: RuntimeError: this block always fails"
    ):
        list(execution.map(Squares(2), [3, -1, 4], cluster))


def test_a_block_that_always_kills_its_worker_is_named(cluster):
    with pytest.raises(ClusterError, match=r"block 1 \(-2\) failed 3 times: KilledWorker"):
        list(execution.map(Squares(3), [-2], cluster))
    assert list(execution.map(Squares(4), [1, 2], cluster)) == [5, 8]  # workers are back


def test_a_worker_of_another_build_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(cluster_mapping, "build_digest", lambda: "0123456789abcdef")
    with pytest.raises(ClusterError, match=r"has tunesmith .* the driver .* \(build 0123456789abcdef\)"):
        list(execution.map(Squares(), [1], cluster))


def test_another_model_is_refused(cluster, model, home):
    spec = DecoderSpec.of(model)
    other = replace(spec, digests={**spec.digests, "rules": "00000000"})
    with pytest.raises(
        ClusterError, match=r"the worker tcp://.* says: .*rules changed since this work was described"
    ):
        list(execution.map(Translate(other), blocks_of(home), cluster))


def test_files_are_sent_to_workers_that_do_not_see_ours(cluster, home):
    (home / "sent" / "below").mkdir(parents=True)
    (home / "sent" / "below" / "a").write_text("text")
    shipping = dataclasses.replace(cluster, ship=True)
    [[place, text]] = execution.map(Reading(str(home / "sent")), ["below/a"], shipping)
    assert text == "text"
    assert place != str(home / "sent")
    [[place, _]] = execution.map(Reading(str(home / "sent")), ["below/a"], cluster)
    assert place == str(home / "sent")


def test_a_scheduler_that_never_answers():
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        place = read_place(f"tcp://127.0.0.1:{silent.getsockname()[1]}")
        with (
            pytest.raises(ClusterError, match="no scheduler answers within 1 seconds"),
            open_cluster(place, connect=1),
        ):
            pass


def test_an_open_scheduler_that_others_reach_is_warned_of_however_it_is_named(home, monkeypatch):
    class Client:
        scheduler = SimpleNamespace(address="tcp://10.9.8.7:8786")
        dashboard_link = "http://10.9.8.7:8787/status"

        def close(self, timeout):
            pass

    notes = []

    class Noting(ClusterObserver):
        def note(self, text):
            notes.append(text)

    (home / "open.json").write_text("{}")
    monkeypatch.setattr(cluster_opening, "_client", lambda *given: Client())
    for place in (str(home / "open.json"), "tcp://10.9.8.7:8786"):
        notes.clear()
        with open_cluster(read_place(place), observer=Noting()):
            assert "warning: tcp://10.9.8.7:8786 is not encrypted" in notes[0]
            assert notes[1] == "scheduler tcp://10.9.8.7:8786, dashboard http://10.9.8.7:8787/status"


def test_a_scheduler_that_dies(home):
    """A scheduler that was started by hand."""
    file = home / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    scheduler = subprocess.Popen(
        [*command, "--no-dashboard", "--scheduler-file", str(file)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(file.exists)
        words = [sys.executable, "-m", "tunesmith", "cluster", "status", str(file)]
        status = subprocess.run(words, capture_output=True, text=True, check=True).stdout
        assert re.fullmatch(r"scheduler tcp://\S+, dashboard \S+\nworkers 0\n", status)
        with open_cluster(read_place(str(file))) as opened:
            results = execution.map(Squares(), KillingBlocks(scheduler), opened)
            with pytest.raises(
                ClusterError, match=r"the scheduler does not answer any more.*same command resumes"
            ):
                next(results)
    finally:
        scheduler.kill()
        scheduler.wait()


class KillingBlocks:
    """A block, and the end of the scheduler."""

    def __init__(self, scheduler):
        self._scheduler = scheduler

    def __iter__(self):
        yield 1
        self._scheduler.kill()


def test_workers_that_cannot_start_are_said(monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", json.dumps(["no_such_module"]))
    ended = pytest.raises(ClusterError, match=r"(?s)all workers have ended.*worker-0: .*")
    with open_cluster(read_place("local:workers=1,tls=no")) as opened, ended:
        list(execution.map(Squares(), [1], opened))


def test_workers_end_with_the_cluster(tmp_path, monkeypatch):
    """Encrypted, as it is by default; the workers are processes of their own and are gone afterwards."""
    preload(monkeypatch)
    with open_cluster(read_place("local:workers=1,wait=40")) as opened:
        assert opened.client.scheduler_info()["address"].startswith("tls://")
        [number] = execution.map(Squares(), [-3], opened)
        assert number != os.getpid()
        assert Path(f"/proc/{number}").exists()
    until(lambda: not Path(f"/proc/{number}").exists())
