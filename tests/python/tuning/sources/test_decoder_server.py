"""An external decoder that stays: a line in, a list out, weights by file and signal."""

import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from support.processes.processes import is_running
from support.processes.waiting import until
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.tuning import recipes
from tunesmith.tuning.sources.command import CommandSource, DecoderCommand
from tunesmith.tuning.sources.server import ServerSource

SUPPORT = Path(__file__).parents[3] / "support" / "models"
TEMPLATE = "[feature]\nLength\n\n[weight]\nLength0= 0.1\nTM0= 0.09 0\n"
SENTENCES = ["a b c d e f", "the cat sat on the mat", "one two three four five", "x y z w v u t"]
ALL = np.array([0.1, 0.09, 0.0])


def command(data, mode="good", k="{k}"):
    stub = shlex.quote(str(SUPPORT / "stub_server.py"))
    return f"{shlex.quote(sys.executable)} {stub} {shlex.quote(mode)} {{config}} {k} {shlex.quote(str(data))}"


@pytest.fixture
def data(tmp_path):
    (tmp_path / "moses.ini").write_text(TEMPLATE)
    (tmp_path / "dev").write_text("\n".join(SENTENCES) + "\n")
    (tmp_path / "refs").write_text("\n".join(SENTENCES) + "\n")
    return tmp_path


def source(data, mode="good", k=5, **options):
    decoder = DecoderCommand(command(data, mode), data / "moses.ini", serves=True, **options)
    return ServerSource(decoder, data / "dev", [[text] for text in SENTENCES], k)


def texts(candidates):
    return [candidates.text(at) for at in range(len(candidates))]


def counted(data, what):
    return (data / what).stat().st_size if (data / what).exists() else 0


def test_lists_are_those_of_a_command_that_decodes_the_whole_text(data):
    stub = f"{shlex.quote(sys.executable)} {SUPPORT / 'stub_decoder.py'} good -f {{config}} -n-best-list - {{k}}"
    whole = CommandSource(
        DecoderCommand(f"{stub} < {{source}}", data / "moses.ini"), data / "dev", [[x] for x in SENTENCES], 5
    )
    server = source(data)
    for weights in (ALL, -ALL, np.array([0.0, 1.0, 2.0])):
        one, other = whole.candidates(weights), server.candidates(weights)
        assert texts(one) == texts(other)
        assert np.array_equal(one.rows().toarray(), other.rows().toarray())
        assert np.array_equal(one.offsets, other.offsets)
    assert counted(data, "starts") == 1
    assert counted(data, "signals") == 2


def test_some_sentences_are_those_of_the_whole(data):
    server = source(data)
    every = server.candidates(ALL)
    some = server.candidates(ALL, [1, 3])
    assert some.sentences == 2
    assert texts(some) == [every.text(at) for s in (1, 3) for at in every.candidates_of(s)]


@pytest.mark.parametrize("recipe", ["expected-bleu", "online-pro", "online-mira", "mixed-mira", "mira"])
def test_every_recipe_learns_on_it(data, recipe):
    settings = {"shards": 2} if recipe == "mixed-mira" else {}
    tuner = recipes.get(recipe, rounds=3, **settings).fit(source(data))
    assert tuner.history_.best.score > tuner.history_[0].score


def test_a_decoder_that_dies_is_started_again_with_the_same_result(data):
    plain = recipes.get("online-mira", rounds=2).fit(source(data))
    (data / "other").mkdir()
    decoder = DecoderCommand(command(data / "other", "dies"), data / "moses.ini", serves=True)
    dying = ServerSource(decoder, data / "dev", [[text] for text in SENTENCES], 5)
    tuner = recipes.get("online-mira", rounds=2).fit(dying)
    assert counted(data / "other", "starts") > 2
    assert dict(tuner.weights_) == dict(plain.weights_)


def test_a_decoder_that_always_dies_is_given_up_with_what_it_said(data):
    with pytest.raises(TunesmithError, match=r"ended with exit code 1 at sentence 2, 3 times in a row") as error:
        source(data, "always dies").candidates(ALL, [1])
    assert "out of memory at start 3" in str(error.value)


def test_a_line_has_a_time_limit(data):
    server = source(data, "hangs", time_limit=3)
    with pytest.raises(TunesmithError, match=r"took more than 3 seconds for sentence 3 and was ended"):
        server.candidates(ALL)


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("value", r"list of sentence 3 cannot be read: .*7 \|\|\| some words \|\|\| Length0= many"),
        ("talks", r"list of sentence 3 has a line without \|\|\|: 'loaded 3 rules'"),
    ],
)
def test_bad_output_is_refused_with_the_line(data, mode, message):
    with pytest.raises(TunesmithError, match=message):
        source(data, mode).candidates(ALL)


def test_sentences_without_a_translation_are_left_out(data):
    server = source(data, "empty")
    found = server.candidates(ALL)
    assert np.diff(found.offsets).tolist() == [5, 0, 5, 5]
    assert server.candidates(ALL, [1]).sentences == 1
    assert len(server.candidates(ALL, [0])) == 0  # the sixth one that it is asked
    assert recipes.get("online-mira", rounds=2).fit(source(data, "empty")).history_


def test_it_ends_with_the_source(data):
    server = source(data)
    server.candidates(ALL)
    process = server._process._child.process.pid
    assert is_running(process)
    server.close()
    until(lambda: not is_running(process))


@pytest.mark.parametrize("place", ["source", "nbest"])
def test_files_are_refused_where_lines_come_one_by_one(data, place):
    with pytest.raises(ConfigError, match=rf"has \{{{place}\}}.*Leave out \{{{place}\}}"):
        DecoderCommand(f"decode {{config}} {{{place}}}", data / "moses.ini", serves=True)


def test_tune_learns_online_on_a_command(data):
    given = ["--decoder-command", command(data), "--decoder-server", "--decoder-config", str(data / "moses.ini")]
    given += ["--dev", str(data / "dev"), "--refs", str(data / "refs"), "--k", "5", "--rounds", "2"]
    run = CliRunner().invoke(app, ["tune", *given, "--recipe", "online-pro", "-q", "-o", str(data / "run")])
    assert run.exit_code == 0, run.output
    assert counted(data, "starts") == 1
    assert '"kind": "server"' in (data / "run" / "settings.json").read_text()


def test_a_command_for_the_whole_text_is_refused_online(data):
    whole = DecoderCommand(f"{command(data)} < {{source}}", data / "moses.ini")
    given = CommandSource(whole, data / "dev", [[text] for text in SENTENCES], 5)
    with pytest.raises(ConfigError, match="--decoder-server"):
        recipes.online_pro().fit(given)
