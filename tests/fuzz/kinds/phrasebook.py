"""The data files of the phrasebook."""

from __future__ import annotations

from pathlib import Path
from random import Random

from fuzz.kind import Kind
from tunesmith.corpus.phrasebook.reader import load_phrasebook

_RULES = """class NAME once
大卫 = david
class DEGREE
有点 = a little ; avoid=good
很 = very
class QUALITY
好 = good ; good
坏 = bad
class WHO
{n:NAME} = {n*}
我 = i ; agr=1s
pattern p
zh {a:WHO} 和 {b:NAME} {d:DEGREE} {q:QUALITY} 。
en {a} and {b} are {d} {q} .
"""
_IRREGULAR = "verb go goes went gone going\nnoun child children\n"


def _read(folder: Path) -> None:
    found = load_phrasebook(folder)
    random = Random(1)
    for _ in range(3):
        found.derive(random).source()


def kinds() -> list[Kind]:
    seed = {"rules.txt": _RULES.encode(), "irregular.txt": _IRREGULAR.encode()}
    words = (b"class", b"pattern", b"zh", b"en", b"once", b"{a}", b"{a:WHO}", b"{n*}", b"agr=3s", b"=", b";")
    return [Kind("phrasebook", lambda: [seed], _read, separators=(b" ", b" ; ", b" = "), words=words)]
