"""Templates of other packages: found by the entry point, and named where they do not load."""

import json
import sys

import pytest
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.errors import ConfigError
from tunesmith.features import FeatureSet, templates
from tunesmith.features.describe import list_templates

MODULE = """
from dataclasses import dataclass
from tunesmith.features import RuleFeature, register

@register("target_length")
@dataclass(frozen=True)
class TargetLength(RuleFeature):
    'The number of target symbols.'
    most: int = 9

    def __call__(self, rule):
        yield str(min(len(rule.target), self.most)), 1.0
"""
POINTS = """
[tunesmith.features]
target_length = tunesmith_lengths:TargetLength
lost = tunesmith_lengths:Lost
"""


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """A package as pip leaves it: modules, and a folder with its metadata."""
    folder = tmp_path / "site"
    metadata = folder / "tunesmith_lengths-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: tunesmith-lengths\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(POINTS)
    (folder / "tunesmith_lengths.py").write_text(MODULE)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(templates, "_factories", dict(templates._factories))
    monkeypatch.delitem(vars(templates), "_published", raising=False)  # read once: as in a new process
    monkeypatch.delitem(sys.modules, "tunesmith_lengths", raising=False)
    yield
    vars(templates).pop("_published", None)


def test_they_are_used_like_our_own(table):
    matrix = FeatureSet.parse("default,target_length:most=2").compile(table)
    for number, rule in enumerate(table):
        assert matrix.named_row(number)[f"target_length:{min(len(rule.target), 2)}"] == 1.0
    described = CliRunner().invoke(
        app, ["features", "describe", str(table.folder), "--features", "target_length", "-f", "json"]
    )
    assert json.loads(described.stdout)["templates"][0]["fired"] == len(table)


def test_one_that_does_not_load_is_named_and_hides_no_other():
    with pytest.raises(ConfigError, match=r"'lost' of the package tunesmith-lengths does not load: Attr"):
        FeatureSet.parse("lost")
    listed = {entry["template"]: entry["about"] for entry in list_templates()}
    assert listed["target_length"] == "The number of target symbols."
    assert "does not load" in listed["lost"]
    assert "word_pair" in listed
