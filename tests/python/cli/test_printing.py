"""Text for users is made harmless in one place; data is untouched."""

import ast
import io
import json
import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import tunesmith
from tunesmith.cli import printing
from tunesmith.cli.console import remark
from tunesmith.cli.main import app
from tunesmith.cli.table import markdown_table, plain_table, print_table
from tunesmith.errors import FormatError

ROOT = Path(tunesmith.__file__).parent
EVIL = "\x1b]0;title\x07\x1b[31m\x9b2J\u202ered\x7f"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")

# Who touches a standard stream, and what for; everything else prints through cli/printing.py.
STREAMS = {
    "execution/cluster/server.py": "the log of a process of its own",
    "cli/printing.py": "all printing",
    "cli/entry.py": "opens streams that are closed",
    "cli/console.py": "whether somebody watches",
    "cli/table.py": "whether somebody watches",
    "cli/tuning/tuning_progress.py": "whether somebody watches",
    "cli/models/lm.py": "whether somebody watches",
    "cli/streams.py": "whether somebody types",
    "cli/translation/prompt.py": "the prompt, and lines typed at it",
    "cli/translation/translate.py": "whether somebody types",
    "io/writing.py": "data of verbs, as bytes",
    "io/reading.py": "data in",
    "alignment/directions.py": "progress of a child, for us",
    "execution/supervisor.py": "why a command cannot be started",
}


def test_nothing_else_prints():
    """No print, no stream and no console of rich outside of the modules above."""
    for source in sorted(ROOT.rglob("*.py")):
        name = str(source.relative_to(ROOT))
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            where = f"{name}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                asks = node.func.id == "input" and name == "cli/translation/prompt.py"  # for readline
                about = f"{where}: use say, tell or put of cli/printing.py"
                assert asks or node.func.id not in ("print", "input"), about
                assert node.func.id != "Console" or name == "cli/printing.py", f"{where}: use terminal()"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                stream = node.value.id == "sys" and node.attr in ("stdin", "stdout", "stderr", "__stdout__")
                assert not stream or name in STREAMS, f"{where}: use cli/printing.py, or say here what for"
                assert (node.value.id, node.attr) not in (("typer", "echo"), ("typer", "secho")), where


def test_control_characters_are_spelt_out():
    assert printing.visible("a\x1b[1mb\tc\nd\r") == "a\\x1b[1mb\tc\nd\\r"
    assert printing.visible_cell("a\tb\nc") == "a\\tb\\nc"
    assert printing.visible("日本 café ‎\u200d🙂") == "日本 café ‎\u200d🙂"  # nothing harmless changes
    everything = "".join(map(chr, range(0x3000))) + "\ud800\udfff"
    assert not CONTROL.search(printing.visible(everything))
    assert not re.search("[\t\n]", printing.visible_cell(everything))
    assert printing.visible("\ud800") == "\\ud800"


def test_data_is_as_it_is(capsysbinary):
    printing.put(EVIL, end="")
    assert capsysbinary.readouterr().out == EVIL.encode()
    printing.put_json({"name": EVIL, "half": "\ud800"})
    assert json.loads(capsysbinary.readouterr().out) == {"name": EVIL, "half": "\ud800"}


def test_messages_and_tables_are_harmless(capsys):
    remark(EVIL)
    printing.say(EVIL)
    printing.tell(f"{EVIL}\nsecond line")
    print_table(["name", EVIL], [[EVIL, "1"], ["a\nb\tc", "2"]])
    print_table(["name", EVIL], [[EVIL, "1"]], markdown=True)
    shown = capsys.readouterr()
    assert not CONTROL.search(shown.out + shown.err)
    assert "\\x1b[31m" in shown.out
    assert "\\x1b[31m" in shown.err
    assert "\nsecond line\n" in shown.err
    for table in (plain_table, markdown_table):
        lines = table(["x", "y"], [["a\nb", "1"], [EVIL, "2"]])
        assert not any(set(line) & set("\n\t\x1b") for line in lines)


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def test_a_terminal_gets_nothing_else(monkeypatch):
    """Tables, live tables and progress drawn by rich: no escape sequence of the data, no markup of theirs."""
    from tunesmith.cli.console import progress
    from tunesmith.cli.tuning.tuning_progress import LiveTable

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stdout", Screen())
    monkeypatch.setattr(sys, "stderr", Screen())
    print_table(["name"], [[EVIL], ["[red]kept[/red]"]])
    with progress(f"[bold]{EVIL}"):
        pass
    with LiveTable(quiet=False) as live:
        live.note(f"[bold]{EVIL}")
        live.step(1, f"[bold]{EVIL}")
    for shown in (sys.stdout.getvalue(), sys.stderr.getvalue()):
        for sequence in ("\x1b]0;", "\x1b[31m\x9b", "\x9b", "\x07", "\u202e"):
            assert sequence not in shown
    assert "[red]kept[/red]" in sys.stdout.getvalue()
    assert "tunesmith: note: [bold]" in sys.stderr.getvalue()


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def harmless(ended):
    return not CONTROL.search(ended.stdout + ended.stderr)


