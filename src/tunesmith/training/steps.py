"""Training in steps that are not done twice: each leaves a stamp of what it was made from (see `resuming`).

A step is run again when its stamp differs from what is wanted now or its outputs were changed, so a run that was
killed resumes where it was, and a changed setting redoes its step and those whose inputs change with it. What a
run leaves does not depend on how often it was interrupted.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from tunesmith.errors import ConfigError, FormatError, MissingFileError, TunesmithError
from tunesmith.io.arrays import MANIFEST, verify_files
from tunesmith.io.digest import file_digest
from tunesmith.io.documents import Count, Document, convert, read_document, write_document
from tunesmith.resuming import Stamp, stamp_now, why_again

STAMPS = "train.json"
FORMAT: Final = 2
_ADVICE = "remove it to do all steps again"


class _Version(msgspec.Struct):
    format: Count


class _Stamps(msgspec.Struct):
    """`train.json`: the stamps of all steps that are done."""

    format: Literal[2]
    steps: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class TrainingStep:
    """One piece of the work.

    inputs: what it reads, under names that do not change when files are moved.
    settings: everything else that its result depends on, as JSON can hold it.
    outputs: names inside the folder.   editable: they may be changed by hand and are then kept.
    run: does the step; returns a line for users.
    """

    name: str
    inputs: Mapping[str, Path]
    settings: Mapping[str, Any]
    outputs: Sequence[str]
    run: Callable[[], str]
    editable: bool = False


class Stamps:
    """The stamps in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._stamps = read_stamps(folder / STAMPS)
        self._digests: dict[tuple[Path, int, int], str] = {}

    def why(self, step: TrainingStep) -> str | None:
        """Return why the step must be run; None if it is done."""
        stamp = self._stamps.get(step.name)
        if stamp is None:
            return "not done yet"
        if why := why_again(stamp, step.settings, lambda: self._digest_all(step.inputs)):
            return why
        outputs = stamp.get("outputs")
        for name in step.outputs:
            path = self.folder / name
            if not path.exists():
                return f"{name} is missing"
            known = outputs.get(name) if isinstance(outputs, dict) else None
            if not step.editable and self._digest(path) != known:
                return f"{name} was changed"
        return None

    def inputs(self, name: str) -> Mapping[str, str]:
        """Return digests of what a step was made from; none where it is not done."""
        return self._stamps.get(name, {}).get("inputs", {})

    def refuse_other_text(self, files: Mapping[str, Path]) -> None:
        """Refuse a model that was made from other sentence pairs, which would be lost by mistake."""
        before = self.inputs("text") or self.inputs("align")
        for side in ("source", "target"):
            if side in before and self._digest(files[side]) != before[side]:
                raise ConfigError(
                    f"{self.folder}: the model there was made from other text than {files[side]} ({side}). Name "
                    "another folder, or train it from the beginning with --restart"
                )

    def clear(self) -> None:
        """Forget all steps."""
        self._stamps.clear()

    def forget(self, step: TrainingStep) -> None:
        """Remove the stamp of a step, before its outputs are touched."""
        if self._stamps.pop(step.name, None) is not None:
            self.save()

    def set(self, step: TrainingStep) -> None:
        """Record that the step is done."""
        made = self._digest_all({name: self.folder / name for name in step.outputs})
        self._stamps[step.name] = {**stamp_now(step.settings, self._digest_all(step.inputs)), "outputs": made}
        self.save()

    def save(self) -> None:
        """Write the stamps; their file also marks the folder as one of tunesmith."""
        steps = {name: dict(self._stamps[name]) for name in sorted(self._stamps)}
        write_document(self.folder / STAMPS, _Stamps(FORMAT, steps), seal=True)

    def _digest_all(self, paths: Mapping[str, Path]) -> dict[str, str]:
        return {name: self._digest(path) for name, path in paths.items()}

    def _digest(self, path: Path) -> str:
        # The manifest of a folder holds the checksums of all its files.
        file = path / MANIFEST if path.is_dir() else path
        try:
            status = file.stat()
            key = (file, status.st_size, status.st_mtime_ns)
            if key not in self._digests:
                self._digests[key] = file_digest(file) if file is path or _is_whole(path) else "damaged"
            return self._digests[key]
        except OSError as error:
            if file is path:
                raise MissingFileError(f"{path}: cannot be read ({error.strerror})") from None
            return "not sealed"


def _is_whole(folder: Path) -> bool:
    """Return whether the files of a folder are to the last byte those that its manifest names."""
    try:
        verify_files(folder, read_document(folder / MANIFEST, Document, _ADVICE))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, TunesmithError):
        return False
    return True


def read_stamps(path: Path) -> dict[str, Stamp]:
    """Return what a file of stamps says of each step; nothing where there is no file."""
    if not path.exists():
        return {}
    version = read_document(path, _Version, _ADVICE).format
    if version > FORMAT:
        raise FormatError(
            f"has format {version}, this tunesmith reads up to {FORMAT}; update it with: "
            "pip install --upgrade tunesmith",
            path=str(path),
        )
    if version < FORMAT:
        return {}  # its digests are of another kind: all steps are done again, by this build
    stamps = {}
    for name, stamp in read_document(path, _Stamps, _ADVICE).steps.items():
        with contextlib.suppress(FormatError):  # a stamp that is damaged has its step done again
            stamps[name] = convert(stamp, Stamp, path, _ADVICE)
    return stamps
