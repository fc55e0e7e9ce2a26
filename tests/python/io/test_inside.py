"""Paths inside a folder of tunesmith: what they read, write and remove, and what they refuse."""

import contextlib
import copy
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tunesmith.errors import FormatError, IrregularFileError, MissingFileError
from tunesmith.io import atomic_bytes, atomic_writer, check_output, make_folder, read_lines, write_lines
from tunesmith.io.folders import new_folder
from tunesmith.io.inside import Inside, inside, refuse_irregular_files


@pytest.fixture
def folder(tmp_path):
    """A folder with a file, a folder, and links to the same outside of it and inside."""
    (tmp_path / "outside" / "deep").mkdir(parents=True)
    (tmp_path / "outside" / "file").write_text("secret\n")
    (tmp_path / "ours" / "below").mkdir(parents=True)
    (tmp_path / "ours" / "file").write_text("ours\n")
    for name, target in {"out": "../outside/file", "in": "file", "lost": "nowhere", "far": "../outside",
                         "near": "below"}.items():  # fmt: skip
        (tmp_path / "ours" / name).symlink_to(target)
    return inside(tmp_path / "ours")


LINKS = ("out", "in", "lost", "far", "near")


def uses(path):
    """Everything that reads, writes or looks at a path."""
    return {
        "read": lambda: read_lines(path),
        "read text": path.read_text,
        "read bytes": path.read_bytes,
        "append": lambda: path.open("a"),
        "write text": lambda: path.write_text("new"),
        "write bytes": lambda: path.write_bytes(b"new"),
        "replace": lambda: write_lines(path, ["new"]),
        "check": lambda: check_output(path),
        "folder": lambda: make_folder(path),
        "list": lambda: list(path.iterdir()),
        "below": lambda: (path / "file").exists(),
        "write below": lambda: write_lines(path / "file", ["new"]),
        "remove below": lambda: (path / "file").unlink(missing_ok=True),
        "remove tree below": lambda: (path / "deep").remove_tree(),
        "rename below": lambda: (path / "file").replace(path / "other"),
        "glob": lambda: list(path.parent.glob(f"{path.name}/*")),
        "exists": path.exists,
        "is a file": path.is_file,
        "is a folder": path.is_dir,
        "status": path.stat,
        "lock": path.open_folder,
    }


@pytest.mark.parametrize("use", uses(inside("x") / "y"))
@pytest.mark.parametrize("name", LINKS)
def test_no_link_is_followed(folder, name, use):
    outside = folder.parent / "outside"
    with pytest.raises(IrregularFileError, match=rf"ours/{name}: is a link; links inside .* are not followed"):
        uses(folder / name)[use]()
    assert (outside / "file").read_text() == "secret\n"
    assert sorted(path.name for path in outside.iterdir()) == ["deep", "file"]
    assert (folder / "file").read_text() == "ours\n"
    assert (folder / name).is_symlink()


@pytest.mark.parametrize("kind", ["pipe", "socket"])
def test_what_is_no_file_is_refused_and_not_waited_for(folder, kind, monkeypatch):
    path = folder / "odd"
    if kind == "pipe":
        os.mkfifo(Path(path))
    else:
        monkeypatch.chdir(folder)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind("odd")
    for use in uses(path).values():
        with pytest.raises(IrregularFileError, match=f"ours/odd: is a {kind}; only regular files are used"):
            use()


def test_it_is_no_error_that_readers_take_for_a_missing_or_damaged_file():
    assert not issubclass(IrregularFileError, FormatError | MissingFileError | OSError | ValueError)


def test_the_folder_itself_may_be_named_by_a_link(folder, tmp_path):
    (tmp_path / "link").symlink_to("ours")
    linked = inside(tmp_path / "link")
    assert read_lines(linked / "file") == ["ours"]
    write_lines(linked / "below" / "new", ["a"])
    assert (tmp_path / "ours" / "below" / "new").read_text() == "a\n"
    with pytest.raises(IrregularFileError):
        read_lines(linked / "out")


@pytest.mark.parametrize("name", ["..", "../outside/file", "below/../../outside/file", "/etc/passwd"])
def test_no_name_leads_out_of_it(folder, name):
    with pytest.raises(IrregularFileError, match="leads out of this folder"):
        folder / name


def test_a_path_stays_inside_wherever_it_is_taken(folder):
    path = folder / "far" / "file"
    taken = {
        "parent": path.parent / "file",
        "name": (folder / "far" / "x").with_name("file"),
        "suffix": (folder / "far" / "file.old").with_suffix(""),
        "joined": folder.joinpath("far", "file"),
        "again": inside(path),
        "copied": copy.deepcopy(path),
        "resolved": folder.resolve() / "far" / "file",
        "resolved below": path.resolve(),
    }
    for way, each in taken.items():
        assert isinstance(each, Inside), way
        with pytest.raises(IrregularFileError):
            each.read_text()
    assert folder.parent == Path(folder).parent
    assert not isinstance(folder.parent, Inside)
    assert (folder / "file") == Path(folder) / "file"
    assert len({folder / "file", Path(folder) / "file"}) == 1


