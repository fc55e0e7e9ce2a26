"""Where a table is written: other data stays, an old table until the new one is complete."""

from pathlib import Path

import pytest
from support.corpora.grammar_corpus import corpus, digest

from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.grammar import RuleTable, extract_rules


def test_other_data_is_never_replaced_and_a_table_is(copy, tmp_path):
    bitext, alignments = corpus(pairs=5)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("text")
    with pytest.raises(ConfigError, match="other data"):
        extract_rules(bitext, alignments, tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "text"
    before = len(RuleTable.open(copy))
    assert len(extract_rules(bitext, alignments, copy)) < before


@pytest.mark.parametrize("manifest", ['{"name": "my web extension"}', "[]", "{", "the table's own"])
def test_a_manifest_alone_makes_no_folder_ours(copy, manifest):
    (copy / "thesis.txt").write_text("text")
    if manifest != "the table's own":
        (copy / "manifest.json").write_text(manifest)
    before = digest(copy)
    with pytest.raises(ConfigError, match="other data"):
        extract_rules(*corpus(pairs=5), copy)
    assert digest(copy) == before
    if manifest != "the table's own":
        (copy / "thesis.txt").unlink()
        with pytest.raises(ConfigError, match="other data"):
            extract_rules(*corpus(pairs=5), copy)


def test_a_table_behind_a_link_is_replaced_and_the_link_stays(copy, tmp_path):
    (tmp_path / "link").symlink_to(copy)
    before = digest(copy)
    table = extract_rules(*corpus(pairs=5), tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert digest(copy) != before
    assert len(RuleTable.open(copy)) == len(table)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link", "rules"]


@pytest.mark.parametrize("name", [".", ""])
def test_the_working_folder_is_refused_before_the_work(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="the working folder"):
        extract_rules(*corpus(pairs=5), name, progress=lambda *_: pytest.fail("work was done"))


def test_a_table_that_cannot_be_put_in_place_leaves_the_old_one(copy, tmp_path, monkeypatch):
    before = digest(copy)
    rename = Path.rename

    def fail(self, target):
        if self.name.endswith(".partial"):
            raise OSError(5, "Input/output error")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", fail)
    monkeypatch.setattr("tunesmith.io.folders.exchange", lambda one, other: False)  # a disk without it
    with pytest.raises(TunesmithError, match="cannot be written"):
        extract_rules(*corpus(pairs=5), copy)
    assert digest(copy) == before
    assert [file.name for file in tmp_path.iterdir()] == ["rules"]


def test_a_run_that_fails_leaves_the_old_table(copy, tmp_path):
    before = digest(copy)

    def stop(what, done, total):
        if what == "scoring":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        extract_rules(*corpus(pairs=5), copy, progress=stop)
    assert digest(copy) == before
    assert [file.name for file in tmp_path.iterdir()] == ["rules"]
