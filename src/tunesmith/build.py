"""The build: a digest of the program that computes results, kept with them.

A version names a release; between two releases code and defaults change under one version. What is on disk counts
as the result of a stage, a training step or a tuning run only where the same build made it.

Every file of the package counts, data too, by its name and bytes, and so does the native module that is loaded.
What does not count: `cli/`, which reads options and prints (what it passes on is in the settings that are kept,
and no other package imports it), type stubs, bytecode and hidden files; nor do other packages, plug-ins among
them, of which only the settings are kept. All other code counts for every result. A finer choice would have to
follow imports, and one that it missed would make an old result pass for a new one; running again costs only time.

Signatures name the version and not the build: they are compared across machines, where native modules differ in
bytes and results do not.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tunesmith import _core
from tunesmith.io.digest import Digest

OTHER_BUILD = "made by another build of tunesmith"

_CLI = "cli"
_NOT_COUNTED = frozenset({".pyc", ".pyi", ".typed", ".so", ".pyd"})


@cache
def build_digest() -> str:
    """Digest of the program that runs: 16 hexadecimal digits."""
    return digest_of(Path(__file__).parent, Path(_core.__file__))


def digest_of(package: Path, native: Path) -> str:
    """Digest of a package and its native module, wherever they are installed."""
    digest = Digest()
    files = {path.relative_to(package): path for path in package.rglob("*") if path.is_file()}
    counted = {each.as_posix(): path for each, path in files.items() if _counts(each)}
    for name, path in [("_core", native), *sorted(counted.items())]:
        content = path.read_bytes()
        digest.add(f"{name}\0{len(content)}\0")
        digest.add(content)
    return digest.hex()


def _counts(path: Path) -> bool:
    hidden = any(part.startswith((".", "__pycache__")) for part in path.parts)
    return path.parts[0] != _CLI and path.suffix not in _NOT_COUNTED and not hidden
