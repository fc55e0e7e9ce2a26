"""Reports in a real browser (Debian's chromium), on a phone and a desk, by day and by night.

Nothing is wider than the screen, no label lies on another one or leaves its chart, all text can be read.
"""

import dataclasses
import json

import pytest
from support.lists.grouped_toy import grouped_tuner, sources
from support.lists.toy_parts import MeanDifference, SeededStep
from support.page_looks import DESKTOP, PHONE, assert_readable

from tunesmith.evaluation.bootstrap import Interval
from tunesmith.evaluation.comparison_report import comparison_page
from tunesmith.evaluation.pages import page
from tunesmith.evaluation.pages.drawing import grid
from tunesmith.evaluation.run_comparison import compare_runs
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.run_report import run_page
from tunesmith.evaluation.significance import Resampling
from tunesmith.experiments.curves import Curve, draw_curves
from tunesmith.experiments.liu2013 import page as liu2013
from tunesmith.experiments.liu2013.pictures import draw_all
from tunesmith.experiments.liu2013.results import RowResult, SetScore
from tunesmith.experiments.liu2013.rows import ROWS
from tunesmith.experiments.liu2013.table import Table
from tunesmith.signature import Signature

FEW = Resampling(samples=20, trials=20)


def experiment():
    """A table as `experiment liu2013` has it, with long names, sweeps and groups."""

    def result(row, score, difference=None, p_value=None, **details):
        found = SetScore(score, 0.123, Interval(score - 2, score + 2, score, 0.95, 1000), difference, p_value)
        tried = tuple(
            {"settings": [f"l2d={value}"], "devtest": 41 + at / 100} for at, value in enumerate((0.1, 0.01, 1))
        )
        return RowResult(row, 9, 8, found, found, score, 1.25, ("l2d=0.1",), tried, details, "tune x")

    long = dataclasses.replace(ROWS[0], name="long", method="a method whose name is <long> and longer")
    results = [
        result(ROWS[1], 40.0),
        result(ROWS[2], 38.0, -2.0, 0.01),
        result(long, 43.0, 3.0, 0.01, sizes=[3, 1]),
    ]
    return Table("Title", results, ROWS[1].name, {"rules (d)": 388559}, Signature("experiment x", {"seed": 1}))


def _enlarge(history):
    """Numbers as large runs have them, which need room before an axis."""
    rows = [json.loads(line) for line in history.read_text().splitlines()]
    for row in rows:
        factors = {"candidates": 43_210, "active": 1_234_567, "norm": 12_345}
        row.update({name: factor * row[name] for name, factor in factors.items()})
    history.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    long_name = "a-run-whose-name-is-long-and-has-no-place-to-break-it-at-all-on-a-phone"
    for name, seed, rounds in ((long_name, 1, 3), ("b", 2, 3), ("list", 1, 1), ("list-of-another-seed", 2, 1)):
        dev, train = sources()
        names = dev.decoder.features
        dev.decoder.features = [*names[:3], *(f"{name}_<wide&long>_WWWWWWWW_饭饭饭饭饭饭" for name in names[3:])]
        tuner = grouped_tuner(MeanDifference(), SeededStep(), seed=seed, rounds=rounds)
        tuner.fit(dev, train=train, output=folder / name)
        _enlarge(folder / name / "history.jsonl")
    long_run, other, short_run, another = (RunRecord(path) for path in sorted(folder.iterdir()))
    compared = compare_runs([long_run, other], resampling=FEW)
    curve = Curve("mira", "step_cap", ["1", "0.1", "0.01"], {"tune": [3.0, 2.0, 1.0], "devtest": [1.0, 2.0, 1.0]})
    many = Curve("keep", "keep", [f"uniform{at}" for at in range(9)], {"tune": [40.0] * 9}, {"tune": [0.1] * 9})
    wide = page.Table(["setting", *("devtest" for _ in range(12))], [["step_cap=0.01", *("44.44",) * 12]])
    opening = [page.table(wide), grid(draw_curves([curve, many]))]  # as `tune --sweep` has them
    table = experiment()
    return {
        "run": run_page(long_run, resampling=FEW),
        "short run": run_page(short_run, resampling=FEW),
        "comparison": comparison_page(compared),
        "short comparison": comparison_page(compare_runs([short_run, another], resampling=FEW)),
        "study": comparison_page(compared, title="Settings tried", opening=opening),
        "experiment": liu2013.page(table, draw_all(table.results, table.base)),
    }


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize(
    ("name", "charts"),
    [("run", 8), ("short run", 1), ("comparison", 6), ("short comparison", 0), ("study", 8), ("experiment", 5)],
)
def test_pages_fit_the_screen_and_can_be_read(browser, pages, name, charts, width, dark):
    assert_readable(browser, pages[name], width, dark=dark, charts=charts)
