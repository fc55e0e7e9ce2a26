"""Tables of research pages are data: pages and files say the same, and a difference is reported with its line."""

import json

import published_tables as tables
import pytest
from hypothesis import given
from hypothesis import strategies as st

PAGE = """# Scores

| tuner | BLEU | Δ | note |
|---|--:|--:|---|
| a\\|b | 44.10 | | 1.5 ± 0.2 |
| c | 45.00 | +0.90 | - |
"""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "docs" / "research" / "log" / "page.md"
    path.parent.mkdir(parents=True)
    path.write_text(PAGE)
    return path


def test_pages_are_what_their_files_say():
    assert tables.problems() == []


def test_a_new_table_is_asked_for_taken_and_compared(page, tmp_path):
    (asked,) = tables.problems(tmp_path)
    assert asked.startswith("docs/research/log/page.md:3: a table of figures without data")
    assert tables.take(page) == 1
    assert tables.problems(tmp_path) == []
    kept = json.loads((tmp_path / "docs" / "research" / "tables" / "log-page.json").read_text())["scores"]
    assert kept["rows"] == [["a|b", 44.1, "", "1.5 ± 0.2"], ["c", 45.0, 0.9, "-"]]
    assert (kept["signature"], kept["note"]) == (None, tables.NOT_RECORDED)
    assert tables.take(page) == 0

    page.write_text(page.read_text().replace("45.00", "45.10"))
    assert tables.problems(tmp_path) == ["docs/research/log/page.md:8: is not row 2 of table 'scores'"]
    tables.write(page)
    assert tables.problems(tmp_path) == []
    page.write_text("# No table\n")
    assert tables.problems(tmp_path) == ["docs/research/tables/log-page.json: table 'scores' is on no page"]
    page.unlink()
    assert tables.problems(tmp_path) == ["docs/research/tables/log-page.json: belongs to no page"]


def test_whole_numbers_are_figures_on_research_pages_only(tmp_path):
    table = "# Memory\n\n| part | MB |\n|---|---|\n| a | 36 |\n| b | 209 |\n| c | 33 % |\n| d | 4 |\n"
    for folder in ("research", "reference"):
        path = tmp_path / "docs" / folder / "page.md"
        path.parent.mkdir(parents=True)
        path.write_text(table)
    (asked,) = tables.problems(tmp_path)
    assert asked.startswith("docs/research/page.md:3: a table of figures without data")


@pytest.mark.parametrize("signature", ["experiment x|seed:1", {"text": "experiment x|seed:1", "seed": 1}])
def test_the_signature_comes_from_the_experiment(page, tmp_path, signature):
    (tmp_path / "table.json").write_text(json.dumps({"signature": signature}))
    tables.take(page, tmp_path)
    kept = json.loads(tables.file_of(page).read_text())["scores"]
    assert (kept["signature"], kept.get("note")) == ("experiment x|seed:1", None)


cell = st.one_of(
    st.floats(-1e6, 1e6).map("{:.2f}".format),
    st.integers(-999, 999).map("{:+}".format),
    st.text(st.sampled_from("ab|+-.0 1"), max_size=6).map(str.strip).filter(lambda text: not text.endswith("\\")),
)


@given(
    st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(cell, min_size=width, max_size=width), min_size=1))
)
def test_any_cells_come_back(rows):
    lines = tables.rendered({"columns": [{"title": "t", "align": "---"} for _ in rows[0]], "rows": rows})
    (found,) = tables.tables_of("\n".join(lines))
    data = json.loads(json.dumps(tables.as_data(found)))
    (again,) = tables.tables_of("\n".join(tables.rendered(data)))
    assert again.cells[2:] == found.cells[2:] == rows
