"""Text in, estimated n-grams out: as ARPA text or as a model for queries."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from tunesmith import _core
from tunesmith.corpus.given_text import GivenLines, line_stream
from tunesmith.errors import ConfigError, core_errors
from tunesmith.io import StrPath, output_bytes
from tunesmith.lm.options import LmOptions

if TYPE_CHECKING:
    from tunesmith.lm.model import NgramModel

Progress = Callable[[int, int], None]

_BATCH = 20_000  # lines handed to the core at once
# Of the memory, what the counts may hold: the rest is for the vocabulary, the interpreter and the next steps.
_SHARE_OF_COUNTS = 0.75
_INTERPRETER = 128 * 2**20


@dataclass(frozen=True)
class OrderReport:
    """One order of an estimated model. fallback: why the discounts are the fixed ones; None if estimated."""

    order: int
    ngrams: int
    kept: int
    discounts: tuple[float, float, float]
    fallback: str | None


@dataclass(frozen=True)
class TrainingReport:
    """What a model was estimated from, and how.

    types: words of the vocabulary with the three special ones.     types_left_out: words that became `<unk>`.
    spilled: sorted runs that did not fit in memory.
    """

    sentences: int
    tokens: int
    types: int
    types_left_out: int
    spilled: int
    orders: tuple[OrderReport, ...]

    def announcements(self) -> list[str]:
        """Return what a user must know: orders whose discounts are not estimated from their counts."""
        return [
            f"order {each.order}: the discounts cannot be estimated ({each.fallback}); "
            f"{', '.join(f'{d:g}' for d in each.discounts)} are used"
            for each in self.orders
            if each.fallback is not None
        ]


class Estimate:
    """Estimated n-grams on their way out. They can be taken once: by `write_arpa` or by `model`."""

    def __init__(self, core: _core.LmEstimate, report: TrainingReport, threads: int = 1) -> None:
        self._core, self.report, self._threads = core, report, threads
        self._taken = False

    def write_arpa(self, path: StrPath) -> None:
        """Write ARPA text to a file (gzip if the name ends in .gz) or to standard output for `-`."""
        with output_bytes(path) as out:
            for piece in self.arpa():
                out.write(piece)

    def arpa(self) -> Iterator[bytes]:
        """Yield the ARPA text in pieces of some hundred kilobytes."""
        writer = _core.ArpaWriter(self._take(), self._threads)
        with core_errors(None):
            while piece := writer.next():
                yield piece

    def model(self) -> NgramModel:
        from tunesmith.lm.model import NgramModel

        core = self._take()
        with core_errors(None):
            return NgramModel(_core.LmModel.from_estimate(core))

    def _take(self) -> _core.LmEstimate:
        if self._taken:
            raise ConfigError("these n-grams were written or made a model already; estimate again")
        self._taken = True
        return self._core


def estimate(
    lines: GivenLines,
    options: LmOptions = LmOptions(),  # noqa: B008 (frozen)
    *,
    name: str | None = None,
    progress: Progress | None = None,
    threads: int = 1,
) -> Estimate:
    """Estimate a model with interpolated modified Kneser-Ney smoothing. Lines are read once, as a stream.

    name: how messages call the text.      progress: called with (done, total).
    threads: work on all steps, each on ranges of n-grams; the model does not depend on them.
    """
    folder = tempfile.gettempdir() if options.temporary is None else options.temporary
    memory = max(options.memory - _INTERPRETER, options.memory // 2)
    with core_errors(name):
        counter = _count(line_stream(lines), options, int(memory * _SHARE_OF_COUNTS), folder, progress, threads)
        if options.vocab_limit is not None:
            counter.limit_vocabulary(options.vocab_limit)
        core = _core.LmEstimate(counter, options.thresholds(), options.fallback, memory, folder, progress, threads)
    orders = tuple(
        OrderReport(order, ngrams, kept, (discounts[0], discounts[1], discounts[2]), reason or None)
        for order, (ngrams, kept, discounts, reason) in enumerate(core.orders(), 1)
    )
    report = TrainingReport(
        counter.sentences, counter.tokens, core.types, counter.types_left_out, core.spilled, orders
    )
    return Estimate(core, report, threads)


def _count(
    lines: Iterable[str],
    options: LmOptions,
    memory: int,
    folder: str,
    progress: Progress | None,
    threads: int,
) -> _core.NgramCounter:
    counter = _core.NgramCounter(options.order, _core.SpecialWords[options.special], memory, folder, threads)
    stream = iter(lines)
    while batch := list(islice(stream, _BATCH)):
        counter.add(batch)
        if progress is not None:
            progress(counter.sentences, counter.sentences)
    return counter
