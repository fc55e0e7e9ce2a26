"""Alignment error rate against a gold alignment with sure and possible links (Och and Ney 2003, eq. 25)."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass

from tunesmith.alignment.pharaoh import Link, WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import FormatError
from tunesmith.io import StrPath, display_name, iter_lines

_LINK = re.compile(r"0*([0-9]{1,9})([-?p])0*([0-9]{1,9})", re.ASCII)
_LONGEST = 1 << 14  # words of a sentence, as in cpp/alignment/links.hpp


@dataclass(frozen=True)
class Gold:
    """Per sentence pair the sure links, and the possible ones (sure links are possible too)."""

    sure: list[set[Link]]
    possible: list[set[Link]]

    def __len__(self) -> int:
        return len(self.sure)


@dataclass(frozen=True)
class AlignmentScore:
    """AER with its parts, all between 0 and 1; lower AER is better."""

    aer: float
    precision: float
    recall: float
    links: int
    sure: int
    possible: int

    def as_dict(self) -> dict[str, float]:
        return asdict(self)


def read_gold(path: StrPath, bitext: Bitext | None = None) -> Gold:
    """Read sure links as `1-2`, possible ones as `1?2` or `1p2`, from 0; one sentence pair a line.

    With `bitext`, check that it belongs to these sentence pairs.
    """
    gold = _parse(path)
    if bitext is not None:
        try:
            WordAlignments.from_links(gold.possible).check(bitext, display_name(path))
        except FormatError as error:
            links = [link for pair in gold.possible for link in pair]
            if links and all(min(link) >= 1 for link in links):
                hint = "; no position is 0: are they counted from 1?"
                raise FormatError(error.message + hint, path=error.path, line=error.line) from None
            raise
    return gold


def _parse(path: StrPath) -> Gold:
    name = display_name(path)
    sure: list[set[Link]] = []
    possible: list[set[Link]] = []
    for number, line in enumerate(iter_lines(path), 1):
        certain: set[Link] = set()
        allowed: set[Link] = set()
        for text in line.split():
            match = _LINK.fullmatch(text)
            link = (int(match[1]), int(match[3])) if match else (_LONGEST, _LONGEST)
            if match is None or max(link) >= _LONGEST:
                seen = repr(text[:80]) if allowed or any(possible) else "the first word"  # of any file: not shown
                raise FormatError(
                    f"{seen} is not a gold link; expected 1-2 (sure) or 1?2 (possible)", path=name, line=number
                )
            allowed.add(link)
            if match[2] == "-":
                certain.add(link)
        sure.append(certain)
        possible.append(allowed)
    return Gold(sure, possible)


def alignment_error_rate(alignments: WordAlignments, gold: Gold) -> AlignmentScore:
    """Return 1 - (|A∩S| + |A∩P|) / (|A| + |S|) over all sentence pairs."""
    if len(alignments) != len(gold):
        raise FormatError(f"{len(alignments)} alignments but {len(gold)} gold lines")
    in_sure = in_possible = links = sure = possible = 0
    for pair, (certain, allowed) in enumerate(zip(gold.sure, gold.possible, strict=True)):
        found = set(alignments[pair])
        in_sure += len(found & certain)
        in_possible += len(found & allowed)
        links += len(found)
        sure += len(certain)
        possible += len(allowed)
    aer = 1 - (in_sure + in_possible) / (links + sure) if links + sure else 0.0
    return AlignmentScore(
        aer, in_possible / links if links else 1.0, in_sure / sure if sure else 1.0, links, sure, possible
    )
