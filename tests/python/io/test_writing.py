"""Text written: complete or not at all, where it can be written, and read back as it was."""

import gzip
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.corpora.text_files import AS_ROOT, written
from support.processes.waiting import HANGS

from tunesmith.errors import ConfigError, FormatError, MissingFileError, TunesmithError
from tunesmith.io import atomic_bytes, atomic_writer, check_output, iter_lines, leftovers, read_lines, write_lines
from tunesmith.io.inside import inside


def no_partial_in(folder) -> bool:
    return not [name for name in os.listdir(folder) if name.endswith(".partial")]  # noqa: PTH208


@pytest.mark.parametrize("name", ["text", "text.gz", "x" * 255, "é" * 120])
def test_what_is_written_is_read(tmp_path, name):
    lines = ["\ufeffa b", "", "我\u2028\u0085\x0b", " "]
    write_lines(tmp_path / name, iter(lines))
    assert read_lines(tmp_path / name) == lines
    assert no_partial_in(tmp_path)


@pytest.mark.parametrize("at", [0, 1, 9_999, 10_001, 25_000])
@pytest.mark.parametrize("bad", ["a\nb", "a\r", "\0", "\ud800"])
def test_a_line_that_could_not_be_read_is_found_wherever_it_stands(tmp_path, at, bad):
    lines = ["word"] * 30_000
    write_lines(tmp_path / "text", lines)
    lines[at] = bad
    with pytest.raises(FormatError, match=rf"text:{at + 1}: this line is not written"):
        write_lines(tmp_path / "text", lines)
    assert read_lines(tmp_path / "text") == ["word"] * 30_000


def test_gzip_is_chosen_by_name_and_bytes_repeat(tmp_path):
    write_lines(tmp_path / "a.gz", ["x"] * 100)
    write_lines(tmp_path / "b.gz", ["x"] * 100)
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert (tmp_path / "a.gz").read_bytes()[3:8] == bytes(5)  # neither a name nor a time (RFC 1952)
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"x\n" * 100


@pytest.mark.parametrize("name", ["text", "text.gz"])
@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, name, error):
    write_lines(tmp_path / name, ["old"])

    def lines() -> Iterator[str]:
        yield from ["new"] * 100_000
        raise error

    with pytest.raises(error):
        write_lines(tmp_path / name, lines())
    assert read_lines(tmp_path / name) == ["old"]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_the_file_appears_only_when_complete(tmp_path):
    with atomic_writer(tmp_path / "text") as out:
        out.write("a\n")
        out.flush()
        assert not (tmp_path / "text").exists()
    assert (tmp_path / "text").read_text() == "a\n"


def test_a_file_may_be_rewritten_from_itself(tmp_path):
    path = written(tmp_path / "text", b"b\na\n")
    write_lines(path, (line * 2 for line in iter_lines(path)))
    assert path.read_bytes() == b"bb\naa\n"


@pytest.mark.parametrize("bad", ["a\nb", "a\r", "\0", "\ud800"])
def test_a_line_that_could_not_be_read_back_is_refused(tmp_path, bad):
    with pytest.raises(FormatError, match=r"text:2: this line is not written"):
        write_lines(tmp_path / "text", ["fine", bad])
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written_are_named(tmp_path):
    (tmp_path / "file").write_text("")
    cases = {
        tmp_path / "no" / "text": "the folder .*no does not exist; create it first",
        tmp_path: "is a folder",
        tmp_path / "file" / "text": "cannot be written",
        tmp_path / ("x" * 300): "cannot be written",
        "": "name of a file is empty",
        "a\0b": "NUL character",
    }
    for path, message in cases.items():
        with pytest.raises(MissingFileError, match=message):
            write_lines(path, ["a"])
    assert no_partial_in(tmp_path)


def test_devices_are_written_directly(tmp_path):
    write_lines("/dev/null", ["a"])
    assert os.path.exists("/dev/null")  # noqa: PTH110
    assert not os.path.isfile("/dev/null")  # noqa: PTH113
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.extend(read_lines(pipe)), daemon=True)
    thread.start()
    write_lines(pipe, ["a", "b"])
    thread.join(timeout=HANGS)
    assert found == ["a", "b"]
    assert pipe.is_fifo()


