"""Whatever goes wrong is said in one line, with the right exit code and never a traceback."""

import errno
import itertools
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.processes.processes import default_signals
from support.processes.waiting import until
from typer.testing import CliRunner

from tunesmith.cli import failures
from tunesmith.cli.failures import failure_of
from tunesmith.cli.main import app
from tunesmith.errors import FormatError

COMMAND = [sys.executable, "-m", "tunesmith"]


@pytest.fixture
def texts(tmp_path):
    (tmp_path / "a").write_text("a b c d\n")
    (tmp_path / "b").write_text("a b c e\n")
    return tmp_path


def raised_from(error, cause):
    """The error, as `raise error from cause` leaves it."""
    error.__cause__ = cause
    return error


def run(*words, **options):
    return subprocess.run([*COMMAND, *map(str, words)], check=False, text=True, **options)


# -- errors as lines ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "message", "code"),
    [
        (MemoryError(), "out of memory", 1),
        (MemoryError("std::bad_alloc"), "out of memory", 1),
        (
            MemoryError("Unable to allocate 7.28 TiB for an array"),
            r"out of memory \(Unable to allocate 7.28 TiB",
            1,
        ),
        (ImportError("x.so: failed to map segment from shared object"), "out of memory .a library", 1),
        (RuntimeError("can't start new thread"), "out of memory", 1),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), "out of memory", 1),
        (OSError("40670 requested and 12784 written"), "cannot be written .No space left on device", 1),
        (OSError(errno.EACCES, "Permission denied", "some/file"), "some/file: Permission denied", 1),
        (EOFError(), "ends too early", 1),
        (FormatError("is wrong", path="x", line=2), "x:2: is wrong", 1),
        (KeyboardInterrupt(), "interrupted", 130),
        (raised_from(RuntimeError("Error calling __set_name__"), KeyboardInterrupt()), "^interrupted$", 130),
        (KeyError("x"), "internal error: KeyError: 'x'; please report", 70),
        (RuntimeError("two\nlines"), "internal error: RuntimeError: two lines; please report", 70),
    ],
)
def test_every_error_is_a_line(error, message, code):
    found = failure_of(error)
    assert "\n" not in found.message
    assert found.exit_code == code
    assert re.search(message, found.message), found.message


def test_out_of_memory_inside_a_verb_is_a_line(texts, monkeypatch):
    """Wherever it comes from: numpy's own error type is a MemoryError, that of the core becomes one."""
    for error in (MemoryError("Unable to allocate 9 TiB"), MemoryError("std::bad_alloc"), EOFError()):

        def fail(*_, error=error, **__):
            raise error

        monkeypatch.setattr("tunesmith.cli.evaluation.evaluate.print_sentences", fail)
        words = ["evaluate", "--sentence-level", str(texts / "a"), "--refs", str(texts / "b")]
        ended = CliRunner().invoke(app, words)
        assert ended.exit_code == 1
        assert len(ended.stderr.splitlines()) == 1
        assert "Aborted" not in ended.stderr


INTERNAL = """
import tunesmith.cli.evaluation.evaluate, sys
def fail(*_, **__): raise ZeroDivisionError("our own mistake")
tunesmith.cli.evaluation.evaluate.describe = fail
from tunesmith.cli.entry import run
sys.argv[0] = "tunesmith"
run()
"""


def test_our_own_mistake_is_a_line_and_a_traceback_for_those_who_ask(texts):
    command = [sys.executable, "-c", INTERNAL, "evaluate", texts / "a", "--refs", texts / "b"]
    without = {key: value for key, value in os.environ.items() if key != failures.TRACEBACK}
    plain = subprocess.run(command, capture_output=True, text=True, check=False, env=without)
    assert plain.returncode == 70
    assert plain.stderr.count("\n") == 1
    assert "internal error: ZeroDivisionError: our own mistake; please report" in plain.stderr
    asked = subprocess.run(
        command, capture_output=True, text=True, check=False, env={**without, failures.TRACEBACK: "1"}
    )
    assert asked.returncode == 70
    assert "Traceback" in asked.stderr
    assert asked.stderr.splitlines()[-1] == plain.stderr.rstrip("\n")