def test_verbs_show_names_of_others_harmlessly(tmp_path):
    """Feature names, sentences, names of files and options, each once through a verb."""
    evil = "\x1b[31m\u202efeature"
    (tmp_path / "nbest").write_text(f"0 ||| a b ||| {evil}= 1 lm= 2 ||| 3\n0 ||| a c ||| {evil}= 2 lm= 1 ||| 2\n")
    stats = run("candidates", "stats", tmp_path / "nbest")
    assert (stats.exit_code, harmless(stats)) == (0, True)
    assert "\\x1b[31m\\u202efeature" in stats.stdout
    as_json = run("candidates", "stats", tmp_path / "nbest", "-f", "json")
    assert json.dumps(evil, ensure_ascii=False)[1:-1] in as_json.stdout
    (tmp_path / "w").write_text("\x1b[2Jother\t1\nlm\t1\n")
    reranked = run("rerank", tmp_path / "nbest", "-W", tmp_path / "w")  # a note names weights without a feature
    assert harmless(reranked)
    assert "\\x1b[2Jother" in reranked.stderr
    for words in (
        ["\x1b[31mverb"],
        ["evaluate", "--\x1b[31moption"],
        ["evaluate", "\x1b[31mfile", "--refs", tmp_path / "nbest"],
        ["evaluate", tmp_path / "nbest", "--refs", tmp_path / "w", "--metric", "\x1b[31mmetric"],
        ["runs", tmp_path / "\x1b[31mfolder"],
        ["evaluate", "--bootstrap", "[red]\x1b[31m", tmp_path / "nbest"],
    ):
        ended = run(*words)
        assert (ended.exit_code, harmless(ended)) == (2, True), words


def test_derivations_are_for_people(monkeypatch):
    from types import SimpleNamespace

    from tunesmith.cli.translation.translate_options import Shown
    from tunesmith.cli.translation.translated_lines import Translated

    monkeypatch.setattr("tunesmith.cli.translation.explain.explain", lambda *_: iter([EVIL, "a\tb"]))
    monkeypatch.setattr("tunesmith.decoding.explanation.explained", lambda *_: object())
    decoding = SimpleNamespace(best=None, timed_out=False, limited=False)
    decoder = SimpleNamespace(table=SimpleNamespace(source_vocabulary=[]), language_models=[])
    opened = SimpleNamespace(decoder=decoder, leave_one_out=None)
    searching = SimpleNamespace(decoded=lambda *_: [decoding])
    [shown] = Translated(opened, Shown(explain=True), None, searching)(["a"])
    assert not CONTROL.search(shown.replace("\n", ""))
    assert shown.endswith("\na\tb\n")


def test_sentences_that_are_data_come_out_as_they_are(tmp_path):
    sentence = "one \x1b[31mtwo"
    (tmp_path / "nbest").write_text(f"0 ||| {sentence} ||| lm= 2 ||| 3\n")
    assert run("rerank", tmp_path / "nbest").stdout == f"{sentence}\n"


def test_names_from_data_do_not_break_the_line_of_a_message():
    """A long run of `make fuzz` found a manifest whose names and checksums hold line breaks."""
    error = FormatError("the checksum is 1, \n expected", path="lists/sparse_offsets\r\n\u2028")
    assert str(error) == r"lists/sparse_offsets\r\n\u2028: the checksum is 1, \n expected"
    assert error.message == r"the checksum is 1, \n expected"


@pytest.mark.parametrize("mark", ["'", '"'])
def test_messages_quote_at_most_200_characters(mark):
    long = "x" * 5000
    text = f"{mark}{long}{mark} is not a number; it isn't one, and that's that"
    for error in (FormatError(text, path="file", line=3), FormatError(f"{long!r} is not a number")):
        assert len(re.search("x+", str(error))[0]) == 200
        assert "… is not a number".replace("…", f"…{mark}") in str(error) or mark == '"'
    assert str(FormatError(text, path="f")).endswith("that's that")
    words = " ".join(["word"] * 5000)
    assert len(str(FormatError(f"the rule {words} is wrong; leave it out"))) < 2100
    assert str(FormatError(f"the rule {words} is wrong; leave it out")).endswith("leave it out")


def test_a_verb_quotes_little_of_a_long_line(tmp_path):
    (tmp_path / "scores").write_text("1\n" + "y" * 10000 + "\n")
    (tmp_path / "nbest").write_text("0 ||| a ||| lm= 2 ||| 3\n" * 2)
    ended = run(
        "tune", "--candidates", tmp_path / "nbest", "--scores", tmp_path / "scores", "-o", tmp_path / "run"
    )
    assert ended.exit_code == 1, ended.stderr
    assert "is not a finite number" in ended.stderr
    assert ended.stderr.count("y" * 150) == 1
    assert "y" * 201 not in ended.stderr
