"""Text read: what is there is read as it is, what is damaged or missing is named."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
import warnings
import zipfile
from functools import partial

import pytest
from support.corpora.text_files import AS_ROOT, written
from support.processes.waiting import HANGS

from tunesmith.errors import FormatError, MissingFileError, TunesmithError
from tunesmith.io import iter_lines, open_bytes, read_lines
from tunesmith.io.abandoned import open_for_generator
from tunesmith.io.reading import _BLOCK, LONGEST_LINE
from tunesmith.search import read_kbest


class Stdin:
    """Standard input with these bytes; `step` hands them over in small pieces, as a slow pipe does."""

    def __init__(self, data: bytes, step: int | None = None) -> None:
        self.buffer = io.BytesIO(data) if step is None else io.BufferedReader(Dripping(data, step))


class Dripping(io.RawIOBase):
    def __init__(self, data: bytes, step: int) -> None:
        self.data, self.step = memoryview(data), step

    def readable(self) -> bool:
        return True

    def readinto(self, buffer) -> int:
        piece = self.data[: min(self.step, len(buffer))]
        self.data = self.data[len(piece) :]
        buffer[: len(piece)] = piece
        return len(piece)


READ_AS = {
    "plain": (b"a b\nc\n", ["a b", "c"]),
    "empty file": (b"", []),
    "one newline": (b"\n", [""]),
    "no newline at the end": (b"a\nb", ["a", "b"]),
    "blank lines at the end": (b"a\n\n\n", ["a", "", ""]),
    "blank lines first": (b"\n\na\n", ["", "", "a"]),
    "spaces kept": (b"  a  b \n \n", ["  a  b ", " "]),
    "CRLF": (b"a\r\nb\r\n", ["a", "b"]),
    "CRLF without the last LF": (b"a\r\nb\r", ["a", "b"]),
    "mixed line ends": (b"a\r\nb\nc\r\n\r\n\n", ["a", "b", "c", "", ""]),
    "byte-order mark": (b"\xef\xbb\xbfa\n", ["a"]),
    "byte-order mark alone": (b"\xef\xbb\xbf", []),
    "byte-order mark and a newline": (b"\xef\xbb\xbf\n", [""]),
    "byte-order mark with CRLF": (b"\xef\xbb\xbfa\r\n", ["a"]),
    "second byte-order mark is text": (b"\xef\xbb\xbf\xef\xbb\xbfa\nb\n", ["\ufeffa", "b"]),
    "byte-order mark in a later line is text": (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
    "U+2028 stays inside": ("a\u2028b\nc\n".encode(), ["a\u2028b", "c"]),
    "U+2029 stays inside": ("a\u2029b\n".encode(), ["a\u2029b"]),
    "U+0085 stays inside": ("a\u0085b\n".encode(), ["a\u0085b"]),
    "vertical tab stays inside": (b"a\x0bb\n", ["a\x0bb"]),
    "form feed stays inside": (b"a\x0cb\n", ["a\x0cb"]),
    "file separator stays inside": (b"a\x1cb\x1dc\x1ed\n", ["a\x1cb\x1dc\x1ed"]),
    "tab stays inside": (b"a\tb\n", ["a\tb"]),
    "Chinese": ("我 爱 你\n".encode(), ["我 爱 你"]),
    "beyond the BMP": ("😀 𠀀\n".encode(), ["😀 𠀀"]),
    "text that begins like bzip2": (b"BZhang went home\n", ["BZhang went home"]),
    "text that begins like zip": (b"PK wins\n", ["PK wins"]),
}


@pytest.mark.parametrize("kind", READ_AS)
@pytest.mark.parametrize("way", ["plain", "gzip", "gzip with another name", "stdin", "slow stdin", "gzip stdin"])
def test_text_is_read_as_it_is(tmp_path, monkeypatch, kind, way):
    data, lines = READ_AS[kind]
    path = tmp_path / ("text.gz" if way == "gzip" else "text")
    if way.endswith("stdin"):
        data = gzip.compress(data) if way.startswith("gzip") else data
        monkeypatch.setattr(sys, "stdin", Stdin(data, None if way == "stdin" else 1))
        path = "-"
    else:
        written(path, gzip.compress(data) if "gzip" in way else data)
    assert read_lines(path) == lines


def gzip_damaged_in_the_middle() -> bytes:
    data = bytearray(gzip.compress(os.urandom(200_000).hex().encode()))
    data[len(data) // 2 : len(data) // 2 + 8] = b"\xff" * 8
    return bytes(data)


def zip_of(text: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", text)
    return buffer.getvalue()


TEXT = "".join(f"line {i}\n" for i in range(5000)).encode()
# kind of damage: bytes, line of the error (None: the whole file), a word of the message
DAMAGED = {
    "bad byte in the first line": (b"\xff\nb\nc\n", 1, "byte 1 of the line (0xff) is not UTF-8"),
    "bad byte in a middle line": (b"a\nb\xe9c\nd\n", 2, "byte 2 of the line (0xe9)"),
    "bad byte in the last line": (b"a\nb\nc\xc0", 3, "byte 2 of the line (0xc0)"),
    "character cut off at the end": ("a\n我".encode()[:-1], 2, "is not UTF-8"),
    "character cut off by a newline": ("我".encode()[:2] + b"\n", 1, "is not UTF-8"),
    "lone continuation byte": (b"a\x80\n", 1, "is not UTF-8"),
    "overlong slash": (b"\xc0\xaf\n", 1, "is not UTF-8"),
    "encoded surrogate (CESU-8)": (b"\xed\xa0\xbd\xed\xb8\x80\n", 1, "is not UTF-8"),
    "beyond U+10FFFF": (b"\xf5\x80\x80\x80\n", 1, "is not UTF-8"),
    "Latin-1": ("a\ncafé\n".encode("latin-1"), 2, "iconv"),
    "GB18030": ("我爱你\n".encode("gb18030"), 1, "iconv"),
    "UTF-16 with mark, little end first": ("a\n".encode("utf-16"), 1, "UTF-16 byte-order mark"),
    "UTF-16 with mark, big end first": (b"\xfe\xff\x00a\x00\n", 1, "UTF-16 byte-order mark"),
    "UTF-16 without mark": ("ab\n".encode("utf-16-le"), 1, "NUL"),
    "UTF-32": ("a\n".encode("utf-32"), 1, "UTF-16 byte-order mark"),
    "UTF-16 inside gzip": (gzip.compress("a\n".encode("utf-16")), 1, "UTF-16 byte-order mark"),
    "NUL first": (b"\0\n", 1, "NUL character at position 1"),
    "NUL in the middle": (b"a\nb\0c\n", 2, "NUL character at position 2"),
    "NUL at the end": (b"a\n\0", 2, "NUL"),
    "old Macintosh line ends": (b"a\rb\rc\r", 1, "carriage return inside the line at position 2"),
    "carriage return in a line": (b"a\nb\rc\n", 2, "carriage return"),
    "two carriage returns before LF": (b"a\r\r\n", 1, "carriage return"),
    "gzip header only": (b"\x1f\x8b", 1, "gzip data is damaged or cut off"),
    "gzip of another method": (b"\x1f\x8b\x07" + bytes(20), 1, "gzip data is damaged"),
    "gzip cut off in the header": (gzip.compress(TEXT)[:6], 1, "gzip data is damaged"),
    "gzip without its trailer": (gzip.compress(TEXT)[:-8], 5001, "gzip data is damaged"),
    "gzip without half of its trailer": (gzip.compress(TEXT)[:-4], 5001, "gzip data is damaged"),
    "gzip with a wrong checksum": (gzip.compress(TEXT)[:-8] + bytes(8), 5001, "gzip data is damaged"),
    "gzip with a wrong length": (gzip.compress(TEXT)[:-4] + b"\1\2\3\4", 5001, "gzip data is damaged"),
    "gzip damaged in the middle": (gzip_damaged_in_the_middle(), 1, "gzip data is damaged"),
    "gzip followed by rubbish": (gzip.compress(TEXT) + b"rubbish", 5001, "gzip data is damaged"),
    "second gzip member cut off": (gzip.compress(b"a\n") + gzip.compress(b"b\n")[:-3], 3, "gzip data is damaged"),
    "gzip in gzip": (gzip.compress(gzip.compress(b"a\n")), 1, "is not UTF-8"),
    "xz": (lzma.compress(b"a\n"), None, "xz -dc"),
    "bzip2": (bz2.compress(b"a\n"), None, "bzip2 -dc"),
    "empty bzip2": (bz2.compress(b""), None, "bzip2 -dc"),
    "zstd": (b"\x28\xb5\x2f\xfd\x04\x00\x01\x00\x00", None, "zstd -dc"),
    "zip": (zip_of(b"a\n"), None, "unzip -p"),
    "empty zip": (b"PK\x05\x06" + bytes(18), None, "unzip -p"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 1, "is not UTF-8"),
    "program": (b"\x7fELF\x02\x01\x01\0\0", 1, "NUL"),
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_is_named_with_its_place(tmp_path, kind):
    data, line, message = DAMAGED[kind]
    path = written(tmp_path / "text", data)
    with pytest.raises(FormatError) as caught:
        read_lines(path)
    place = f"{path}: " if line is None else f"{path}:{line}: "
    assert str(caught.value).startswith(place)
    assert message in str(caught.value)
    assert (caught.value.path, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("kind", DAMAGED)
def test_damage_on_standard_input_is_named_alike(monkeypatch, kind):
    data, line, message = DAMAGED[kind]
    monkeypatch.setattr(sys, "stdin", Stdin(data, 3))
    with pytest.raises(FormatError) as caught:
        read_lines("-")
    assert str(caught.value).startswith("<stdin>: " if line is None else f"<stdin>:{line}: ")
    assert message in str(caught.value)


def test_lines_before_the_damage_are_read(tmp_path):
    lines = iter_lines(written(tmp_path / "text", b"a\nb\n\xff\n"))
    assert [next(lines), next(lines)] == ["a", "b"]
    with pytest.raises(FormatError, match=":3: "):
        next(lines)


@pytest.mark.parametrize("shift", [-2, -1, 0, 1, 2])
@pytest.mark.parametrize("middle", ["é", "我", "😀", "\n", "\r\n", "\n\n"])
def test_block_borders_change_nothing(tmp_path, shift, middle):
    text = "x" * (_BLOCK + shift) + middle + "y"
    path = written(tmp_path / "text", text.encode())
    assert read_lines(path) == text.replace("\r\n", "\n").split("\n")


@pytest.mark.parametrize("shift", range(-3, 3))
def test_bad_bytes_at_a_block_border_are_found(tmp_path, shift):
    data = b"a\n" + b"x" * (_BLOCK - 2 + shift) + b"\xe6\x88\n" + b"b\n"
    with pytest.raises(FormatError, match=rf":2: byte {_BLOCK - 1 + shift} of the line \(0xe6\)"):
        read_lines(written(tmp_path / "text", data))


def test_gzip_of_several_members_is_one_text(tmp_path):
    data = gzip.compress(b"\xef") + gzip.compress(b"\xbb\xbfa\nb") + gzip.compress(b"") + gzip.compress(b"c\n")
    assert read_lines(written(tmp_path / "text.gz", data)) == ["a", "bc"]


def test_gzip_padded_with_zeros_is_read(tmp_path):
    assert read_lines(written(tmp_path / "text.gz", gzip.compress(b"a\n") + bytes(512))) == ["a"]


def test_empty_gzip_has_no_line(tmp_path):
    assert read_lines(written(tmp_path / "text.gz", gzip.compress(b""))) == []


def test_a_plain_file_called_gz_is_read(tmp_path):
    assert read_lines(written(tmp_path / "text.gz", b"a\n")) == ["a"]


def test_a_very_long_line_in_very_many_pieces(monkeypatch):
    # Joining piece by piece would copy 500 GB: this test would not end.
    line = b"word " * 4_000_000
    monkeypatch.setattr(sys, "stdin", Stdin(line + b"\n", 400))
    assert read_lines("-") == [line.decode()]


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path):
    """By readers of text and of lists alike; a line of exactly the limit is read."""
    (tmp_path / "ok").write_bytes(b"a" * LONGEST_LINE + b"\nb\n")
    assert [len(line) for line in read_lines(tmp_path / "ok")] == [LONGEST_LINE, 1]
    (tmp_path / "long").write_bytes(b"0 ||| a ||| lm= 1 ||| 1\n" + b"a" * (LONGEST_LINE + 1 + (1 << 20)))
    for read in (read_lines, partial(read_kbest, dialect="moses")):
        with pytest.raises(FormatError, match=r"long:2: the line has more than 64 MiB"):
            read(tmp_path / "long")


def test_standard_input_is_read_from_where_it_stands():
    code = (
        "import sys; from tunesmith.io import read_lines; sys.stdin.buffer.read(2); "
        "sys.stdout.write(repr(read_lines('-')))"
    )
    run = subprocess.run([sys.executable, "-c", code], input=b"x\na\r\nb", capture_output=True, check=True)
    assert run.stdout == b"['a', 'b']"


def test_lines_of_a_pipe_come_before_its_end():
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as stream, os.fdopen(writer, "wb") as out:
        lines = iter_lines(f"/dev/fd/{stream.fileno()}")
        out.write(b"first line of a slow pipe\n")
        out.flush()
        found: list[str] = []
        thread = threading.Thread(target=lambda: found.append(next(lines)), daemon=True)
        thread.start()
        thread.join(timeout=HANGS)
        assert found == ["first line of a slow pipe"]
        out.close()
        assert list(lines) == []


def test_a_replaced_standard_input_is_not_closed(monkeypatch):
    for step in (None, 2):
        stdin = Stdin(b"a\n", step)
        monkeypatch.setattr(sys, "stdin", stdin)
        assert read_lines("-") == ["a"]
        assert read_lines("-") == []
        assert not stdin.buffer.closed


@pytest.mark.parametrize("stdin", [None, io.StringIO("a\n")])
def test_no_standard_input_is_said(monkeypatch, stdin):
    monkeypatch.setattr(sys, "stdin", stdin)
    with pytest.raises(MissingFileError, match="no standard input"):
        read_lines("-")


def test_missing_files_are_explained(tmp_path):
    (tmp_path / "train.en").write_text("a\n")
    (tmp_path / "link").symlink_to("nowhere")
    cases = {
        tmp_path / "trian.en": "no such file. Did you mean .*train.en",
        tmp_path / "zzz": r"no such file$",
        tmp_path / "no" / "train.en": "the folder .*no does not exist either",
        tmp_path: "is a folder",
        tmp_path / "train.en" / "x": "cannot be opened",
        tmp_path / "link": "is a link to nowhere, which does not exist",
        tmp_path / ("x" * 300): "cannot be opened",
        "": "name of a file is empty",
        "a\0b": "NUL character",
    }
    for path, message in cases.items():
        with pytest.raises(MissingFileError, match=message) as caught:
            read_lines(path)
        assert caught.value.exit_code == 2


@pytest.mark.skipif(AS_ROOT, reason="root may read everything")
def test_an_unreadable_file_is_named(tmp_path):
    path = written(tmp_path / "text", b"a\n")
    path.chmod(0)
    with pytest.raises(MissingFileError, match="text: cannot be opened"):
        read_lines(path)


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="needs a file that opens but cannot be read")  # noqa: PTH110
def test_an_error_of_the_device_is_ours():
    with pytest.raises(TunesmithError, match="/proc/self/mem: cannot be opened"):
        read_lines("/proc/self/mem")


def test_open_bytes_gives_the_bytes(tmp_path):
    path = written(tmp_path / "data", gzip.compress(bytes(range(256))))
    with open_bytes(path) as stream:
        assert stream.read() == bytes(range(256))


def test_a_file_that_is_collected_before_its_generator_is_closed_without_a_warning(tmp_path):
    """The garbage collector may finalise the file of an abandoned generator first."""
    (tmp_path / "text").write_text("a\nb\n", encoding="utf-8")
    stream = open_for_generator(tmp_path / "text")
    handle = stream.fileno()
    assert stream.read(1) == b"a"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stream.__del__()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(handle)
