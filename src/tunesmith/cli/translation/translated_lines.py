"""What `tunesmith translate` prints: translations, n-best lists, derivations, each as it comes."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from tunesmith.cli.console import remark
from tunesmith.cli.printing import visible, watched

if TYPE_CHECKING:
    from tunesmith.decoding import Decoder, Decoding
    from tunesmith.grammar import OwnRules


def is_typed(path: str) -> bool:
    """Whether somebody types the lines and waits for each translation."""
    return path == "-" and watched(sys.stdin)


def decoded(
    decoder: Decoder, lines: Iterable[str], threads: int, typed: bool, quiet: bool, own: OwnRules | None
) -> Iterator[Decoding]:
    """Typed lines one by one, others many at once. Remarks name lines whose search was cut short."""
    long: set[int] = set()
    lines = _watched(lines, decoder.options.max_words, long)
    found = (
        itertools.chain.from_iterable(
            decoder.stream([line], own=_own_of(own, [line], at)) for at, line in enumerate(lines)
        )
        if typed
        else decoder.stream(lines, threads=threads, own=own)
    )
    for number, decoding in enumerate(found, 1):
        if decoding.timed_out:
            remark(f"line {number}: the time was up; its translation depends on the machine", quiet=quiet)
        elif decoding.limited:
            remark(_cut_short(number, decoder, long), quiet=quiet)
        yield decoding


def best_lines(decodings: Iterable[Decoding], alignment: bool, change: Callable[[str], str]) -> Iterator[str]:
    for decoding in decodings:
        text = change(decoding.best.text)
        links = " ".join(f"{s}-{t}" for s, t in decoding.best.alignment) if alignment else ""
        yield f"{text} ||| {links}\n" if alignment else f"{text}\n"


def kbest_lines(
    decoder: Decoder,
    lines: Iterable[str],
    k: int,
    distinct: bool,
    threads: int,
    at_once: int,
    own: OwnRules | None = None,
    *,
    quiet: bool = False,
) -> Iterator[str]:
    """n-best lists; the features named are the dense ones and those that fire. Remarks name lines cut short."""
    from tunesmith.decoding import ListDecoder, fired_features
    from tunesmith.search.dialects import MosesDialect

    lists, writer = ListDecoder(decoder), MosesDialect()
    long: set[int] = set()
    stream, first = _watched(lines, decoder.options.max_words, long), 0
    while batch := list(itertools.islice(stream, at_once)):
        chosen = _own_of(own, batch, first)
        arrays = decoder.candidate_arrays(batch, k, distinct=distinct, threads=threads, own=chosen)
        for at in arrays.limited.nonzero()[0].tolist():
            remark(_cut_short(first + at + 1, decoder, long), quiet=quiet)
        fired, dense = fired_features(lists.candidate_set(arrays))
        yield from writer.write(fired, first, in_every_line=dense)
        first += len(batch)


def explained_lines(decoder: Decoder, lines: Iterable[str], decodings: Iterable[Decoding]) -> Iterator[str]:
    """The derivation of the best translation of every line, and where its score comes from."""
    from tunesmith.cli.translation.explain import explain

    for number, (decoding, line) in enumerate(zip(decodings, lines, strict=False), 1):
        yield from (f"{visible(text)}\n" for text in explain(number, line, decoding.best, decoder))


def _watched(lines: Iterable[str], most: int, long: set[int]) -> Iterator[str]:
    """The same lines; numbers of those with more words than are searched go to `long`."""
    for number, line in enumerate(lines, 1):
        if 0 < most < len(line.split()):
            long.add(number)
        yield line


def _cut_short(number: int, decoder: Decoder, long: set[int]) -> str:
    if number not in long:
        return f"line {number}: a limit of the search was reached"
    return (
        f"line {number}: a limit of the search was reached: words after the first {decoder.options.max_words} are "
        "translated one by one. Split the line, or set --max-words"
    )


def _own_of(own: OwnRules | None, lines: Sequence[str], first: int) -> OwnRules | None:
    """Own rules of some lines, checked here: messages then count the lines from the first of all."""
    if own is None:
        return None
    own.check_lines(lines, first)
    return own.select(range(first, first + len(lines)))
