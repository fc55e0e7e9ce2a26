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
from tunesmith.io.arrays import MANIFEST, FolderFormat, new_arrays, read_arrays, seal_arrays, write_array
from tunesmith.io.folders import alone, new_folder, remove_abandoned

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


def test_what_was_replaced_does_not_stay_for_ever(tmp_path):
    (tmp_path / ".thing.0123abcd.old").mkdir()
    make_old(tmp_path / ".thing.0123abcd.old")
    remove_abandoned(tmp_path / "thing")
    assert (tmp_path / ".thing.0123abcd.old").exists()  # nothing took its place: it is all there is
    with new_folder(tmp_path / "thing", None, "thing"):
        pass
    remove_abandoned(tmp_path / "thing")
    assert [path.name for path in tmp_path.iterdir()] == ["thing"]


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\0b", "other"])
def test_manifests_name_files_of_the_folder_only(tmp_path, name):
    form = FolderFormat("things", 1, "a thing", "make one")
    with new_arrays(tmp_path / "thing", form) as folder:
        write_array(folder, "numbers", np.arange(3, dtype=np.int32))
        write_array(folder, "other", np.arange(3, dtype=np.int32))
        seal_arrays(folder, form, {}, {"numbers": ("<i4", (3,))})
    manifest = json.loads((tmp_path / "thing" / MANIFEST).read_text(encoding="utf-8"))
    assert read_arrays(tmp_path / "thing", form, {"numbers": "<i4:1"})[1]["numbers"].tolist() == [0, 1, 2]
    manifest["files"][name] = {"bytes": 12, "crc32": "", "type": "", "shape": []}
    (tmp_path / "thing" / MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
    with pytest.raises(FormatError, match=r"damaged|not expected"):
        read_arrays(tmp_path / "thing", form, {"numbers": "<i4:1"})


def test_one_process_at_a_time(tmp_path):
    with alone(tmp_path), pytest.raises(ConfigError, match="another tunesmith is at work there"), alone(tmp_path):
        pass
    with alone(tmp_path):
        pass