def test_it_does_what_a_path_does(folder):
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b").mkdir(parents=True, exist_ok=True)
    with pytest.raises(FileExistsError):
        (folder / "a").mkdir()
    with pytest.raises(FileExistsError):
        (folder / "file").mkdir(exist_ok=True)
    assert (folder / "a" / "text").write_text("longer") == (folder / "a" / "text").write_bytes(b"longer") == 6
    for mode, text in (("w", "one"), ("a", "two"), ("r+", "ONE")):
        with (folder / "a" / "text").open(mode) as out:
            out.write(text)
    assert (folder / "a" / "text").read_text() == "ONEtwo"
    with pytest.raises(FileExistsError):
        (folder / "a" / "text").open("x")
    with pytest.raises(FileNotFoundError, match="ours/a/none"):
        (folder / "a" / "none").read_text()
    with pytest.raises(NotADirectoryError):
        (folder / "file" / "below").read_text()
    with pytest.raises(IsADirectoryError):
        (folder / "a").read_text()
    assert not (folder / "file" / "below").exists()
    assert {path.name for path in (folder / "a").iterdir()} == {"b", "text"}
    assert [str(path) for path in folder.glob("a/t*")] == [str(folder / "a" / "text")]
    assert [str(path) for path in (folder / "a").rglob("t*")] == [str(folder / "a" / "text")]
    (folder / "a" / "text").touch()
    (folder / "a" / "b" / "new").touch()
    assert sorted(path.name for path in (folder / "a").rglob("*")) == ["b", "new", "text"]
    with atomic_bytes(folder / "a" / "b" / "bytes") as out:
        out.write(b"new")
    (folder / "a" / "b" / "bytes").replace(folder / "moved")
    assert (folder / "moved").read_bytes() == b"new"
    (folder / "moved").unlink()
    (folder / "moved").unlink(missing_ok=True)
    with pytest.raises(FileNotFoundError):
        (folder / "moved").unlink()
    (folder / "a").remove_tree()
    (folder / "a").remove_tree()
    assert not (folder / "a").exists()


def test_a_tree_is_removed_with_its_links_and_without_what_they_point_to(folder, tmp_path):
    os.mkfifo(Path(folder) / "below" / "pipe")
    (Path(folder) / "below" / "link").symlink_to(tmp_path / "outside")
    (folder / "below").remove_tree()
    (folder / "far").remove_tree()
    folder.remove_tree()
    assert not folder.exists()
    assert (tmp_path / "outside" / "file").read_text() == "secret\n"


def test_all_of_a_folder_is_looked_at(folder):
    for name in LINKS:
        with pytest.raises(IrregularFileError):
            refuse_irregular_files(folder)
        Path(folder / name).unlink()
    refuse_irregular_files(folder)
    os.mkfifo(Path(folder) / "below" / "pipe")
    with pytest.raises(IrregularFileError, match="ours/below/pipe: is a pipe"):
        refuse_irregular_files(folder)


def test_files_and_folders_are_replaced_whole(folder):
    with atomic_writer(folder / "file") as out:
        out.write("new\n")
        assert (folder / "file").read_text() == "ours\n"
    assert (folder / "file").read_text() == "new\n"
    for text in ("first", "second"):
        with new_folder(folder / "made" / "deep", lambda _: True, "thing") as made:
            write_lines(made / "text", [text])
        assert read_lines(folder / "made" / "deep" / "text") == [text]
    assert [path.name for path in (folder / "made").iterdir()] == ["deep"]


def test_folders_in_folders_are_refused_in_words(tmp_path):
    place = tmp_path / "ours"
    place.mkdir()
    at = os.open(place, os.O_RDONLY)
    for _ in range(1200):
        os.mkdir("d", dir_fd=at)
        below = os.open("d", os.O_RDONLY, dir_fd=at)
        os.close(at)
        at = below
    os.close(at)
    # Too deep, or too many open files; Python 3.13 has os.fwalk without recursion.
    refused = pytest.raises((IrregularFileError, OSError))
    with contextlib.nullcontext() if sys.version_info >= (3, 13) else refused:
        refuse_irregular_files(inside(place))
    with pytest.raises((IrregularFileError, OSError)):
        (inside(tmp_path) / "ours").remove_tree()
    subprocess.run(["rm", "-rf", place], check=True)


def test_the_link_of_a_user_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with new_folder(inside(tmp_path / "link"), None, "thing") as made:
        (made / "file").write_text("x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "file").read_text() == "x"
