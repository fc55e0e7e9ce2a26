"""The folder of a tuning run: who may write to it, what it was started with, and how it stands.

settings.json     what the result depends on, and the signature; the same again means: resume
weights.tsv       the best weights so far
history.jsonl     one row a round
rounds/03/        weights.tsv of that round, chosen.tsv what they chose on dev; candidates/ holds the merged lists
                  in the newest round
state.json        the position after the last step (see `checkpoint`)
log.txt           what was done when
dev.jsonl         source and references of the development data, for the report
report.html       the run for users (written by the command line)
failure.json      why the run ended, where it failed
lock              held while a process works here (see `resuming` for what all work that resumes shares)
"""

from __future__ import annotations

import contextlib
import datetime
import fcntl
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tunesmith import resuming
from tunesmith.build import OTHER_BUILD, build_digest
from tunesmith.errors import ConfigError, FormatError, IrregularFileError, TunesmithError
from tunesmith.io import StrPath, make_folder, open_bytes
from tunesmith.io.documents import Document, plain, read_document, write_document
from tunesmith.io.inside import inside, refuse_irregular_files
from tunesmith.io.leftovers import remove_tree
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.runs.documents import KIND, FailureDocument, SettingsDocument

SETTINGS, STATE, HISTORY, WEIGHTS = "settings.json", "state.json", "history.jsonl", "weights.tsv"
LOG, FAILURE, LOCK, ROUNDS = "log.txt", "failure.json", "lock", "rounds"
SENTENCES, HELD_OUT, REPORT = "dev.jsonl", "heldout.json", "report.html"
# How settings.json begins. By this a run is known even where the rest of the file is damaged.
_BEGINNING = re.compile(rb'\s*\{\s*"kind":\s*"' + KIND.encode() + rb'"')
_MISSING = "nothing"
_PROGRAM = {"version", "build"}


@contextlib.contextmanager
def opened(
    path: StrPath, settings: Mapping[str, Any], signature: Mapping[str, Any], *, restart: bool = False
) -> Iterator[Path]:
    """Open the folder of a run with these settings, new or to be continued, for this process alone.

    A folder with other settings is refused with what differs; with `restart` the old run is removed.
    """
    folder = inside(path)
    refuse_other_data(folder)
    make_folder(folder)
    with _locked(folder):
        refuse_irregular_files(folder)
        _remove_partial_files(folder)
        if restart:
            remove_run(folder)
        if (folder / SETTINGS).exists():
            refuse_other_settings(folder, settings)
        else:
            remove_run(folder)  # whatever was written before settings were has no meaning
            write_document(folder / SETTINGS, SettingsDocument(KIND, 1, dict(settings), dict(signature)))
        (folder / FAILURE).unlink(missing_ok=True)
        try:
            yield folder
        except Exception as error:
            write_document(folder / FAILURE, FailureDocument(type(error).__name__, str(error), now()))
            append_log(folder, f"failed: {error}")
            raise
        except KeyboardInterrupt:
            append_log(folder, "interrupted")
            raise


def round_folder(number: int) -> str:
    """Return the folder of a round, within that of the run."""
    return f"{ROUNDS}/{number:02d}"


def refuse_other_data(folder: Path) -> None:
    """Raise ConfigError unless the folder is missing, empty, or a run of tunesmith."""
    resuming.refuse_other_data(folder, lambda names: names <= {LOCK} or is_run(folder), "the run")


def is_run(folder: Path) -> bool:
    """Return whether the folder is that of a tuning run, be it damaged, or with a link for its settings."""
    try:
        with open_bytes(inside(folder) / SETTINGS) as stream:
            return bool(_BEGINNING.match(stream.read(4 * len(KIND))))
    except IrregularFileError:
        return True
    except TunesmithError:
        return False


def refuse_other_settings(folder: Path, settings: Mapping[str, Any]) -> None:
    """Raise ConfigError naming every setting in which the run of this folder differs from these.

    A run of another build is refused too. Resumed, it would be of neither program; finished, its result may not be
    the one that this build finds.
    """
    there = flat(read_document(folder / SETTINGS, SettingsDocument, RESTART).settings)
    here = flat(plain(settings))
    differences = {  # each in one line: a file of settings may hold any name
        key: " ".join(f"{key}: {there.get(key, _MISSING)} there, {here.get(key, _MISSING)} now".split())
        for key in resuming.changed(here, there)
    }
    listed = "; ".join(differences.values())
    if differences.keys() - _PROGRAM:
        raise ConfigError(
            f"{folder}: holds a run with other settings ({listed}). "
            "Run the command it was started with to resume it, choose another -o, or start again with --restart"
        )
    if differences:
        raise ConfigError(
            f"{folder}: holds a run {OTHER_BUILD} ({listed}). Start again with --restart, choose another -o, or "
            "use the build it was started with"
        )


def is_of_another_build(folder: Path) -> bool:
    """Return whether the folder is that of a tuning run that another build of tunesmith has made."""
    if not is_run(folder):
        return False
    try:
        settings = read_document(inside(folder) / SETTINGS, SettingsDocument, RESTART).settings
    except FormatError:
        return True
    return settings.get("build") != build_digest()


def flat(settings: Any, prefix: str = "") -> dict[str, Any]:
    """Return nested settings by dotted keys."""
    if not isinstance(settings, Mapping):
        return {prefix: settings}
    found: dict[str, Any] = {}
    for key, value in settings.items():
        found.update(flat(value, f"{prefix}.{key}" if prefix else str(key)))
    return found


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of the folder; the system lets go of it when the process ends, however it ends."""
    with (folder / LOCK).open("a+") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.seek(0)
            who = stream.read().strip()
            raise ConfigError(
                f"{folder}: another process{f' ({who})' if who else ''} is at work on this run"
            ) from None
        stream.truncate(0)
        stream.write(f"process {os.getpid()} on {os.uname().nodename}")
        stream.flush()
        yield


def is_locked(folder: Path) -> bool:
    try:
        with (inside(folder) / LOCK).open("r") as stream:
            fcntl.flock(stream, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except (OSError, IrregularFileError):
        return False
    return False


def remove_run(folder: Path) -> None:
    """Remove what a run wrote, the settings last: until then the folder is known to be a run."""
    remove_tree(folder / ROUNDS)
    for name in (STATE, HISTORY, WEIGHTS, LOG, FAILURE, SENTENCES, HELD_OUT, REPORT, SETTINGS):
        (folder / name).unlink(missing_ok=True)


def _remove_partial_files(folder: Path) -> None:
    """Remove what a killed process had begun to write."""
    for entry in [*folder.glob(".*.partial"), *folder.glob(f"{ROUNDS}/*/.*.partial")]:
        remove_tree(entry)


def append_log(folder: Path, text: str) -> None:
    with (folder / LOG).open("a", encoding="utf-8") as out:
        out.write(f"{now('milliseconds')} {text}\n")


def now(precision: str = "seconds") -> str:
    """Return the local time, with its zone."""
    return datetime.datetime.now().astimezone().isoformat(timespec=precision)


def read_json(path: Path) -> Document:
    """Return a JSON object of a run, without a schema."""
    return read_document(path, Document, RESTART)
