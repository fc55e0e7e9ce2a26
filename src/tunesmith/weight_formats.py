"""Weights as other decoders read them: the `[weight]` block of a moses.ini with a file of sparse ones, and cdec's.

    [weight]                      LM0 0.5               (cdec: a name and a value on each line)
    LM0= 0.5                      TM0_0 0.1
    TM0= 0.1 0.2

A label of Moses with one value is the feature of that name (`label_0` in features.dat), one with several is
`label_0`, `label_1`, …, as in lists.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass

from tunesmith.checks import one_of
from tunesmith.errors import ConfigError, FormatError

_SECTION = re.compile(r"\s*\[([^\]]+)\]\s*")
_NUMBERED = re.compile(r"(.+)_(0|[1-9][0-9]{0,8})")


@dataclass(frozen=True)
class WrittenWeights:
    """config: the text of the configuration.   sparse: that of the file it names for sparse weights, or None."""

    config: str
    sparse: str | None = None


def weights_format(text: str) -> str:
    """Return `moses` for a text with a section [weight], else `cdec`."""
    sections = (_SECTION.fullmatch(line.partition("#")[0]) for line in text.splitlines())
    return "moses" if any(found and found[1] == "weight" for found in sections) else "cdec"


def write_weights(
    weights: Mapping[str, float], template: str | None, kind: str, sparse_path: str | None = None
) -> WrittenWeights:
    """Write weights in a format.

    template: the configuration whose weights are replaced, everything else stays; without one, weights alone.
    Labels of its [weight] section keep their number of values; every other feature is sparse, and goes to
    `sparse_path`, which becomes [weight-file].
    """
    one_of(("moses", "cdec"), kind=kind)
    if kind == "cdec":
        return WrittenWeights("".join(f"{name} {value!r}\n" for name, value in weights.items()))
    if template is None:
        return WrittenWeights("[weight]\n" + "".join(f"{line}\n" for line in _block(_labels(weights), weights)))
    labels = {label: len(values) for label, values in _moses_labels(template).items()}
    dense = {name for label, count in labels.items() for name in (label, *_numbered(label, count))}
    sparse = {name: value for name, value in weights.items() if name not in dense and value != 0}
    if sparse and sparse_path is None:
        raise ConfigError(
            f"{len(sparse)} weights are none of the template's [weight] section ({', '.join(list(sparse)[:3])}, "
            "…); say where the file of sparse weights goes: --sparse FILE"
        )
    lines = _without(template, ("weight", "weight-file") if sparse else ("weight",))
    lines += ["[weight]", *_block(labels, weights)]
    if sparse:
        lines += ["", "[weight-file]", str(sparse_path)]
    text = "".join(f"{name} {value!r}\n" for name, value in sparse.items())
    return WrittenWeights("\n".join([*lines, ""]), text if sparse else None)


def read_weights(text: str, kind: str, path: str) -> dict[str, float]:
    """Return the weights that stand in a configuration; `path` is for messages."""
    if kind == "moses":
        return {
            name: value
            for label, values in _moses_labels(text, path).items()
            for name, value in zip(_names(label, len(values)), values, strict=True)
        }
    found = {}
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            if len(words) != 2:
                raise FormatError("expected a name and its weight", path=path, line=number)
            found[words[0]] = _number(words[1], path, number)
    return found


def _moses_labels(text: str, path: str = "the template") -> dict[str, list[float]]:
    labels: dict[str, list[float]] = {}
    section = None
    for number, raw in enumerate(text.splitlines(), 1):
        line = raw.partition("#")[0].strip()
        if found := _SECTION.fullmatch(line):
            section = found[1]
        elif line and section == "weight":
            label, *values = line.split()
            if not label.endswith("=") or not values:
                raise FormatError("expected a label and its weights, such as LM0= 0.5", path=path, line=number)
            labels[label[:-1]] = [_number(value, path, number) for value in values]
    return labels


def _labels(weights: Mapping[str, float]) -> dict[str, int]:
    """Number `a_0`, `a_1`, … as one label where there is more than one of them and no feature `a`."""
    labels: dict[str, int] = {}
    counts: dict[str, int] = {}
    for name in weights:
        numbered = _NUMBERED.fullmatch(name)
        label = None if numbered is None or numbered[1] in weights else numbered[1]
        if label is None or f"{label}_0" not in weights or f"{label}_1" not in weights:
            labels[name] = 1
            continue
        count = counts.get(label, 0)
        while f"{label}_{count}" in weights:
            count += 1
        counts[label] = count
        assert numbered is not None
        labels[label if int(numbered[2]) < count else name] = count if int(numbered[2]) < count else 1
    return labels


def _numbered(label: str, count: int) -> list[str]:
    return [f"{label}_{at}" for at in range(count)]


def _names(label: str, count: int) -> list[str]:
    return [label] if count == 1 else _numbered(label, count)


def _block(labels: Mapping[str, int], weights: Mapping[str, float]) -> list[str]:
    lines = []
    for label, count in labels.items():
        names = [label] if count == 1 and label in weights else _numbered(label, count)
        lines.append(" ".join([f"{label}=", *(repr(float(weights.get(name, 0.0))) for name in names)]))
    return lines


def _without(text: str, sections: tuple[str, ...]) -> list[str]:
    """Return the lines outside of these sections."""
    kept, inside = [], False
    for line in text.splitlines():
        if found := _SECTION.fullmatch(line.partition("#")[0]):
            inside = found[1] in sections
        if not inside:
            kept.append(line)
    return kept


def _number(text: str, path: str, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"the weight {text[:40]!r} is not a finite number", path=path, line=line)
    return value
