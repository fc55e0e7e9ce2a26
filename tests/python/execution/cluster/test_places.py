"""Where a cluster is, as users say it."""

import stat

import pytest

from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution.cluster import open_cluster, read_place
from tunesmith.execution.cluster.keys import KEY, make_keys, security_of
from tunesmith.execution.cluster.places import Local, Queue, Scheduler
from tunesmith.execution.cluster.shipped import Shelf, packed_files
from tunesmith.execution.cluster.walltime import lifetime_options, seconds_of
from tunesmith.execution.packets import Packet, pack

pytest.importorskip("distributed", reason="needs the extra cluster")


def test_every_form_is_read(tmp_path):
    assert read_place("tcp://a:1") == Scheduler(address="tcp://a:1")
    assert read_place("local:workers=3,threads=2,tls=no") == Local(3, 2, tls=False)
    assert read_place("local") == Local()
    assert read_place("slurm:queue=long,cores=8,memory=16GB,walltime=02:00:00,jobs=4") == Queue(
        "slurm", queue="long", cores=8, memory="16GB", walltime="02:00:00", jobs=4
    )
    (tmp_path / "scheduler.json").write_text("{}")
    assert read_place(str(tmp_path)) == Scheduler(file=str(tmp_path / "scheduler.json"))
    make_keys(tmp_path)
    named = str(tmp_path)
    assert read_place(named) == Scheduler(file=str(tmp_path / "scheduler.json"), keys=named)
    assert read_place(str(tmp_path / "scheduler.json")).keys == named


def test_a_file_says_the_same(tmp_path):
    file = tmp_path / "cluster.toml"
    file.write_text(
        '[cluster]\nkind = "pbs"\ncores = 4\nqueue = "q"\ndirectives = ["-l x=1"]\nwalltime = "01:00:00"\n'
    )
    assert read_place(str(file)) == Queue("pbs", queue="q", cores=4, directives=("-l x=1",))
    file.write_text('[cluster]\nkind = "local"\nworkers = 3\ntls = false\n')
    assert read_place(str(file)) == Local(3, tls=False)
    file.write_text('[cluster]\naddress = "tls://a:1"\nkeys = "k"\n')
    assert read_place(str(file)) == Scheduler(address="tls://a:1", keys="k")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nowhere", "'nowhere' is no cluster; expected tcp://HOST:PORT"),
        ("local:workers=0", "workers must be at least 1, got 0"),
        ("slurm:core=2", "slurm has no setting 'core'"),
        ("lsf:walltime=soon", "walltime must be like 01:30:00, got 'soon'"),
        ("sge:walltime=00:01:00", "walltime must be at least two minutes"),
        ("slurm:kind=pbs", "the kind of a cluster is said once"),
    ],
)
def test_what_cannot_be_meant_is_refused(text, message):
    with pytest.raises(ConfigError, match=message):
        read_place(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", r"has one table, \[cluster\]"),
        (
            '[cluster]\nkind = "slrum"\n',
            "cluster.toml:2: 'slrum' is not a known kind of cluster; did you mean 'slurm'",
        ),
        ('[cluster]\nkind = "slurm"\ncroes = 2\n', "cluster.toml:3: 'croes' is not a known setting"),
        ('[cluster]\nkind = "slurm"\ncores = "two"\n', "must be a whole number, got 'two'"),
        ('[cluster]\nkind = "slurm"\ndirectives = [1]\n', "directives must be lines of text"),
        ("[cluster]\n", "name a kind of cluster, or the address or file of a scheduler"),
    ],
)
def test_a_file_that_cannot_be_meant_is_refused(tmp_path, text, message):
    file = tmp_path / "cluster.toml"
    file.write_text(text)
    with pytest.raises(FormatError, match=message):
        read_place(str(file))


def test_workers_leave_before_their_job_ends():
    assert seconds_of("1-02:00:00") == 26 * 3600
    assert seconds_of("02:30") == 9000
    assert lifetime_options("01:00:00") == ["--lifetime", "3300s", "--lifetime-stagger", "150s"]
    assert lifetime_options("00:02:00") == ["--lifetime", "90s", "--lifetime-stagger", "15s"]


def test_keys_are_for_us_alone(tmp_path):
    make_keys(tmp_path / "keys")
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "keys" / KEY).stat().st_mode) == 0o600
    assert security_of(tmp_path / "keys").require_encryption
    (tmp_path / "keys" / KEY).chmod(0o644)
    with pytest.raises(ConfigError, match="can be read by others"):
        security_of(tmp_path / "keys")
    with pytest.raises(ConfigError, match=r"has no certificate\.pem"):
        security_of(tmp_path)


def test_an_encrypted_scheduler_needs_keys():
    with pytest.raises(ConfigError, match="which keys"), open_cluster(read_place("tls://127.0.0.1:1")):
        pass


def test_files_that_are_sent_stay_inside(tmp_path):
    (tmp_path / "a").write_text("x")
    name, place = Shelf().put("digest", packed_files(str(tmp_path / "a")))
    assert name == str(tmp_path / "a")
    assert place != name
    import numpy as np

    for values, below in (({"name": "x"}, "../out"), ({"name": "x"}, "/tmp/out"), ({}, "a"), (None, "a")):
        bad = pack(Packet(values, {below: np.zeros(1, np.uint8)}))
        with pytest.raises(FormatError):
            Shelf().put("digest", bad)
    with pytest.raises(ConfigError, match="is to be sent to workers, and is not there"):
        packed_files(str(tmp_path / "none"))
