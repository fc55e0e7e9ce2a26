"""A pipeline: what is wrong in its file, which stages run and why, what is kept."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tunesmith.cli.experiments.pipeline_commands import VerbCommands
from tunesmith.cli.main import app
from tunesmith.errors import ConfigError, FormatError, TunesmithError
from tunesmith.experiments.pipeline import pipeline as pipelines
from tunesmith.experiments.pipeline.pipeline import Pipeline, example, examples

SMALL = """\
[data.corpus]
pairs = 50

[train.model]
source = "{data.corpus}/train.zh"
target = "{data.corpus}/train.en"

[tune.mira]
model = "{train.model}"
dev = "dev.zh"
refs = "dev.en.*"
rounds = 2

[tune.pro]
model = "{train.model}"
dev = "dev.zh"
refs = "dev.en.*"
recipe = "pro"

[test.one]
source = "dev.zh"
refs = "dev.en.*"

[test.two]
source = "dev.zh"

[translate.mira]
model = "{train.model}"
weights = "{tune.mira}/weights.tsv"

[translate.pro]
model = "{train.model}"
weights = "{tune.pro}/weights.tsv"
tests = ["one"]
"""


@dataclass(frozen=True)
class Recorded(VerbCommands):
    """The verbs of the command line, which are not run but noted; what they would leave is empty."""

    threads: int = 1
    quiet: bool = True
    ran: list[str] = field(default_factory=list)

    def run(self, words, output):
        made = [word.removeprefix("--output=") for word in words if word.startswith("--output=")]
        self.ran.append("/".join(made[0].split("/")[-4:]) if made else f"{words[0]}")
        for each in made:
            Path(each).parent.mkdir(parents=True, exist_ok=True)
            Path(each).touch()
        if output is not None:
            output.write_text(json.dumps({"words": list(words), "rounds": [], "metrics": []}))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("dev.zh", "dev.en.0", "dev.en.1"):
        Path(name).write_text("a b\n")
    return tmp_path


def opened(text=SMALL, *overrides, commands=None):
    Path("e.toml").write_text(text)
    return Pipeline.open("e.toml", commands or Recorded(), overrides=overrides)


def ran(text=SMALL, *overrides):
    """What runs: the stages that are not done."""
    pipeline = opened(text, *overrides)
    expected = [each.name for each in pipeline.planned(pipeline.stages) if each.state != "done"]
    commands = Recorded()
    pipeline = opened(text, *overrides, commands=commands)
    pipeline.run(pipeline.stages)
    assert len(commands.ran) == len(expected)
    return expected


def test_stages_are_made_of_the_file(folder):
    names = ran()
    assert names == [
        "data.corpus",
        "train.model",
        "tune.mira",
        "tune.pro",
        "translate.mira.one",
        "translate.mira.two",
        "translate.pro.one",
        "evaluate.mira.one",
        "evaluate.pro.one",
        "compare.one",
    ]
    assert ran() == []
    results = json.loads(Path("e/results.json").read_text())
    assert list(results["tunings"]) == ["mira", "pro"]
    assert list(results["tests"]["one"]["systems"]) == ["mira", "pro"]
    words = results["tests"]["one"]["comparison"]["words"]
    assert words[:3] == ["compare", "e/translate/mira/one/translation", "e/translate/pro/one/translation"]
    assert "--refs=dev.en.*" in words


@pytest.mark.parametrize(
    ("override", "again"),
    [
        ("tune.pro.rounds=3", ["tune.pro", "translate.pro.one", "evaluate.pro.one", "compare.one"]),
        ("evaluate.metric=ter", ["evaluate.mira.one", "evaluate.pro.one"]),
        ('compare.base="pro"', ["compare.one"]),
        ("translate.mira.pop_limit=9", ["translate.mira.one", "translate.mira.two", "evaluate.mira.one",
                                        "compare.one"]),
    ],
)  # fmt: skip
def test_only_what_depends_on_a_change_runs_again(folder, override, again):
    ran()
    assert ran(SMALL, override) == again
    assert ran(SMALL, override) == []


def test_why_a_stage_runs_is_said(folder):
    ran()
    Path("dev.en.1").write_text("a c\n")
    pipeline = opened(SMALL, "tune.pro.rounds=3")
    planned = {each.name: each for each in pipeline.planned(pipeline.stages)}
    assert planned["data.corpus"] == ("data.corpus", "done", None)
    assert planned["tune.pro"][1:] == ("changed", "rounds, file dev.en.*")
    assert planned["tune.mira"][1:] == ("changed", "file dev.en.*")
    assert planned["translate.mira.two"][1:] == ("changed", "a stage that it needs")


def test_a_model_stays_when_a_setting_of_training_changes_and_goes_with_its_data(folder):
    ran()
    Path("e/train/model.model").write_text("trained")
    assert ran(SMALL, "train.model.order=3")[0] == "train.model"
    assert Path("e/train/model.model").read_text() == "trained"  # train itself sees what is still right
    assert ran(SMALL, "data.corpus.pairs=60")[:2] == ["data.corpus", "train.model"]
    assert Path("e/train/model.model").read_text() == ""


def test_a_stage_that_fails_keeps_those_before_it(folder):
    class Failing(Recorded):
        def run(self, words, output):
            if words[0] == "tune" and "--recipe=pro" in words:
                raise TunesmithError("no")
            super().run(words, output)

    pipeline = opened(commands=Failing())
    with pytest.raises(TunesmithError, match=r"e.toml:14: tune.pro failed: no"):
        pipeline.run(pipeline.stages)
    assert ran()[0] == "tune.pro"


def test_chosen_stages_run_alone_once_what_they_need_is_done(folder):
    pipeline = opened()
    with pytest.raises(ConfigError, match=r"tune.mira needs data.corpus, which is not done"):
        pipeline.chosen(only=["tune"])
    pipeline.run(pipeline.chosen(only=["data", "train"]))
    assert [stage.name for stage in pipeline.chosen(only=["tune.pro"])] == ["tune/pro"]
    with pytest.raises(ConfigError, match=r"compare.one needs tune.mira, which is not done"):
        pipeline.chosen(since=["tune.pro"])
    names = [stage.name for stage in pipeline.chosen(since=["tune"])]
    assert names == [stage.name for stage in pipeline.stages[2:]]
    names = [stage.name for stage in pipeline.chosen(since=["tune.pro"], only=["tune.mira", "translate.mira.one"])]
    assert names == ["tune/mira", "tune/pro", "translate/mira/one", "translate/pro/one", "evaluate/pro/one",
                     "compare/one"]  # fmt: skip
    with pytest.raises(ConfigError, match=r"'tune.por' is not a stage; did you mean tune.pro\?"):
        pipeline.chosen(only=["tune.por"])


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("rounds = 2", "round = 2", "e.toml:12: 'round' is not an option of tunesmith tune; did you mean rounds?"),
        ("rounds = 2", "rounds = 0", "e.toml:12: Invalid value for '--rounds'"),
        ("rounds = 2", 'rounds = "two"', "e.toml:12: Invalid value for '--rounds'"),
        ("rounds = 2", "rounds = [2, 3]", "e.toml:12: rounds takes one value, got 2"),
        ("rounds = 2", "lowercase = 3", "e.toml:12: lowercase must be true or false, got 3"),
        ("rounds = 2", "rounds = 2020-01-01", "e.toml:12: rounds must be a text or a number"),
        ("rounds = 2", "restart = true", "e.toml:12: restart is set by the pipeline; leave it out"),
        ("rounds = 2", "seeds = 3", "e.toml:12: seeds makes many runs, and a stage is one: write a [tune.NAME]"),
        ("rounds = 2", "cross_validate = 3", "run tunesmith tune --cross-validate by itself"),
        ('tests = ["one"]', "kbest = 3", "kbest prints more than translations, which is what stages judge: run"),
        ("rounds = 2", "rounds = ", "e.toml:12: is not TOML"),
        ('dev = "dev.zh"', 'dev = "dev.cn"', "e.toml:10: dev: dev.cn: no such file"),
        ('"dev.en.*"', '"dev.fr.*"', "e.toml:11: refs: dev.fr.*: no file matches this pattern"),
        ('"{train.model}"', '"{train.mode}"', "e.toml:9: model: 'train.mode' is not a stage; did you mean"),
        ("[tune.pro]", "[tun.pro]", "e.toml:14: 'tun' is not a part of a pipeline; did you mean tune?"),
        ("[tune.pro]", '[tune."a b"]', "'a b' is not a name"),
        ("[test.two]\nsource", "[test.two]\nsuorce", "e.toml:25: 'suorce' is not a key of a test set; did you"),
        ('["one"]', '["tow"]', "'tow' is not a name for tests; did you mean two?"),
        ('["one"]', "[]", "pro has nothing to do: add [test.NAME] with source = FILE"),
        ("pairs = 50", 'verb = "train"', "e.toml:2: 'train' is not a verb of data"),
        ("pairs = 50", "pairs = 50\n[evaluate.x]\nmetric=1", "'x' is not an option of tunesmith evaluate"),
        ("[train.model]", "[train]", "train needs a name: [train.NAME]"),
        ('source = "{data.corpus}/train.zh"\n', "", "e.toml:4: Missing option '--source'."),
        ('source = "{data.corpus}/train.zh"', 'source = "{tune.mira}/x"',
         "a stage cannot need itself: train.model needs tune.mira needs train.model"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_file_is_said_with_its_line(folder, old, new, message):
    assert old in SMALL
    with pytest.raises((FormatError, ConfigError)) as raised:
        opened(SMALL.replace(old, new, 1))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)
    assert str(raised.value).startswith("e.toml")
    assert sorted(each.name for each in folder.iterdir()) == ["dev.en.0", "dev.en.1", "dev.zh", "e.toml"]


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("tune.mira.round=1", "--set tune.mira.round: 'round' is not an option of tunesmith tune; did you mean"),
        ("tune.mira.rounds=0", "--set tune.mira.rounds: Invalid value for '--rounds'"),
        ("tune.mira=0", "--set tune.mira: is a table; name a key in it"),
        ("tune.mira.rounds.x=0", "--set tune.mira.rounds.x: tune.mira.rounds is not a table"),
        (
            "tune.mria.rounds=1",
            "--set tune.mria.rounds: 'mria' is not a stage tune.NAME of this file; did you mean mira?",
        ),
        ("nothing.x.y=1", "--set nothing.x.y: 'x' is not a stage nothing.NAME of this file; known: none"),
        ("rounds", "--set rounds: is not KEY=VALUE"),
        ("tune..x=1", "is not KEY=VALUE"),
    ],
)
def test_what_is_wrong_in_an_override_is_said(folder, override, message):
    with pytest.raises(ConfigError) as raised:
        opened(SMALL, override)
    assert message in str(raised.value)


def test_values_of_overrides_are_toml_or_text(folder):
    words = opened(
        SMALL, "tune.mira.recipe=mert", "tune.mira.lowercase=true", "tune.mira.set=['a=1', 'b=2']"
    ).plan.stages[2]
    assert words.settings["recipe"] == "mert"
    assert words.settings["lowercase"] is True
    assert words.settings["set"] == ["a=1", "b=2"]


def test_a_file_names_code_only_where_its_user_allows_it(folder):
    Path("mine.py").touch()
    text = SMALL.replace("[train.model]\n", '[train.model]\nfeatures_from = "mine.py"\n')
    with pytest.raises(FormatError, match=r"e.toml:5: features_from runs code that the file names; if you trust"):
        opened(text)
    pipeline = Pipeline.open("e.toml", Recorded(), allow_code=True)
    assert "file mine.py" in pipeline.stages[1].settings


def test_code_that_a_file_names_is_not_run_by_looking_at_the_file(folder):
    Path("mine.py").write_text("open('ran', 'w').close()\n")
    named = '"\nmetric_from = "mine.py"\nfeatures_from = "mine.py"\n'
    text = SMALL.replace('refs = "dev.en.*"\nr', f'refs = "dev.en.*{named}r')
    assert text.count("mine.py") == 4
    Path("e.toml").write_text(text)
    assert len(Pipeline.open("e.toml", Recorded(), allow_code=True).stages) == 10
    assert not Path("ran").exists()


def test_a_folder_of_something_else_is_refused(folder):
    Path("e").mkdir()
    Path("e/mine").touch()
    with pytest.raises(ConfigError, match="other data"):
        opened()


def test_a_dry_run_writes_nothing(folder):
    Path("e.toml").write_text(SMALL)
    before = sorted(folder.rglob("*"))
    ended = CliRunner().invoke(app, ["pipeline", "e.toml", "--dry-run"])
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.splitlines()[0] == "data.corpus\tnew\tnot run before"
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize("name", examples())
def test_every_example_is_a_pipeline(folder, name):
    for each in ("dev.nbest", "test.nbest", "dev.ref.0", "test.ref.0"):
        Path(each).write_text("a\n")
    text = CliRunner().invoke(app, ["pipeline", "--example", name]).stdout
    assert text == example(name)
    assert len(opened(text).stages) > 5


def test_an_example_that_is_not_there(folder):
    with pytest.raises(ConfigError, match=r"'readm' is not an example of a pipeline; did you mean readme\?"):
        pipelines.example("readm")
