"""SECURITY.md says what received files can do: every statement names its tests, and they are there."""

import ast
import json
import re
from pathlib import Path

import pytest
from fuzz.judge import put
from fuzz.kinds.models import seeds as models
from fuzz.kinds.runs import kinds as run_kinds

import tunesmith
from tunesmith.decoding.model import TranslationModel
from tunesmith.errors import TunesmithError
from tunesmith.tuning.sources import command as decoder_command

REPOSITORY = Path(__file__).parents[3]
SOURCES = sorted(Path(tunesmith.__file__).parent.rglob("*.py"))
ROWS = [
    line
    for line in (REPOSITORY / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| what holds")
]


def calls(tree):
    """Every call, with the last part of its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield name, node


def imported(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (each.name.split(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("row", ROWS)
def test_every_statement_names_tests_that_are_there(row):
    _, statement, named, _ = row.split("|")
    tests = re.findall(r"`(tests/\S+)::(\w+)`", named)
    assert statement.strip().endswith(".")
    assert tests
    for path, name in tests:
        assert re.search(rf"^def {name}\(", (REPOSITORY / path).read_text(encoding="utf-8"), re.MULTILINE), name


def test_the_page_speaks_of_as_many_kinds_of_input_as_there_are():
    from fuzz.kinds import all_kinds

    assert any(f"({len(all_kinds())} kinds of input)" in row for row in ROWS)


def test_nothing_is_unpickled_or_evaluated():
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not {"pickle", "marshal", "shelve", "dill", "joblib", "cloudpickle"} & set(imported(tree)), path
        for name, call in calls(tree):
            bare = isinstance(call.func, ast.Name)
            assert not (bare and name in ("eval", "exec", "__import__")), path
            if name == "load" and ast.unparse(call.func) == "np.load":
                assert "allow_pickle=False" in ast.unparse(call), path


def test_processes_are_started_in_known_places_only():
    """A file of Python is loaded in one place, for --features-from and --metric-from; registries load by name."""
    starts = {path.name for path in SOURCES if "subprocess" in set(imported(ast.parse(path.read_text("utf-8"))))}
    assert starts <= {
        "directions.py",
        "command.py",
        "demo.py",
        "pipeline_commands.py",
        "children.py",
        "supervisor.py",
        "local.py",
        "server.py",
    }
    loads = {
        path.name
        for path in SOURCES
        for name, _ in calls(ast.parse(path.read_text("utf-8")))
        if name in ("exec_module", "run_path", "import_module", "resolve_name")
    }
    ours = {"lazy.py", "verb_table.py"}  # import what our own sources name
    assert loads == {"user_files.py", "registry.py"} | ours
    every = [call for path in SOURCES for call in calls(ast.parse(path.read_text("utf-8")))]
    named = {ast.unparse(each.args[1]) for name, each in every if name == "register_later"}
    assert all(re.fullmatch(r"'tunesmith(\.\w+)+:\w+'", place) for place in named)  # ours, written in the sources


def test_a_model_cannot_name_a_file_of_code(tmp_path):
    files = models()[0]
    text = files["model/system.toml"].decode()
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    for number, template in enumerate(["mine.py", "mine", "../mine.py", str(tmp_path / "mine.py"), "mine:x"]):
        changed = re.sub(r'template = "[a-z_]+"', f"template = {json.dumps(template)}", text, count=1)
        assert changed != text
        put(tmp_path / str(number), {**files, "model/system.toml": changed.encode(), "model/mine.py": b"1 / 0\n"})
        with pytest.raises(TunesmithError):
            TranslationModel.open(tmp_path / str(number) / "model")
    assert not (tmp_path / "ran").exists()


def test_the_state_of_a_run_names_files_of_the_run_only(tmp_path):
    resumed = next(kind for kind in run_kinds() if kind.name == "run-resumed")
    files = resumed.seeds()[0]
    state = json.loads(files["run/state.json"])
    weights = files[f"run/{state['weights']}"]
    for number, path in enumerate(
        ["../../secret.npy", str(tmp_path / "secret.npy"), "rounds/00/../../secret.npy"]
    ):
        (tmp_path / "secret.npy").write_bytes(weights)
        changed = {**files, "run/state.json": json.dumps({**state, "weights": path}).encode()}
        put(tmp_path / str(number), {**changed, "run/secret.npy": weights})
        with pytest.raises(TunesmithError):
            resumed.read(tmp_path / str(number))


def test_names_in_a_decoder_command_are_quoted(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "a b; touch ran $(touch ran) 'x.zh"
    (tmp_path / name).write_text("0 ||| x ||| LM0=1 ||| 1\n")
    (tmp_path / "config").write_text("LM0 0.5\n")
    decoder = decoder_command.DecoderCommand("cat {source} > {nbest} < {config}", tmp_path / "config")
    source = decoder_command.CommandSource(decoder, tmp_path / name, [["x"]], 2)
    assert source.candidates(source.start()).text(0) == "x"
    assert {path.name for path in tmp_path.iterdir()} == {name, "config"}
