"""The test command does the same in every run."""

import importlib
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


@pytest.mark.skipif(settings.get_current_profile_name() != "steady", reason="examples are drawn at random")
def test_examples_are_the_same_in_every_run(tmp_path, monkeypatch):
    """Whatever was imported before: hypothesis also draws constants that it finds in modules."""
    drawn = []

    @settings(max_examples=500)
    @given(st.text(), st.floats(), st.integers())
    def collect(text, number, whole):
        drawn.append(repr((text, number, whole)))

    collect()
    first, drawn = drawn, []
    (tmp_path / "of_my_own.py").write_text("NUMBERS = [424242, 4.2424242]\nTEXT = 'forty-two, forty-two'\n")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.import_module("of_my_own")
    collect()
    del sys.modules["of_my_own"]
    assert len(first) == 500
    assert drawn == first
