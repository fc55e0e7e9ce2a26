"""docs/research/papers.md names files and tests that exist."""

import re
from pathlib import Path

import tunesmith

ROOT = Path(__file__).parents[3]
BELOW = (ROOT, ROOT / "tests" / "python", ROOT / "docs", Path(tunesmith.__file__).parent)


def test_every_file_exists():
    page = (ROOT / "docs" / "research" / "papers.md").read_text(encoding="utf-8")
    missing, folder, count = [], "", 0
    for name in re.findall(r"`([\w/.-]+\.(?:py|cpp|hpp|md))`", page):
        count += 1
        folder = name.rpartition("/")[0] or folder  # a bare name is in the folder of the one before
        places = [place / each for place in BELOW for each in (name, f"{folder}/{name}")]
        if not any(place.is_file() for place in places):
            missing.append(name)
    assert count > 100
    assert missing == []
