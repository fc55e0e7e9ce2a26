"""Everything we write, verified wholly: the formats that register themselves, and the report of a check.

A format is a class with `recognises` and `verify`, registered by `formats.register("name")` in the folder that
knows it; one that holds others hands them to `Report.part`. Other packages publish theirs under the entry point
`tunesmith.formats`.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from tunesmith.errors import ConfigError, FormatError, IrregularFileError, MissingFileError, TunesmithError
from tunesmith.io.arrays import MANIFEST, FolderFormat, is_name, load_manifest
from tunesmith.io.inside import inside
from tunesmith.io.paths import StrPath, as_path, usable
from tunesmith.io.seals import SEALED
from tunesmith.io.verify import verified
from tunesmith.registry import Registry

OLD = "an earlier version wrote it"


class Format(Protocol):
    """A kind of file or folder that we write."""

    @property
    def noun(self) -> str:
        """What messages call it (`a rule table`)."""

    def recognises(self, path: Path) -> bool:
        """Return whether this is one, whole or damaged: a single wrong bit makes it no other kind of file."""
        ...

    def verify(self, path: Path, report: Report) -> None:
        """Read all of it and say what was found."""
        ...


formats: Registry[Format] = Registry("format", "tunesmith.formats")


@dataclass
class Report:
    """What a check found. noun: of what was checked.

    whole: files that are as they were written, with their bytes.   damaged: files with what is wrong.
    unsealed: files without a checksum, with the reason; what can be read of them was read.
    """

    noun: str = ""
    whole: dict[Path, int] = field(default_factory=dict)
    damaged: dict[Path, str] = field(default_factory=dict)
    unsealed: dict[Path, str] = field(default_factory=dict)
    _parts: set[Path] = field(default_factory=set)

    @property
    def bytes(self) -> int:
        return sum(self.whole.values())

    def is_whole(self, path: Path, size: int | None = None) -> None:
        """Report that a file has the checksum it should have."""
        self.whole[path] = path.stat().st_size if size is None else size

    def is_damaged(self, path: Path, message: str) -> None:
        """Report that a file is missing or not what was written."""
        self.whole.pop(path, None)
        self.unsealed.pop(path, None)
        self.damaged.setdefault(path, message)

    def has_no_checksum(self, path: Path, why: str) -> None:
        """Report a file that could be damaged without a trace."""
        self.unsealed[path] = why

    @contextlib.contextmanager
    def reading(self, path: Path) -> Iterator[None]:
        """Add errors of reading a file, or one that they name, to the report."""
        try:
            yield
        except FormatError as error:
            where = path if error.path is None else Path(error.path)
            line = "" if error.line is None else f"line {error.line}: "
            self.is_damaged(where, line + error.message)
        except TunesmithError as error:
            self.is_damaged(path, str(error).removeprefix(f"{path}: "))
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            self.is_damaged(path, f"cannot be read ({type(error).__name__})")

    def has_checksum(self, path: Path, wanted: object) -> None:
        with self.reading(path):
            self.is_whole(path, sum(verified(path, wanted)))

    def part(self, path: Path) -> None:
        """Verify a file or folder of any known format; others have no checksum."""
        self._parts.add(path)
        with self.reading(path):
            if not path.exists():
                self.is_damaged(path, "is missing")
            elif (found := recognised(path)) is not None:
                found.verify(path, self)
            elif path.is_dir():
                self.rest(path)
            else:
                self.has_no_checksum(path, "nothing in the folder holds a checksum of it")

    def rest(self, folder: Path) -> None:
        """Verify the rest of a folder. Links, which are not followed, are damage."""
        done = self._parts | {*self.whole, *self.damaged, *self.unsealed}
        for path in sorted(folder.iterdir()):
            if path not in done:
                self.part(path)

    def as_dict(self) -> dict[str, Any]:
        return {
            "kind": self.noun.removeprefix("a ").removeprefix("an "),
            "whole": not self.damaged,
            "files": len(self.whole),
            "bytes": self.bytes,
            "damaged": {str(path): message for path, message in self.damaged.items()},
            "without_checksum": {str(path): why for path, why in self.unsealed.items()},
        }


def recognised(path: Path) -> Format | None:
    """Return the format of a file or folder; None if it is not one that we write."""
    for name in formats:
        found = formats.make(name)
        try:
            if found.recognises(path):
                return found
        except IrregularFileError:
            raise
        except (OSError, TunesmithError):  # it is not what it looks like
            continue
    return None


def check(path: StrPath) -> Report:
    """Read all of a file or folder that we wrote, and report what is whole, damaged or without a checksum.

    ConfigError if it is not of a known format.
    """
    place = as_path(usable(path))
    if not place.exists():
        raise MissingFileError(f"{place}: no such file or folder")
    if place.is_dir():
        place = inside(place)
    found = recognised(place)
    if found is None:
        nouns = ", ".join(formats.make(name).noun for name in formats)
        raise ConfigError(f"{place}: is not a file or folder that tunesmith writes; what it can check: {nouns}")
    report = Report(found.noun)
    with report.reading(place):
        found.verify(place, report)
    return report


def is_like(path: Path, magic: bytes) -> bool:
    """Return whether a file begins with these bytes, but for one of them at most."""
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        head = stream.read(len(magic))
    return len(head) == len(magic) and sum(a != b for a, b in zip(head, magic, strict=True)) <= 1


@dataclass(frozen=True)
class ArraysFormat:
    """The format of a folder of arrays.

    names: files that tell one whose manifest is damaged.
    opened: reads the folder as its users do, for what no checksum shows.
    """

    form: FolderFormat
    names: tuple[str, ...]
    opened: Callable[[Path], object] | None = None

    @property
    def noun(self) -> str:
        return self.form.noun

    def recognises(self, path: Path) -> bool:
        manifest = path / MANIFEST
        if not manifest.is_file():
            return False
        with manifest.open("rb") as stream:
            named = self.form.name.encode() in stream.read(1000)
        return named or all((path / name).is_file() for name in self.names)

    def verify(self, path: Path, report: Report) -> None:
        """Verify the manifest, then every file that it names."""
        manifest_path = path / MANIFEST
        with report.reading(manifest_path):
            manifest = load_manifest(path, self.form)
            if SEALED in manifest:
                report.is_whole(manifest_path)
            else:
                report.has_no_checksum(manifest_path, OLD)
            files = manifest.get("files")
            if not isinstance(files, dict):
                raise FormatError("names no files; it is damaged", path=str(manifest_path))
            for name, entry in files.items():
                if not is_name(name) or not isinstance(entry, dict):
                    raise FormatError("names a file that cannot be; it is damaged", path=str(manifest_path))
                report.has_checksum(path / name, entry.get("crc32"))
            if self.opened is not None and not report.damaged:
                with report.reading(path):
                    self.opened(path)
        report.rest(path)
