"""Tables 3 to 6 in the layout of the paper, with the figures of these data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tunesmith.experiments.cherry2012.published import ACTIVE, TEMPLATES
from tunesmith.experiments.cherry2012.results import ALPHA, Pair, TunerResult
from tunesmith.experiments.cherry2012.rows import FEATURES, TUNERS
from tunesmith.experiments.repetitions import mean

COLUMNS = ("tune", "test 1", "test 2", "SD", "p", "s a round")
PAIR_HEADER = ("pair", "features", "Δ tune", "Δ test 1", "Δ test 2", "SD", "p", "best round", "s a round")
MARK = "\\*"


class Cells(NamedTuple):
    """A table as text."""

    header: list[str]
    rows: list[list[str]]


def scores_table(results: Sequence[TunerResult], kind: str) -> Cells:
    """Return Tables 4 to 6: a row for each tuner, groups of columns for each feature set."""
    sets = [name for name in FEATURES[kind] if name != "overfit"]
    found = {(each.row.tuner, each.row.features): each for each in results}
    header = ["", *(f"{name.capitalize()} {column}" for name in sets for column in COLUMNS)]
    rows = []
    for tuner in _in_order(results):
        cells = [_of_set(found.get((tuner, name)), tuner, last=name == sets[-1]) for name in sets]
        rows.append([tuner, *(cell for of_set in cells for cell in of_set)])
    return Cells(header, rows)


def scores_by_set(results: Sequence[TunerResult], kind: str) -> dict[str, Cells]:
    """Return Tables 4 to 6 one by one, with the tuners that were run: all in one are too wide for a page."""
    found = {(each.row.tuner, each.row.features): each for each in results}
    tables = {}
    for name in FEATURES[kind]:
        rows = [
            [tuner, *_of_set(found[tuner, name], tuner, last=False)]
            for tuner in _in_order(results)
            if (tuner, name) in found
        ]
        if rows and name != "overfit":
            tables[name.capitalize()] = Cells(["tuner", *COLUMNS], rows)
    return tables


def _in_order(results: Sequence[TunerResult]) -> list[str]:
    """Return the tuners that were run: those of the paper in its order, then ours."""
    there = {each.row.tuner for each in results}
    return [tuner.label for tuner in TUNERS if not tuner.ours or tuner.label in there]


def _of_set(found: TunerResult | None, tuner: str, *, last: bool) -> list[str]:
    if found is None:
        dense_only = any(each.dense_only for each in TUNERS if each.label == tuner)
        return ["n/a" if last and dense_only else "–"] * len(COLUMNS)
    marked = MARK if found.baseline is not None and found.baseline.significant else ""
    return [
        f"{mean(found.tune):.2f}",
        f"{found.test.mean:.2f}{marked}",
        f"{found.devtest.mean:.2f}{marked}",
        "–" if found.deviation is None else f"{found.deviation:.2f}",
        "–" if found.baseline is None else f"{found.baseline.p:.3f}",
        f"{found.seconds_a_round:.1f}",
    ]


ABOUT = (
    "Test 1 is test, test 2 is devtest. SD is that of the average of both over the runs of a row. p: both sets "
    "together against kb-mert with the same features, with those of Medium for Big; the larger one of paired "
    "bootstrap and approximate randomisation, corrected for the number of rows (Holm 1979); "
    f"{MARK} below {ALPHA}."
)


def pairs_table(pairs: Sequence[Pair]) -> Cells:
    """Compare each tuner on lattices with its version on lists."""
    return Cells(list(PAIR_HEADER), [each.cells() for each in pairs])


def templates_table(results: Sequence[TunerResult], pair: str) -> Cells:
    """Return Table 3: features of each template with a weight in the Big model of mr, or of another tuner."""
    big = sorted((each for each in results if each.row.features == "big"), key=lambda each: each.row.tuner != "mr")
    if not big:
        return Cells([], [])
    chosen, printed = big[0], ACTIVE.get(pair)
    header = ["template", "max", f"active ({chosen.row.tuner})"] + ([f"{pair} in the paper"] if printed else [])
    counts = [chosen.templates.get(template, 0) for template in TEMPLATES]
    rows = [[name, str(most), str(count)] for (name, most), count in zip(TEMPLATES.values(), counts, strict=True)]
    rows.append(["total", str(sum(most for _, most in TEMPLATES.values())), str(sum(counts))])
    if printed:
        for row, number in zip(rows, (*printed, sum(printed)), strict=True):
            row.append(str(number))
    return Cells(header, rows)
