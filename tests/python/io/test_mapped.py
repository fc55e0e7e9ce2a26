"""Memory of mapped files is given back, and nothing else changes."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.lists.candidate_sets import random_factored, random_rule_features

from tunesmith.io.mapped import Watch, release, watch
from tunesmith.search import CandidateSet

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="resident pages are counted on Linux only")


def resident_kilobytes(path: Path) -> int:
    """What this process holds in memory of the files in a folder, or of one file."""
    found, inside = 0, False
    for line in Path("/proc/self/smaps").read_text(encoding="utf-8").splitlines():
        if "-" in line.split()[0]:  # the head of a mapping
            inside = str(path) in line
        elif inside and line.startswith("Rss:"):
            found += int(line.split()[1])
    return found


@pytest.fixture
def mapped(tmp_path):
    np.arange(100_000, dtype=np.int64).tofile(tmp_path / "numbers")
    return np.memmap(tmp_path / "numbers", dtype=np.int64, mode="r", shape=(50_000, 2))


@linux
def test_pages_are_given_back_and_read_again(mapped, tmp_path):
    total = mapped.sum()
    assert resident_kilobytes(tmp_path) == 784  # 800,000 bytes are 196 pages
    release(mapped[10_000:40_000])  # bytes 160,000 to 640,000: pages 39 up to and including 156
    assert 0 < resident_kilobytes(tmp_path) <= 784 - 4 * 118
    assert mapped.sum() == total
    release(np.asarray(mapped))  # a view that does not know of the file
    assert resident_kilobytes(tmp_path) == 0
    assert mapped.sum() == total


def test_what_is_not_mapped_for_reading_stays(mapped, tmp_path):
    for array in (np.arange(3.0), np.empty((0, 2)), mapped[:0], mapped[:, 1], mapped + 0):
        before = array.copy()
        release(array)
        np.testing.assert_array_equal(array, before)
    changed = np.memmap(tmp_path / "numbers", dtype=np.int64, mode="c")  # changes live in memory alone
    changed[:] = 7
    release(changed)
    assert np.all(changed == 7)


@linux
def test_candidates_that_were_read_or_merged_are_not_left_in_memory(tmp_path):
    random = np.random.default_rng(1)
    features = random_rule_features(random)
    for name in ("first", "second"):
        random_factored(random, features, rows=4000).save(tmp_path / name)
    sets = [CandidateSet.load(tmp_path / name, features) for name in ("first", "second")]
    assert resident_kilobytes(tmp_path) == 0  # all of it was examined
    weights = random.standard_normal(sets[0].columns)
    scores = [each.scores(weights) for each in sets]
    touched = resident_kilobytes(tmp_path)
    merged = CandidateSet.merge(sets, folder=tmp_path / "merged")
    assert resident_kilobytes(tmp_path) < touched / 10  # names are examined in the end
    for each, before in zip(sets, scores, strict=True):
        np.testing.assert_array_equal(each.scores(weights), before)
    assert len(merged) <= len(sets[0]) + len(sets[1])


@pytest.fixture
def large(tmp_path):
    np.arange(1 << 20, dtype=np.int64).tofile(tmp_path / "large")
    return np.memmap(tmp_path / "large", dtype=np.int64, mode="r")


@linux
def test_a_watch_releases_files_when_much_of_them_was_touched(large, mapped, tmp_path):
    looking = Watch(growth=6 << 20)
    looking.add(large.base)
    total = large[: 1 << 19].sum() + mapped.sum()
    looking.look()  # 4 MiB and a little are not much
    assert resident_kilobytes(tmp_path) > 4096
    assert large[1 << 19 :].sum() + total == large.sum() + mapped.sum()
    looking.look()
    assert resident_kilobytes(tmp_path / "large") == 0
    assert resident_kilobytes(tmp_path / "numbers") == 784  # nobody watches it
    assert large.sum() == np.arange(1 << 20).sum()


@linux
def test_files_that_are_opened_under_a_watch_are_released_while_they_are_read(large, tmp_path):
    watch(large)  # nobody looks: it stays
    assert large.sum() == np.arange(1 << 20).sum()
    release(large)
    with Watch(growth=1 << 20).on():
        watch(large)
        total = large.sum()
        until = time.monotonic() + 60
        while resident_kilobytes(tmp_path) > 1024 and time.monotonic() < until:
            time.sleep(0.01)
        assert resident_kilobytes(tmp_path) <= 1024
    assert large.sum() == total
    assert resident_kilobytes(tmp_path) == 8192  # nobody looks any more


@linux
def test_a_watch_leaves_changes_in_memory_alone(tmp_path, mapped):
    changed = np.memmap(tmp_path / "numbers", dtype=np.int64, mode="c")
    looking = Watch(growth=0)
    with looking.on():
        watch(changed)
        changed[:] = 7
        mapped.sum()
        looking.look()
    assert np.all(changed == 7)
