"""Clusters of jobs: scripts as text, and the whole way with an `sbatch` that runs them here."""

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.processes.waiting import until

from tunesmith import execution
from tunesmith.corpus.text_files import Lines
from tunesmith.decoding.work.kinds import Translate
from tunesmith.decoding.work.spec import DecoderSpec
from tunesmith.errors import ConfigError
from tunesmith.execution.cluster import ClusterError, open_cluster, read_place
from tunesmith.execution.cluster.server import job_script
from tunesmith.training.options import TrainingData
from tunesmith.training.train import train_model

pytest.importorskip("distributed", reason="needs the extra cluster")
if find_spec("dask_jobqueue") is None:
    pytest.skip("needs the extra cluster", allow_module_level=True)
pytestmark = pytest.mark.filterwarnings("default")  # of Dask and its event loops

HERE = "host=127.0.0.1"
WORKER = "-m distributed.cli.dask_worker tls://127.0.0.1:"

SCRIPTS = {
    "slurm": ("queue=q,account=a,cores=4,memory=8GB,walltime=02:00:00",
              ["#SBATCH -p q", "#SBATCH -A a", "#SBATCH --cpus-per-task=4", "#SBATCH -t 02:00:00"], 4, 6900),
    "pbs": ("queue=q,account=a,cores=2", ["#PBS -q q", "#PBS -A a", "ncpus=2", "walltime=01:00:00"], 2, 3300),
    "sge": ("queue=q,account=a,walltime=00:30", ["#$ -q q", "#$ -P a", "h_rt=00:30:00"], 1, 1500),
    "lsf": ("queue=q,account=a,cores=2,walltime=03:00:00",
            ["#BSUB -q q", '#BSUB -P "a"', "#BSUB -W 03:00"], 2, 10500),
}  # fmt: skip


def test_ctrl_c_stays_ours(tmp_path):
    """dask-jobqueue has Ctrl-C end the process when it is imported, without a word on how to resume."""
    program = (
        "import signal, sys; from pathlib import Path; from tunesmith.execution.cluster import read_place;"
        "from tunesmith.execution.cluster.server import job_script;"
        "job_script(read_place('slurm:queue=q,host=127.0.0.1'), Path(sys.argv[1]));"
        "assert 'dask_jobqueue' in sys.modules;"
        "print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=False
    )
    assert ended.stdout.splitlines()[-1:] == ["True"], ended.stderr


@pytest.mark.parametrize("kind", SCRIPTS)
def test_scripts_of_every_queueing_system(kind, tmp_path):
    settings, lines, threads, lifetime = SCRIPTS[kind]
    script = job_script(read_place(f"{kind}:{HERE},{settings}"), tmp_path)
    for line in lines:
        assert line in script
    assert f"export TUNESMITH_THREADS={threads}\n" in script
    assert WORKER in script
    assert script.rindex("--nthreads 1 ") > script.index("--nthreads")  # the last one counts
    assert f"--lifetime {lifetime}s" in script
    assert f"--tls-key {tmp_path}/key.pem" in script
    assert (tmp_path / "key.pem").stat().st_mode & 0o077 == 0


def test_more_lines_of_a_script(tmp_path):
    place = tmp_path / "cluster.toml"
    place.write_text('[cluster]\nkind = "slurm"\nhost = "127.0.0.1"\nsetup = "module load gcc"\n'
                     'directives = ["--exclusive"]\npython = "/opt/python"\n')  # fmt: skip
    script = job_script(read_place(str(place)), tmp_path)
    assert "#SBATCH --exclusive\n" in script
    assert "\nmodule load gcc\n/opt/python -m distributed.cli.dask_worker" in script
    with pytest.raises(ConfigError, match="--dry-run prints the script of jobs"):
        job_script(read_place("local"), tmp_path)


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """A queueing system of this machine: `sbatch` runs the script, `scancel` ends it."""
    programs = tmp_path / "bin"
    programs.mkdir()
    numbers = tmp_path / "numbers"
    scripts = {
        "sbatch": f'cp "$1" {tmp_path}/job\nsetsid bash {tmp_path}/job > {tmp_path}/said 2>&1 < /dev/null &\n'
        f'echo $! >> {numbers}\necho "Submitted batch job $!"\n',
        "scancel": 'kill -TERM -- "-$1" 2> /dev/null\ntrue\n',
    }
    for name, text in scripts.items():
        (programs / name).write_text(f"#!/bin/bash\n{text}")
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("TUNESMITH_CLUSTER_FOLDER", str(tmp_path / "home"))
    yield numbers
    for number in numbers.read_text().split():
        subprocess.run(["/bin/bash", "-c", f"kill -KILL -- -{number}"], check=False, stderr=subprocess.DEVNULL)


