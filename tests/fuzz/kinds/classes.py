"""Maps of words to classes."""

from __future__ import annotations

import gzip

from fuzz.kind import Kind, one_file
from tunesmith.clustering import WordClasses
from tunesmith.clustering.map_formats import FORMATS, read_map

MAP = "the\t0\na\t0\n猫\t12\n<unk>\t3\n0000\t3\n"
COUNTED = "the\t0\t12\na\t0\t7\n猫\t12\t1\n"
PATHS = "00\tthe\t12\n00\ta\t7\n0110\t猫\t1\n"


def kinds() -> list[Kind]:
    packed = {"input": gzip.compress(MAP.encode(), mtime=0)}
    kinds = [
        Kind("classes", one_file(MAP, COUNTED, PATHS), lambda f: WordClasses.load(f / "input")),
        Kind("classes-gzip", lambda: [packed], lambda f: WordClasses.load(f / "input")),
    ]
    for name, text in zip(FORMATS, (MAP, MAP, COUNTED, PATHS), strict=True):
        kinds.append(Kind(f"classes-{name}", one_file(text), lambda f, name=name: read_map(f / "input", name)))
    return kinds
