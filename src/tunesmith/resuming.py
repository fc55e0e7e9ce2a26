"""What all work that resumes has in common: training steps, stages of experiments, tuning runs.

A stamp says what a result was made with: version and build of tunesmith, settings, digests of inputs. The result
counts only where all of them are the same now. Files appear whole or not at all, the stamp last, and one process
at a time works in a folder, which is never one with other data.

What they do with a difference is their own:
- `training.steps` keeps the stamps of all steps in one file, since a model directory is flat. Inputs are files of
  the user, outputs may be edited or damaged, so both are digested. A step with another stamp is done again.
- `experiments.stages` has a folder for each stage. Inputs are other stages: their keys are part of its key, and
  nothing large is read. A stage with another key is removed and done again, one that was begun may continue.
- `tuning.runs` refuses other settings: a run is hours of work, and only the user can say that it may go. Where it
  stands is in `state.json`. Its lock is a file that names the process, which messages and `tunesmith runs` show.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict

import tunesmith
from tunesmith.build import OTHER_BUILD, build_digest
from tunesmith.errors import ConfigError
from tunesmith.io.documents import plain


class Stamp(TypedDict, total=False):
    """What a result was made with, and digests of what it is."""

    version: str
    build: str
    settings: dict[str, Any]
    inputs: dict[str, str]
    outputs: dict[str, str]


def stamp_now(settings: Mapping[str, Any], inputs: Mapping[str, str] | None = None) -> Stamp:
    """Return the stamp of a result of this build."""
    return {
        "version": tunesmith.__version__,
        "build": build_digest(),
        "settings": plain(settings),
        "inputs": dict(inputs or {}),
    }


def why_again(
    before: Stamp, settings: Mapping[str, Any], inputs: Callable[[], Mapping[str, str]] = dict
) -> str | None:
    """Return why a result with this stamp does not count any more; None if it does.

    inputs: their digests; asked for only if all else is the same.
    """
    now = stamp_now(settings)
    if before.get("version") != now["version"]:
        return f"made by tunesmith {before.get('version')}, this is {now['version']}"
    if before.get("build") != now["build"]:
        return OTHER_BUILD
    if names := changed(before.get("settings"), now["settings"]):
        return f"changed: {', '.join(names)}"
    if names := changed(before.get("inputs"), inputs()):
        return f"changed input: {', '.join(names)}"
    return None


def changed(before: Mapping[str, Any] | None, now: Mapping[str, Any]) -> list[str]:
    """Return names whose values differ, those of `now` first."""
    if before is None:
        return ["everything"]
    return [name for name in {**now, **before} if before.get(name, _MISSING) != now.get(name, _MISSING)]


_MISSING = object()


def refuse_other_data(folder: Path, ours: Callable[[set[str]], bool], what: str) -> None:
    """Raise ConfigError unless the folder is missing, holds nothing but what was half-written, or is `ours`.

    ours: whether these names are of a folder that may be worked in.   what: it is for, such as `the run`.
    """
    if folder.is_dir():
        names = {entry.name for entry in folder.iterdir() if not entry.name.endswith(".partial")}
        if names and not ours(names):
            raise ConfigError(f"{folder}: is a folder with other data; name a new one or remove it first")
    elif folder.exists() or folder.is_symlink():
        raise ConfigError(f"{folder}: is a file; name a folder for {what}")
