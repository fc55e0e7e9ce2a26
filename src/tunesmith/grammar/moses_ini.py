"""`moses.ini`: sections, feature functions, weights. What they mean is decided by who asks for them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.io import StrPath, display_name, read_lines


@dataclass(frozen=True)
class Entry:
    """A value of a section, with the line it stands in."""

    text: str
    line: int


@dataclass(frozen=True)
class FeatureFunction:
    """A line of `[feature]`: `KENLM name=LM0 path=lm.arpa`. Without a name it is `KENLM0`, `KENLM1` and so on."""

    kind: str
    name: str
    arguments: Mapping[str, str]
    line: int


@dataclass(frozen=True)
class MosesIni:
    """sections: everything but features and weights, by name.   weights: by name of the feature function."""

    path: Path
    sections: Mapping[str, Sequence[Entry]]
    section_lines: Mapping[str, int]
    features: Sequence[FeatureFunction]
    weights: Mapping[str, Sequence[float]]

    def error(self, message: str, line: int | None = None) -> FormatError:
        return FormatError(message, path=display_name(self.path), line=line)

    def integers(self, section: str) -> list[int]:
        """Return the whole numbers of a section; none if it is missing."""
        found = []
        for entry in self.sections.get(section, ()):
            if not (entry.text.isascii() and entry.text.isdigit() and len(entry.text) < 10):
                raise self.error(f"[{section}]: expected a whole number, got {entry.text!r}", entry.line)
            found.append(int(entry.text))
        return found

    def file(self, feature: FeatureFunction) -> Path:
        """Return the file of a feature function, or the same with `.gz`, as Moses looks for it.

        Next to this one if it is there, else from the working folder.
        """
        if "path" not in feature.arguments:
            raise self.error(f"{feature.name} has no path=", feature.line)
        named = Path(feature.arguments["path"])
        for path in (self.path.parent / named, named):
            for file in (path, path.with_name(f"{path.name}.gz")):
                if file.exists():
                    return file
        raise MissingFileError(
            f"{display_name(self.path)}:{feature.line}: {named}: no such file, neither in {self.path.parent} nor "
            "in the working folder"
        )


def read_moses_ini(path: StrPath) -> MosesIni:
    """Read a configuration file of Moses; FormatError with `path:line` for what is none."""
    name = display_name(path)
    sections: dict[str, list[Entry]] = {}
    lines: dict[str, int] = {}
    current: str | None = None
    for number, raw in enumerate(read_lines(path), 1):
        text = raw.partition("#")[0].strip()
        if not text:
            continue
        if text.startswith("[") and text.endswith("]"):
            current = text[1:-1].strip()
            if current in sections:
                raise FormatError(f"[{current}] came in line {lines[current]} before", path=name, line=number)
            sections[current], lines[current] = [], number
        elif current is None:
            raise FormatError("expected a section such as [feature] first; is this a moses.ini?", path=name,
                              line=number)  # fmt: skip
        else:
            sections[current].append(Entry(text, number))
    for needed in ("feature", "weight"):
        if needed not in sections:
            raise FormatError(
                f"there is no section [{needed}]; the configuration files of Moses since version 2.1 have one",
                path=name,
            )
    features = _features(sections.pop("feature"), name)
    weights = _weights(sections.pop("weight"), {feature.name for feature in features}, name)
    return MosesIni(Path(path), sections, lines, features, weights)


def _features(entries: Sequence[Entry], path: str) -> list[FeatureFunction]:
    features: list[FeatureFunction] = []
    seen: Counter[str] = Counter()
    for entry in entries:
        kind, *words = entry.text.split()
        arguments: dict[str, str] = {}
        for word in words:
            key, equals, value = word.partition("=")
            if not (key and equals) or key in arguments:
                raise FormatError(f"expected key=value, each key once, got {word!r}", path=path, line=entry.line)
            arguments[key] = value
        name = arguments.pop("name", f"{kind}{seen[kind]}")
        seen[kind] += 1
        if any(feature.name == name for feature in features):
            raise FormatError(f"two feature functions are called {name}", path=path, line=entry.line)
        features.append(FeatureFunction(kind, name, arguments, entry.line))
    return features


def _weights(entries: Sequence[Entry], known: set[str], path: str) -> dict[str, list[float]]:
    weights: dict[str, list[float]] = {}
    for entry in entries:
        name, equals, values = entry.text.partition("=")
        name = name.strip()
        try:
            numbers = [float(value) for value in values.split()]
        except ValueError:
            numbers = []
        if not equals or not numbers or not all(map(math.isfinite, numbers)):
            raise FormatError(
                f"expected a name, = and finite numbers, got {entry.text!r}", path=path, line=entry.line
            )
        if name not in known:
            raise FormatError(
                f"a weight for {name}, but [feature] has none of that name", path=path, line=entry.line
            )
        if name in weights:
            raise FormatError(f"{name} has weights in two lines", path=path, line=entry.line)
        weights[name] = numbers
    return weights
