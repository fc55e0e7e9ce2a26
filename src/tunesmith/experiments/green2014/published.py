"""Published figures of Green et al. (2014) for Arabic-English and Chinese-English: Tables 4 and 6, section 6.2."""

from __future__ import annotations

HEADER = ("model", "features", "epochs", "min/epoch", "tune", "dev", "test1", "test2", "test3")
TABLE_4: dict[str, tuple[tuple[str, ...], ...]] = {
    "Ar-En": (
        ("DENSE (D)", "18", "24", "3", "49.52", "50.25", "47.98", "43.41", "27.56"),
        ("D+SPARSE", "48,597", "24", "8", "56.51", "52.98", "49.55", "45.40", "29.02"),
        ("D+EXT", "62,931", "16", "11", "57.83", "54.33", "49.66", "45.66", "29.15"),
        ("D+EXT+FILT", "94,606", "17", "14", "59.13", "55.35", "50.02", "46.24", "29.59"),
        ("D+EXT+FILT+DOM", "123,353", "22", "18", "59.97", "29.20†", "50.45", "46.24", "30.84"),
    ),
    "Zh-En": (
        ("DENSE (D)", "18", "17", "3", "32.82", "34.96", "26.61", "26.72", "10.19"),
        ("D+SPARSE", "55,024", "17", "8", "38.91", "36.68", "27.86", "28.41", "10.98"),
        ("D+EXT", "67,936", "16", "13", "40.96", "37.19", "28.27", "28.40", "10.72"),
        ("D+EXT+FILT", "100,275", "17", "14", "41.38", "37.36", "28.68", "28.90", "11.24"),
        ("D+EXT+FILT+DOM", "126,014", "17", "14", "41.70", "17.20†", "28.71", "28.96", "11.67"),
    ),
}
OTHERS = (
    ("6a", "PRO: 14 epochs of 25 min, 181,542 features, tune 61.20, test1 50.09"),
    ("6b", "frequency cut-offs: 23,617 features, tune 56.84, test1 49.79"),
    ("6c", "one reference: DENSE tune 49.34, test1 47.78; EXT+FILT tune 55.39, test1 48.88"),
    ("6.2", "reference variance M = 18.1, SD = 11.5; with extensions M = 17.32, SD = 10.68"),
)
"""Printed rows of Ar-En."""
