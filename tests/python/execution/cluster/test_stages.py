"""Stages of a pipeline on workers: the same bytes as here, and what is said of one that fails."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes import dask_preload
from support.processes.dask_preload import KILLS

from tunesmith.execution.cluster import open_cluster, read_place

pytest.importorskip("distributed", reason="needs the extra cluster")

pytestmark = pytest.mark.filterwarnings("default")  # of Dask and its event loops

STAGES = """\
[data.corpus]
pairs = 60
eval-sentences = 12

[train.model]
source = "{data.corpus}/train.zh"
target = "{data.corpus}/train.en"
aligner = "hmm"

[test.test]
source = "{data.corpus}/test.zh"
refs = "{data.corpus}/test.en.*"

[translate.plain]
model = "{train.model}"

[translate.narrow]
model = "{train.model}"
pop-limit = 5
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    home = tmp_path_factory.mktemp("stages")
    (home / "stages.toml").write_text(STAGES)
    return home


@pytest.fixture(scope="module")
def address(home):
    tests = str(Path(dask_preload.__file__).parents[2])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", os.pathsep.join([tests, *filter(None, [os.environ.get("PYTHONPATH")])]))
        patch.setenv("DASK_DISTRIBUTED__WORKER__PRELOAD", json.dumps([dask_preload.__name__]))
        patch.setenv(KILLS, str(home / "kills"))
        with open_cluster(read_place("local:workers=2,tls=no,wait=40")) as opened:
            yield opened.client.scheduler_info()["address"]


def pipeline(home, *words):
    command = [sys.executable, "-m", "tunesmith", "pipeline", "stages.toml", *words]
    return subprocess.run(command, capture_output=True, text=True, cwd=home, check=False)


def files_of(folder):
    """The bytes of every file but markers and logs, which have times and the paths of their folder."""
    left_out = ("stage.json", "printed.json", "results.json", "about.json", "log.txt", "lock")
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name not in left_out]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths if path.suffix != ".log"}


def test_stages_have_the_same_bytes_though_a_worker_is_killed(home, address):
    here = pipeline(home, "-q", "-o", "here", "-f", "json")
    assert here.returncode == 0, here.stderr
    (home / "kills").mkdir()
    there = pipeline(home, "-o", "there", "-f", "json", "--cluster", address)
    (home / "kills").rename(home / "killed")
    assert there.returncode == 0, there.stderr
    assert [each.name for each in (home / "killed").iterdir()] == ["verb"]
    assert files_of(home / "here") == files_of(home / "there")
    one, other = (json.loads(each.stdout) for each in (here, there))
    other = json.loads(json.dumps(other).replace("there/", "here/"))
    assert one["tests"] == other["tests"]
    assert one["tests"]["test"]["systems"].keys() == {"plain", "narrow"}


def test_a_stage_that_fails_takes_only_those_that_need_it(home, address):
    failing = pipeline(home, "-o", "failing", "--cluster", address, "--set", "translate.plain.beam-size=7")
    assert failing.returncode == 2, failing.stderr  # refused before any stage
    (home / "no.tsv").write_text("no weights\n")
    failing = pipeline(home, "-o", "failing", "--cluster", address, "--set", "translate.plain.weights=no.tsv")
    assert failing.returncode == 1
    assert "translate.plain.test failed: code 1" in failing.stderr
    assert "no.tsv" in failing.stderr
    assert (home / "failing/translate/narrow/test/translation").exists()
