"""Where the two sides of parallel text are written: a folder keeps the names, a prefix the last suffix."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from tunesmith.errors import ConfigError
from tunesmith.io import atomic_writer, make_folder, put_lines


def result_names(inputs: Sequence[str], output: str, others: Sequence[str | None], option: str) -> list[str]:
    """Return the files of both sides; checked before any work, so that no input is overwritten.

    others: further files that are read or written.   option: what the message calls them.
    """
    names = []
    for path, side in zip(inputs, ("source", "target"), strict=False):
        name = side if path == "-" else Path(path).name
        names.append(str(Path(output) / name) if is_folder(output) else f"{output}.{_last_suffix(name)}")
    files = [path for path in (*inputs, *names, *others) if path is not None and path != "-"]
    real = [os.path.realpath(path) for path in files if not _is_device(path)]
    if len(set(real)) < len(real):
        raise ConfigError(
            f"the results would be {' and '.join(names)}: of these, the inputs and {option} two are the same "
            "file. Choose another -o"
        )
    return names


def is_folder(output: str) -> bool:
    return output.endswith(os.sep) or Path(output).is_dir()


def write_all(output: str, contents: Iterable[tuple[str, Iterable[str]]]) -> None:
    """Write all files or none: each is complete before any gets its name.   output: made first, if a folder."""
    if is_folder(output):
        make_folder(output)
    with contextlib.ExitStack() as stack:
        for path, lines in contents:
            out = stack.enter_context(atomic_writer(path))
            put_lines(out, lines, path)
            out.flush()


def _is_device(path: str) -> bool:
    return Path(path).exists() and not Path(path).is_file()


def _last_suffix(name: str) -> str:
    """Return `zh` of train.zh, `zh.gz` of train.zh.gz, the whole name where it has no suffix."""
    stem, end = (name.removesuffix(".gz"), ".gz") if name.endswith(".gz") else (name, "")
    return stem.rpartition(".")[2] + end
