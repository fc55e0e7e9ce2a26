"""Rule tables with wrong bytes, for tests of what reads them."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from support.damage.resealed import reseal
from tunesmith.errors import FormatError
from tunesmith.grammar import RuleTable


def refusals(folder: Path, name: str, use: Callable[[RuleTable], object], trials: int = 25) -> int:
    """How often `use` refused a table with wrong bytes in the file `name`; other errors are raised here.

    The manifest has the checksums of the wrong bytes: those who use a table check more than that.
    """
    path = folder / name
    whole = path.read_bytes()
    source = random.Random(name)
    refused = 0
    for _ in range(trials):
        damaged = bytearray(whole)
        for _ in range(source.choice([1, 3, 20])):
            damaged[source.randrange(len(damaged))] = source.choice([0, 1, 127, 255, source.randrange(256)])
        path.write_bytes(damaged)
        reseal(folder)
        try:
            use(RuleTable.open(folder))
        except FormatError:
            refused += 1
    path.write_bytes(whole)
    reseal(folder)
    return refused
