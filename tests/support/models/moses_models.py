"""Small models of Moses for tests of the import: a `moses.ini` and the files it names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.training.import_moses import import_moses

ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n0\t<s>\n-0.5\t</s>\n-0.3\thouse\n\n\\end\\\n"


def write_parts(folder: Path, parts: Mapping[str, str]) -> Path:
    """The files by name; the path of the ini file among them."""
    for name, text in parts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "moses.ini"


def assert_refused(ini: Path, says: str) -> None:
    """Importing fails with this message, and leaves no files."""
    model = ini.parent / "model"
    with pytest.raises((FormatError, MissingFileError), match=says):
        import_moses(ini, model)
    assert not model.exists()
    assert not list(ini.parent.glob(".*"))
