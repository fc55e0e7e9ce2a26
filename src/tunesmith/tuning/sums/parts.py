"""A sum in parts: each is asked here or on a worker, and their answers are added in a fixed tree."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np

from tunesmith import _core
from tunesmith.execution import Executor, Kept, Packet, Work, kinds, pack, unpack
from tunesmith.execution.temporary import temporary_folder
from tunesmith.tuning.sums.terms import Answer, Asked, Integers, Terms, nodes_of, terms_of

_MOST_OPEN = 4096
"""Parts that a worker keeps open: their arrays lie in files."""


class AskedPart(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part, by the name of its file, and what it is asked (a packet)."""

    file: str
    asked: bytes


@kinds.register("sum")
class Sum(Work[AskedPart, Answer], frozen=True):
    """Sums over parts; each file is read once by a process.   a_block: terms of a block."""

    block = AskedPart

    a_block: int

    def open(self, threads: int) -> Callable[[AskedPart], Answer]:
        files = Kept(_MOST_OPEN)

        def do(block: AskedPart) -> Answer:
            terms = files.get(block.file, lambda: terms_of(unpack(np.memmap(block.file, mode="r").data)))
            return terms.answer(Asked.unpacked(unpack(block.asked)), self.a_block, threads)

        return do

    def serve(self, threads: int, kept: Kept) -> Callable[[AskedPart], Packet]:
        do = self.open(threads)
        return lambda block: do(block).packed()

    def receive(self, packet: Packet) -> Answer:
        return Answer.unpacked(packet)

    def files_of(self, block: AskedPart) -> tuple[str, ...]:
        return (block.file,)

    def placed_block(self, block: AskedPart, places: Callable[[str], str]) -> AskedPart:
        return msgspec.structs.replace(block, file=places(block.file))

    def name_of(self, block: AskedPart) -> str:
        return Path(block.file).name


class Summing:
    """Terms in one piece, in this process."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.columns = terms, terms.columns

    def ask(self, asked: Asked, *, threads: int = 1) -> Answer:
        """Return the sums over all terms."""
        return self.terms.answer(asked, self.terms.a_block, threads)


class Parts(Summing):
    """Terms in parts.

    bounds: of each part, by the numbers of its terms.   answer: asks parts, each what belongs to it, in order.
    """

    def __init__(
        self,
        terms: Terms,
        columns: Sequence[Integers],
        answer: Callable[[Sequence[Asked], int], Iterator[Answer]],
    ) -> None:
        super().__init__(terms)
        self.part_columns, self._answer = columns, answer
        sizes = np.cumsum([0, *map(len, columns)])
        self._cut = (sizes.astype(np.int64), np.concatenate(columns).astype(np.uint32))

    def __len__(self) -> int:
        return len(self.part_columns)

    def ask(self, asked: Asked, *, threads: int = 1) -> Answer:
        answers = list(self.ask_each([asked] * len(self), threads=threads))
        return self.added(answers, threads=threads)

    def ask_each(self, asked: Sequence[Asked], *, threads: int = 1) -> Iterator[Answer]:
        """Yield the answer of each part to what it is asked; vectors are over the columns of the part."""
        yield from self._answer(
            [each.of_columns(columns) for each, columns in zip(asked, self.part_columns, strict=True)], threads
        )

    def added(self, answers: Sequence[Answer], *, threads: int = 1) -> Answer:
        """Return the sums of all parts, in the order of the tree."""
        numbers = [_core.add_numbers_in_tree(np.ascontiguousarray(each)) for each in
                   np.array([answer.numbers for answer in answers]).T]  # fmt: skip
        vectors = np.concatenate([answer.vector for answer in answers])
        return Answer(np.array(numbers), _core.add_in_tree(*self._cut, vectors, self.columns, threads))


@contextlib.contextmanager
def in_parts(
    terms: Terms, executor: Executor | None = None, bounds: Sequence[tuple[int, int]] | None = None
) -> Iterator[Parts]:
    """Open the terms in parts, in memory or, for an executor, in files that are removed at the end.

    bounds: of the parts; without any, each is a node of the tree, and sums have the bytes of `Summing`. There are
        twice as many as the executor does at once, so that a fast worker can do more of them.
    """
    at_once = 1 if executor is None else executor.at_once
    cuts = nodes_of(terms, 2 * at_once) if bounds is None else bounds
    with contextlib.ExitStack() as stack:
        folder = None if executor is None else stack.enter_context(temporary_folder("sums"))
        columns, kept, files = [], [], []
        for number, (begin, end) in enumerate(cuts):
            part = terms.part(begin, end)
            columns.append(part.columns)
            if folder is None:
                kept.append(terms_of(part.packet))
            else:
                files.append(folder / f"part-{number}")
                files[-1].write_bytes(pack(part.packet))
        if executor is None:
            yield Parts(terms, columns, partial(_here, kept, terms.a_block))
        else:
            yield Parts(terms, columns, partial(_there, files, Sum(terms.a_block), executor))


def _here(parts: Sequence[Terms], a_block: int, asked: Sequence[Asked], threads: int) -> Iterator[Answer]:
    return (part.answer(each, a_block, threads) for part, each in zip(parts, asked, strict=True))


def _there(
    files: Sequence[Path], work: Sum, executor: Executor, asked: Sequence[Asked], threads: int
) -> Iterator[Answer]:
    blocks = [AskedPart(str(file), pack(each.packed())) for file, each in zip(files, asked, strict=True)]
    return executor.map(work, blocks)


def split(size: int, parts: int) -> list[tuple[int, int]]:
    """Return the bounds of `parts` parts of nearly the same size."""
    cuts = [size * number // parts for number in range(parts + 1)]
    return [(begin, end) for begin, end in pairwise(cuts) if end > begin]
