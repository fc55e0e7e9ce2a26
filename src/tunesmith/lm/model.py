"""A language model for queries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.io import StrPath, display_name, open_bytes, output_bytes
from tunesmith.io.gzip_stream import GzipStream
from tunesmith.io.paths import as_path
from tunesmith.io.verify import BackgroundCheck
from tunesmith.lm.arpa import read_arpa
from tunesmith.lm.options import LmOptions
from tunesmith.lm.scores import SentenceScores, WordScores
from tunesmith.lm.training import Progress, estimate

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MAGIC = b"tunesmith-lm "
_PIECE = 1 << 24
_CHECKED_WHOLE, _ALL = 64 * 2**20, 2**62
_BLOCKS = 64  # bytes verified at a time


class NgramModel:
    """A back-off model: probabilities of words given their context. Read-only; threads may share it.

    `str.split()` separates the words of a line. Word numbers are the model's own: 0 `<unk>`, 1 `<s>`, 2 `</s>`.

    notes: remarks on the file for the user, one sentence each; the command line prints them.
    """

    def __init__(
        self, native: _core.LmModel, notes: Sequence[str] = (), check: BackgroundCheck | None = None
    ) -> None:
        self.native, self.notes, self._check = native, tuple(notes), check
        self.order = native.order
        """Length of the longest n-grams."""

    @classmethod
    def train(
        cls, lines: Iterable[str], options: LmOptions | None = None, *, progress: Progress | None = None
    ) -> NgramModel:
        """Estimate a model from text; `estimate` gives the report and ARPA text too."""
        return estimate(lines, options or LmOptions(), progress=progress).model()

    @classmethod
    def load(cls, path: StrPath, *, check_all: bool = False) -> NgramModel:
        """Read ARPA text (plain or gzip) or a binary file of tunesmith, recognised by content.

        `-` is standard input.

        Every byte of a binary file is verified: at once up to 64 MB, beyond that in the background. Scores are
        returned once this is done; users of `native` call `confirm` first.

        check_all: verify everything at once.
        """
        name = display_name(path)
        with open_bytes(path) as stream, core_errors(name):
            head = stream.read(len(MAGIC))
            if head != MAGIC:
                return cls(*read_arpa(stream, head))
            if isinstance(stream, GzipStream) or os.fspath(path) == "-" or not as_path(path).is_file():
                return cls(_core.LmModel.from_bytes(head + stream.read()))
            with as_path(path).open("rb") as file:
                core = _core.LmModel.map(file.fileno(), name, _ALL if check_all else _CHECKED_WHOLE)
            if check_all or len(core.image) <= _CHECKED_WHOLE:
                return cls(core)
            return cls(core, check=BackgroundCheck(lambda: _check_blocks(core, name)))

    def retrained(self, lines: Iterable[str]) -> NgramModel:
        """Train a model on other text with the order of this one."""
        return self.train(lines, LmOptions(order=self.order))

    def inputs(self) -> dict[str, object]:
        """Return inputs of the language model feature of a search."""
        return {"model": self.native}

    def confirm(self) -> None:
        """Wait until every byte is verified; FormatError names the file if it is damaged."""
        if self._check is not None:
            self._check.finish()
            self._check = None

    def save(self, path: StrPath) -> None:
        """Write the binary file. `Estimate.write_arpa` writes ARPA text: a model keeps hash keys, not n-grams."""
        if os.fspath(path).endswith(".gz"):
            raise ConfigError(f"{os.fspath(path)}: a binary model is mapped into memory, so it cannot be gzip")
        self.confirm()
        image = self.native.image
        with output_bytes(path) as out:
            for at in range(0, len(image), _PIECE):
                out.write(image[at : at + _PIECE])

    @property
    def ngrams(self) -> tuple[int, ...]:
        """Numbers of n-grams of order 1, 2, …."""
        return tuple(self.native.ngrams)

    @property
    def vocabulary(self) -> list[str]:
        return [self.native.word(id) for id in range(len(self.native))]

    def __len__(self) -> int:
        return len(self.native)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and (word == "<unk>" or self.ids([word])[0] != 0)

    def __repr__(self) -> str:
        return f"NgramModel of order {self.order} with {len(self)} words"

    def ids(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the number of each word, 0 for unknown words.

        A decoder maps its vocabulary once for each model.
        """
        return self.native.ids(words)

    def known_words(self, words: Sequence[str]) -> int:
        """Count the words that the model knows."""
        return int((self.ids(words) != 0).sum())

    def score(
        self, lines: Sequence[str], *, begin: bool = True, end: bool = True, threads: int = 1
    ) -> SentenceScores:
        """Score whole lines. begin: after `<s>`. end: with `</s>`. Threads do not change the result."""
        scores = self.native.score(lines, begin, end, threads)
        self.confirm()
        return SentenceScores(*scores)

    def score_words(self, lines: Sequence[str], *, begin: bool = True, end: bool = True) -> WordScores:
        self.confirm()
        return WordScores(*self.native.score_words(lines, begin, end))

    def score_ngrams(self, rows: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return log10 p(last word | previous words) for each row of word numbers."""
        self.confirm()
        return self.native.score_ngrams(rows)

    def perplexity(self, lines: Sequence[str]) -> float | None:
        return self.score(lines).perplexity

    def begin(self) -> _core.LmState:
        """Return the state after `<s>`; `_core.LmState()` is the empty one."""
        return self.native.begin_state()

    def step(self, state: _core.LmState, word: int) -> tuple[float, int, _core.LmState]:
        """Return log10 p(word | state), the length of the matched n-gram, and the state after the word.

        For inspection and tests: the search does this in C++ (`cpp/lm/model.hpp`).
        """
        self.confirm()
        return self.native.score_word(state, word)

    def piece(
        self, items: Sequence[int | tuple[_core.ChartState, float]], *, begin: bool = False
    ) -> tuple[_core.ChartState, float]:
        """Return chart state and score of a concatenation of words and smaller pieces.

        See `cpp/lm/chart_state.hpp`.
        """
        self.confirm()
        return self.native.score_piece(items, begin)


def _check_blocks(core: _core.LmModel, name: str) -> Iterator[int]:
    for begin in range(0, core.blocks, _BLOCKS):
        with core_errors(name):
            core.check_blocks(begin, begin + _BLOCKS)
        yield begin
