"""Bytes to a file, a gzip file or standard output, all or nothing; errors of the core as errors of ours."""

from __future__ import annotations

import contextlib
import gzip
import os
import sys
from collections.abc import Iterator
from typing import IO, cast

from tunesmith.errors import FormatError, TunesmithError
from tunesmith.io import StrPath, atomic_bytes


@contextlib.contextmanager
def output_bytes(path: StrPath) -> Iterator[IO[bytes]]:
    """A binary stream to a file that appears whole or not at all; `-` is standard output, `.gz` is compressed."""
    if os.fspath(path) == "-":
        sys.stdout.flush()
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with atomic_bytes(path) as raw, contextlib.ExitStack() as stack:
        stream: IO[bytes] = raw
        if os.fspath(path).endswith(".gz"):
            packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)
            stream = cast("IO[bytes]", stack.enter_context(packed))
        yield stream


@contextlib.contextmanager
def core_errors(name: str | None) -> Iterator[None]:
    """Errors of the core name the file; `name` is how messages call it."""
    try:
        yield
    except TunesmithError:
        raise
    except UnicodeError:
        raise
    except ValueError as error:
        message, line = error.args if len(error.args) == 2 else (str(error), 0)
        raise FormatError(message, path=name, line=line or None) from None
    except OSError as error:
        if error.errno is not None:  # not from the core
            raise
        raise TunesmithError(str(error)) from None