def test_open_descriptors_are_written_directly(tmp_path):
    # What bash makes of >(command), and /dev/stdout as a pipe and as a file.
    code = "from tunesmith.io import write_lines; print('x', flush=True); write_lines('/dev/stdout', ['a'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"x\na\n"
    with (tmp_path / "out").open("ab") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True)
        assert os.fstat(out.fileno()).st_ino == (tmp_path / "out").stat().st_ino
    assert (tmp_path / "out").read_bytes().endswith(b"a\n")
    reader, writer = os.pipe()
    write_lines(f"/dev/fd/{writer}", ["b"])
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        assert stream.read() == b"b\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")  # noqa: PTH110
def test_a_full_disk_is_said():
    with pytest.raises(TunesmithError, match="/dev/full: cannot be written"):
        write_lines("/dev/full", ["a"] * 100_000)
    code = "from tunesmith.io import write_lines; write_lines('-', ['a'] * 100_000)"
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        run = subprocess.run([sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, check=False)
    assert b"TunesmithError: <stdout>: cannot be written" in run.stderr


def test_a_link_stays_a_link_and_permissions_stay(tmp_path):
    private = written(tmp_path / "private", b"old\n")
    private.chmod(0o600)
    (tmp_path / "link").symlink_to("private")
    write_lines(tmp_path / "link", ["new"])
    assert (tmp_path / "link").is_symlink()
    assert private.read_bytes() == b"new\n"
    assert private.stat().st_mode & 0o777 == 0o600


@pytest.mark.skipif(AS_ROOT, reason="root may write everything")
def test_a_write_protected_file_is_left_alone(tmp_path):
    path = written(tmp_path / "text", b"old\n")
    path.chmod(0o400)
    with pytest.raises(MissingFileError, match="write-protected"):
        write_lines(path, ["new"])


def test_standard_output_is_utf8_with_plain_newlines_whatever_the_locale():
    code = "import tunesmith.io as t; print('x'); t.write_lines('-', ['我', 'a']); print('y')"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environment)
    assert run.stdout == "x\n我\na\ny\n".encode()


def test_atomic_bytes_writes_bytes(tmp_path):
    with atomic_bytes(tmp_path / "data") as out:
        out.write(bytes(range(256)))
    assert (tmp_path / "data").read_bytes() == bytes(range(256))


PLAIN = st.characters(exclude_categories=["Cs"], exclude_characters="\n\r\0")
LINES = st.lists(st.text(PLAIN | st.sampled_from("\ufeff\u2028 ")))


@given(lines=LINES, name=st.sampled_from(["text", "text.gz"]))
@settings(max_examples=200, deadline=None)
def test_any_lines_come_back(tmp_path_factory, lines, name):
    path = tmp_path_factory.getbasetemp() / f"round-{name}"
    write_lines(path, lines)
    assert read_lines(path) == lines


def test_an_output_is_looked_at_before_the_work(tmp_path):
    text = tmp_path / "in"
    text.write_text("a\n")
    check_output("-", [text])
    check_output(tmp_path / "new", [text])
    check_output("/dev/null", [text])
    (tmp_path / "link").symlink_to(text)
    for path in (text, tmp_path / "link"):
        with pytest.raises(ConfigError, match="is an input; the result would replace it"):
            check_output(path, ["-", tmp_path / "missing", text])
    for path, message in ((tmp_path, "is a folder"), (tmp_path / "no/file", "does not exist; create it first")):
        with pytest.raises(MissingFileError, match=message):
            check_output(path)


WRITER = """
import os, signal, sys
from tunesmith.io import atomic_writer
with atomic_writer(sys.argv[1]) as out:
    out.write("half")
    out.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("in_folder", [False, True])
def test_the_next_writer_removes_what_a_killed_one_left(tmp_path, in_folder, monkeypatch):
    path, other = tmp_path / "out.txt", tmp_path / "out.txt.gz"
    for target in (path, other):
        ran = subprocess.run([sys.executable, "-c", WRITER, target], check=False)
        assert ran.returncode == -signal.SIGKILL
    left = {entry.name for entry in tmp_path.iterdir()}
    assert len(left) == 2
    target = inside(tmp_path) / "out.txt" if in_folder else path
    write_lines(target, ["whole"])
    assert {entry.name for entry in tmp_path.iterdir()} == {
        *left,
        "out.txt",
    }  # too new, perhaps not locked
    monkeypatch.setattr(leftovers, "_LEAST_AGE", -1.0)
    (tmp_path / ".out.txt.0123abcd.partial").symlink_to(other)
    (tmp_path / ".out.txt.mine.partial").write_text("of somebody else")
    with atomic_writer(target) as out:
        out.write("first")
        out.flush()
        write_lines(target, ["second"])  # the lock of the other writer is held
        assert sum(entry.name.endswith(".partial") for entry in tmp_path.iterdir()) == 4
    assert path.read_text() == "first"
    kept = {".out.txt.0123abcd.partial", ".out.txt.mine.partial", "out.txt"}
    of_other = {name for name in left if name.startswith(".out.txt.gz")}
    assert {entry.name for entry in tmp_path.iterdir()} == kept | of_other
