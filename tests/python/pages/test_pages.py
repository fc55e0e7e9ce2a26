"""Pages that fail say why."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = """
```python
try:
    {}["missing"]
except KeyError:
    raise ValueError("the page is wrong")
```

```console
$ echo seen
shown
```
"""


def test_an_error_with_a_cause_and_other_output_are_failures_of_their_page(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.md").write_text(PAGE)
    shutil.copy(ROOT / "conftest.py", tmp_path)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-o", f"pythonpath={ROOT / 'tests'}"]
    ended = subprocess.run(
        [*command, "-c", "/dev/null", f"--rootdir={tmp_path}", "docs/page.md"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "2 failed" in ended.stdout
    assert "ValueError: the page is wrong" in ended.stdout
    assert "saw:\nseen" in ended.stdout
