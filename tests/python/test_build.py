"""The digest of the build: it changes with the program, and with nothing else."""

import shutil
from pathlib import Path

import pytest

import tunesmith
from tunesmith import _core
from tunesmith.build import build_digest, digest_of

PACKAGE, NATIVE = Path(tunesmith.__file__).parent, Path(_core.__file__)


@pytest.fixture
def package(tmp_path):
    """A small package with all kinds of files."""
    folder = tmp_path / "one" / "tunesmith"
    for name in (
        "__init__.py",
        "tuning/recipes.py",
        "corpus/data/words.txt",
        "cli/tuning/tune.py",
        "_core.pyi",
        "_core.so",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{name} = 1\n")
    return folder


def digest(package):
    return digest_of(package, package / "_core.so")


@pytest.mark.parametrize("name", ["__init__.py", "tuning/recipes.py", "corpus/data/words.txt", "_core.so"])
def test_one_byte_of_code_data_or_native_module_changes_it(package, name):
    before = digest(package)
    content = bytearray((package / name).read_bytes())
    content[-2] ^= 1
    (package / name).write_bytes(content)
    assert digest(package) != before


def test_names_of_files_count(package):
    before = digest(package)
    (package / "tuning/recipes.py").rename(package / "tuning/losses.py")
    renamed = digest(package)
    (package / "tuning/losses.py").unlink()
    assert len({before, renamed, digest(package)}) == 3


@pytest.mark.parametrize(
    "name",
    [
        "tuning/__pycache__/recipes.cpython-311.pyc",
        "tuning/recipes.pyc",
        "cli/tuning/tune.py",
        "cli/deeper/other.py",
        "_core.pyi",
        "_core.abi3.so",  # of another Python: the one that is loaded counts
        "tuning/.recipes.py.swp",
        "py.typed",
    ],
)
def test_what_computes_nothing_does_not_count(package, name):
    before = digest(package)
    (package / name).parent.mkdir(parents=True, exist_ok=True)
    (package / name).write_text("something else")
    assert digest(package) == before


def test_it_is_that_of_a_copy_of_the_package_wherever_it_is(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "site-packages/tunesmith", ignore=shutil.ignore_patterns("*.pyc", "*.so"))
    shutil.copy(NATIVE, tmp_path / "native")
    assert digest_of(tmp_path / "site-packages/tunesmith", tmp_path / "native") == build_digest()
    with (tmp_path / "site-packages/tunesmith/tuning/recipes.py").open("a") as recipes:
        recipes.write("\n")
    assert digest_of(tmp_path / "site-packages/tunesmith", tmp_path / "native") != build_digest()
