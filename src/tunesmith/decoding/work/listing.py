"""n-best lists as they are printed, with word alignments where they are asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from tunesmith.corpus.text_files import Lines
from tunesmith.decoding.candidates import FoundLists, ListDecoder
from tunesmith.decoding.work.kinds import DecoderWork
from tunesmith.decoding.work.spec import OpenDecoder
from tunesmith.errors import FormatError
from tunesmith.execution import Kept, Packet, kinds
from tunesmith.grammar import LeaveOneOutCounts

Links = list[list[tuple[int, int]]]


class Listed(NamedTuple):
    """Lists of some lines.   links: of each candidate, where they were asked for."""

    found: FoundLists
    links: Links | None


@kinds.register("listing")
class Listing(DecoderWork[Listed], frozen=True):
    """Decode lines to n-best lists that are printed.   distinct: translations of different words only."""

    k: int
    distinct: bool = False
    alignment: bool = False

    def doing(self, opened: OpenDecoder, threads: int) -> Callable[[Lines], Listed]:
        return lambda block: listed(
            opened.lists, block.lines, self.k, distinct=self.distinct, alignment=self.alignment, threads=threads,
            leave_one_out=opened.own_of(block),
        )  # fmt: skip

    def serve(self, threads: int, kept: Kept) -> Callable[[Lines], Packet]:
        opened = self.decoder.kept(kept, threads=threads)

        def do(block: Lines) -> Packet:
            own = opened.own_of(block)
            lists = opened.lists.searched(block.lines, self.k, self.distinct, threads, own)
            packet = opened.lists.packed(lists)
            links = (
                links_of(opened.lists, block.lines, self.k, distinct=self.distinct, threads=threads, own=own)
                if self.alignment
                else None
            )
            return Packet({"lists": packet.values, "links": links}, packet.arrays)

        return do

    def receive(self, packet: Packet) -> Listed:
        return received(self.decoder.open().lists, packet)


def listed(
    decoder: ListDecoder,
    lines: list[str],
    k: int,
    *,
    distinct: bool,
    alignment: bool,
    threads: int = 1,
    leave_one_out: LeaveOneOutCounts | None = None,
) -> Listed:
    """Return the lists of these lines, in this process."""
    found = decoder.found(lines, k, distinct=distinct, threads=threads, leave_one_out=leave_one_out)
    links = (
        links_of(decoder, lines, k, distinct=distinct, threads=threads, own=leave_one_out) if alignment else None
    )
    return Listed(found, links)


def links_of(
    decoder: ListDecoder, lines: list[str], k: int, *, distinct: bool, threads: int, own: LeaveOneOutCounts | None
) -> Links:
    """Return the word alignment of each candidate.

    Lists are flat arrays, which know no alignment: the same search is done again for it.
    """
    found = decoder.decoder.stream(lines, k, distinct=distinct, threads=threads, leave_one_out=own)
    return [each.alignment for decoding in found for each in decoding]


def received(decoder: ListDecoder, packet: Packet) -> Listed:
    """Return lists of an equal decoder in another process; FormatError where they cannot be used."""
    values = packet.values
    if not isinstance(values, dict) or set(values) != {"lists", "links"}:
        raise FormatError("a worker sent something else than lists")
    found = decoder.unpacked(Packet(values["lists"], packet.arrays))
    links = values["links"]
    if links is not None:
        try:
            links = msgspec.convert(links, Links)
        except msgspec.ValidationError as error:
            raise FormatError(f"a worker sent word alignments that cannot be read: {error}") from None
        if len(links) != len(found.candidates):
            raise FormatError("a worker sent lists with other word alignments")
    return Listed(found, links)
