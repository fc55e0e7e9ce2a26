"""The notebook of n-best lists runs, and is kept without outputs."""

import json
from pathlib import Path

NOTEBOOK = Path(__file__).parents[3] / "docs" / "guides" / "rerank.ipynb"


def test_its_cells_run_in_order_and_reranking_helps_on_other_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    code = [each for each in cells if each["cell_type"] == "code"]
    assert all(each["outputs"] == [] and each["execution_count"] is None for each in code)
    names = {}
    for number, each in enumerate(code):
        exec(compile("".join(each["source"]), f"cell {number}", "exec"), names)
    assert list(names["dev"].features) == ["nmt", "lm", "length", "agreement"]
    for first, chosen in names["result"].values():
        assert chosen > first
