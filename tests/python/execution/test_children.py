"""Child processes and temporary folders end with us."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from support.processes.processes import is_running, numbers_in
from support.processes.waiting import until

from tunesmith.execution import children, temporary

# A shell and what it starts; both write their numbers. The second ignores what asks it to end.
FAMILY = "sleep 1000 & echo $$ $! > {0}; wait"
STUBBORN = "trap '' TERM; sleep 1000 & echo $$ $! > {0}; wait; wait; sleep 1000"


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path, monkeypatch):
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    return tmp_path / "tmp"


def test_a_child_ends_as_its_command_does(tmp_path):
    for script, code in (
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -9 $$", -9),
        ("kill -TERM $$", -15),
        ("kill -SEGV $$", -11),
    ):
        child = children.start(["bash", "-c", script])
        assert child.wait() == code, script
        child.end()
    missing = children.start(["no-such-command-anywhere"], stderr=subprocess.DEVNULL)
    assert missing.wait() == 127
    missing.end()


def test_streams_are_those_of_the_command():
    child = children.start(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.process.communicate(b"a\nb\n")[0] == b"a\nb\n"
    assert child.wait() == 0
    child.end()


def test_a_command_that_cannot_write_gets_the_usual_signal():
    """Python ignores SIGPIPE; what it starts must not."""
    read, write = os.pipe()
    child = children.start(["yes"], stdout=write)
    os.close(write)
    os.close(read)
    assert child.wait() == -signal.SIGPIPE
    child.end()


@pytest.mark.parametrize("script", [FAMILY, STUBBORN])
def test_the_whole_group_ends(tmp_path, script, monkeypatch):
    monkeypatch.setattr(children, "GRACE", 0.1)
    child = children.start(["bash", "-c", script.format(tmp_path / "numbers")])
    family = numbers_in(tmp_path / "numbers", 2)
    child.end()
    until(lambda: not any(map(is_running, family)))


ENDING = """
import sys
from tunesmith.execution import children
children.GRACE = 0.1
started = [children.start(["bash", "-c", script]) for script in sys.argv[1:]]
sys.stdin.readline()
asked = []
children.Child.ask_to_end = lambda self: asked.append(self)
children.end_all()
print(len(asked))
"""


def test_all_end_after_one_time_of_grace(tmp_path):
    """Children that ignore SIGTERM are asked once, wait together, and are killed without being asked again."""
    scripts = [STUBBORN.format(tmp_path / f"numbers{at}") for at in range(2)]
    with subprocess.Popen(
        [sys.executable, "-c", ENDING, *scripts], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as owner:
        family = [number for at in range(2) for number in numbers_in(tmp_path / f"numbers{at}", 2)]
        told, _ = owner.communicate("\n")
    until(lambda: not any(map(is_running, family)))
    assert (owner.returncode, told) == (0, "2\n")


OWNER = """
import sys, time
from tunesmith.execution import children, temporary
with temporary.temporary_folder("test"):
    children.start(["bash", "-c", sys.argv[1]])
    time.sleep(1000)
"""


@pytest.mark.parametrize("script", [FAMILY, STUBBORN])
def test_children_of_a_killed_process_end(tmp_path, script, own_temporary_folder):
    """The folder stays until the next one of its kind is made; one that is in use stays then, too."""
    environment = {**os.environ, "TMPDIR": str(own_temporary_folder)}
    command = [sys.executable, "-c", OWNER, script.format(tmp_path / "numbers")]
    with subprocess.Popen(command, env=environment) as owner:
        family = numbers_in(tmp_path / "numbers", 2)
        folders = list(own_temporary_folder.iterdir())
        for folder in folders:
            os.utime(folder, (0, 0))
        with temporary.temporary_folder("test") as other:
            assert sorted(own_temporary_folder.iterdir()) == sorted([*folders, other])
        owner.kill()
    until(lambda: not any(map(is_running, family)))
    with temporary.temporary_folder("other"), temporary.temporary_folder("test") as third:
        assert not folders[0].exists()
        assert third.exists()
    assert not list(own_temporary_folder.iterdir())


def test_a_temporary_folder_of_somebody_else_is_left_alone(own_temporary_folder, tmp_path):
    (tmp_path / "precious").mkdir()
    (own_temporary_folder / "tunesmith-test-abcd1234").symlink_to(tmp_path / "precious")
    (own_temporary_folder / "tunesmith-test-short").mkdir()
    for path in (tmp_path / "precious", own_temporary_folder / "tunesmith-test-short"):
        os.utime(path, (0, 0))
    with temporary.temporary_folder("test") as folder:
        assert folder.stat().st_mode & 0o077 == 0
    assert (tmp_path / "precious").is_dir()
    assert sorted(path.name for path in own_temporary_folder.iterdir()) == [
        "tunesmith-test-abcd1234",
        "tunesmith-test-short",
    ]


def test_no_other_module_starts_processes_or_makes_temporary_folders():
    root = Path(children.__file__).parents[1]
    for source in root.rglob("*.py"):
        text = source.read_text(encoding="utf-8")
        if source.parent.name != "execution":
            for word in ("Popen(", "subprocess.run", "subprocess.check", "os.fork", "os.system", "os.popen",
                         "posix_spawn", "multiprocessing", "ProcessPool", "mkdtemp"):  # fmt: skip
                assert word not in text, f"{source}: {word}; see execution/children.py and temporary.py"
