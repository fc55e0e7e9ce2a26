"""Subword pieces: which marks a text has, and its words.

BPE (Sennrich et al. 2016) marks a piece that the next one continues, `fa@@ st`; SentencePiece (Kudo and Richardson
2018) marks where words begin, `▁fa st`. A word with @@ or ▁ inside is a word; so is @@ alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from tunesmith.checks import one_of
from tunesmith.errors import FormatError

Subwords = Literal["bpe", "sentencepiece", "none"]
"""How words are cut into pieces: `none` for words."""
BPE_MARK, WORD_MARK = "@@", "\u2581"
NAMES = {"bpe": f"BPE ({BPE_MARK})", "sentencepiece": f"SentencePiece ({WORD_MARK})"}
WAY_OUT = "name the right one with --subwords bpe, sentencepiece or none (in Python subwords=)"
_CONTINUED = re.compile(rf"{BPE_MARK}(\s+|$)")


def check_subwords(subwords: str | None) -> None:
    """Raise ConfigError unless the name is one of the kinds; None stands for the one that the marks show."""
    if subwords is not None:
        one_of(get_args(Subwords), subwords=subwords)


def marks_of(piece: str) -> Subwords:
    """Return what the mark of one piece says; `none` without one."""
    if piece.startswith(WORD_MARK):
        return "sentencepiece"
    return "bpe" if piece.endswith(BPE_MARK) and len(piece) > len(BPE_MARK) else "none"


def mixed_marks(first: tuple[str, str], other: tuple[str, str], path: str | None = None) -> FormatError:
    """Make the error for two kinds of marks in one text. first, other: a place (`line 3`) and its piece."""
    (place, piece), (other_place, other_piece) = first, other
    return FormatError(
        f"mixed subword marks: {place} has {piece!r} of {NAMES[marks_of(piece)]}, {other_place} has "
        f"{other_piece!r} of {NAMES[marks_of(other_piece)]}; {WAY_OUT}",
        path=path,
    )


def detect_subwords(lines: Iterable[str], path: str | None = None) -> Subwords:
    """Return the kind of pieces that the marks of a text show; FormatError where they are of two kinds."""
    first: tuple[str, str] | None = None
    for number, line in enumerate(lines, start=1):
        if WORD_MARK not in line and BPE_MARK not in line:
            continue
        for piece in line.split():
            if marks_of(piece) == "none":
                continue
            place = (f"line {number}", piece)
            if first is None:
                first = place
            elif marks_of(first[1]) != marks_of(piece):
                raise mixed_marks(first, place, path)
    return "none" if first is None else marks_of(first[1])


def detect_references(references: Sequence[Sequence[str]], path: str | None = None) -> Subwords:
    """Return the kind of pieces of all references together; they may be words where candidates are pieces."""
    return detect_subwords((text for each in references for text in each), path)


def join_line(line: str, subwords: str) -> str:
    """Return the words of a line of pieces, with blanks between."""
    if subwords == "bpe":
        return " ".join(_CONTINUED.sub("", line).split())
    if subwords == "sentencepiece":
        return " ".join("".join(line.split()).replace(WORD_MARK, " ").split())
    return line


def word_numbers(line: str, subwords: str) -> list[int]:
    """Return for every piece of a line the number of its word; of a piece between words, of the word after it."""
    numbers = []
    words, inside = 0, False
    for piece in line.split():
        continued = subwords == "bpe" and piece.endswith(BPE_MARK)
        texts = piece.split(WORD_MARK) if subwords == "sentencepiece" else [piece]
        if subwords == "sentencepiece":
            inside = inside and bool(texts[0] or len(texts) == 1)
        numbers.append(words - 1 if inside else words)
        for at, text in enumerate(texts):
            inside = inside and at == 0
            if text and not inside:
                words, inside = words + 1, True
        inside = inside and (continued or subwords == "sentencepiece")
    return [min(number, max(words - 1, 0)) for number in numbers]


def join_lines(lines: Sequence[str], subwords: str) -> list[str]:
    return list(lines) if subwords == "none" else [join_line(line, subwords) for line in lines]


def join_sources(lines: Sequence[str], subwords: str | None = None, path: str | None = None) -> Sequence[str]:
    """Return source sentences as words, by their own marks, for metrics that look at them.

    subwords: the kind of pieces that was asked for: `none` leaves them as they are; one that their marks do not
    show is that of the translations alone.
    """
    if subwords == "none":
        return lines
    asked = subwords is not None and any(marks_of(piece) == subwords for line in lines for piece in line.split())
    return join_lines(lines, str(subwords) if asked else detect_subwords(lines, path))


def join_references(
    references: Sequence[Sequence[str]], subwords: str | None = None, path: str | None = None
) -> tuple[Sequence[Sequence[str]], Subwords]:
    """Return references as words, and what they were. References without marks are words: the same object returns.

    subwords: the kind of pieces that candidates are; references of another kind are an error.
    """
    own: Subwords = "none" if subwords == "none" else _expected_or_found(references, subwords, path)
    if own == "none":
        return references, "none"
    most = max(map(len, references), default=0)
    kinds: list[Subwords] = [own] * most
    if own == "sentencepiece":  # of several references some may be words, which have no marks
        kinds = [detect_subwords(each[at] for each in references if at < len(each)) for at in range(most)]
    return [
        tuple(join_line(text, kind) for text, kind in zip(each, kinds, strict=False)) for each in references
    ], own


def _expected_or_found(references: Sequence[Sequence[str]], subwords: str | None, path: str | None) -> Subwords:
    if subwords is None:
        return detect_references(references, path)
    lines = [text for each in references for text in each]
    expected: Subwords = "bpe" if subwords == "bpe" else "sentencepiece"
    if any(marks_of(piece) == expected for line in lines for piece in line.split()):
        return expected
    if detect_subwords(lines, path) == "none":
        return "none"
    other = "sentencepiece" if expected == "bpe" else "bpe"
    raise FormatError(
        f"the references have marks of {NAMES[other]} and the translations are pieces of {NAMES[expected]}; give "
        "references in words, or in the same pieces",
        path=path,
    )
