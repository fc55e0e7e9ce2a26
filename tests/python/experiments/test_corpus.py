"""Folders of data: the language pair is found by itself, and what is missing is reported before any work."""

import gzip

import pytest

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.experiments.corpus import CorpusFiles


def corpus(folder, *, references=2, compressed=False):
    folder.mkdir(exist_ok=True)

    def write(name, lines):
        text = "".join(f"{line}\n" for line in lines)
        if compressed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / name).write_text(text, encoding="utf-8")

    write("train.zh", ["茶", "我 喝 茶"])
    write("train.en", ["tea", "i drink tea"])
    for name in ("dev", "devtest", "test"):
        write(f"{name}.zh", ["喝 茶"])
        if references == 1:
            write(f"{name}.en", ["drink tea"])
        for number in range(references if references > 1 else 0):
            write(f"{name}.en.{number}", [f"drink tea {number}"])
    return folder


@pytest.mark.parametrize("compressed", [True, False])
def test_the_side_with_numbered_references_is_the_target(tmp_path, compressed):
    files = CorpusFiles.find(corpus(tmp_path / "any", references=11, compressed=compressed))
    assert (files.source, files.target) == ("zh", "en")
    assert files.evaluation("dev").references == [tuple(f"drink tea {number}" for number in range(11))]
    assert len(files.bitext()) == 2


def test_with_one_reference_the_name_of_the_folder_or_an_option_says_it(tmp_path):
    assert CorpusFiles.find(corpus(tmp_path / "talks-zh-en", references=1)).source == "zh"
    folder = corpus(tmp_path / "any", references=1)
    with pytest.raises(ConfigError, match="--pair"):
        CorpusFiles.find(folder)
    assert CorpusFiles.find(folder, "en-zh").target == "zh"


def test_the_digest_changes_with_every_file(tmp_path):
    folder = corpus(tmp_path / "any")
    before = CorpusFiles.find(folder).digest
    for path in sorted(folder.iterdir()):
        kept = path.read_bytes()
        path.write_bytes(kept + "茶\n".encode())
        assert CorpusFiles(folder, "zh", "en").digest != before
        path.write_bytes(kept)


def test_what_cannot_be_used_is_told(tmp_path):
    with pytest.raises(MissingFileError, match="no such folder"):
        CorpusFiles.find(tmp_path / "nothing")
    (tmp_path / "empty").mkdir()
    with pytest.raises(MissingFileError, match=r"train\.X"):
        CorpusFiles.find(tmp_path / "empty")
    folder = corpus(tmp_path / "any")
    (folder / "devtest.zh").unlink()
    with pytest.raises(MissingFileError, match=r"devtest\.zh"):
        CorpusFiles.find(folder)
    (folder / "devtest.zh").write_text("喝 茶\n喝\n")
    with pytest.raises(FormatError, match="2"):
        CorpusFiles.find(folder)
    (folder / "devtest.zh").write_text("")
    with pytest.raises(FormatError, match="no sentence"):
        CorpusFiles.find(folder)
    (folder / "devtest.zh").write_bytes(b"\xff\xfe\n")
    with pytest.raises(FormatError):
        CorpusFiles.find(folder)


def test_dev_may_have_fewer_references(tmp_path):
    """The first ones, and results are of other data than with all."""
    files = CorpusFiles.find(corpus(tmp_path / "any", references=3))
    fewer = files.with_dev_references(2)
    assert fewer.evaluation("dev").references == [("drink tea 0", "drink tea 1")]
    assert len(fewer.evaluation("test").references[0]) == 3
    assert len({files.digest, fewer.digest, files.with_dev_references(1).digest}) == 3
    assert files.with_dev_references(3).digest == files.digest
    with pytest.raises(ConfigError, match="dev has 3 references, 4 are to be used"):
        files.with_dev_references(4)
