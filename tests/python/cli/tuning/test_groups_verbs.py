"""Recipes `oscar` and `shares`, and the verbs that look at its groups, as a user runs them."""

import json
import re
import shutil

import pytest
from support.damage.resealed import edited
from support.processes.killing import killed_at
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.io import read_lines
from tunesmith.weights import Weights


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def ran(*words):
    ended = run(*words)
    assert ended.exit_code == 0, ended.output
    return ended.stdout


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A corpus, and a model of it with rule identities."""
    folder = tmp_path_factory.mktemp("data")
    ran("phrasebook", "--pairs", 300, "--eval-sentences", 12, "--references", 2, "-q", "-o", folder / "corpus")
    ran("train", "--source", folder / "corpus/train.zh", "--target", folder / "corpus/train.en", "--order", 2,
        "--aligner", "fast_align", "--features", "default,id", "--max-span", 6, "-q",
        "-o", folder / "model")  # fmt: skip
    return folder


def words(data, output, *more, recipe=("oscar",)):
    corpus = data / "corpus"
    return ["tune", "-m", data / "model", "--recipe", *recipe, "--train", corpus / "train.zh", "--train-refs",
            corpus / "train.en", "--dev", corpus / "dev.zh", "--refs", corpus / "dev.en.0", corpus / "dev.en.1",
            "--rounds", 2, "--inner-rounds", 2, "--k", 8, "--train-sample", 60, "-q", *more,
            "-o", output]  # fmt: skip


@pytest.fixture(scope="module")
def tuned(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("tuned") / "run"
    return folder, json.loads(ran(*words(data, folder, "-f", "json")))


def test_the_recipe_runs_and_says_what_it_did(data, tuned):
    _, found = tuned
    assert found["recipe"] == "oscar"
    assert found["score"] >= found["start_score"]
    assert found["last_score"] == found["rounds"][-1]["score"]
    grouping = found["signature"]["grouping"]
    rules = json.loads(ran("rules", "stats", data / "model/rules", "-f", "json"))["rules"]
    assert grouping["regularizer.dimension"] == rules  # d: all rules of the table, not those of some sentence
    assert grouping["regularizer.l2d"] == 0.015
    assert grouping["features"] == "id:*"
    details = found["rounds"][1]["details"]
    assert {"group violated", "groups", "active_groups", "silent_groups", "before lm", "learnt lm"} <= set(details)


def test_one_strength_may_be_said_in_two_ways(data, tuned, tmp_path):
    """λ2 itself instead of λ2·d, with the same d."""
    dimension = tuned[1]["signature"]["grouping"]["regularizer.dimension"]
    told = json.loads(ran(*words(data, tmp_path / "run", "--set", f"l2={0.015 / dimension!r}", "-f", "json")))
    assert "regularizer.l2d" not in told["signature"]["grouping"]
    assert [row["score"] for row in told["rounds"]] == [row["score"] for row in tuned[1]["rounds"]]


def test_training_data_may_be_left_out_of_its_own_decoding(data, tmp_path):
    corpus = data / "corpus"
    ran("rules", "own", "-m", data / "model", "--source", corpus / "train.zh", "--target", corpus / "train.en",
        "-q", "-o", tmp_path / "own")  # fmt: skip
    options = ("--rounds", 1, "--inner-rounds", 1, "-f", "json", "--leave-one-out", tmp_path / "own")
    found = json.loads(ran(*words(data, tmp_path / "run", *options)))
    assert found["signature"]["train"]["left_out"]
    assert found["rounds"][1]["details"]["groups"] >= 9
    other = run("tune", "-m", data / "model", "--recipe", "oscar", "--train", corpus / "dev.zh",
                "--train-refs", corpus / "dev.en.0", "--dev", corpus / "dev.zh", "--refs", corpus / "dev.en.0",
                "--leave-one-out", tmp_path / "own", "-q", "-o", tmp_path / "other")  # fmt: skip
    assert other.exit_code == 2
    assert "is not the source of sentence pair 1" in other.output


def test_whole_parts_of_the_training_data_may_be_left_out(data, tmp_path):
    corpus, model = data / "corpus", tmp_path / "model"
    shutil.copytree(data / "model", model)
    ran("train", "--source", corpus / "train.zh", "--target", corpus / "train.en", "--order", 2,
        "--aligner", "fast_align", "--features", "default,id,lexical_alignment", "--max-span", 6, "-q",
        "-o", model)  # fmt: skip
    ran("rules", "own", "-m", model, "--source", corpus / "train.zh", "--target", corpus / "train.en", "-q",
        "-o", tmp_path / "own")  # fmt: skip
    given = words(data, tmp_path / "run", "--leave-one-out", tmp_path / "own", "--folds", 3, "--group-with",
                  "lexical_alignment:*", "--set", "support=2", "-f", "json", recipe=["grouped-mira"])  # fmt: skip
    given[given.index(data / "model")] = model
    found = json.loads(ran(*given))
    assert found["signature"]["grouping"]["shared"] == "lexical_alignment:*"
    assert "held-out:3-" in found["signature"]["train"]["decoder"]
    assert found["rounds"][1]["details"]["grouped_features"] > 100
    weights = dict(Weights.read(tmp_path / "run/rounds/01/weights.tsv").items())
    groups = {value for name, value in weights.items() if name.startswith("id:") and value}
    assert 1 <= len(groups) <= 5
    assert not any(value for name, value in weights.items() if name.startswith("lexical_alignment:"))
    given[given.index("grouped-mira")], given[given.index("--group-with")] = "shares", "--group"
    given[given.index(tmp_path / "run")] = tmp_path / "shares"
    found = json.loads(ran(*given, "--group", "id:*"))
    assert [round["round"] for round in found["rounds"]] == [0, 1, 2]
    weights = dict(Weights.read(tmp_path / "shares/rounds/02/weights.tsv").items())
    for template in ("id", "lexical_alignment"):
        shares = {value for name, value in weights.items() if name.startswith(f"{template}:") and value}
        assert len(shares) > 5
    narrow = [tmp_path / "narrow" if each == tmp_path / "shares" else each for each in given]
    quick = json.loads(ran(*narrow, "--group", "id:*", "--train-pop-limit", 1))
    train, dev = (quick["signature"][name]["decoder"] for name in ("train", "dev"))
    assert "pop_limit=1," in train
    assert dev == found["signature"]["dev"]["decoder"]
    assert quick["rounds"][1]["details"]["train candidates"] != found["rounds"][1]["details"]["train candidates"]
    for wrong, message in (
        (["--train-pop-limit", 30], "--train-pop-limit is for training data in held-out folds"),
        (["--folds", 3], "--folds says how much --leave-one-out FOLDER leaves out"),
        (["--folds", 400, "--leave-one-out", tmp_path / "own"], "folds must be from 2 to the number of sentence"),
        (["--group-with", "lexical_alignment:*"], "shared features are for groups of id:* by rank"),
    ):
        ended = run(*words(data, tmp_path / "no", *wrong))
        assert ended.exit_code == 2
        assert message in " ".join(ended.output.split())
    other = tmp_path / "other.en"
    other.write_text((corpus / "train.en").read_text().replace(" the ", " a "))
    given = words(data, tmp_path / "no", "--folds", 3, "--leave-one-out", tmp_path / "own")
    given[given.index(corpus / "train.en")] = other
    ended = run(*given)
    assert ended.exit_code == 2
    assert "are not the target side" in " ".join(ended.output.split())


def test_the_corrected_recipe_finds_out_itself_what_the_model_has_read(data, tmp_path):
    """Without --leave-one-out it does what `rules leave-one-out` and --folds 5 do, also after it was killed."""
    corpus = data / "corpus"
    ran("rules", "own", "-m", data / "model", "--source", corpus / "train.zh", "--target", corpus / "train.en",
        "-q", "-o", tmp_path / "own")  # fmt: skip
    more = ["--set", "support=2", "-f", "json"]
    told = ["--leave-one-out", tmp_path / "own", "--folds", 5]
    named = json.loads(ran(*words(data, tmp_path / "named", *more, *told, recipe=["shares"])))
    assert named["recipe"] == "shares"
    assert "held-out:5-" in named["signature"]["train"]["decoder"]
    given = words(data, tmp_path / "run", *more, recipe=["shares"])
    assert killed_at(12, lambda: run(*given))
    found = json.loads(ran(*given))
    assert found["signature"] == named["signature"]
    assert bytes_of(tmp_path / "run") == bytes_of(tmp_path / "named")
    fewer = json.loads(ran(*words(data, tmp_path / "three", *more, "--folds", 3, recipe=["shares"])))
    assert "held-out:3-" in fewer["signature"]["train"]["decoder"]
    unread = words(data, tmp_path / "unread", *more, "--set", "cross_fit=false", recipe=["shares"])
    assert "held-out" not in json.loads(ran(*unread))["signature"]["train"]["decoder"]


def test_pairs_learnt_on_train_are_judged_on_dev(data, tmp_path):
    """The rows PRO/train of Liu et al.: any recipe takes training data."""
    given = words(data, tmp_path / "run", "-f", "json", recipe=["pro", "--plain"])
    for option in ("--inner-rounds", "--train-sample"):
        at = given.index(option)
        del given[at : at + 2]
    found = json.loads(ran(*given))
    assert found["rounds"][1]["details"]["train candidates"] == found["rounds"][1]["candidates"] > 1000
    assert found["signature"]["train"]["sentences"] == 300


def test_the_recipe_l1_gives_rules_the_fewer_weights_the_stronger_it_is(data, tmp_path):
    rules = []
    for strength in ("10", "0.05", "0"):
        output = tmp_path / strength
        ran("tune", "-m", data / "model", "--recipe", "l1", "--dev", data / "corpus/dev.zh", "--refs",
            data / "corpus/dev.en.0", "--rounds", 1, "--k", 8, "--set", f"strength={strength}", "-q",
            "-o", output)  # fmt: skip
        weights = Weights.read(output / "rounds/01/weights.tsv").items()
        rules.append(sum(name.startswith("id:") and value != 0 for name, value in weights))
    assert 0 == rules[0] < rules[1] < rules[2], rules


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


@pytest.mark.parametrize("rename", [9, 26])
def test_a_killed_run_goes_on_to_the_same_bytes(data, tuned, tmp_path, rename):
    assert killed_at(rename, lambda: run(*words(data, tmp_path / "run")))
    ran(*words(data, tmp_path / "run", "-j", 2))
    assert bytes_of(tmp_path / "run") == bytes_of(tuned[0])


def test_groups_are_shown(data, tuned):
    folder, _ = tuned
    text = ran("groups", "show", folder, "--round", 2, "--limit", 4, "--members", 1)
    assert " groups of " in text
    assert len(text.splitlines()) == 6
    found = json.loads(ran("groups", "show", folder, "--limit", 0, "-m", data / "model", "--test",
                           data / "corpus/test.zh", "--kbest", 20, "-q", "-f", "json"))  # fmt: skip
    sizes = [group["size"] for group in found["groups"] if group["kind"] == "group"]
    assert (len(sizes), sum(sizes)) == (found["count"], found["features"])
    lm = next(group for group in found["groups"] if group["members"][0]["feature"] == "lm")
    assert (lm["kind"], lm["test"], lm["dev"]) == ("alone", 12, 12)
    by_size = json.loads(ran("groups", "show", folder, "--sort", "size", "-f", "json"))["groups"]
    assert [group["size"] for group in by_size] == sorted((group["size"] for group in by_size), reverse=True)


def test_groups_are_compared_and_drawn(tuned, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    folder, _ = tuned
    same = json.loads(ran("groups", "compare", folder, folder, "-f", "json"))
    assert same["rand_index"] == same["same_sign"] == 1.0
    assert "adjusted Rand index" in ran("groups", "compare", folder / "rounds/01", folder / "rounds/02")
    ran("groups", "plot", folder, "-q", "-o", tmp_path / "groups.svg")
    assert (tmp_path / "groups.svg").read_text().startswith("<?xml")
    shutil.copytree(folder / "rounds/01", tmp_path / "alone")
    ended = run("groups", "plot", tmp_path / "alone", "-q", "-o", tmp_path / "alone.svg")
    assert ended.exit_code == 2
    assert "is not a folder of a tuning run" in ended.output
    monkeypatch.chdir(folder / "rounds/01")
    ran("groups", "plot", ".", "-q", "-o", tmp_path / "here.svg")
    assert (tmp_path / "here.svg").is_file()


def test_reused_features_are_counted_for_every_recipe(data, tuned, tmp_path):
    folder, _ = tuned
    options = ["features", "reused", "-m", data / "model", "--test", data / "corpus/test.zh", "--kbest", 20, "-q"]
    found = json.loads(ran(*options, "-W", folder / "weights.tsv", "--groups", folder, "-f", "json"))
    weights = Weights.read(folder / "weights.tsv")
    assert found["features"]["active"] == sum(value != 0 for value in weights.array)
    assert 0 < found["groups"]["reused"] <= found["groups"]["active"]
    assert sum(each["active"] for each in found["templates"].values()) == found["features"]["active"]
    assert found["sentences"] == len(read_lines(data / "corpus/test.zh"))
    assert json.loads(ran(*options, "--groups", folder, "-f", "json")) == found  # the weights are those of the run
    dense = json.loads(ran(*options, "-f", "json"))
    start = Weights.read(data / "model/weights.tsv")
    assert dense["features"]["active"] == sum(value != 0 for value in start.array)
    assert "groups" not in dense
    (tmp_path / "empty").write_text("")
    ended = run("features", "reused", "-m", data / "model", "--test", tmp_path / "empty", "-q")
    assert ended.exit_code == 2
    assert "has no sentence" in ended.output


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--recipe", "shares"], "--train FILE --train-refs FILE"),
        (["--recipe", "shares", "--train", "{corpus}/train.zh"], "--train-refs FILE"),
        (["--recipe", "shares", "--train-refs", "{corpus}/train.en"], "belongs to --train"),
        (["--recipe", "shares", "--train", "{corpus}/train.zh", "--train-refs", "{corpus}/dev.en.0"], "12"),
        (["--recipe", "shares", "{train}", "--group", "word_pair:*"], "'word_pair:\\*'"),
        (["--recipe", "shares", "{train}", "--group", "lm"], "features would stand alone"),
        (["--recipe", "mira", "{train}", "--inner-rounds", "3"], "mira makes no groups"),
        (
            ["--recipe", "oscar", "{train}", "--set", "l2d=-1"],
            "l2d must be .*, got -1",
        ),
        (
            ["--recipe", "oscar", "{train}", "--set", "l1=nan"],
            "l1 must be .*, got nan",
        ),
        (["--recipe", "oscar", "{train}", "--set", "dimension=5"], "dimension = 5"),
        (["--recipe", "shares", "{train}", "--set", "support=0"], "support must be at least 1, got 0"),
        (
            ["--recipe", "shares", "--train", "{corpus}/dev.zh", "--train-refs", "{corpus}/dev.en.0"],
            "alignments for 12 .* --set cross_fit=false",
        ),
        (
            [
                "--recipe",
                "shares",
                "--train",
                "{corpus}/train.zh",
                "--train-refs",
                "{corpus}/train.en",
                "{corpus}/train.zh",
            ],
            "two files",
        ),
        (["--recipe", "grouped", "{train}", "--folds", "3"], "--leave-one-out FOLDER"),
        (["--recipe", "oscar", "{train}", "--set", "keep=7"], "say which"),
        (["--recipe", "shares", "{train}", "--fix", "lm"], "groups"),
    ],
)
def test_bad_input_is_one_line_for_people(data, tmp_path, more, message):
    corpus = data / "corpus"
    given = []
    for word in more:
        train = ["--train", corpus / "train.zh", "--train-refs", corpus / "train.en"]
        given += train if word == "{train}" else [word.replace("{corpus}", str(corpus))]
    ended = run("tune", "-m", data / "model", "--dev", corpus / "dev.zh", "--refs", corpus / "dev.en.0",
                "--rounds", 1, "--inner-rounds", 1, "--k", 5, "-q", "-o", tmp_path / "run", *given)  # fmt: skip
    assert not (tmp_path / "run").exists()  # found before any work
    assert ended.exit_code in (1, 2)
    assert "Traceback" not in ended.output
    assert re.search(message, ended.output), ended.output


def test_a_model_without_rule_identities_says_how_to_get_them(data, tmp_path):
    plain = tmp_path / "model"
    shutil.copytree(data / "model", plain)
    text = (data / "model/system.toml").read_text()
    (plain / "system.toml").write_text(text.replace('[[features]]\ntemplate = "id"\n', ""))
    edited(plain / "system.toml")
    ended = run(*[plain if word == data / "model" else word for word in words(data, tmp_path / "run")])
    assert ended.exit_code == 2
    assert "--features default,id" in ended.output


def test_features_that_come_while_tuning_are_grouped(data, tmp_path):
    """Bigrams are met sentence by sentence: lists of train and dev have more and more columns."""
    model = tmp_path / "model"
    shutil.copytree(data / "model", model)
    with edited(model / "system.toml").open("a") as out:
        out.write('\n[[features]]\ntemplate = "target_bigrams"\n')
    more = ["--group", "id:*", "--group", "target_bigrams:*", "--train-sample", 15]
    given = [model if word == data / "model" else word for word in words(data, tmp_path / "run", *more)]
    ended = run(*given)
    assert ended.exit_code == 2
    assert "--set dimension=" in ended.output
    ran(*given, "--set", "dimension=20000", "--set", "l2d=0.001")
    names = [line.split("\t")[0] for line in read_lines(tmp_path / "run/rounds/02/members.tsv")[2:]]
    assert {"id", "target_bigrams", "lm"} <= {name.split(":")[0] for name in names}


def test_a_penalty_that_needs_no_number_waits_for_features_of_the_search(data, tmp_path):
    model = tmp_path / "model"
    shutil.copytree(data / "model", model)
    with edited(model / "system.toml").open("a") as out:
        out.write('\n[[features]]\ntemplate = "source_triggers"\n')
    more = ["--group", "id:*", "--group", "source_triggers:*", "--set", "partition=shares:bins=5"]
    given = words(data, tmp_path / "run", *more, "-f", "json", recipe=["grouped-mira"])
    given[given.index(data / "model")] = model
    found = json.loads(ran(*given))
    weights = dict(Weights.read(tmp_path / "run/rounds/02/weights.tsv").items())
    assert len({value for name, value in weights.items() if name.startswith("source_triggers:")}) > 5
    again = [tmp_path / "again" if word == tmp_path / "run" else word for word in given]
    assert killed_at(26, lambda: run(*again))  # numbers of features are given again
    ran(*again)
    assert bytes_of(tmp_path / "again") == bytes_of(tmp_path / "run")
    on = [tmp_path / "on" if word == tmp_path / "run" else word for word in given]
    started = json.loads(ran(*on, "--start", tmp_path / "run/weights.tsv"))
    assert started["start_score"] == found["score"]  # weights of features that have not been met yet count
    shown = json.loads(ran("groups", "show", tmp_path / "run", "--members", 5000, "--limit", 0, "-f", "json"))
    best = dict(Weights.read(tmp_path / "run/weights.tsv").items())
    for group in shown["groups"]:
        for member in group["members"]:
            assert best[member["feature"]] == pytest.approx(group["weight"] * member["share"])
        sizes = [abs(member["share"]) for member in group["members"]]
        assert sizes == sorted(sizes, reverse=True)
    assert "largest shares" in ran("groups", "show", tmp_path / "run")
    ran("groups", "plot", tmp_path / "run", "-q", "-o", tmp_path / "shares.svg")
    assert "share of the group" in (tmp_path / "shares.svg").read_text()
    given[given.index(tmp_path / "run")] = tmp_path / "other"
    for typed, message in (
        ("--group id:* --group source_triggers:* --group source_trigger:*", "called 'source_trigger:*'"),
        ("--group id:*", "add --group 'source_triggers:*'"),
        ("--group id:* --group-with source_triggers:*", "which rules do not share"),
    ):
        at = given.index("--group")
        ended = run(*given[:at], *typed.split(), *given[at + 4 :])
        assert ended.exit_code == 2
        assert message in " ".join(ended.output.split())


def test_groups_of_a_run_without_any_are_missing(tuned, tmp_path):
    ended = run("groups", "show", tmp_path)
    assert ended.exit_code != 0
    assert "neither" in ended.output
    ended = run("groups", "show", tuned[0], "--test", tmp_path / "x")
    assert "belong together" in ended.output
    assert "--tokenized belongs to --test" in run("groups", "show", tuned[0], "--tokenized").output
