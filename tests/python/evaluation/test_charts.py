"""Charts: what is drawn is where it should be, is well-formed, and says in words what it shows."""

import math
import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tunesmith.evaluation.pages.charts import Line, bar_chart, line_chart, log_chart, scatter_chart
from tunesmith.evaluation.pages.drawing import LEFT, Chart, svg_file
from tunesmith.evaluation.pages.labels import feature_labels, short_different, text_units, text_width
from tunesmith.evaluation.pages.page import Table, escape, page, table, word_changes
from tunesmith.evaluation.pages.scales import axis_range, log_ticks, tick_labels, ticks

NUMBERS = st.floats(-1e6, 1e6)
STRANGE = "<b>&\"'</svg>\x00\ud800"


def parsed(figure):
    """The figure as XML; an error where it is not well-formed."""
    return ElementTree.fromstring(figure.html)


@given(NUMBERS, st.floats(1e-2, 1e6), st.integers(2, 9))
def test_ticks_are_round_numbers_inside(low, span, wanted):
    found = ticks(low, low + span, wanted)
    assert len(found) <= wanted + 2
    assert all(low - 1e-6 * span <= value <= low + span * (1 + 1e-6) for value in found)
    for step in (b - a for a, b in pairwise(found)):
        mantissa = step / 10 ** math.floor(math.log10(step) + 1e-6)
        assert min(abs(mantissa - good) for good in (1, 2, 5, 10)) < 1e-3


@given(st.floats(-1000, 1000), st.floats(1e-3, 1e4))
def test_labels_of_ticks_are_different_and_right(low, span):
    values = ticks(low, low + span, 5)
    labels = tick_labels(values)
    assert len(set(labels)) == len(values)
    units = {"k": "e3", "M": "e6", "G": "e9"}
    numbers = [float(re.sub("[kMG]", lambda unit: units[unit[0]], label.replace(",", ""))) for label in labels]
    assert numbers == pytest.approx(values, abs=1e-9)


@given(st.floats(1, 1e12))
def test_labels_of_counts_have_room_before_the_axis(largest):
    for labels in (tick_labels(ticks(0, largest, 5)), [text for _, text in log_ticks(0, math.log10(largest))]):
        assert max(map(text_width, labels), default=0) <= LEFT - 6


def test_labels_of_very_small_and_large_numbers_are_short():
    for low, high in ((0.0, 3e-7), (0.0, 4e9)):
        assert max(map(len, tick_labels(ticks(low, high, 5)))) <= 7


@given(NUMBERS, st.floats(0, 1e6), st.floats(0, 1e3))
def test_an_axis_never_magnifies_small_changes(low, span, least):
    high = low + span
    bottom, top = axis_range(low, high, least)
    assert bottom <= low <= high <= top
    assert top - bottom >= 0.999 * max(least, 0.05 * max(abs(low), abs(high)))
    assert bottom >= 0 or low < 0
    assert top <= 0 or high > 0 or (low, high) == (0, 0)


def test_three_hundredths_of_a_bleu_point_look_small():
    root = parsed(line_chart(Chart("t"), [Line("dev", [(0, 53.12), (1, 53.15), (2, 53.13)])]))
    places = [float(each.get("cy")) for each in root.findall(".//circle")]
    assert 0 < max(places) - min(places) < 3  # pixels, of 204


