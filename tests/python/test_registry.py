"""Names of our own and of other packages."""

from importlib.metadata import EntryPoint

import pytest

from tunesmith import ConfigError
from tunesmith.registry import Registry


@pytest.fixture
def asked(monkeypatch):
    """Groups whose entry points were read; one package publishes a name of tunesmith and one of its own."""
    groups = []

    def entry_points(*, group):
        groups.append(group)
        return [EntryPoint(name, "decimal:Decimal", group) for name in ("float", "decimal")]

    monkeypatch.setattr("importlib.metadata.entry_points", entry_points)
    return groups


def test_published_names_follow_ours_and_are_read_once(asked):
    """A model has millions of features, and the template of each is looked up."""
    known = Registry("number", "tunesmith.numbers")
    known.register("float")(float)
    assert known.names() == list(known) == ["float", "decimal"]
    for _ in range(3):
        assert "float" in known
        assert "decimal" in known
        assert "fraction" not in known
    assert known.get("float") is float
    assert known.get("decimal")("1.5") == 1.5
    with pytest.raises(ConfigError, match=r"unknown number 'decimals'\. Did you mean 'decimal'"):
        known.get("decimals")
    assert asked == ["tunesmith.numbers"]
