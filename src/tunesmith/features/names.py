"""Names of features: `template` or `template:detail`, without white space."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import unquote

_ESCAPED = "%_|="
_GAPS = ("[X,1]", "[X,2]")


def escape(word: str) -> str:
    """Return a word inside a detail: white space and `% _ | =` as the percent-escapes of their UTF-8 bytes.

    So `_` and `|` may join words, and different words stay different.
    """
    if word in _GAPS:  # a word that would be read as a gap
        return "%5B" + word[1:]
    if not any(character in _ESCAPED or character.isspace() for character in word):
        return word
    return "".join(
        "".join(f"%{byte:02X}" for byte in character.encode())
        if character in _ESCAPED or character.isspace()
        else character
        for character in word
    )


def join_words(words: Iterable[str]) -> str:
    """Return words as one detail, joined by `_`."""
    return "_".join(map(escape, words))


def unescape(text: str) -> str:
    """Return the word that `escape` made this of."""
    return unquote(text)


def readable(name: str) -> str:
    """Return the name of a feature for users; that of a rule as `喝 [X,1] → drink [X,1]`."""
    template, _, detail = name.partition(":")
    source, bar, target = detail.partition("|")
    if template != "id" or not bar:
        return name
    sides = (" ".join(unescape(word) for word in side.split("_")) for side in (source, target))
    return " → ".join(sides)


def full_name(template: str, detail: str) -> str:
    """Return the name of the feature that a template fires with this detail."""
    return f"{template}:{detail}" if detail else template


def template_of(name: str) -> str:
    return name.partition(":")[0]
