"""What every page must be in a browser: no wider than the screen, labels apart, text that can be read."""

import io
import re

import numpy as np
import pytest

PHONE, DESKTOP = 390, 1280

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


def assert_readable(browser, text, width, *, dark, charts=None):
    """Show a page and measure it. charts: how many it must have."""
    browser.show(text, width, dark=dark)
    found = browser.measure(MEASURE)
    assert found["width"] <= width
    assert found["sticking_out"] == []
    assert found["scrolling"] == []
    assert found["outside"] == []
    assert found["overlaps"] == []
    assert charts in (None, found["charts"])
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


def assert_readable_everywhere(browser, text):
    """On a phone and a desk, by day and by night."""
    for width in (PHONE, DESKTOP):
        for dark in (False, True):
            assert_readable(browser, text, width, dark=dark)
