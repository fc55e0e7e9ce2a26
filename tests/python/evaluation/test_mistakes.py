import pytest

from tunesmith import ConfigError
from tunesmith.evaluation.mistakes import check_paths, check_reference_group


@pytest.mark.parametrize(
    "paths",
    [
        ["test.en"],
        ["one.en", "two.en"],
        ["test.en.0"],
        ["test.en.0", "test.en.1", "test.en.10"],
        ["a/test.en.0.gz", "a/test.en.1"],
    ],
)
def test_groups_that_look_like_references(paths):
    check_reference_group(paths)


@pytest.mark.parametrize(
    ("paths", "odd"),
    [
        (["test.en.0", "test.en.1", "base.out"], "base.out"),
        (["base.out", "test.en.0.gz", "test.en.1.gz"], "base.out"),
        (["test.en.0", "test.en.1", "dev.en.0"], "dev.en.0"),
        (["test.en.0", "test.en.1", "run.3"], "run.3"),
        (["test.en.0", "test.en.1", "test.en"], "test.en"),
        (["test.en.0", "other.en"], "other.en"),
    ],
)
def test_a_file_that_does_not_belong_to_the_series(paths, odd):
    with pytest.raises(ConfigError, match=f"^{odd} was given as a reference, but next to it stands test.en.N"):
        check_reference_group(paths)


def test_links_are_seen_through(tmp_path):
    (tmp_path / "ref").write_text("a\n")
    (tmp_path / "out").symlink_to(tmp_path / "ref")
    with pytest.raises(ConfigError, match="both as a system and as a reference"):
        check_paths([str(tmp_path / "out")], [str(tmp_path / "ref")])
