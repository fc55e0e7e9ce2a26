"""Reports in a real browser (Debian's chromium), on a phone and a desk, by day and by night.

Nothing is wider than the screen, no label lies on another one or leaves its chart, all text can be read.
"""

import dataclasses
import io
import json
import re

import numpy as np
import pytest
from support.browser import Browser, missing_programs
from support.lists.grouped_toy import grouped_tuner, sources
from support.lists.toy_parts import MeanDifference, SeededStep

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

WHY_NOT = missing_programs()
pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=f"no browser to look at pages with: {WHY_NOT}")
PHONE, DESKTOP = 390, 1280
FEW = Resampling(samples=20, trials=20)

MEASURE = """
const every = selector => [...document.querySelectorAll(selector)], box = each => each.getBoundingClientRect();
const colour = (each, what) => getComputedStyle(each)[what], wide = document.documentElement.clientWidth;
every("details").forEach(each => each.open = true);
const overlaps = [], outside = [];
for (const svg of every("svg")) {
  const frame = box(svg), texts = [...svg.querySelectorAll("text")].map(each => [each.firstChild?.textContent, box(each)]);
  texts.forEach(([name, one], at) => {
    if (one.left < frame.left - 1 || one.right > frame.right + 1 || one.top < frame.top - 1 || one.bottom > frame.bottom + 1)
      outside.push(name);
    for (const [other, two] of texts.slice(at + 1))
      if (one.left < two.right - 0.5 && two.left < one.right - 0.5 && one.top < two.bottom - 2 && two.top < one.bottom - 2)
        overlaps.push(name + " / " + other);
  });
}
const text = every("p, td, th, dd, dt, b, h1, h2, h3, li, code, figcaption, summary, .hero span, .legend span, svg text");
const seen = text.filter(each => box(each).height > 0 && !each.closest(".stack thead"));
return {
  width: document.documentElement.scrollWidth, overlaps, outside,
  sticking_out: every("main *").filter(each => !each.closest(".stack thead") && box(each).right > wide + 0.5)
    .map(each => each.tagName + " " + each.textContent.slice(0, 60)),
  scrolling: every(".scroll").filter(each => each.scrollWidth > each.clientWidth + 1).map(each => each.textContent.slice(0, 60)),
  unnamed: every("svg").filter(each => !each.getAttribute("aria-label")).length,
  charts: every("svg").length, paper: colour(document.body, "backgroundColor"),
  colours: [...new Set(seen.map(each => colour(each, each.ownerSVGElement ? "fill" : "color")))],
  lines: [...new Set(every("polyline").map(each => colour(each, "stroke")))],
  smallest: Math.min(...seen.map(each => parseFloat(colour(each, "fontSize")) *
    (each.ownerSVGElement ? box(each.ownerSVGElement).width / each.ownerSVGElement.viewBox.baseVal.width : 1))),
};
"""  # noqa: E501


def brightness(colour):
    """Relative luminance (WCAG 2) of `rgb(r, g, b)`."""
    values = np.array([float(each) for each in re.findall(r"[\d.]+", colour)[:3]]) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    light, dark = sorted((brightness(one), brightness(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


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


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [PHONE, DESKTOP])
@pytest.mark.parametrize(
    ("name", "charts"),
    [("run", 8), ("short run", 1), ("comparison", 6), ("short comparison", 0), ("study", 8), ("experiment", 5)],
)
def test_pages_fit_the_screen_and_can_be_read(browser, pages, name, charts, width, dark):
    browser.show(pages[name], width, dark=dark)
    found = browser.measure(MEASURE)
    assert found["width"] <= width
    assert found["sticking_out"] == []
    assert found["scrolling"] == []
    assert found["outside"] == []
    assert found["overlaps"] == []
    assert found["charts"] == charts
    assert found["unnamed"] == 0
    assert found["smallest"] > 11  # pixels
    paper = found["paper"]
    assert (brightness(paper) < 0.1) == dark
    assert min(contrast(colour, paper) for colour in found["colours"]) >= 4.5  # WCAG 2, level AA
    assert min((contrast(colour, paper) for colour in found["lines"]), default=3) >= 3  # of graphics
    image = pytest.importorskip("PIL.Image")
    pixels = np.asarray(image.open(io.BytesIO(browser.picture(width))).convert("L"))
    assert pixels.shape[1] == width
    assert (np.median(pixels) < 64) == dark
    assert np.ptp(pixels[:, -8:]) == np.ptp(pixels[:, :8]) == 0  # nothing is drawn on the margins
    assert len(np.unique(pixels)) > 50  # something is drawn between them
