"""What is published: Markdown, JSON and a page that needs no other file."""

import dataclasses
import json
import re

from tunesmith.evaluation.bootstrap import Interval
from tunesmith.experiments.liu2013.page import page
from tunesmith.experiments.liu2013.pictures import draw_all
from tunesmith.experiments.liu2013.results import RowResult, SetScore
from tunesmith.experiments.liu2013.rows import ROWS
from tunesmith.experiments.liu2013.table import HEADER, Table
from tunesmith.signature import Signature


def result(row, score, difference=None, p_value=None, tried=(), **details):
    found = SetScore(score, None, Interval(score - 2, score + 2, score, 0.95, 1000), difference, p_value)
    return RowResult(row, 9, 8, found, found, score, 1.25, ("l2d=0.1",), tuple(tried), details, "tune x")


def table():
    tried = [{"settings": ["l2d=0.1"], "devtest": 41.0}, {"settings": ["l2d=0.01"], "devtest": 40.5}]
    strange = dataclasses.replace(ROWS[0], name="strange", method="a|b <c>")
    results = [
        result(ROWS[1], 40.0),
        result(ROWS[2], 38.0, -2.0, 0.01),
        result(strange, 41.0, 1.0, 0.2, tried, sizes=[5, 2, 1]),
    ]
    return Table("Title", results, ROWS[1].name, {"rules (d)": 388559}, Signature("experiment x", {"seed": 1}))


def test_markdown_is_a_table_with_as_many_cells_in_every_row():
    lines = [line for line in table().markdown().splitlines() if line.startswith("|")]
    cells = [re.split(r"(?<!\\)\|", line.strip("|")) for line in lines[:5]]
    assert {len(each) for each in cells} == {len(HEADER)}
    assert "**-2.00**" in lines[3]
    assert "**" not in lines[4]
    assert r"a\|b" in lines[4]
    assert "388,559" in table().markdown()


def test_json_holds_all_rows_unrounded(tmp_path):
    table().write(tmp_path)
    document = json.loads((tmp_path / "table.json").read_text(encoding="utf-8"))
    assert [row["test"]["score"] for row in document["rows"]] == [40.0, 38.0, 41.0]
    assert document["rows"][0]["published"]["test"] == 41.1
    assert document["base"] == ROWS[1].name
    assert document["signature"]["seed"] == 1


def test_the_page_stands_alone_and_suits_dark_screens():
    found = table()
    pictures = draw_all(found.results, found.base)
    assert set(pictures) == {"scores", "sweeps", "groups"}
    text = page(found, pictures)
    assert text.count("<svg ") == 3
    assert "prefers-color-scheme: dark" in text
    assert "&lt;c&gt;" in text
    assert '<b class="bad">-2.00</b>' in text  # the colour of the picture
    assert "var(--bad)" in pictures["scores"][0].svg
    assert "var(--good)" not in pictures["scores"][0].svg  # +1.00, but p = 0.2
    assert re.search(">5<.*>2<", pictures["groups"][0].svg)  # sizes as they are, not 5×10⁰
    assert not re.search(r"(src|href)=.(https?:|[a-z]+/)", text.replace("xlink:href", "xlink"))
    assert draw_all(found.results, found.base) == pictures  # the same bytes