def test_sizes_are_labelled_by_the_numbers_themselves():
    assert [text for _, text in log_ticks(0.0, math.log10(4))] == ["1", "2"]
    assert [text for _, text in log_ticks(0.0, 4.0)] == ["1", "10", "100", "1,000", "10k"]
    figure = log_chart(Chart("t"), [Line("a", [(at, 100 // at) for at in range(1, 100)])], "size")
    labels = {each.text for each in parsed(figure).findall(".//text")}
    assert {"1", "10", "100"} <= labels


FEATURES = ["lm", "translation:p(e|f)", "id:喝_[X,1]|drink_[X,1]", "source_triggers:喝|drink",
            "source_triggers:茶|tea", "lexical_alignment:喝|drink", "lexical_alignment:茶|tea_leaves"]  # fmt: skip


def test_labels_of_sparse_features_tell_them_apart():
    labels, told = feature_labels(FEATURES)
    assert labels == ["lm", "p(e|f)", "id 喝 [X,1] → drink [X,1]", "st 喝 → drink", "st 茶 → tea", "la 喝 → drink",
                      "la 茶 → tea leaves"]  # fmt: skip
    assert told == "st = source_triggers, la = lexical_alignment"
    assert feature_labels(FEATURES[3:5]) == (["喝 → drink", "茶 → tea"], "")


@given(st.lists(st.text("ab_:|喝W", min_size=1, max_size=30), unique=True, max_size=8), st.integers(8, 20))
def test_short_names_stay_different_and_fit(names, limit):
    found = short_different(names, limit)
    assert len(set(found)) == len(names)
    assert all(text_units(each) <= limit for each in found)


@given(st.lists(st.tuples(st.integers(0, 50), NUMBERS), min_size=1, max_size=8, unique_by=lambda point: point[0]))
def test_higher_values_are_drawn_higher_and_inside(points):
    root = parsed(line_chart(Chart("t"), [Line("a", sorted(points))]))
    circles = root.findall(".//circle")
    assert len(circles) == len(points)
    places = [(float(each.get("cx")), float(each.get("cy"))) for each in circles]
    width, height = map(float, root.find("svg").get("viewBox").split()[2:])
    assert all(0 <= x <= width and 0 <= y <= height for x, y in places)
    for (x, y), (_, value) in zip(places, sorted(points), strict=True):
        for (other_x, other_y), (_, other) in zip(places, sorted(points), strict=True):
            assert value <= other or y <= other_y
            assert x == other_x or value is not None


def test_a_line_breaks_where_there_is_no_number():
    lines = [Line("a", [(0, 1.0), (1, 2.0), (2, None), (3, math.nan), (4, 1.0), (5, 3.0), (6, None), (7, 1.0)])]
    root = parsed(line_chart(Chart("t"), lines))
    assert [len(each.get("points").split()) for each in root.findall(".//polyline")] == [2, 2]
    assert len(root.findall(".//circle")) == 5


def test_names_of_many_lines_do_not_lie_on_each_other():
    lines = [Line(f"line {at}", [(0, 0.0), (1, at / 1000)]) for at in range(12)]
    root = parsed(line_chart(Chart("t"), lines, names_at_ends=True))
    height = float(root.find("svg").get("viewBox").split()[3])
    places = [float(each.get("y")) for each in root.findall(".//text") if (each.text or "").startswith("line")]
    assert len(places) == 12
    assert min(b - a for a, b in pairwise(sorted(places))) >= 13.9
    assert 0 < min(places) <= max(places) < height


def test_bars_are_as_high_as_their_values():
    root = parsed(bar_chart(Chart("t"), ["a", "b"], {0.0: [1.0, 2.0], 1.0: [0.0, 4.0]}))
    heights = [float(each.get("height")) for each in root.findall(".//rect")]
    assert len(heights) == 3
    assert heights[1] == pytest.approx(2 * heights[0], abs=0.2)
    assert heights[2] == pytest.approx(4 * heights[0], abs=0.4)


def test_charts_say_what_they_show_and_nothing_breaks_out():
    figures = [
        line_chart(Chart(STRANGE, STRANGE), [Line(STRANGE, [(0, 1.0), (1, 2.0)])], names_at_ends=True),
        line_chart(Chart(STRANGE), [Line(STRANGE, [(0, 1.0)]), Line("b", [(0, 2.0)])], marked=0, level=1.5),
        bar_chart(Chart(STRANGE), [STRANGE, "b"], {0.0: [1.0, 2.0]}),
        scatter_chart(Chart(STRANGE), [(1.0, 2.0, STRANGE), (50.0, -1.0, "b")], STRANGE),
    ]
    for figure in figures:
        svg = parsed(figure).find("svg")
        assert svg.get("role") == "img"
        assert "</svg>" in svg.get("aria-label")  # as text
        assert svg.findall(".//title")


@pytest.mark.parametrize(
    "figure",
    [line_chart(Chart("t"), []), line_chart(Chart("t"), [Line("a", [(0, None)])]), bar_chart(Chart("t"), [], {}),
     bar_chart(Chart("t"), ["a"], {0.0: [0.0]}), scatter_chart(Chart("t"), [(0.0, 1.0, "a")], "y")],
)  # fmt: skip
def test_a_chart_of_nothing_says_so(figure):
    assert parsed(figure).find("svg") is None
    assert "no numbers to draw" in figure.html


def test_a_file_of_figures_is_an_svg_of_its_own():
    lines = [Line(STRANGE, [(0, 1.0), (1, 2.0)]), Line("b", [(0, 1.0)])]
    figures = [line_chart(Chart(STRANGE, STRANGE), lines)] * 3
    root = ElementTree.fromstring(svg_file(figures))
    assert len(root.findall(".//{*}svg")) == 3
    style = root.find("{*}style").text
    assert all(f"{name}:" in style for name in re.findall(r"var\((--\w+)\)", svg_file(figures)))


def test_a_table_too_wide_for_a_phone_names_its_cells():
    wide = table(Table(["a", *"bcdefghij"], [["x", *("44.44",) * 8, ""]], strong={(0, 1): "good", (0, 2): ""}))
    assert 'class="stack"' in wide
    assert wide.count("data-name=") == wide.count("<td") == 10
    assert '<b class="good">44.44</b>' in wide
    assert "<b>44.44</b>" in wide
    assert "stack" not in table(Table(["a", "b"], [["x", "44.44"]]))


def test_pages_escape_everything():
    text = page(STRANGE, [table(Table([STRANGE], [[STRANGE]])), escape(STRANGE)])
    assert "<b>&" not in text
    assert "\x00" not in text
    text.encode()


@given(st.text("ab <&", max_size=12), st.text("ab <&", max_size=12))
def test_marked_words_are_those_of_the_texts(before, after):
    for text, marked in zip((before, after), word_changes(before, after), strict=True):
        assert re.sub(r"</?(ins|del)>", "", marked) == escape(" ".join(text.split()))
    assert ("<del>" in "".join(word_changes(before, before))) is False
