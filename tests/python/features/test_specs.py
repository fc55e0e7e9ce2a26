"""Templates by name and settings: typed, stored, found or missing; nothing in a model makes code run."""

import json

import pytest

from tunesmith.errors import ConfigError
from tunesmith.features import PRESETS, FeatureSet, RuleFeature, TemplateSpec, parse_features, templates
from tunesmith.features.presets import preset_reordering
from tunesmith.grammar import ReorderingOptions


def test_presets_and_settings():
    specs = parse_features("default,id,word_pair:top=20,count_bin:bounds=1/3,exact=no")
    assert [spec.name for spec in specs] == [
        "translation",
        "word_penalty",
        "rule_penalty",
        "glue_penalty",
        "unknown",
        "id",
        "word_pair",
        "count_bin",
    ]
    assert specs[-2].settings == {"top": 20}
    assert specs[-1].settings == {"bounds": (1, 3), "exact": False}
    assert parse_features("big,count_bin,default,word_pair:top=80") == [
        *parse_features("big"),
        *parse_features("default"),
    ]


ACROSS = (
    "small",
    "medium",
    "dense-green",
    "extended",
    "extended-filtered",
    "shares",
)  # with features that the search computes


@pytest.mark.parametrize(
    "text", [*(name for name in PRESETS if name not in ACROSS), "word_pair:top=3,id", "count_bin:bounds=2/9"]
)
def test_specs_survive_a_file(text):
    stored = json.loads(json.dumps([spec.as_dict() for spec in FeatureSet.parse(text).specs]))
    again = FeatureSet(TemplateSpec.from_dict(table) for table in stored)
    assert again.specs == FeatureSet.parse(text).specs
    assert again.signature().as_dict() == FeatureSet.parse(text).signature().as_dict()
    assert str(again.signature()) == str(FeatureSet.parse(text).signature())


def test_presets_of_phrase_based_models():
    def names(text, kind="phrase"):
        return [spec.name for spec in parse_features(text, kind)]

    assert names("small") == names("small", "hiero") == ["translation", "word_penalty", "distortion"]
    assert names("medium") == [*names("small"), "reordering"]
    assert names("medium,big") == [*names("medium"), *names("big")]
    assert "glue_penalty" in names("default", "hiero")
    assert "glue_penalty" not in names("default,id")
    assert {"distortion", "reordering", "id"} < set(names("default,id"))


def test_presets_of_green_et_al():
    def names(text, kind="phrase"):
        return [spec.name for spec in parse_features(text, kind)]

    of_phrases = {"class_boundary", "class_orientation", "signed_distortion"}
    assert set(names("extended")) - set(names("extended", "hiero")) == of_phrases
    filtered = set(names("extended-filtered")) - set(names("extended"))
    assert filtered == {"lexical_rule", "lexical_alignment", "lexical_orientation"}
    assert set(names("sparse")) == filtered | {"source_deletion"}
    assert not set(names("dense-green")) & {*names("extended-filtered"), *names("sparse")}
    sparse = {spec.name: spec.settings.get("more_than", 0) for spec in parse_features("sparse", "phrase")}
    assert set(sparse.values()) == {0}


def test_a_setting_of_a_preset_is_one_of_its_templates():
    specs = parse_features("extended-filtered:more_than=7,state=printed", "phrase")
    assert {spec.name: spec.settings["more_than"] for spec in specs if "more_than" in spec.settings} == {
        "lexical_rule": 7,
        "lexical_alignment": 7,
        "lexical_orientation": 7,
    }
    states = {spec.name: spec.settings["state"] for spec in specs if "state" in spec.settings}
    assert states == {"class_orientation": "printed", "lexical_orientation": "printed"}
    assert [spec.name for spec in specs] == [spec.name for spec in parse_features("extended-filtered", "phrase")]


def test_dense_green_asks_for_eight_orientations():
    assert preset_reordering("dense-green,sparse:more_than=2") == "hier-msdn-bidirectional-fe"
    assert preset_reordering("medium,extended") is None
    assert len(ReorderingOptions.parse("hier-msdn-bidirectional-fe").columns) == 8


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("word_pare", "Did you mean 'word_pair'"),
        ("word_pair:top=many", "whole number"),
        ("word_pair:top=-1", "top must be"),
        ("word_pair:tip=1", "it takes top"),
        ("id:x=1", "it takes none"),
        ("word_pair:top", "setting=value"),
        ("top=3", "must begin with a template, got the setting"),
        ("default,,id", "empty"),
        ("", "empty"),
        ("big,word_pair:top=3", "twice"),
        ("big:tip=3", "none of which has a setting .tip"),
        ("count_bin:exact=maybe", "yes or no"),
        ("count_bin:bounds=3/2", "rising"),
        ("count_bin:bounds=x", "joined by /"),
        ("length_bin:longest=0", "1 to 255"),
        ("lexical_rule:more_than=-3", "lexical_rule: more_than must be from 0 to"),
    ],
)
def test_what_cannot_be_meant_is_explained(text, message):
    with pytest.raises(ConfigError, match=message):
        FeatureSet.parse(text)


@pytest.mark.parametrize(
    "table",
    [
        {},
        {"template": 3},
        {"template": ""},
        {"template": "word_pair", "top": [1, "x"]},
        {"template": "id", "x": None},
        {"template": "word_pair", "top": 1.5},
        {"template": "word_pair", "top": True},
        {"template": "count_bin", "exact": 7},
        {"template": "count_bin", "bounds": []},
        {"template": "word_pair", "top": {"a": 1}},
    ],
)
def test_damaged_specs_are_errors(table):
    with pytest.raises(ConfigError):
        FeatureSet([TemplateSpec.from_dict(table)])


def test_a_missing_template_says_which_and_how_to_give_it():
    spec = TemplateSpec.from_dict({"template": "class_pair", "classes": 50})
    with pytest.raises(ConfigError, match=r"'class_pair'.*--features-from FILE"):
        FeatureSet([spec])


@pytest.mark.parametrize(
    "name",
    [
        "os.system",
        "mine.py",
        "../mine.py",
        "tunesmith.features.python_features",
        "tests:danger",
        "features_from",
        "__import__",
    ],
)
def test_a_model_cannot_make_code_run(tmp_path, monkeypatch, name):
    """A stored spec is only ever looked up by name: no file next to the model, no module is imported for it."""
    (tmp_path / "mine.py").write_text("raise SystemExit('this code ran')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    before = dict(__import__("sys").modules)
    for settings in ({}, {"features_from": "mine.py"}, {"path": "mine.py"}):
        with pytest.raises(ConfigError):
            FeatureSet([TemplateSpec.from_dict({"template": name, **settings})])
    assert set(__import__("sys").modules) - set(before) == set()


def test_only_rule_templates_make_a_matrix(monkeypatch):
    from tunesmith.features import SentenceFeature

    class Length(SentenceFeature):
        def __call__(self, source, translation):
            yield "", float(len(translation))

    monkeypatch.setitem(templates._factories, "length", Length)
    with pytest.raises(ConfigError, match="scope 'sentence'"):
        FeatureSet.parse("length")
    assert not issubclass(Length, RuleFeature)
