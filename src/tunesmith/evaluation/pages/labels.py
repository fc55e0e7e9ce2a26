"""Labels: estimated width, and shortened names that stay distinct."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

from tunesmith.features.names import readable, template_of, unescape

UNIT = 7.4
"""Pixels of a small letter in the text of charts (12 px), in a wide font."""
_NARROW, _WIDE = frozenset("fijlrtI.,:;|'[]() "), frozenset("mwMW→&%@")


def text_units(text: str) -> float:
    """Estimate the width in small letters of a wide font; CJK characters count as two."""
    return sum(map(_units, text))


def text_width(text: str) -> float:
    """Return an upper estimate of the width in pixels in a chart."""
    return UNIT * text_units(text)


def short(name: str, limit: float = 14.0) -> str:
    """Cut a name at the end if it is wider than `limit` small letters."""
    if text_units(name) <= limit:
        return name
    width = _units("…")
    for at, character in enumerate(name):
        width += _units(character)
        if width > limit:
            return name[:at].rstrip() + "…"
    return name


def short_different(names: Sequence[str], limit: float = 14.0) -> list[str]:
    """Shorten names so that they stay distinct: cut at the end, else in the middle, else with a number."""
    found = [short(name, limit) for name in names]
    counts = Counter(found)
    found = [_cut_in_the_middle(names[at], limit) if counts[each] > 1 else each for at, each in enumerate(found)]
    counts = Counter(found)
    return [
        f"{at + 1} {short(names[at], limit - 3)}" if counts[each] > 1 else each for at, each in enumerate(found)
    ]


def feature_labels(names: Sequence[str]) -> tuple[list[str], str]:
    """Return short labels of features, and the meaning of template abbreviations.

    The template is abbreviated (`st 喝 → drink` for `source_triggers:喝|drink`), and left off if all features are
    of one template or the detail is sufficient.
    """
    templates = dict.fromkeys(template_of(name) for name in names if ":" in name)
    marks = _abbreviations(list(templates)) if len(templates) > 1 else {}
    labels = []
    for name in names:
        mark = marks.get(template_of(name), "") if ":" in name else ""
        labels.append(f"{mark} {feature_detail(name)}".strip())
    told = ", ".join(f"{mark} = {name}" for name, mark in marks.items() if mark and mark != name)
    return labels, told


def feature_detail(name: str) -> str:
    """Return the part of a name after its template, for users."""
    template, _, detail = name.partition(":")
    if not detail or template == "translation":
        return detail or name
    if template == "id":
        return readable(name).removeprefix("id:")
    source, bar, target = detail.partition("|")
    sides = (" ".join(unescape(word) for word in side.split("_")) for side in (source, target))
    return " → ".join(sides) if bar and source and target else detail


def _abbreviations(templates: Sequence[str]) -> dict[str, str]:
    """Return initials of the words of a template; full names if initials are ambiguous, none for `translation`."""
    initials = {name: "".join(word[:1] for word in name.split("_")) for name in templates}
    counts = Counter(initials.values())
    found = {name: name if len(name) <= 3 or counts[initials[name]] > 1 else initials[name] for name in templates}
    return {name: "" if name == "translation" else mark for name, mark in found.items()}


def _cut_in_the_middle(name: str, limit: float) -> str:
    head, tail = short(name, limit / 2).removesuffix("…"), ""
    for character in reversed(name):
        if text_units(f"{head}…{tail}{character}") > limit:
            break
        tail = character + tail
    return f"{head}…{tail}"


def _units(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 2.0
    return 0.65 if character in _NARROW else 1.5 if character in _WIDE else 1.0
