"""Templates of users: Python per rule, vectorised, from a file; what goes wrong in them is named."""

from dataclasses import dataclass

import numpy as np
import pytest

from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.features import Batch, FeatureSet, RuleFeature, SpecialRule, features_from, join_words, templates
from tunesmith.features.python_features import refuse_elsewhere


@dataclass(frozen=True)
class Ends(RuleFeature):
    """The last symbols of both sides; twice, to see that values add up."""

    value: float = 0.5

    def __call__(self, rule):
        yield join_words([rule.source[-1], rule.target[-1]]), self.value
        yield join_words([rule.source[-1], rule.target[-1]]), self.value
        yield "zero", 0.0


class Seen(RuleFeature):
    """Occurrences, by NumPy."""

    def batch(self, table, begin, end):
        counts = table.array("occurrences")[begin:end].astype(float)
        rules = np.arange(end - begin + 1)
        return Batch([""], rules, np.zeros(end - begin, np.int64), counts)


@pytest.fixture
def mine(monkeypatch):
    monkeypatch.setitem(templates._factories, "ends", Ends)
    monkeypatch.setitem(templates._factories, "seen", Seen)


def test_python_and_native_templates_side_by_side(mine, table, monkeypatch):
    monkeypatch.setattr("tunesmith.features.python_features._RULES", 17)  # several batches
    matrix = FeatureSet.parse("default,ends:value=2,seen,rule_shape,id").compile(table)
    alone = FeatureSet.parse("default,rule_shape,id").compile(table)
    for number, rule in enumerate(table):
        expected = {"ends:" + join_words([rule.source[-1], rule.target[-1]]): 4.0, "seen": float(rule.occurrences)}
        assert matrix.named_row(number) == {**alone.named_row(number), **{k: v for k, v in expected.items() if v}}


class Marks(RuleFeature):
    """Fires for special rules, twice and so that nothing is left."""

    def __call__(self, rule):
        yield "", 1.0

    def special(self):
        return {
            SpecialRule.unknown: [("a", 1.0), ("", 2.0), ("a", 0.5)],
            SpecialRule.glue: [("a", 1.0), ("a", -1.0)],
        }


def test_what_special_rules_fire_twice_adds_up(table, monkeypatch):
    monkeypatch.setitem(templates._factories, "marks", Marks)
    matrix = FeatureSet.parse("marks").compile(table)
    rows = [matrix.named_row(matrix.special(rule)) for rule in SpecialRule]
    assert rows == [{"marks": 2.0, "marks:a": 1.5}, {}, {}, {}]


def broken(**change):
    class Broken(RuleFeature):
        def batch(self, table, begin, end):
            right = {
                "details": ["a"],
                "starts": np.arange(end - begin + 1),
                "ids": np.zeros(end - begin, np.int64),
                "values": np.ones(end - begin),
            }
            return Batch(**{**right, **{key: make(right[key]) for key, make in change.items()}})

    return Broken


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"starts": lambda a: a[:-1]}, "starts must have shape"),
        ({"starts": lambda a: a[::-1]}, "rise"),
        ({"ids": lambda a: a + 1}, "no detail"),
        ({"ids": lambda a: a - 1}, "no detail"),
        ({"ids": lambda a: a[1:]}, "ids and values"),
        ({"values": lambda a: a * np.nan}, "finite"),
        ({"values": lambda a: a * 1e300}, "finite"),
        ({"details": lambda a: ["a b"]}, "white space"),
        ({"details": lambda a: [3]}, "not a text"),
        ({"details": lambda a: None}, "failed: TypeError"),
        ({"ids": lambda a: a + 0.5}, "failed: IndexError"),
        ({"values": lambda a: list(a)}, "failed: AttributeError"),
    ],
)
def test_what_a_template_does_wrong_is_named(table, monkeypatch, change, message):
    monkeypatch.setitem(templates._factories, "broken", broken(**change))
    with pytest.raises(ConfigError, match=f"'broken'.*{message}"):
        FeatureSet.parse("default,broken").compile(table)


def test_a_template_without_a_method(table, monkeypatch):
    monkeypatch.setitem(templates._factories, "empty", type("Empty", (RuleFeature,), {}))
    with pytest.raises(ConfigError, match=r"'empty' failed.*__call__"):
        FeatureSet.parse("empty").compile(table)


FILE = """
from dataclasses import dataclass
from tunesmith.features import RuleFeature, register

@register("first_letter")
@dataclass(frozen=True)
class FirstLetter(RuleFeature):
    letters: int = 1

    def __call__(self, rule):
        yield rule.target[0][: self.letters], 1.0
"""


def test_templates_from_a_file(table, tmp_path, monkeypatch):
    monkeypatch.setattr(templates, "_factories", dict(templates._factories))
    (tmp_path / "mine.py").write_text(FILE)
    features_from(tmp_path / "mine.py")
    matrix = FeatureSet.parse("first_letter:letters=2").compile(table)
    assert all(
        f"first_letter:{rule.target[0][:2]}" in matrix.named_row(number) for number, rule in enumerate(table)
    )
    with pytest.raises(ConfigError, match="two feature templates are called 'first_letter'"):
        features_from(tmp_path / "mine.py")
    refuse_elsewhere(["id", "translation"])
    with pytest.raises(ConfigError, match=r"'first_letter' is known to this process alone.*workers know"):
        refuse_elsewhere(["id", "first_letter"])


def test_files_that_do_not_work(tmp_path):
    with pytest.raises(MissingFileError):
        features_from(tmp_path / "none.py")
    for text, message in (("x = 1\ny = z\n", r"bad.py:2: NameError"), ("x = \n", r"bad.py:1: SyntaxError")):
        (tmp_path / "bad.py").write_text(text)
        with pytest.raises(ConfigError, match=message):
            features_from(tmp_path / "bad.py")
