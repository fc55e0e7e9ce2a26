"""Digest of the program that computes results, stored with the results.

A version names a release; between two releases, code and defaults change while the version does not. Files on disk
count as the result of a stage, a training step or a tuning run only if the same build wrote them.

The digest covers the name and bytes of every file of the package, data included, and the native module that is
loaded.
It leaves out `cli/` (which reads options and prints; the settings that it passes on are stored, and no other
package imports it), type stubs, bytecode, hidden files, and other packages including plug-ins, of which only the
settings are stored. All other code counts for every result. A finer choice would have to follow imports, and a
missed import would let an outdated result count as current; computing a result again costs only time.

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
    """Return the digest of the running program: 16 hexadecimal digits."""
    return digest_of(Path(__file__).parent, Path(_core.__file__))


def digest_of(package: Path, native: Path) -> str:
    """Return the digest of a package and its native module, wherever they are installed."""
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
