"""An external decoder in the loop: a command that reads weights and writes a list."""

from __future__ import annotations

import os
import shlex
import string
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tunesmith.checks import above, given, kind_of
from tunesmith.corpus.given_text import GivenReferences, references_of
from tunesmith.corpus.subwords import join_references
from tunesmith.errors import ConfigError, FormatError, TunesmithError, WrongTypeError
from tunesmith.execution import children
from tunesmith.execution.temporary import temporary_folder
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath, read_lines
from tunesmith.search.graphs.kbest import read_list
from tunesmith.search.lists.candidates import CandidateSet, index_of
from tunesmith.search.lists.pieces import PieceJoiner
from tunesmith.tuning.pools.base import Floats
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.sources.base import ListSource, check_decoded, numbered_alike
from tunesmith.tuning.sources.digests import references_digest, text_digest
from tunesmith.weight_formats import read_weights, weights_format, write_weights

PLACES = ("config", "nbest", "k", "source")
_LAST_LINES = 5  # of what the decoder said, in messages


@dataclass(frozen=True)
class DecoderCommand:
    """How to run the decoder.

    command: for the shell. {config} is the configuration with the weights, {nbest} the file where the list is to
        be written (without it, the list is what the command prints), {k} the length of lists, {source} the text.
    template: the configuration; its weights are those to start with. A moses.ini, or names and values as cdec's.
    time_limit: seconds after which a decoding, of a line where it gets single ones, is ended and an error; None
        to wait for ever.
    serves: it is started once, without {source} and {nbest}, and gets a line at a time (`server.ServerSource`).
    """

    command: str
    template: Path
    dialect: str | None = None
    time_limit: float | None = None
    serves: bool = False

    def __post_init__(self) -> None:
        places = self.places
        unknown = [name for name in places if name not in PLACES]
        if unknown:
            known = ", ".join(f"{{{name}}}" for name in PLACES)
            raise ConfigError(f"the decoder command has {{{unknown[0]}}}; known are {known}, and {{{{ for a brace")
        for name in ("config",) if self.serves else ("config", "source"):
            if name not in places:
                raise ConfigError(f"the decoder command needs {{{name}}}, which is replaced by the name of a file")
        for name in ("source", "nbest"):
            if self.serves and name in places:
                raise ConfigError(
                    f"the decoder command has {{{name}}}; a command that stays gets a line at a time and prints "
                    f"its lists. Leave out {{{name}}}, or --decoder-server"
                )
        above(0, **given(time_limit=self.time_limit))

    @property
    def places(self) -> list[str]:
        """Names in braces, as they are written: `{k:d}` is the place `k:d`, which is unknown."""
        try:
            fields = list(string.Formatter().parse(self.command))
        except ValueError as error:
            raise ConfigError(f"the decoder command cannot be read: {error}; write {{{{ for a brace") from None
        return [
            name + (f"!{conversion}" if conversion else "") + (f":{form}" if form else "")
            for _, name, form, conversion in fields
            if name is not None
        ]


