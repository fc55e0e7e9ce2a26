"""Reports in a real browser (Debian's chromium): nothing is wider than the screen, both schemes can be read."""

import html
import io
import json
import re
import shutil
import subprocess

import numpy as np
import pytest
from support.lists.grouped_toy import grouped_tuner, sources
from support.lists.toy_parts import MeanDifference, SeededStep

from tunesmith.evaluation.comparison_report import comparison_page
from tunesmith.evaluation.pages import page
from tunesmith.evaluation.run_comparison import compare_runs
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.run_report import run_page
from tunesmith.evaluation.significance import Resampling
from tunesmith.experiments.curves import Curve, draw_curves

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="there is no chromium here to look at pages with (Debian: apt-get install chromium)"
)
PHONE, DESKTOP = 390, 1200

# The page in a frame as wide as a screen, for a window has a least width; what is measured goes into an attribute.
FRAME = """<!doctype html><body style="margin:0"><iframe style="border:0;width:{width}px;height:3000px" srcdoc="{page}">
</iframe><script>
onload = () => {{
  const frame = document.querySelector("iframe").contentWindow, page = frame.document;
  const inside = [...page.querySelectorAll("svg text")].filter(each => {{
    const text = each.getBoundingClientRect(), svg = each.ownerSVGElement.getBoundingClientRect();
    return text.left < svg.left - 1 || text.right > svg.right + 1 || text.top < svg.top - 1 || text.bottom > svg.bottom + 1;
  }}).map(each => each.textContent);
  const colours = [...page.querySelectorAll("p, td, th, dd, dt, figcaption, summary, .hero span, .sentence dd")].map(
    each => frame.getComputedStyle(each).color);
  document.body.dataset.found = JSON.stringify({{
    width: page.documentElement.scrollWidth, outside: inside, colours: [...new Set(colours)],
    lines: [...new Set([...page.querySelectorAll("polyline")].map(each => frame.getComputedStyle(each).stroke))],
    paper: frame.getComputedStyle(page.body).backgroundColor, charts: page.querySelectorAll("svg").length,
    smallest: Math.min(...[...page.querySelectorAll("svg text")].map(each => each.getBoundingClientRect().height)),
  }});
}};
</script></body>"""  # noqa: E501


def look(folder, text, width, *, dark=False):
    """What the browser measures, and the bytes of a screenshot."""
    (folder / "frame.html").write_text(FRAME.format(width=width, page=html.escape(text)), encoding="utf-8")
    picture = folder / "screen.png"
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
        f"--user-data-dir={folder / 'profile'}", f"--window-size={max(width, 600)},1600",
        f"--blink-settings=preferredColorScheme={0 if dark else 1}",
    ]  # fmt: skip
    address = (folder / "frame.html").as_uri()
    subprocess.run([*command, f"--screenshot={picture}", address], capture_output=True, timeout=240, check=True)
    dumped = subprocess.run(
        [*command, "--dump-dom", address], capture_output=True, text=True, timeout=240, check=True
    ).stdout
    found = re.search(r'data-found="([^"]*)"', dumped)
    assert found, "the browser has not measured anything"
    return json.loads(html.unescape(found[1])), picture.read_bytes()


def brightness(colour):
    """Relative luminance (WCAG 2) of `rgb(r, g, b)`."""
    values = np.array([float(each) for each in re.findall(r"[\d.]+", colour)[:3]]) / 255
    linear = np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    light, dark = sorted((brightness(one), brightness(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    for name, seed in (("a-run-whose-name-is-long-and-has-no-place-to-break-it-at-all-on-a-phone", 1), ("b", 2)):
        dev, train = sources()
        names = dev.decoder.features
        dev.decoder.features = [*names[:3], *(f"{name}_<wide&long>_WWWWWWWW_饭饭饭饭饭饭" for name in names[3:])]
        grouped_tuner(MeanDifference(), SeededStep(), seed=seed).fit(dev, train=train, output=folder / name)
    records = [RunRecord(path) for path in sorted(folder.iterdir())]
    few = Resampling(samples=20, trials=20)
    compared = compare_runs(records, resampling=few)
    curve = Curve("mira", "step_cap", ["1", "0.1", "0.01"], {"tune": [3.0, 2.0, 1.0], "devtest": [1.0, 2.0, 1.0]})
    wide = page.Table(["setting", *("devtest" for _ in range(12))], [["step_cap=0.01", *("44.44",) * 12]])
    opening = [page.table(wide), draw_curves([curve, curve])]  # as `tune --sweep` has them
    return {
        "run": run_page(records[0]),
        "comparison": comparison_page(compared),
        "study": comparison_page(compared, title="Settings tried", opening=opening),
    }


@pytest.mark.parametrize(
    ("name", "width", "dark"),
    [
        ("run", PHONE, False),
        ("run", DESKTOP, True),
        ("comparison", PHONE, True),
        ("comparison", DESKTOP, False),
        ("study", PHONE, True),
    ],
)
def test_pages_fit_the_screen_and_can_be_read(tmp_path, pages, name, width, dark):
    found, picture = look(tmp_path, pages[name], width, dark=dark)
    assert found["width"] <= width
    assert found["outside"] == []
    assert found["charts"] >= 6
    assert found["smallest"] > 10  # pixels: text of charts does not shrink with them
    paper = found["paper"]
    assert (brightness(paper) < 0.1) == dark
    assert min(contrast(colour, paper) for colour in found["colours"]) >= 4.5  # WCAG 2, level AA
    assert min(contrast(colour, paper) for colour in found["lines"]) >= 3  # of graphics
    image = pytest.importorskip("PIL.Image")
    pixels = np.asarray(image.open(io.BytesIO(picture)).convert("L"))[:, :width]
    assert (np.median(pixels) < 64) == dark
    assert len(np.unique(pixels)) > 50  # something is drawn
