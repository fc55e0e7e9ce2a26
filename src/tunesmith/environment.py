"""What this machine and this installation offer, and what is missing for which use."""

from __future__ import annotations

import locale
import os
import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import tunesmith
from tunesmith import _core
from tunesmith.build import build_digest

_REQUIREMENT = re.compile(r"^([A-Za-z0-9._-]+)")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
_USES = {
    "align": "word alignment by eflomal, fast_align and others; without it, train takes the built-in IBM 1 + HMM",
    "zh": "the Chinese tokeniser (--tokenize zh)",
    "sentencepiece": "subword models (--tokenize sentencepiece)",
    "plots": "pictures of experiments and groups",
    "kenlm": "KenLM's binary models as features of lists",
    "pandas": "to_pandas()",
    "tensorboard": "curves of runs for TensorBoard",
    "serve": "tunesmith serve",
    "cluster": "work on a cluster (--cluster)",
}
_FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "/Library/Fonts", "/System/Library/Fonts")
_OWN_FONTS = (".local/share/fonts", ".fonts", "Library/Fonts")
"""Folders of fonts in a home directory."""
_CHINESE_FONT = re.compile(
    r"cjk|source ?han|wqy|droidsansfallback|uming|ukai|arphic|pingfang|stheiti|songti", re.IGNORECASE
)
_LITTLE_MEMORY, _LITTLE_DISK = 2 << 30, 1 << 30


@dataclass(frozen=True)
class Finding:
    """One fact. state: `ok`, `note` (something is missing that not everybody needs) or `problem`.

    advice: what to do about it; empty where nothing has to be done.
    """

    subject: str
    value: str
    state: str = "ok"
    advice: str = ""


def findings() -> Iterator[Finding]:
    """Look at versions, the native module, processors, memory, disk and extras."""
    yield Finding("tunesmith", f"{tunesmith.__version__}, build {build_digest()}")
    yield Finding("Python", f"{platform.python_version()} ({sys.executable})")
    yield Finding("native module", Path(_core.__file__).name)
    yield Finding("system", f"{platform.system()} {platform.machine()}")
    yield _processors()
    yield _memory()
    for name, where in (("disk here", Path.cwd), ("disk for temporary files", tempfile.gettempdir)):
        try:
            yield _disk(name, Path(where()))
        except OSError as error:  # the folder was removed, or there is none to write to
            yield Finding(name, str(error.strerror), "problem", "work in another folder, or set TMPDIR")
    yield _encoding()
    yield _fonts(_font_folders())
    for extra, libraries in sorted(_extras().items()):
        yield _extra(extra, libraries)


def _processors() -> Finding:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Finding("processors", f"{usable} usable of {os.cpu_count()}; -j uses at most 4 by default")


def _memory() -> Finding:
    try:
        text = Path("/proc/meminfo").read_text(encoding="ascii")
    except OSError:
        return Finding("memory", "unknown on this system")
    sizes = {name: int(value) << 10 for name, value in re.findall(r"^(Mem\w+):\s+(\d+) kB", text, re.MULTILINE)}
    free, total = sizes.get("MemAvailable", 0), sizes.get("MemTotal", 0)
    shown = f"{_gigabytes(free)} free of {_gigabytes(total)}"
    if free < _LITTLE_MEMORY:
        return Finding("memory", shown, "note", "training on 50,000 pairs and more needs 2 GB")
    return Finding("memory", shown)


def _disk(name: str, folder: Path) -> Finding:
    try:
        usage = shutil.disk_usage(folder)
        writable = os.access(folder, os.W_OK)
    except OSError as error:
        return Finding(name, f"{folder}: {error.strerror}", "problem", "work in another folder")
    shown = f"{folder}: {_gigabytes(usage.free)} free"
    if not writable:
        return Finding(name, f"{folder}: cannot be written to", "note", "work in another folder, or set TMPDIR")
    if usage.free < _LITTLE_DISK:
        return Finding(name, shown, "note", "tuning with lists of training data needs more than 1 GB")
    return Finding(name, shown)


def _encoding() -> Finding:
    encoding = locale.getpreferredencoding(False)
    if encoding.lower().replace("-", "") != "utf8":
        return Finding("text encoding", encoding, "note", "set a UTF-8 locale, such as LC_ALL=C.UTF-8")
    return Finding("text encoding", encoding)


def _font_folders() -> list[Path]:
    home = os.environ.get("HOME")
    return [*(Path(home, each) for each in _OWN_FONTS if home), *map(Path, _FONT_FOLDERS)]


def _fonts(folders: Sequence[Path]) -> Finding:
    """Report fonts for reading reports on this machine. Chinese fonts are recognised by their file names."""
    names = {
        path.name
        for folder in folders
        if folder.is_dir()
        for path in folder.rglob("*")
        if path.suffix.lower() in (".ttf", ".otf", ".ttc")
    }
    chinese = sorted(name for name in names if _CHINESE_FONT.search(name))
    if not chinese:
        count = f"{len(names)}, none of them with Chinese letters" if names else "none"
        advice = "to see reports with Chinese text on this machine, install one (Debian: fonts-noto-cjk)"
        return Finding("fonts", count, "note", advice)
    return Finding("fonts", f"{len(names)}, with Chinese letters: {chinese[0]}")


def _extras() -> dict[str, list[str]]:
    """Return libraries of each extra, as the installed package names them."""
    found: dict[str, list[str]] = {}
    for line in metadata.requires("tunesmith") or ():
        extra, library = _EXTRA.search(line), _REQUIREMENT.match(line)
        if extra and library and extra[1] != "all" and library[1] != "tunesmith":
            found.setdefault(extra[1], []).append(library[1])
    return found


def _extra(extra: str, libraries: list[str]) -> Finding:
    versions, missing = [], []
    for library in libraries:
        try:
            versions.append(f"{library} {metadata.version(library)}")
        except metadata.PackageNotFoundError:
            missing.append(library)
    use = _USES.get(extra, "")
    if missing:
        advice = f"for {use}: pip install 'tunesmith[{extra}]'"
        return Finding(f"extra {extra}", f"not installed: {', '.join(missing)}", "note", advice)
    return Finding(f"extra {extra}", ", ".join(versions))


def _gigabytes(size: int) -> str:
    return f"{size / (1 << 30):.1f} GB"
