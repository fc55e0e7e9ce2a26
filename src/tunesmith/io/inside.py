"""Paths inside a folder of tunesmith, which may have come from another person.

A run, model, candidate, table or experiment folder holds regular files and folders, nothing else. A path made by
`inside` is opened name by name, each relative to a handle of the folder before it, and no link is followed. So a
folder that was received can neither be read nor written outside of itself, whatever it holds, and a pipe in it
does not keep us waiting. The folder itself is named by the user, who may name it by a link.
"""

from __future__ import annotations

import contextlib
import errno
import fnmatch
import os
import stat
from collections.abc import Iterator
from pathlib import Path, PosixPath
from typing import IO, Any, NoReturn

from tunesmith.errors import IrregularFileError
from tunesmith.io.handles import FOLDER, empty, not_too_deep, open_folder, refuse_at, refuse_irregular, remove
from tunesmith.io.paths import StrPath

_FILE = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_WRITING = {"w": os.O_CREAT, "a": os.O_CREAT | os.O_APPEND, "x": os.O_CREAT | os.O_EXCL}


def inside(path: StrPath) -> Inside:
    """Return the folder at `path` as a folder of tunesmith; a path inside such a folder stays there."""
    return path if isinstance(path, Inside) else Inside(path)


class Inside(PosixPath):
    """A folder of tunesmith, or a path inside it: `folder / name` follows no link below the folder.

    Where a link, pipe, socket or device is met, IrregularFileError names it. Methods of `Path` that would follow
    links and are not needed are not offered.
    """

    _depth = 0  # how many of the last parts are inside; the others were named by the user

    def __truediv__(self, key: StrPath) -> Inside:
        return self.joinpath(key)

    def joinpath(self, *others: StrPath) -> Inside:
        """Return the path below this one; IrregularFileError for one that would lead elsewhere."""
        found = super().joinpath(*others)
        if len(others) == 1 and found.name == others[0] != "..":  # a single name
            found._depth = self._depth + 1
            return found
        parts = self.parts
        added = found.parts[len(parts) :]
        absolute = any(os.fspath(each).startswith("/") for each in others)
        if absolute or found.parts[: len(parts)] != parts or ".." in added:
            raise IrregularFileError(f"{self}: the path {str(Path(*others))!r} leads out of this folder")
        found._depth = self._depth + len(added)
        return found

    @property
    def parent(self) -> Path:  # type: ignore[override]
        above = Path(self).parent
        return _made(above, self._depth - 1) if self._depth else above

    def with_name(self, name: str) -> Path:  # type: ignore[override]
        return self.parent / name if self._depth else Path(self).with_name(name)

    def with_suffix(self, suffix: str) -> Path:  # type: ignore[override]
        return self.with_name(Path(self).with_suffix(suffix).name)

    def relative_to(self, *other: Any, **options: Any) -> Path:  # type: ignore[override]
        return Path(self).relative_to(*map(Path, other), **options)

    def resolve(self, strict: bool = False) -> Path:  # type: ignore[override]
        """Return the same path in the folder that the user's links lead to."""
        top, names = self._split
        return inside(Path(top).resolve(strict)).joinpath(*names)

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (Path(self), self._depth)

    @property
    def _split(self) -> tuple[str, list[str]]:
        """The folder as the user named it, and the names below it."""
        if not self._depth:
            return str(self), []
        parts = str(self).rsplit("/", self._depth)
        top = "." if len(parts) == self._depth else parts[0] or "/"
        return top, parts[-self._depth :]

    @contextlib.contextmanager
    def _holder(self) -> Iterator[tuple[int, str]]:
        """Open the folder that holds this path, and return the name in it. Not for the topmost folder."""
        top, (*folders, name) = self._split
        handle = open_folder(top, folders)
        try:
            yield handle, name
        except OSError as error:
            if error.filename in (None, name):
                error.filename = str(self)
            raise
        finally:
            os.close(handle)

    def lstat(self) -> os.stat_result:
        if not self._depth:
            return Path(self).lstat()
        with self._holder() as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """Return the status of a regular file or a folder; anything else is refused."""
        if not self._depth:
            return Path(self).stat(follow_symlinks=follow_symlinks)
        found = self.lstat()
        refuse_irregular(found.st_mode, self)
        return found

    def exists(self, **options: Any) -> bool:
        return self._mode() is not None

    def is_dir(self, **options: Any) -> bool:
        return stat.S_ISDIR(self._mode() or 0)

    def is_file(self, **options: Any) -> bool:
        return stat.S_ISREG(self._mode() or 0)

    def _mode(self) -> int | None:
        try:
            return self.stat().st_mode
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG):
                raise
            return None

    def is_symlink(self) -> bool:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            return stat.S_ISLNK(self.lstat().st_mode)
        return False

    def open(  # type: ignore[override]
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]:
        kind = mode.strip("bt+")
        access = os.O_RDWR if "+" in mode else os.O_RDONLY if kind == "r" else os.O_WRONLY
        with self._holder() as (folder, name):
            refuse_at(folder, name, self)  # opening alone may do something to a device
            handle = os.open(name, access | _FILE | _WRITING.get(kind, 0), 0o666, dir_fd=folder)
        try:
            found = os.fstat(handle).st_mode
            refuse_irregular(found, self)
            if stat.S_ISDIR(found):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(self))
            if kind == "w":
                os.ftruncate(handle, 0)
        except BaseException:
            os.close(handle)
            raise
        return os.fdopen(handle, mode, buffering, encoding, errors, newline)

    def read_bytes(self) -> bytes:
        with self.open("rb") as stream:
            return bytes(stream.read())

    def read_text(self, encoding: str | None = None, errors: str | None = None, newline: str | None = None) -> str:
        with self.open("r", -1, encoding, errors, newline) as stream:
            return str(stream.read())

    def write_bytes(self, data: Any) -> int:
        with self.open("wb") as stream:
            return int(stream.write(data))

    def write_text(
        self, data: str, encoding: str | None = None, errors: str | None = None, newline: str | None = None
    ) -> int:
        with self.open("w", -1, encoding, errors, newline) as stream:
            return int(stream.write(data))

    def touch(self, mode: int = 0o666, exist_ok: bool = True) -> None:
        with self.open("a" if exist_ok else "x"):
            pass

    def open_folder(self) -> int:
        """Return a handle of this folder; the caller closes it."""
        if not self._depth:
            return os.open(self, os.O_RDONLY | FOLDER)
        with self._holder() as (folder, name):
            refuse_at(folder, name, self)
            return os.open(name, os.O_RDONLY | FOLDER | os.O_NOFOLLOW, dir_fd=folder)

    def iterdir(self) -> Iterator[Inside]:  # type: ignore[override]
        handle = self.open_folder()
        try:
            names = os.listdir(handle)  # noqa: PTH208 (by handle)
        finally:
            os.close(handle)
        yield from (self / name for name in names)

    def glob(self, pattern: str, **options: Any) -> Iterator[Inside]:  # type: ignore[override]
        """Yield what fits a pattern with `*` in some of its names; `**` is not known."""
        first, _, rest = pattern.partition("/")
        for entry in self.iterdir() if self.is_dir() else ():
            if not fnmatch.fnmatchcase(entry.name, first):
                continue
            if not rest:
                yield entry
            elif entry.is_dir():
                yield from entry.glob(rest)

    def rglob(self, pattern: str, **options: Any) -> Iterator[Inside]:  # type: ignore[override]
        """Yield what fits a pattern of one name, at any depth."""
        for entry in self.iterdir():
            if fnmatch.fnmatchcase(entry.name, pattern):
                yield entry
            if entry.is_dir():
                yield from entry.rglob(pattern)

    def mkdir(self, mode: int = 0o777, parents: bool = False, exist_ok: bool = False) -> None:
        if not self._depth:
            Path(self).mkdir(mode, parents, exist_ok)
            return
        if parents:
            self.parent.mkdir(mode, parents=True, exist_ok=True)
        try:
            with self._holder() as (folder, name):
                os.mkdir(name, mode, dir_fd=folder)
        except FileExistsError:
            if not exist_ok or not self.is_dir():
                raise

    def unlink(self, missing_ok: bool = False) -> None:
        ignored = (FileNotFoundError,) if missing_ok else ()
        with self._holder() as (folder, name), contextlib.suppress(*ignored):
            os.unlink(name, dir_fd=folder)

    def replace(self, target: StrPath) -> Path:  # type: ignore[override]
        """Give this another name, in place of what is there; a link there is replaced, not followed."""
        if not self._depth:
            return Path(self).replace(target)
        if not isinstance(target, Inside) or not target._depth:
            raise ValueError(f"{self} is inside a folder and stays there; {os.fspath(target)} is outside")
        with self._holder() as (folder, name), target._holder() as (other, new):
            os.replace(name, new, src_dir_fd=folder, dst_dir_fd=other)
        return target

    rename = replace  # type: ignore[assignment]

    def remove_tree(self) -> None:
        """Remove a folder with all that is in it, or a file; of links, the links. Nothing where nothing is."""
        with contextlib.suppress(FileNotFoundError), not_too_deep(self):
            if not self._depth:
                empty(self.open_folder())
                Path(self).rmdir()
                return
            with self._holder() as (folder, name):
                remove(folder, name)

    def _not_offered(self, *_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError("paths inside a folder do not offer this")

    chmod = lchmod = symlink_to = hardlink_to = link_to = _not_offered
    walk = rmdir = readlink = copy = move = absolute = expanduser = __rtruediv__ = _not_offered
    parents = property(_not_offered)


@contextlib.contextmanager
def holder(path: Path) -> Iterator[tuple[int | None, str]]:
    """Open the folder that holds a path inside, and return the name in it; None and the path for any other."""
    if isinstance(path, Inside) and path._depth:
        with path._holder() as found:
            yield found
    else:
        yield None, os.fspath(path)


def is_below(path: StrPath) -> bool:
    """Return whether a path is below a folder of tunesmith, and not the folder itself, which the user named."""
    return isinstance(path, Inside) and path._depth > 0


def writable(path: Path) -> bool:
    with holder(path) as (folder, name):
        return os.access(name, os.W_OK, dir_fd=folder)


def _made(path: Path, depth: int) -> Inside:
    found = Inside(path)
    found._depth = depth
    return found


def refuse_irregular_files(folder: Inside) -> None:
    """Raise IrregularFileError for the first link, pipe, socket or device anywhere in the folder."""
    handle = folder.open_folder()
    try:
        with not_too_deep(folder):
            for below, folders, files, at in os.fwalk(".", dir_fd=handle):
                for name in sorted([*folders, *files]):
                    refuse_at(at, name, folder / below / name)
    finally:
        os.close(handle)
