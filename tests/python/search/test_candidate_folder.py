"""Damaged, mixed-up and foreign folders of candidates are recognised; none crashes."""

import contextlib
import json
import shutil

import numpy as np
import pytest
from support.damage.resealed import reseal, unsealed
from support.lists.candidate_sets import random_factored, random_rows, random_rule_features, random_texts

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.io.arrays import verify_files
from tunesmith.search import CandidateSet


def use(candidates):
    """Touch everything."""
    candidates.scores(np.ones(candidates.columns))
    candidates.rows()
    candidates.combine(np.ones(len(candidates)))
    for i in range(len(candidates)):
        candidates.text(i)


@pytest.fixture(params=["plain", "factored"])
def saved(request, tmp_path):
    """A folder and the way to load it."""
    random = np.random.default_rng(1)
    if request.param == "plain":
        rows = random_rows(random, rows=12, columns=9)
        c = CandidateSet.from_matrix(rows, [0, 5, 12], np.ones((12, 2)), random_texts(random, 12))
        features = None
    else:
        features = random_rule_features(random)
        c = random_factored(random, features, rows=12)
    c.save(tmp_path / "c")
    return tmp_path / "c", lambda folder: CandidateSet.load(folder, features)


def test_every_file_is_missed_when_cut_or_gone(saved, tmp_path):
    folder, load = saved
    use(load(folder))
    for file in sorted(folder.iterdir()):
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        size = file.stat().st_size
        if size:
            (copy / file.name).write_bytes(file.read_bytes()[: size // 2])
            with pytest.raises(FormatError, match=file.name):
                load(copy)
        (copy / file.name).unlink()
        with pytest.raises(FormatError, match=file.name):
            load(copy)
        shutil.rmtree(copy)


def test_no_flipped_byte_crashes(saved, tmp_path):
    """A damaged array is refused; with a checksum that fits it, it is refused or read as other numbers."""
    folder, load = saved
    random = np.random.default_rng(2)
    manifest = json.loads((folder / "manifest.json").read_text())
    for name in sorted(manifest["files"]):
        for _ in range(4):
            copy = tmp_path / "copy"
            shutil.copytree(folder, copy)
            data = bytearray((copy / name).read_bytes())
            if data:
                data[random.integers(len(data))] ^= 1 << random.integers(8)
                (copy / name).write_bytes(data)
                with pytest.raises(FormatError, match="checksum"):
                    verify_files(copy, manifest)
                with pytest.raises(FormatError, match=name):
                    load(copy)
                reseal(copy)
                with contextlib.suppress(FormatError):
                    use(load(copy))
            shutil.rmtree(copy)


def test_no_damaged_manifest_crashes(saved):
    folder, load = saved
    path = folder / "manifest.json"
    good = unsealed(folder)
    file = next(name for name, entry in good["files"].items() if "type" in entry)
    entry = good["files"][file]
    for bad in [
        [],
        {**good, "format": "tunesmith rule table"},
        {**good, "format_version": 99},
        {**good, "format_version": "1"},
        {**good, "columns": -1},
        {**good, "columns": "9"},
        {**good, "columns": 2},
        {**good, "files": []},
        {**good, "files": {**good["files"], "extra": {"bytes": 3, "crc32": ""}}},
        {**good, "files": {**good["files"], "../x": {"bytes": 3, "crc32": ""}}},
        {**good, "files": {**good["files"], file: 3}},
        {**good, "files": {**good["files"], file: {**entry, "type": "|O"}}},
        {**good, "files": {**good["files"], file: {**entry, "shape": [-1]}}},
        {**good, "files": {**good["files"], file: {**entry, "shape": [2**59]}}},
        {**good, "files": {**good["files"], file: {**entry, "shape": "x"}}},
        {**good, "files": {name: entry for name, entry in good["files"].items() if name != file}},
    ]:
        path.write_text(json.dumps(bad))
        with pytest.raises(FormatError):
            load(folder)
    path.write_text("{")
    with pytest.raises(FormatError, match="not JSON"):
        load(folder)


def test_a_folder_with_other_data_is_not_replaced(tmp_path):
    c = CandidateSet.from_matrix(np.ones((1, 1)), [0, 1])
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "thesis.tex").write_text("years of work")
    with pytest.raises(ConfigError, match="other data"):
        c.save(tmp_path / "notes")
    with pytest.raises(ConfigError, match="is a file"):
        c.save(tmp_path / "notes" / "thesis.tex")
    with pytest.raises(MissingFileError):
        CandidateSet.load(tmp_path / "none")
    with pytest.raises(FormatError, match="not a candidate set"):
        CandidateSet.load(tmp_path / "notes")


def test_saving_again_replaces(tmp_path):
    for rows in (3, 1):
        CandidateSet.from_matrix(np.ones((rows, 1)), [0, rows]).save(tmp_path / "c")
        assert len(CandidateSet.load(tmp_path / "c")) == rows
    assert [path.name for path in tmp_path.iterdir()] == ["c"]
