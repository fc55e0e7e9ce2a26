"""Imports point along the way of the data and never back (ARCHITECTURE)."""

import ast
import re
from pathlib import Path

import pytest

import tunesmith

ROOT = Path(tunesmith.__file__).parent

# What each package may import besides itself and the modules next to __init__.py.
BELOW = {
    "corpus": set(),
    "alignment": {"corpus", "execution"},
    "clustering": {"corpus"},
    "lm": {"corpus"},
    "grammar": {"corpus", "alignment", "lm"},
    "features": {"corpus", "alignment", "clustering", "lm", "grammar"},
    "training": {"corpus", "alignment", "clustering", "lm", "grammar", "features"},
    "metrics": {"corpus"},
    "search": {"corpus", "metrics", "grammar", "features", "lm"},
    "decoding": {"corpus", "lm", "grammar", "features", "search", "execution"},
    "tuning": {"corpus", "metrics", "features", "search", "execution"},
    "execution": set(),
    "evaluation": {"corpus", "metrics", "features", "search", "tuning", "decoding"},
    "jobs": {
        *("corpus", "grammar", "features", "training", "metrics", "search", "decoding", "tuning", "evaluation"),
        "execution",
    },
    "serving": {"corpus", "decoding", "evaluation", "tuning"},
    "experiments": {
        "corpus",
        "alignment",
        "clustering",
        "lm",
        "grammar",
        "features",
        "training",
        "metrics",
        "search",
        "decoding",
        "tuning",
        "evaluation",
        "execution",
        "jobs",
    },
}
BASE = {
    *("errors", "checks", "io", "registry", "settings", "config", "signature", "weights", "weight_formats"),
    "text_part",
    *("_core", "__init__"),
}


def imported_packages(source: Path) -> set[str]:
    """First components below tunesmith of everything the file imports, wherever in the file."""
    found = set()
    for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{source}: relative import; name the module in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in names:
            parts = name.split(".")
            if parts[0] == "tunesmith" and len(parts) > 1 and (ROOT / parts[1]).exists():
                found.add(parts[1])
    return found


def packages() -> list[str]:
    return sorted(folder.name for folder in ROOT.iterdir() if (folder / "__init__.py").exists())


@pytest.mark.parametrize("package", packages())
def test_a_package_imports_only_what_is_below_it(package):
    if package in ("cli", "io"):
        return  # on top of everything, and below everything
    assert package in BELOW, f"{package} is new: say in this test what it may import"
    for source in sorted((ROOT / package).rglob("*.py")):
        above = imported_packages(source) - BELOW[package] - {package, "io"}
        assert not above, f"{source.relative_to(ROOT)} imports {sorted(above)}"


def test_modules_beside_the_packages_import_no_package():
    for source in set(ROOT.glob("*.py")) - {ROOT / "__main__.py"}:  # the door to the command line
        assert imported_packages(source) <= BASE, source.name


def test_the_core_has_no_python_header_outside_bind():
    cpp = Path(__file__).parents[2] / "cpp"
    for source in cpp.rglob("*.[ch]pp"):
        if source.relative_to(cpp).parts[0] != "bind":
            text = source.read_text(encoding="utf-8")
            assert "Python.h" not in text, source
            assert "nanobind" not in text, source


def test_the_core_includes_only_what_is_below():
    """The folders of cpp/ follow the same order; base is below all, bind above all."""
    cpp = Path(__file__).parents[2] / "cpp"
    for source in cpp.rglob("*.[ch]pp"):
        folder = source.relative_to(cpp).parts[0]
        if folder == "bind":
            continue
        allowed = {"base", folder} | (BELOW[folder] if folder != "base" else set())
        for line in source.read_text(encoding="utf-8").splitlines():
            if line.startswith('#include "'):
                included = line.split('"')[1].split("/")[0]
                assert included in allowed, f"{source.relative_to(cpp)} includes {line.split(chr(34))[1]}"


# What is cast there is bounded: by a check before, or by what a rule may have.
CAST = {"grammar/collection/spill.cpp": 1}


def test_the_core_narrows_sizes_with_a_check():
    """A size in 32 bits is `narrow<std::uint32_t>(size)`, an error where it does not fit (cpp/base/narrow.hpp)."""
    cpp = Path(__file__).parents[2] / "cpp"
    small = r"(?:std::)?u?int(?:16|32)_t|EdgeId|NodeId|HypothesisId"
    cast = re.compile(rf"static_cast<(?:{small})>\([^;,)]*?\.size\(\)")
    found = {
        source.relative_to(cpp).as_posix(): len(cast.findall(source.read_text(encoding="utf-8")))
        for source in sorted(cpp.rglob("*.[ch]pp"))
    }
    assert {name: count for name, count in found.items() if count} == CAST
