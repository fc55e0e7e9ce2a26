"""Where `translate` decodes: threads of this process, or blocks of lines on a cluster, with the same results."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from tunesmith import execution

if TYPE_CHECKING:
    from tunesmith.cli.translation.translate_options import Shown
    from tunesmith.corpus.text_files import Lines
    from tunesmith.decoding import Decoding
    from tunesmith.decoding.candidates import ListDecoder
    from tunesmith.decoding.work.kinds import FoundLine
    from tunesmith.decoding.work.listing import Listed
    from tunesmith.decoding.work.spec import OpenDecoder
    from tunesmith.execution import Executor
    from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

_BLOCK = 128  # lines of a block for a cluster


class Searching(Protocol):
    """Search of lines, given with their labels in a model with domains.   first: the number of the first line."""

    def decoded(self, lines: Sequence[str], first: int) -> Iterator[Decoding | FoundLine]:
        """Yield the translation of each line."""

    def listed(self, lines: Sequence[str], first: int) -> Iterator[tuple[Sequence[str], Listed]]:
        """Yield n-best lists of some lines at once, with these lines."""


@dataclass(frozen=True)
class OnThreads:
    """Search by threads of this process.   risk: minimum Bayes risk instead of the best score."""

    opened: OpenDecoder
    shown: Shown
    risk: GraphBayesRisk | None
    threads: int

    def decoded(self, lines: Sequence[str], first: int) -> Iterator[Decoding | FoundLine]:
        """Decode through the one interface of execution."""
        work: execution.Opened[Lines, list[Decoding]] = execution.Opened(
            lambda threads: lambda block: self.opened.decode(block, threads=threads, risk=self.risk)
        )
        [found] = execution.map(work, [_block(self.opened, lines, first)], execution.Here(self.threads))
        yield from found

    def listed(self, lines: Sequence[str], first: int) -> Iterator[tuple[Sequence[str], Listed]]:
        from tunesmith.decoding.work.listing import listed

        assert self.shown.kbest is not None
        own = self.opened.own_of(_block(self.opened, lines, first))
        yield lines, listed(
            self._lists, list(lines), self.shown.kbest, distinct=self.shown.distinct,
            alignment=self.shown.alignment, threads=self.threads, leave_one_out=own,
        )  # fmt: skip

    @cached_property
    def _lists(self) -> ListDecoder:
        from tunesmith.decoding import ListDecoder

        return ListDecoder(self.opened.decoder)


@dataclass(frozen=True)
class OnCluster:
    """Search of blocks by an executor; workers open the model by its description."""

    opened: OpenDecoder
    shown: Shown
    risk: GraphBayesRisk | None
    executor: Executor

    def decoded(self, lines: Sequence[str], first: int) -> Iterator[Decoding | FoundLine]:
        work = self.opened.described_decoding(self.risk, explained=self.shown.explain)
        for found in execution.map(work, self._blocks(lines, first), self.executor):
            yield from found

    def listed(self, lines: Sequence[str], first: int) -> Iterator[tuple[Sequence[str], Listed]]:
        assert self.shown.kbest is not None
        work = self.opened.described_listing(
            self.shown.kbest, distinct=self.shown.distinct, alignment=self.shown.alignment
        )
        blocks = self._blocks(lines, first)
        for block, found in zip(blocks, execution.map(work, blocks, self.executor), strict=True):
            yield block.lines, found

    def _blocks(self, lines: Sequence[str], first: int) -> list[Lines]:
        return [_block(self.opened, lines[at : at + _BLOCK], first + at) for at in range(0, len(lines), _BLOCK)]


def _block(opened: OpenDecoder, lines: Sequence[str], first: int) -> Lines:
    """Return lines as a block, with their numbers where something is left out for each."""
    from tunesmith.corpus.text_files import Lines

    numbers = None if opened.leave_one_out is None else list(range(first, first + len(lines)))
    return Lines(list(lines), numbers)
