"""A case: damaged files, made from the seed of the session, the kind and the number of the case alone."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from fuzz.damage_bytes import damage, splice
from fuzz.damage_json import damage_tree, dump, parse
from fuzz.damage_text import damage_lines
from fuzz.kind import Files, Kind
from fuzz.seals import reseal_inside

_GZIP = b"\x1f\x8b"
_RESEALED = 0.8  # of the cases, where there are checksums


@dataclass(frozen=True)
class Case:
    """base: the number of the good input.   changed: files that differ from it."""

    base: int
    changed: Files


def make_case(kind: Kind, seeds: Sequence[Files], seed: int, number: int) -> Case:
    """The case with this number."""
    random = Random(f"{seed}/{kind.name}/{number}")
    base = random.randrange(len(seeds))
    files = seeds[base]
    names = [name for name in files if kind.damaged is None or name in kind.damaged]
    changed: Files = {}
    for _ in range(1 if random.random() < 0.85 else 2):
        name = random.choice(names)
        others = [each[name] for each in seeds if name in each]
        changed[name] = damaged(changed.get(name, files[name]), random.choice(others), kind, random)
    if random.random() < _RESEALED:
        if kind.reseal is not None:
            changed = kind.reseal(files, changed, random)
        changed = reseal_inside(files, changed)
    return Case(base, changed)


def damaged(data: bytes, other: bytes, kind: Kind, random: Random) -> bytes:
    """The bytes with a few damages, each knowing as much of the format as can be told from the content."""
    if data.startswith(_GZIP) and random.random() < 0.7:
        try:
            inside = zlib.decompress(data, wbits=31)
        except zlib.error:
            inside = b""
        text = damaged(inside, inside, kind, random)
        return gzip.compress(text, compresslevel=1, mtime=0)
    for _ in range(random.choice((1, 1, 1, 1, 2, 2, 3, 6))):
        data = _once(data, other, kind, random)
    return data


def _once(data: bytes, other: bytes, kind: Kind, random: Random) -> bytes:
    how = random.random()
    if how < 0.55 and data[:1] in (b"{", b"["):
        try:
            return dump(damage_tree(parse(data), random))
        except (ValueError, RecursionError):
            pass
    if how < 0.55 and b"\0" not in data[:256]:
        return damage_lines(data, kind.separators, kind.words, random)
    if how < 0.57:
        return gzip.compress(data, compresslevel=1, mtime=0)
    changed = bytearray(data)
    if how < 0.62:
        splice(changed, other, random)
    else:
        damage(changed, random)
    return bytes(changed)
