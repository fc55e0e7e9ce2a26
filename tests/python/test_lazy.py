"""Packages whose names are imported when they are used."""

import importlib
import pkgutil
from pathlib import Path

import pytest

import tunesmith

ROOT = Path(tunesmith.__file__).parent
LAZY = [
    ".".join(("tunesmith", *path.parent.relative_to(ROOT).parts))
    for path in sorted(ROOT.rglob("__init__.py"))
    if "names_of(" in path.read_text("utf-8")
]


@pytest.mark.parametrize("name", LAZY)
def test_every_name_is_there_and_no_module_hides_it(name):
    package = importlib.import_module(name)
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    assert package.__all__
    for exported in package.__all__:
        assert exported not in modules
        assert getattr(package, exported) is not None
    with pytest.raises(AttributeError, match="has no attribute 'missing'"):
        _ = package.missing


@pytest.mark.parametrize(
    ("package", "old", "new"),
    [
        ("tunesmith.decoding", "JackknifeDecoder", "HeldOutDecoder"),
        ("tunesmith.grammar", "OwnRules", "LeaveOneOutCounts"),
        ("tunesmith.grammar", "find_own_rules", "find_leave_one_out_counts"),
    ],
)
def test_old_names_are_the_new_ones_with_a_warning(package, old, new):
    module = importlib.import_module(package)
    with pytest.warns(DeprecationWarning, match=f"{old} is now called {new}"):
        assert getattr(module, old) is getattr(module, new)
    with pytest.warns(DeprecationWarning, match=new):  # every time
        _ = getattr(module, old)
