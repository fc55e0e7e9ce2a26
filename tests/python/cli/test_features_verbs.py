"""`tunesmith features`: real command lines on a small table and a small model."""

import json

import pytest
from support.corpora.grammar_corpus import corpus
from support.damage.resealed import edited
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.config import FeaturePart, System, write_system
from tunesmith.features import templates
from tunesmith.grammar import ExtractOptions, HieroOptions, RuleTable, extract_rules
from tunesmith.io import write_lines


def run(*words):
    return CliRunner().invoke(app, ["features", *map(str, words)])


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("model")
    bitext, alignments = corpus(pairs=6, words=4)
    extract_rules(bitext, alignments, folder / "rules", ExtractOptions(HieroOptions(min_gap=1)))
    (folder / "lm.bin").write_bytes(b"")
    parts = (FeaturePart("word_penalty"), FeaturePart("count_bin", {"bounds": (1, 2)}), FeaturePart("id"))
    write_system(folder, System("hiero", features=parts))
    return folder


@pytest.fixture
def own_registry(monkeypatch):
    monkeypatch.setattr(templates, "_factories", dict(templates._factories))


def test_list_names_every_template_with_its_settings():
    text = run("list").stdout
    found = json.loads(run("list", "-f", "json").stdout)
    assert {entry["template"] for entry in found["templates"]} == set(templates.names())
    for entry in found["templates"]:
        assert entry["scope"] == templates.get(entry["template"]).scope
        assert entry["about"].endswith(".")
        assert entry["about"] in text
    assert {"template": "word_pair", "settings": {"top": 80}}.items() <= next(
        entry for entry in found["templates"] if entry["template"] == "word_pair"
    ).items()


def test_describe_counts_what_show_shows(model):
    described = json.loads(run("describe", model, "--top", 3, "-f", "json").stdout)
    rules = described["rules"]
    assert [entry["template"] for entry in described["templates"]] == ["word_penalty", "count_bin", "id"]
    fired = {"word_penalty": 1, "count_bin": 0, "id": 0}  # an unknown word has a word penalty
    for rule in RuleTable.open(model / "rules"):
        shown = run("show", model, "--source", " ".join(rule.source), "--limit", 0, "-f", "json").stdout
        matching = [line for line in map(json.loads, shown.splitlines()) if line["text"] == str(rule)]
        for name in matching[0]["features"]:
            fired[name.partition(":")[0]] += 1
    assert {entry["template"]: entry["fired"] for entry in described["templates"]} == fired
    assert {entry["template"]: entry["features"] for entry in described["templates"]} == {
        "word_penalty": 1,
        "count_bin": 3,
        "id": rules,
    }
    assert described["top"][0] == {"name": "word_penalty", "rules": rules + 1}
    assert len(run("describe", model, "--top", 3).stdout.splitlines()) == 4 + 1 + 4


def test_show_adds_up_weights(model, tmp_path):
    write_lines(tmp_path / "weights.tsv", ["# by hand", "word_penalty\t-0.5", "count_bin:1\t2", "count_bin:2\t3"])
    shown = run("show", model / "rules", "--source", "f1", "--features", "word_penalty,count_bin:bounds=1/2",
                "-W", tmp_path / "weights.tsv", "-f", "json").stdout  # fmt: skip
    for line in map(json.loads, shown.splitlines()):
        features = line["features"]
        assert line["score"] == sum(entry["value"] * entry["weight"] for entry in features.values()) != 0
    text = run("show", model, "--source", "f1", "-W", tmp_path / "weights.tsv", "--limit", 1).stdout
    assert text.splitlines()[1].split() == ["feature", "value", "weight", "adds"]
    assert run("show", model, "--source", "no such words").stdout == ""


def test_templates_of_a_file_and_of_a_model(model, tmp_path, own_registry):
    (tmp_path / "mine.py").write_text(
        "from tunesmith.features import RuleFeature, register\n"
        "@register('gaps')\n"
        "class Gaps(RuleFeature):\n"
        "    'How many gaps.'\n"
        "    def __call__(self, rule):\n"
        "        yield '', float(sum(word in ('[X,1]', '[X,2]') for word in rule.source))\n"
    )
    missing = run("describe", model, "--features", "default,gaps")
    assert (missing.exit_code, "--features-from" in missing.stderr) == (2, True)
    given = run(
        "describe", model, "--features", "default,gaps", "--features-from", tmp_path / "mine.py", "-f", "json"
    )
    assert json.loads(given.stdout)["templates"][-1]["template"] == "gaps"
    assert "gaps" in run("list").stdout


def test_a_model_with_features_of_the_search(model, tmp_path):
    import shutil

    plain = run("describe", model)
    shutil.copytree(model, tmp_path / "model")
    with edited(tmp_path / "model" / "system.toml").open("a", encoding="utf-8") as system:
        system.write('\n[[features]]\ntemplate = "target_bigrams"\n')
    across = run("describe", tmp_path / "model")
    assert (across.exit_code, across.stdout) == (0, plain.stdout)
    assert "target_bigrams" in across.stderr
    assert run("show", tmp_path / "model", "--rule", "0").stdout == run("show", model, "--rule", "0").stdout


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["show", "{model}"], 2),
        (["show", "{model}", "--rule", "0", "--source", "f1"], 2),
        (["show", "{model}", "--rule", "1000000"], 2),
        (["show", "{model}", "--source", "no such words"], 2),
        (["show", "{model}", "--rule", "0", "-W", "{model}/system.toml"], 1),
        (["describe", "{model}", "--features", "word_pare"], 2),
        (["describe", "{model}", "--features-from", "nowhere.py"], 2),
        (["describe", "{model}/nowhere"], 2),
        (["describe", "{model}/.."], 1),
    ],
)
def test_bad_usage_and_bad_data(model, words, code):
    ended = run(*(word.format(model=model) for word in words))
    assert ended.exit_code == code
    assert ended.stderr
    assert not ended.stdout


def test_a_model_directory_never_runs_code(model, tmp_path):
    """A Python file in the model, and a system that points to it in every way it can, change nothing."""
    import shutil

    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "model" / "mine.py").write_text("raise SystemExit('this code ran')")
    system = edited(tmp_path / "model" / "system.toml").read_text(encoding="utf-8")
    for extra in (
        '[[features]]\ntemplate = "mine"\n',
        '[[features]]\ntemplate = "mine.py"\n',
        '[[features]]\ntemplate = "word_pair"\nfeatures_from = "mine.py"\n',
        'features_from = "mine.py"\n',
    ):
        (tmp_path / "model" / "system.toml").write_text(system + "\n" + extra, encoding="utf-8")
        ended = run("describe", tmp_path / "model")
        assert ended.exit_code in (1, 2)
        assert "this code ran" not in ended.output
