"""Kinds of work that decode, for this process or another."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, TypeVar

import msgspec

from tunesmith import execution
from tunesmith.corpus.text_files import Lines, line_blocks
from tunesmith.decoding.candidates import ListDecoder
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.explanation import Explanation, explained
from tunesmith.decoding.translation import Decoding
from tunesmith.decoding.work.spec import DecoderSpec, OpenDecoder
from tunesmith.errors import FormatError
from tunesmith.execution import Executor, Here, Kept, Opened, Packet, Work, kinds
from tunesmith.search import CandidateSet
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

Result = TypeVar("Result")


class DecoderWork(Work[Lines, Result], frozen=True):
    """Base of work that decodes lines by a described decoder."""

    decoder: DecoderSpec
    block: ClassVar[Any] = Lines

    def doing(self, opened: OpenDecoder, threads: int) -> Callable[[Lines], Result]:
        """Return the function that processes a block with the decoder."""
        raise NotImplementedError

    def open(self, threads: int) -> Callable[[Lines], Result]:
        return self.doing(self.decoder.open(threads=threads), threads)

    def serve(self, threads: int, kept: Kept) -> Callable[[Lines], Packet]:
        do = self.doing(self.decoder.kept(kept, threads=threads), threads)
        return lambda block: Packet(do(block))

    def files(self) -> tuple[str, ...]:
        return self.decoder.files()

    def placed(self, places: Callable[[str], str]) -> Work[Lines, Result]:
        return msgspec.structs.replace(self, decoder=self.decoder.placed(places))

    def name_of(self, block: Lines) -> str:
        return f"{len(block.lines)} lines, the first is {block.lines[0] if block.lines else ''!r}"


@kinds.register("translate")
class Translate(DecoderWork[list[str]], frozen=True):
    """Translate lines of tokens; the result of a block is their translations, as tokens."""

    def doing(self, opened: OpenDecoder, threads: int) -> Callable[[Lines], list[str]]:
        return lambda block: [each.best.text for each in opened.decode(block, threads=threads)]


class FoundLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Printed result of a line: tokens, links of source and target, whether a limit cut its search short.

    explanation: of the translation, where it was asked for.
    """

    text: str
    alignment: tuple[tuple[int, int], ...]
    limited: bool
    explanation: Explanation | None = None

    timed_out: ClassVar[bool] = False

    @property
    def best(self) -> FoundLine:
        """The object itself: only the best translation is transferred."""
        return self


@kinds.register("decode")
class Decode(DecoderWork[list[FoundLine]], frozen=True):
    """Decode lines of tokens; the result of a block is a list of `FoundLine`.

    risk: minimum Bayes risk instead of the best score.   explained: also say where scores come from.
    """

    risk: GraphBayesRisk | None = None
    explained: bool = False

    def doing(self, opened: OpenDecoder, threads: int) -> Callable[[Lines], list[FoundLine]]:
        def do(block: Lines) -> list[FoundLine]:
            found = opened.decode(block, threads=threads, risk=self.risk)
            return [self._found(*each, opened) for each in zip(block.lines, found, strict=True)]

        return do

    def _found(self, line: str, found: Decoding, opened: OpenDecoder) -> FoundLine:
        best, decoder = found.best, opened.decoder
        why = None
        if self.explained:
            why = explained(line if decoder.domains is None else line.partition("\t")[2], best, decoder)
        return FoundLine(best.text, tuple(best.alignment), bool(found.limited), why)

    def receive(self, packet: Packet) -> list[FoundLine]:
        try:
            return msgspec.convert(packet.values, list[FoundLine])
        except msgspec.ValidationError as error:
            raise FormatError(f"translations of a worker cannot be used: {error}") from None


@kinds.register("k_best")
class KBest(DecoderWork[CandidateSet], frozen=True):
    """Decode lines to n-best lists of length k; the result of a block is a candidate set, which can be saved."""

    k: int

    def doing(self, opened: OpenDecoder, threads: int) -> Callable[[Lines], CandidateSet]:
        return lambda block: opened.k_best(block, self.k, threads=threads)

    def serve(self, threads: int, kept: Kept) -> Callable[[Lines], Packet]:
        opened = self.decoder.kept(kept, threads=threads)
        return lambda block: opened.packed_k_best(block, self.k, threads=threads)

    def receive(self, packet: Packet) -> CandidateSet:
        return self.decoder.open().lists.received(packet)


def translations(
    decoder: Decoder, lines: Iterable[str], *, threads: int = 1, executor: Executor | None = None
) -> list[str]:
    """Translate lines with an open decoder, block by block."""
    work = Opened[Lines, list[str]](
        lambda threads: lambda block: [each.text for each in decoder.translate(block.lines, threads=threads)]
    )
    blocks = line_blocks(lines, ListDecoder.lines_at_once)
    return [text for block in execution.map(work, blocks, executor or Here(threads)) for text in block]