def test_a_job_is_submitted_works_and_ends(queue, tmp_path):
    write_model(tmp_path)
    spec = DecoderSpec.of(tmp_path / "model")
    lines = (tmp_path / "f").read_text(encoding="utf-8").splitlines()
    blocks = [Lines(lines[:3]), Lines(lines[3:])]
    with open_cluster(read_place(f"slurm:{HERE},cores=1,wait=60")) as opened:
        assert opened.client.scheduler_info()["address"].startswith("tls://127.0.0.1")
        there = list(execution.map(Translate(spec), blocks, opened))
    assert there == list(execution.map(Translate(spec), blocks))
    [number] = queue.read_text().split()
    until(lambda: not Path(f"/proc/{number}").exists() or "Z" in Path(f"/proc/{number}/stat").read_text())
    assert list((tmp_path / "home").iterdir()) == []  # no keys are left


def test_a_job_that_is_refused_is_said_at_once(queue, tmp_path):
    """Not after the wait for workers, which are hours where jobs queue."""
    sbatch = tmp_path / "bin" / "sbatch"
    sbatch.write_text("#!/bin/bash\necho 'sbatch: error: Invalid partition name specified' >&2\nexit 1\n")
    queue.touch()
    said = r"(?s)slurm jobs: the queueing system took no job.*Invalid partition name specified"
    with (
        open_cluster(read_place(f"slurm:{HERE},queue=none,wait=3600")) as opened,
        pytest.raises(ClusterError, match=said),
    ):
        list(execution.map(Translate(DecoderSpec("model")), [Lines(["a"])], opened))
    started = tunesmith("cluster", "start", f"slurm:{HERE},queue=none", "-o", tmp_path / "cluster")
    assert started.returncode == 1
    assert "Invalid partition name specified" in started.stderr
    assert not (tmp_path / "cluster" / "scheduler.json").exists()


def write_model(folder):
    from support.corpora.tea_corpus import write_pairs

    write_pairs(folder)
    train_model(TrainingData(folder / "f", folder / "e", folder / "a"), folder / "model")


def tunesmith(*words):
    command = [sys.executable, "-m", "tunesmith", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_cluster_that_outlives_its_command(tmp_path):
    write_model(tmp_path)
    folder = tmp_path / "cluster"
    started = tunesmith("cluster", "start", "local:workers=1", "-o", folder)
    assert started.returncode == 0, started.stderr
    try:
        assert re.search(r"scheduler tls://127\.0\.0\.1:\d+, dashboard http://127\.0\.0\.1", started.stderr)
        assert "has a cluster" in tunesmith("cluster", "start", "local", "-o", folder).stderr
        words = ["translate", "-m", tmp_path / "model", tmp_path / "f", "-q"]
        there = tunesmith(*words, "--cluster", folder)
        assert there.stdout == tunesmith(*words).stdout
        assert there.stdout
        assert "workers 1\n" in tunesmith("cluster", "status", folder).stdout
    finally:
        stopped = tunesmith("cluster", "stop", folder)
    assert stopped.returncode == 0, stopped.stderr
    assert not (folder / "scheduler.json").exists()
    assert "has no cluster that runs" in tunesmith("cluster", "stop", folder).stderr
