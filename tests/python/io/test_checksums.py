"""Checksums: ours against zlib, of files in pieces, inside of texts and JSON objects; checks in the background."""

import json
import threading
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith import _core
from tunesmith.errors import FormatError
from tunesmith.io import verify
from tunesmith.io.seals import check_json, check_line, seal_line, sealed_json
from tunesmith.io.verify import BackgroundCheck, FileChecks, file_checksum

DATA = st.integers(0, 400).flatmap(lambda size: st.binary(min_size=size, max_size=size))


@given(DATA, st.integers(0, 2**32 - 1), st.integers(0, 400), st.integers(0, 400))
def test_crc32_is_that_of_zlib(data, value, begin, end):
    assert _core.crc32(data, value) == zlib.crc32(data, value)
    assert _core.crc32_by_tables(data, value) == zlib.crc32(data, value)
    assert _core.crc32(data, value, begin, end) == zlib.crc32(data[begin : max(begin, end)], value)


@pytest.mark.parametrize("size", [0, 1, 1 << 18, (1 << 20) + 13])
def test_a_file_in_pieces(size, tmp_path, monkeypatch):
    monkeypatch.setattr(verify, "_PIECE", 300_000)
    data = bytes(range(251)) * (size // 251 + 1)
    (tmp_path / "file").write_bytes(data[:size])
    assert file_checksum(tmp_path / "file") == f"{zlib.crc32(data[:size]):08x}"


def test_every_flipped_bit_of_a_sealed_json_object_is_noticed():
    text = sealed_json({"format": "x", "files": {"a": {"crc32": "00000000"}}, "é": [1, 2]}).encode()
    assert check_json(text, json.loads(text), "name")
    for bit in range(8 * len(text)):
        wrong = bytearray(text)
        wrong[bit // 8] ^= 1 << bit % 8
        try:
            document = json.loads(bytes(wrong).decode())
        except ValueError:
            continue
        if isinstance(document, dict):
            with pytest.raises(FormatError, match="checksum"):
                check_json(bytes(wrong), document, "name")
    assert not check_json(b"{}", {}, "name")


def test_every_flipped_bit_of_a_sealed_text_is_noticed():
    """In a line that is not a comment any more, by the parser of the text: it has no tab."""
    header, body = b"# a signature|version:1\n", b"lm\t0.5\nJane\t1\n"
    text = header + seal_line(header, body) + body
    assert check_line(text, "name")
    assert not check_line(header + body, "name")
    for bit in range(8 * len(text)):
        wrong = bytearray(text)
        wrong[bit // 8] ^= 1 << bit % 8
        try:
            assert not check_line(bytes(wrong), "name")
        except FormatError as error:
            assert "checksum" in str(error)  # noqa: PT017
            continue
        with pytest.raises(ValueError, match=r"name<TAB>weight|UTF-8"):
            _core.WeightTable.parse(bytes(wrong))


def test_a_check_in_the_background_is_waited_for(tmp_path):
    wait, seen = threading.Event(), []

    def check():
        yield 1
        wait.wait()
        seen.append("looked")
        yield 2
        raise FormatError("is damaged", path="there")

    begun = BackgroundCheck(check)
    threading.Timer(0.01, wait.set).start()
    for _ in range(2):  # damage does not go away
        with pytest.raises(FormatError, match="there: is damaged"):
            begun.finish()
    assert seen == ["looked"]


def test_each_file_is_read_once_and_damage_is_said_every_time(tmp_path, monkeypatch):
    for name in ("good", "bad"):
        (tmp_path / name).write_bytes(name.encode())
    files = {"good": {"crc32": f"{zlib.crc32(b'good'):08x}"}, "bad": {"crc32": "12345678"}}
    checks = FileChecks(tmp_path, files)
    checks.now("good")
    (tmp_path / "good").write_bytes(b"changed later")
    checks.now("good")
    checks.begin("good", "bad")
    for _ in range(2):
        with pytest.raises(FormatError, match="bad: the checksum is"):
            checks.finish()
    with pytest.raises(FormatError, match="bad: the checksum is"):
        checks.now("bad")
    (tmp_path / "bad").unlink()
    with pytest.raises(FormatError, match="bad: cannot be read"):
        FileChecks(tmp_path, files).now("bad")


def test_what_another_thread_begins_meanwhile_is_not_forgotten(tmp_path):
    for name in ("good", "bad"):
        (tmp_path / name).write_bytes(name.encode())
    checks = FileChecks(tmp_path, {"good": {"crc32": f"{zlib.crc32(b'good'):08x}"}, "bad": {"crc32": "12345678"}})
    checks.begin("good")
    now = checks.now

    def and_begin_more(*names):
        now(*names)
        checks.begin("bad")

    checks.now = and_begin_more
    checks.finish()
    checks.now = now
    with pytest.raises(FormatError, match="bad: the checksum is"):
        checks.finish()


def test_files_that_are_replaced_meanwhile_are_not_damaged(tmp_path, monkeypatch):
    """What is verified is what was mapped, under whatever name it is now."""
    (tmp_path / "file").write_bytes(b"old")
    held = threading.Event()
    monkeypatch.setattr(FileChecks, "_look", lambda self, name, file=None, look=FileChecks._look: (
        held.wait(), *look(self, name, file)))  # fmt: skip
    checks = FileChecks(tmp_path, {"file": {"crc32": f"{zlib.crc32(b'old'):08x}"}})
    checks.begin("file")
    (tmp_path / "new").write_bytes(b"new")
    (tmp_path / "new").replace(tmp_path / "file")
    held.set()
    checks.finish()