class CommandSource(ListSource):
    """The lists of a command, made again for every weight vector. Features that come up later get weights too."""

    fixed = False
    whole_text = True

    def __init__(
        self,
        decoder: DecoderCommand,
        source: StrPath,
        references: GivenReferences,
        k: int = 100,
        *,
        subwords: str | None = None,
    ) -> None:
        """Take the lists of this command.   subwords: the pieces they are in, None for what their marks show."""
        if not isinstance(decoder, DecoderCommand):
            raise WrongTypeError(f"decoder must be a DecoderCommand, got {kind_of(decoder)}")
        if not isinstance(source, (str, os.PathLike)):
            raise WrongTypeError(f"source must be the file that the command translates, got {kind_of(source)}")
        self.decoder, self.source, self.k = decoder, Path(source).resolve(), k
        self._joiner, self.asked_subwords = PieceJoiner(subwords), subwords
        self.subwords = subwords or "none"  # what is found in the first list, where nothing is asked for
        self.lines = lines = read_lines(self.source)
        self.sentences, self._digest = len(lines), text_digest(lines)
        self.references, _ = join_references(references_of(references, self.sentences), subwords)
        check_decoded(k, self.sentences, references=self.references)
        self._template = "\n".join([*read_lines(decoder.template), ""])
        self._format = weights_format(self._template)
        first = read_weights(self._template, self._format, str(decoder.template))
        if not first:
            raise ConfigError(f"{decoder.template}: has no weights; they say which features there are")
        self._index = index_of(first)
        self._start = np.array(list(first.values()))

    def start(self) -> Floats | None:
        return self._start

    @property
    def features(self) -> FeatureIndex:
        """Features of the template, then others in the order in which lists had them."""
        return self._index

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        if sentences is not None:
            raise ConfigError("a decoder command with {source} decodes the whole text, not single sentences")
        with temporary_folder("decoder") as folder:
            return self._decoded(folder, weights)

    def _write_config(self, folder: Path, weights: Floats) -> None:
        """Write the configuration with these weights; a process that reads it sees the old or the new one."""
        names = dict(zip(self._index, weights.tolist(), strict=False))
        written = write_weights(names, self._template, self._format, str(folder / "sparse.weights"))
        texts = {"sparse.weights": written.sparse, "config": written.config}
        for name, text in texts.items():
            if text is not None:
                (folder / f"{name}.new").write_text(text, encoding="utf-8")
                (folder / f"{name}.new").replace(folder / name)

    def _shell_command(self, folder: Path) -> str:
        places = {"config": folder / "config", "nbest": folder / "nbest", "source": self.source, "k": self.k}
        return self.decoder.command.format(**{name: shlex.quote(str(value)) for name, value in places.items()})

    def _decoded(self, folder: Path, weights: Floats) -> CandidateSet:
        self._write_config(folder, weights)
        command = self._shell_command(folder)
        run_command(command, folder, self.decoder.time_limit)
        nbest = folder / "nbest"
        if "nbest" not in self.decoder.places:
            nbest = folder / "output"
        _check_written(nbest, folder, command)
        try:
            found = read_list(nbest, self.decoder.dialect).candidates
        except FormatError as error:
            where = "" if error.line is None else f" in line {error.line}"
            raise TunesmithError(
                f"the list of the decoder cannot be read{where}: {error.message}: {command}",
                said=last_lines(folder),
            ) from error
        return self._named(self._whole(found))

    def _named(self, found: CandidateSet) -> CandidateSet:
        """Return words joined from pieces, features numbered as here."""
        words = self._joiner.joined(found)
        self.subwords = self._joiner.found or "none"
        return numbered_alike(words, self._index)

    def _whole(self, found: CandidateSet) -> CandidateSet:
        """Return lists of all sentences.

        The last ones may be empty if they are few; many are a list that was cut off.
        """
        missing = self.sentences - found.sentences
        if missing < 0:
            raise TunesmithError(
                f"the decoder wrote lists of {found.sentences} sentences, there are {self.sentences}"
            )
        if missing > max(1, self.sentences // 100):
            raise TunesmithError(
                f"the list of the decoder ends after sentence {found.sentences} of {self.sentences}; "
                "was it cut off?"
            )
        if len(found) == 0:
            raise TunesmithError("the decoder wrote a list without candidates")
        offsets = np.concatenate([found.offsets, np.full(missing, found.offsets[-1])])
        return CandidateSet(found.matrix, offsets, features=found.features, words=found.words)

    def load(self, folder: Path) -> ListPool:
        """Load lists of this run; features that came up before it was interrupted are known again."""
        return ListPool(numbered_alike(CandidateSet.load(folder), self._index))

    def settings(self) -> dict[str, Any]:
        """Return settings that are known before any decoding, and the same after it: pieces only if asked for."""
        return {
            "kind": "command",
            "command": self.decoder.command,
            "dialect": self.decoder.dialect,
            "k": self.k,
            "template": text_digest([self._template]),
            "source": self._digest,
            "references": references_digest(self.references),
            **({} if self.asked_subwords in (None, "none") else {"subwords": self.asked_subwords}),
        }


def run_command(command: str, folder: Path, time_limit: float | None) -> None:
    """Run the command, its streams to `output` and `log` of the folder; an error quotes its last words."""
    with (folder / "output").open("wb") as output, (folder / "log").open("wb") as log:
        decoder = children.start(["bash", "-o", "pipefail", "-c", command], stdout=output, stderr=log)
        try:
            code = decoder.wait(time_limit)
        except subprocess.TimeoutExpired:
            raise TunesmithError(
                f"the decoder took more than {time_limit:g} seconds and was ended: {command}",
                said=last_lines(folder),
            ) from None
        finally:
            decoder.end()  # with all that it started
    if code != 0:
        how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise TunesmithError(f"the decoder {how}: {command}", said=last_lines(folder))


def _check_written(nbest: Path, folder: Path, command: str) -> None:
    if not nbest.exists() or nbest.stat().st_size == 0:
        what = "no list" if not nbest.exists() else "an empty list"
        raise TunesmithError(f"the decoder ended well but wrote {what}: {command}", said=last_lines(folder))
    with nbest.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
        stream.seek(-1, os.SEEK_END)
        if not packed and stream.read(1) != b"\n":
            raise TunesmithError(f"the list of the decoder ends inside a line; was it cut off? {command}")


def last_lines(folder: Path) -> list[str]:
    text = (folder / "log").read_bytes()[-4000:].decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip()][-_LAST_LINES:]
