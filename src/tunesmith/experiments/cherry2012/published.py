"""Published figures of Cherry and Foster (2012): Tables 3 to 6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Published:
    """Tune, test and SD that the paper printed with a feature set."""

    tune: float
    test: float
    deviation: float


SETS = ("Small", "Medium", "Big")
TEMPLATES: Mapping[str, tuple[str, int]] = {
    "target_unaligned": ("tgt unal", 50),
    "count_bin": ("count bin", 11),
    "word_pair": ("word pair", 6724),
    "length_bin": ("length bin", 63),
}
"""Table 3: templates of Big, by their names in the paper, and the number of possible features of each."""

ACTIVE: Mapping[str, tuple[int, int, int, int]] = {
    "fr-en": (50, 11, 1298, 63),
    "en-fr": (50, 11, 1291, 63),
    "zh-en": (31, 11, 1664, 63),
}
"""Table 3: features of each template with a weight other than 0 in the model that mr tuned."""


def _printed(*numbers: float) -> dict[str, Published]:
    """Return printed numbers of Small, Medium and Big; MERT has no Big."""
    sets = SETS[: len(numbers) // 3]
    return {name: Published(*numbers[3 * at : 3 * at + 3]) for at, name in enumerate(sets)}


PUBLISHED: Mapping[str, Mapping[str, Mapping[str, Published]]] = {
    "fr-en": {  # Table 4
        "kb-mert": _printed(40.50, 39.94, 0.04, 40.75, 40.29, 0.13),
        "lb-mert": _printed(40.52, 39.93, 0.11, 40.93, 40.39, 0.08),
        "mira": _printed(40.38, 39.94, 0.04, 40.64, 40.59, 0.06, 41.02, 40.74, 0.05),
        "kb-mira": _printed(40.46, 39.97, 0.05, 40.92, 40.64, 0.12, 41.46, 40.75, 0.08),
        "lb-mira": _printed(40.44, 39.98, 0.06, 40.94, 40.65, 0.06, 41.59, 40.78, 0.09),
        "pro": _printed(40.11, 40.05, 0.05, 40.16, 40.07, 0.08, 40.55, 40.21, 0.24),
        "mr": _printed(40.24, 39.88, 0.05, 40.70, 40.57, 0.14, 41.18, 40.60, 0.08),
        "svm": _printed(40.05, 40.20, 0.03, 40.60, 40.56, 0.08, 41.32, 40.52, 0.07),
    },
    "en-fr": {  # Table 5
        "kb-mert": _printed(40.47, 39.72, 0.06, 40.70, 40.02, 0.11),
        "lb-mert": _printed(40.45, 39.76, 0.08, 40.90, 40.13, 0.10),
        "mira": _printed(40.36, 39.83, 0.03, 40.78, 40.44, 0.02, 40.89, 40.45, 0.05),
        "kb-mira": _printed(40.44, 39.83, 0.02, 40.94, 40.35, 0.06, 41.48, 40.52, 0.06),
        "lb-mira": _printed(40.45, 39.83, 0.02, 41.05, 40.45, 0.04, 41.65, 40.59, 0.07),
        "pro": _printed(40.17, 39.57, 0.15, 40.30, 40.01, 0.04, 40.75, 40.22, 0.17),
        "mr": _printed(40.31, 39.65, 0.04, 40.94, 40.30, 0.13, 41.45, 40.47, 0.10),
        "svm": _printed(39.99, 39.55, 0.03, 40.40, 39.96, 0.05, 41.00, 40.21, 0.03),
    },
    "zh-en": {  # Table 6
        "kb-mert": _printed(23.97, 29.65, 0.06, 25.74, 31.58, 0.42),
        "lb-mert": _printed(24.18, 29.48, 0.15, 26.42, 32.39, 0.22),
        "mira": _printed(23.98, 29.54, 0.01, 26.23, 32.58, 0.08, 25.99, 32.52, 0.08),
        "kb-mira": _printed(24.10, 29.51, 0.06, 26.28, 32.50, 0.12, 26.18, 32.61, 0.14),
        "lb-mira": _printed(24.13, 29.59, 0.05, 26.43, 32.77, 0.06, 26.40, 32.82, 0.18),
        "pro": _printed(23.25, 28.74, 0.24, 25.80, 32.42, 0.20, 26.49, 32.18, 0.40),
        "mr": _printed(23.87, 29.55, 0.09, 26.26, 32.52, 0.12, 26.42, 32.79, 0.15),
        "svm": _printed(23.59, 28.91, 0.05, 26.26, 32.70, 0.05, 27.23, 33.04, 0.12),
    },
}
"""Printed numbers by language pair and tuner."""


def printed_table(pair: str) -> tuple[list[str], list[list[str]]]:
    """Return header and cells of the published table of a language pair; no rows for others."""
    header = ["tuner", *(f"{name} {what}" for name in SETS for what in ("tune", "test", "SD"))]
    rows = []
    for tuner, sets in PUBLISHED.get(pair, {}).items():
        found = [sets.get(name) for name in SETS]
        cells = [
            ["n/a"] * 3 if each is None else [f"{each.tune:.2f}", f"{each.test:.2f}", f"{each.deviation:.2f}"]
            for each in found
        ]
        rows.append([tuner, *(cell for three in cells for cell in three)])
    return header, rows