def test_threads_and_warnings_keep_to_lines():
    script = (
        "import threading, warnings\n"
        "import sys\n"
        "from tunesmith.cli.entry import interrupt_again\n"
        "from tunesmith.cli.failures import keep_to_lines\n"
        "sys.unraisablehook = interrupt_again\n"
        "keep_to_lines()\n"
        "def fail(): raise MemoryError\n"
        "thread = threading.Thread(target=fail); thread.start(); thread.join()\n"
        "warnings.warn('take care')\n"
        "class Bad:\n"
        "    def __del__(self): raise ValueError\n"
        "Bad()\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    memory, warning = ended.stderr.splitlines()
    assert memory.startswith("tunesmith: out of memory")
    assert warning == "tunesmith: note: take care"


# -- streams -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed", [set(each) for n in (1, 2, 3) for each in itertools.combinations((0, 1, 2), n)])
def test_closed_streams(texts, closed):
    """No message and no file takes the place of a stream that is closed; the exit code is right."""

    def close():
        for number in closed:
            os.close(number)

    streams = {
        "stdin": None if 0 in closed else subprocess.DEVNULL,
        "stdout": None if 1 in closed else subprocess.PIPE,
        "stderr": None if 2 in closed else subprocess.PIPE,
        "preexec_fn": close,
    }
    good = run("evaluate", "-b", texts / "a", "--refs", texts / "b", **streams)
    assert good.returncode == (1 if 1 in closed else 0)
    assert good.stdout in ((None,) if 1 in closed else ("59.46\n",))
    said = "tunesmith: standard output: Bad file descriptor\n" if 1 in closed else ""
    assert good.stderr in (None, said)
    bad = run("tokenize", texts / "missing", "-o", texts / "out", **streams)
    assert bad.returncode == 2
    assert not bad.stdout
    assert bad.stderr is None or bad.stderr.count("\n") == 1
    if len(closed) == 3:
        written = run("tokenize", texts / "a", "-o", texts / "out", **streams)
        assert (written.returncode, (texts / "out").read_text()) == (0, "a b c d\n")


def test_data_for_a_closed_output_is_an_error(texts):
    for words in (["tokenize", texts / "a"], ["--version"], ["--help"]):
        ended = run(*words, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, preexec_fn=lambda: os.close(1))
        assert ended.returncode == 1
        assert ended.stderr.count("\n") == 1, ended.stderr
        assert "Bad file descriptor" in ended.stderr


# -- memory and disk ---------------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit of memory that is kept")
@pytest.mark.parametrize("megabytes", [60, 140, 280])
def test_a_limit_of_memory_is_a_line(texts, megabytes):
    """At the start, while libraries are loaded, and later: a result, or one line of tunesmith."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    (texts / "c").write_text("a b c d e f g h\n" * 20000)
    (texts / "d").write_text("a b c d f g h i\n" * 20000)
    ended = run("evaluate", "-b", texts / "c", "--refs", texts / "d", capture_output=True, preexec_fn=limit)
    assert ended.returncode in ((0, 1) if megabytes > 60 else (1,))
    if ended.returncode == 1:
        assert ended.stderr.count("\n") == 1, ended.stderr
        assert ended.stderr.startswith("tunesmith: out of memory"), ended.stderr
        assert f"ulimit -v allows {megabytes} MB" in ended.stderr
        assert ended.stdout == ""


@pytest.mark.parametrize("verb", ["lm", "rerank", "tune"])
def test_a_limit_of_files_is_a_line(texts, verb):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))

    (texts / "nbest").write_text("".join(f"{n} ||| a b c d {n} ||| lm= {n} ||| {n}\n" for n in range(200)))
    (texts / "refs").write_text("a b c d\n" * 200)
    words = {
        "lm": ["lm", "train", texts / "nbest", "-o", texts / "model"],
        "rerank": ["rerank", texts / "nbest", "-o", texts / "out"],
        "tune": ["tune", "-q", "--candidates", texts / "nbest", "--refs", texts / "refs", "-o", texts / "run"],
    }[verb]
    ended = run(*words, capture_output=True, preexec_fn=limit)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1].endswith("cannot be written (File too large)")
    assert len([line for line in ended.stderr.splitlines() if "note:" not in line]) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_arrays_say_why_they_are_not_written():
    import numpy as np

    from tunesmith.io.npy import save_array

    with pytest.raises(OSError, match="No space left") as error, Path("/dev/full").open("wb") as full:
        save_array(full, np.zeros(100000))
    assert error.value.errno == errno.ENOSPC


def test_arrays_are_written_as_numpy_writes_them(tmp_path):
    import numpy as np

    from tunesmith.io.npy import save_array

    for array in (np.zeros((0, 3)), np.arange(100000.0), np.arange(12).reshape(3, 4).T, np.float32(3)):
        np.save(tmp_path / "theirs.npy", array)
        with (tmp_path / "ours.npy").open("wb") as out:
            save_array(out, array)
        assert (tmp_path / "ours.npy").read_bytes() == (tmp_path / "theirs.npy").read_bytes()


# -- signals -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", ["SIGTERM", "SIGHUP"])
def test_a_signal_ends_in_one_line_and_leaves_no_file(tmp_path, sent):
    number = getattr(signal, sent)
    words = ["phrasebook", "--pairs", "500000", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        [*COMMAND, *words], stderr=subprocess.PIPE, text=True, preexec_fn=default_signals
    ) as process:
        until(lambda: (tmp_path / "out").exists() or process.poll() is not None)
        process.send_signal(number)
        _, messages = process.communicate()
    assert (process.returncode, messages) == (128 + number, f"tunesmith: ended by {sent}\n")
    assert not list((tmp_path / "out").iterdir())


# A call that keeps the main thread from looking at signals, and lets other threads run.
DEAF = """
import ctypes, sys, tunesmith.cli.signals, tunesmith.cli.evaluation.evaluate
tunesmith.cli.signals._PATIENCE = 0.2
def deaf(*_, **__):
    print("at work", flush=True)
    libc = ctypes.CDLL(None)
    blocked = (ctypes.c_ubyte * 128)(*[255] * 128)
    libc.pthread_sigmask(0, blocked, None)
    libc.sleep(1000)
tunesmith.cli.evaluation.evaluate.describe = deaf
from tunesmith.cli.entry import run
sys.argv[0] = "tunesmith"
run()
"""


def test_a_thread_that_hears_nothing_is_not_waited_for(texts):
    command = [sys.executable, "-c", DEAF, "evaluate", str(texts / "a"), "--refs", str(texts / "b")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGTERM)
        _, messages = process.communicate()
    assert (process.returncode, messages) == (143, "tunesmith: ended by SIGTERM\n")


def test_what_nohup_ignores_stays_ignored(texts):
    script = (
        "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from tunesmith.cli.signals import handle_signals; handle_signals()\n"
        "print(signal.getsignal(signal.SIGHUP) == signal.SIG_IGN, signal.getsignal(signal.SIGTERM).__name__)"
    )
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "True _raise\n"
