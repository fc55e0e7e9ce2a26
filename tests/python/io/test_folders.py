"""Folders appear whole or not at all; what killed runs left is removed, what living ones make is not."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import leftovers
from tunesmith.io.arrays import (
    MANIFEST,
    FolderFormat,
    new_arrays,
    read_arrays,
    seal_arrays,
    write_array,
)
from tunesmith.io.folders import alone, new_folder
from tunesmith.io.leftovers import remove_abandoned
from tunesmith.io.seals import CRC, SEALED

MAKER = """
import sys, time
from pathlib import Path
from tunesmith.io.folders import new_folder
with new_folder(sys.argv[1], None, "thing") as folder:
    (folder / "file").write_text("half")
    print(folder, flush=True)
    time.sleep(600)
"""


def make_old(folder):
    """As if nothing had happened in it for an hour."""
    os.utime(folder, (time.time() - 3600,) * 2)


def test_a_folder_appears_at_the_end(tmp_path):
    with new_folder(tmp_path / "thing", None, "thing") as folder:
        (folder / "file").write_text("whole", encoding="utf-8")
        assert not (tmp_path / "thing").exists()
    assert (tmp_path / "thing/file").read_text(encoding="utf-8") == "whole"
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


def test_nothing_is_left_of_a_block_that_fails(tmp_path):
    with pytest.raises(KeyboardInterrupt), new_folder(tmp_path / "thing", None, "thing"):
        raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_makes_is_not(tmp_path):
    processes = [
        subprocess.Popen([sys.executable, "-c", MAKER, tmp_path / "thing"], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    try:
        living, killed = (tmp_path / process.stdout.readline().strip() for process in processes)
        processes[1].send_signal(signal.SIGKILL)
        processes[1].wait()
        make_old(living)
        make_old(killed)
        remove_abandoned(tmp_path / "thing")
        assert (living / "file").exists()
        assert not killed.exists()
    finally:
        for process in processes:
            process.kill()
            process.wait()
            process.stdout.close()


def test_only_old_unfinished_folders_of_the_same_name_are_removed(tmp_path):
    names = [".thing.0123abcd.partial", ".thing.0123abcd.old", ".other.0123abcd.partial", ".thing.note.partial"]
    for name in names:
        (tmp_path / name).mkdir()
        make_old(tmp_path / name)
    (tmp_path / ".thing.00000000.partial").mkdir()  # just begun
    remove_abandoned(tmp_path / "thing")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*names[1:], ".thing.00000000.partial"])


def test_what_was_replaced_does_not_stay_for_ever(tmp_path, monkeypatch):
    (tmp_path / ".thing.0123abcd.old").mkdir()
    (tmp_path / "thing").mkdir()
    remove_abandoned(tmp_path / "thing")
    assert (tmp_path / ".thing.0123abcd.old").exists()  # too new: another process may use it
    monkeypatch.setattr(leftovers, "_LEAST_AGE", -1.0)
    remove_abandoned(tmp_path / "thing")
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\0b", "\ud800", "other"])
def test_manifests_name_files_of_the_folder_only(tmp_path, name):
    form = FolderFormat("things", 1, "a thing", "make one")
    with new_arrays(tmp_path / "thing", form) as folder:
        write_array(folder, "numbers", np.arange(3, dtype=np.int32))
        write_array(folder, "other", np.arange(3, dtype=np.int32))
        seal_arrays(folder, form, {}, {"numbers": ("<i4", (3,))})
    manifest = json.loads((tmp_path / "thing" / MANIFEST).read_text(encoding="utf-8"))
    assert read_arrays(tmp_path / "thing", form, {"numbers": "<i4:1"})[1]["numbers"].tolist() == [0, 1, 2]
    manifest["files"][name] = {"bytes": 12, "crc32": "", "type": "", "shape": []}
    unsealed = {key: value for key, value in manifest.items() if key not in (SEALED, CRC)}
    (tmp_path / "thing" / MANIFEST).write_text(json.dumps(unsealed), encoding="utf-8")
    with pytest.raises(FormatError, match=r"damaged|not expected"):
        read_arrays(tmp_path / "thing", form, {"numbers": "<i4:1"})


REPLACER = """
import os, signal, sys
from pathlib import Path
from tunesmith.io import folders
rename, steps = Path.rename, []
def rename_and_die(self, to):
    steps.append(rename(self, to))
    if len(steps) == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return steps[-1]
Path.rename = rename_and_die
def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)
folders.remove_tree = die
if sys.argv[3] == "steps":
    folders.exchange = lambda one, other: False
with folders.new_folder(sys.argv[1], lambda folder: True, "thing") as folder:
    (folder / "file").write_text("new")
"""


def kill_while_replacing(target, step, how):
    ran = subprocess.run([sys.executable, "-c", REPLACER, target, str(step), how], check=False)
    assert ran.returncode == -signal.SIGKILL


@pytest.mark.skipif(sys.platform != "linux", reason="not every system can exchange two names")
def test_a_folder_is_there_whenever_a_process_that_replaces_it_is_killed(tmp_path):
    target = tmp_path / "thing"
    target.mkdir()
    (target / "file").write_text("old")
    kill_while_replacing(target, 1, "exchange")
    if list(tmp_path.glob(".thing.*.old")):
        pytest.skip("this disk cannot exchange two names")
    assert (target / "file").read_text() == "new"
    left = next(tmp_path.glob(".thing.*.partial"))
    assert (left / "file").read_text() == "old"
    make_old(left)
    remove_abandoned(target)
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


def test_a_folder_that_was_moved_away_and_not_replaced_comes_back(tmp_path, monkeypatch):
    target = tmp_path / "thing"
    target.mkdir()
    (target / "file").write_text("old")
    kill_while_replacing(target, 1, "steps")
    assert not target.exists()
    remove_abandoned(target)  # the process may be alive still
    assert not target.exists()
    monkeypatch.setattr(leftovers, "_LEAST_AGE", -1.0)
    remove_abandoned(target)
    assert (target / "file").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


def test_one_process_at_a_time(tmp_path):
    with alone(tmp_path), pytest.raises(ConfigError, match="another tunesmith is at work there"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass
