"""An external decoder that stays: a line in, a list out, weights by file and signal."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import weakref
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tunesmith.errors import FormatError, TunesmithError
from tunesmith.execution import children
from tunesmith.execution.temporary import temporary_folder
from tunesmith.search.graphs.kbest import read_list
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.pools.base import Floats
from tunesmith.tuning.sources.command import CommandSource, last_lines

TRIES = 3
"""How often a sentence is sent before a decoder that ends each time is given up."""
SHOWN = 80  # characters of a line, in messages


class ServerSource(CommandSource):
    """The lists of a decoder that is started once (docs/guides/tuning.md has the protocol).

    It reads a sentence from standard input and prints its list, lines with `|||` and an empty one at the end, then
    the next. When weights have changed it gets SIGHUP before the next sentence, and reads its configuration again.
    A decoder that ends is started again and gets the sentence once more.
    """

    whole_text = False

    _written: Floats | None = None
    """The weights that the configuration has."""

    @cached_property
    def _process(self) -> _Process:
        stack = contextlib.ExitStack()
        folder = stack.enter_context(temporary_folder("server"))
        found = _Process(self._shell_command(folder), folder, self.decoder.time_limit)
        stack.callback(found.end)
        self._ending = weakref.finalize(self, stack.close)
        return found

    def close(self) -> None:
        """End the decoder; so does the end of this object or of the program."""
        if "_process" in self.__dict__:
            self._ending()
            del self.__dict__["_process"]
            self._written = None

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        """Decode in the order of the sentences; one process, whatever the number of threads."""
        if self._written is None or not np.array_equal(weights, self._written):
            self._write_config(self._process.folder, weights)
            self._process.reload()
            self._written = weights.copy()
        assert self.lines is not None
        chosen = range(self.sentences) if sentences is None else sentences
        return self._read(chosen, [self._process.ask(self.lines[at], at) for at in chosen])

    def _read(self, sentences: Sequence[int], blocks: Sequence[Sequence[str]]) -> CandidateSet:
        """Return candidates of blocks of lines; the number that a line begins with is ignored."""
        places = [(at, line) for at, block in zip(sentences, blocks, strict=True) for line in block]
        lines = []
        for place, (at, block) in enumerate(zip(sentences, blocks, strict=True)):
            for line in block:
                _, bars, rest = line.partition("|||")
                if not bars:
                    raise TunesmithError(
                        f"the decoder's list of sentence {at + 1} has a line without |||: {line[:SHOWN]!r}; an "
                        "empty line ends a list",
                        said=last_lines(self._process.folder),
                    )
                lines.append(f"{place} |||{rest}\n")
        empty = np.zeros((0, 0)), np.zeros(len(sentences) + 1, np.int64)
        if not lines:
            return self._named(CandidateSet.from_matrix(*empty, texts=[], names=[]))
        (self._process.folder / "nbest").write_text("".join(lines), encoding="utf-8")
        try:
            found = read_list(self._process.folder / "nbest", self.decoder.dialect).candidates
        except FormatError as error:
            at, line = places[error.line - 1] if error.line else (sentences[0], blocks[0][0])
            raise TunesmithError(
                f"the decoder's list of sentence {at + 1} cannot be read: {error.message}: {line[:SHOWN]!r}",
                said=last_lines(self._process.folder),
            ) from error
        missing = len(sentences) - found.sentences
        offsets = np.concatenate([found.offsets, np.full(missing, found.offsets[-1])])
        return self._named(CandidateSet(found.matrix, offsets, features=found.features, words=found.words))

    def settings(self) -> dict[str, Any]:
        return {**super().settings(), "kind": "server"}


class _Process:
    """The decoder's process, started when it is first asked and whenever it has ended."""

    def __init__(self, command: str, folder: Path, time_limit: float | None) -> None:
        self._command, self.folder, self._time_limit = command, folder, time_limit
        self._child: children.Child | None = None
        self._read = b""
        self._told = False
        """Whether the process has answered, and so has its handler of the signal."""

    def ask(self, line: str, sentence: int) -> list[str]:
        """Send a sentence and return the lines of its list."""
        for _ in range(TRIES):
            try:
                return self._asked(line, sentence)
            except (BrokenPipeError, EOFError):
                how = self._ended()
        raise TunesmithError(
            f"the decoder {how} at sentence {sentence + 1}, {TRIES} times in a row: {self._command}",
            said=last_lines(self.folder),
        )

    def reload(self) -> None:
        """Have the configuration read again before the next sentence; a process that starts reads it anyway."""
        if self._child is not None and self._told:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._child.process.pid, signal.SIGHUP)
        elif self._child is not None:
            self.end()

    def end(self) -> None:
        if self._child is not None:
            child, self._child = self._child, None
            for stream in (child.process.stdin, child.process.stdout):
                assert stream is not None
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
            child.end()

    def _ended(self) -> str:
        """Say how the process ended."""
        assert self._child is not None
        code = self._child.wait(self._time_limit)
        self.end()
        return f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"

    def _asked(self, line: str, sentence: int) -> list[str]:
        if self._child is None:
            self._start()
        assert self._child is not None
        given, printed = self._child.process.stdin, self._child.process.stdout
        assert given is not None
        assert printed is not None
        deadline = None if self._time_limit is None else time.monotonic() + self._time_limit
        self._refuse_more(printed.fileno(), sentence)
        given.write(line.encode("utf-8") + b"\n")
        given.flush()
        while not (block := self._block()):
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([printed], [], [], left)[0]:
                self.end()
                raise TunesmithError(
                    f"the decoder took more than {self._time_limit:g} seconds for sentence {sentence + 1} and was "
                    f"ended: {self._command}",
                    said=last_lines(self.folder),
                )
            if not (more := os.read(printed.fileno(), 1 << 16)):
                raise EOFError
            self._read += more
        self._told = True
        return [each.decode("utf-8", "replace") for each in block[:-1]]

    def _refuse_more(self, printed: int, sentence: int) -> None:
        """Refuse what follows the list of the sentence before: it would be taken for the list of this one."""
        if select.select([printed], [], [], 0)[0]:
            if not (more := os.read(printed, 1 << 16)):
                raise EOFError
            self._read += more
        if self._read:
            shown = self._read.split(b"\n")[0][:SHOWN].decode("utf-8", "replace")
            self.end()
            raise TunesmithError(
                f"the decoder printed {shown!r} after the empty line that ends the list before sentence "
                f"{sentence + 1}; it must print one list for each line: {self._command}",
                said=last_lines(self.folder),
            )

    def _block(self) -> list[bytes]:
        """Return the lines of a whole list with the empty one that ends it; nothing before it is there."""
        if self._read.startswith(b"\n"):
            end = 1
        elif (end := self._read.find(b"\n\n") + 2) < 2:
            return []
        block, self._read = self._read[:end], self._read[end:]
        return block.split(b"\n")[:-1]

    def _start(self) -> None:
        # HUP is ignored by what has no handler for it: the shell, filters, a decoder that still starts.
        shell = ["bash", "-o", "pipefail", "-c", f"trap '' HUP; {self._command}"]
        self._read, self._told = b"", False
        with (self.folder / "log").open("wb") as log:
            self._child = children.start(shell, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
