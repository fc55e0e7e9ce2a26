"""Alignments: Pharaoh and gold; lexical translation from damaged ones."""

from __future__ import annotations

from pathlib import Path

from fuzz.kind import Files, Kind
from tunesmith.alignment.aer import alignment_error_rate, read_gold
from tunesmith.alignment.lexical import count_translations
from tunesmith.alignment.pharaoh import read_alignments
from tunesmith.corpus.bitext import read_bitext

_PAIR: Files = {"source": "a b c\nd\n我 茶\n".encode(), "target": b"A B C\nD\nI tea\n"}


def _pharaoh(folder: Path) -> None:
    bitext = read_bitext(folder / "source", folder / "target")
    found = read_alignments(folder / "links", bitext)
    count_translations(bitext, found).target_given_source.lines()


def _gold(folder: Path) -> None:
    bitext = read_bitext(folder / "source", folder / "target")
    gold = read_gold(folder / "gold", bitext)
    alignment_error_rate(read_alignments(folder / "links", bitext), gold)


def kinds() -> list[Kind]:
    links = {**_PAIR, "links": b"0-0 1-2 2-1\n\n0-0 1-1\n"}
    gold = {**links, "gold": b"0-0 1?2 2p1\n0-0\n0-0 1-1\n"}
    separators = (b" ", b"-", b"?", b"p")
    return [
        Kind("pharaoh", lambda: [links], _pharaoh, damaged=("links",), separators=separators),
        Kind(
            "pharaoh-alone",
            lambda: [links],
            lambda f: read_alignments(f / "links").lines(),
            damaged=("links",),
            separators=separators,
        ),
        Kind("gold", lambda: [gold], _gold, damaged=("gold",), separators=separators),
    ]
