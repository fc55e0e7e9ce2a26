"""Published figures of Watanabe et al. (2007): Arabic-English, case-sensitive, four references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Printed(NamedTuple):
    """Active features in thousands, and NIST and BLEU of dev (2003) and both tests (2004, 2005)."""

    active: int | None
    dev: tuple[float, float]
    first: tuple[float, float]
    second: tuple[float, float]


TABLES: Mapping[int, Mapping[str, Printed]] = {
    1: {
        "surface": Printed(492, (11.32, 54.11), (10.57, 49.01), (10.77, 48.05)),
        "prefix-suffix": Printed(4204, (12.38, 63.87), (10.42, 48.74), (10.58, 47.18)),
        "class": Printed(2689, (10.87, 49.59), (10.63, 49.55), (10.89, 48.79)),
        "digits": Printed(576, (11.01, 50.72), (10.66, 49.67), (10.84, 48.39)),
        "all": Printed(13759, (11.24, 52.85), (10.66, 49.81), (10.85, 48.41)),
    },
    2: {
        "word-pairs": Printed(11042, (11.05, 51.63), (10.43, 48.69), (10.73, 47.72)),
        "target-bigram": Printed(11230, (11.19, 53.49), (10.40, 48.60), (10.66, 47.47)),
        "insertion": Printed(13489, (11.21, 52.20), (10.77, 50.33), (10.93, 48.08)),
        "all": Printed(13759, (11.24, 52.85), (10.66, 49.81), (10.85, 48.41)),
    },
    3: {
        "mert": Printed(None, (10.64, 46.47), (10.83, 49.33), (10.90, 47.03)),
        "1-oracle-1-best": Printed(8735, (11.25, 52.63), (10.82, 50.77), (10.93, 48.11)),
        "1-oracle-10-best": Printed(10480, (11.24, 53.45), (10.55, 49.10), (10.82, 48.49)),
        "10-oracle-1-best": Printed(8416, (10.70, 47.63), (10.83, 48.88), (10.76, 46.00)),
        "all": Printed(13759, (11.24, 52.85), (10.66, 49.81), (10.85, 48.41)),
        "sentence-bleu": Printed(14587, (11.10, 51.17), (10.82, 49.97), (10.86, 47.04)),
    },
}
FOLDS: Mapping[str, tuple[tuple[float, float], tuple[float, float]]] = {
    "folds-mert": ((10.71, 44.79), (10.68, 44.44)),
    "folds-online": ((11.58, 53.42), (10.90, 47.64)),
}
"""Table 4: NIST and BLEU of the closed and of the open test."""


def printed_cells(table: int, name: str) -> Sequence[str]:
    """Return active features and BLEU on dev and both tests of a row; dashes for a row that the paper lacks."""
    found = TABLES.get(table, {}).get(name)
    if found is None:
        return ("–",) * 4
    active = "–" if found.active is None else f"{found.active}K"
    return (active, *(f"{scores[1]:.2f}" for scores in (found.dev, found.first, found.second)))
