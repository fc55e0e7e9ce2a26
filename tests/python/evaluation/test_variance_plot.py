import sys

import pytest
from reference.made_up import damaged, references

from tunesmith.errors import ConfigError, MissingExtraError, MissingFileError
from tunesmith.evaluation.pages.variance_plot import draw_variance, save_variance_plot
from tunesmith.evaluation.variance import reference_variance

REFERENCES = references(30, seed=8, count=3)
VARIANCE = reference_variance(damaged([sentence[0] for sentence in REFERENCES], 0.25, seed=1), REFERENCES)
MAGIC = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}


@pytest.mark.parametrize("kind", MAGIC)
def test_the_same_numbers_give_the_same_bytes(tmp_path, kind):
    paths = [tmp_path / f"{name}.{kind}" for name in "ab"]
    for path in paths:
        save_variance_plot(path, VARIANCE)
    assert paths[0].read_bytes().startswith(MAGIC[kind])
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [f"a.{kind}", f"b.{kind}"]


def test_two_plots_with_all_points():
    spread, gain = draw_variance(VARIANCE).axes
    assert [len(axes.collections[0].get_offsets()) for axes in (spread, gain)] == [30, 30]
    for axes in (spread, gain):
        assert axes.get_xlim() == axes.get_ylim() == (0, 100)
        assert axes.get_aspect() == 1
    assert f"M = {VARIANCE.mean:.1f}, SD = {VARIANCE.deviation:.1f}" in spread.get_title(loc="left")


def test_the_settings_of_the_caller_are_left_alone(tmp_path):
    import matplotlib

    before = matplotlib.rcParams.copy()
    save_variance_plot(tmp_path / "a.svg", VARIANCE)
    assert matplotlib.rcParams.copy() == before
    assert "matplotlib.pyplot" not in sys.modules


@pytest.mark.parametrize("name", ["picture", "picture.bmp", "png"])
def test_names_without_a_known_format(tmp_path, name):
    with pytest.raises(ConfigError, match=r"must end in \.png, \.svg or \.pdf"):
        save_variance_plot(tmp_path / name, VARIANCE)


def test_a_folder_that_is_missing(tmp_path):
    with pytest.raises(MissingFileError, match="does not exist"):
        save_variance_plot(tmp_path / "no" / "a.png", VARIANCE)


def test_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"tunesmith\[plots\]"):
        save_variance_plot(tmp_path / "a.png", VARIANCE)
