"""References in one file: separated by `|||` in a line, or as JSON; also the usual file for each."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from tunesmith.corpus.bitext import References, read_references
from tunesmith.errors import FormatError
from tunesmith.io import StrPath, display_name, read_lines

_BARS = re.compile(r"(?:^|\s)\|\|\|(?=\s|$)")
_JSON = (".json", ".jsonl", ".json.gz", ".jsonl.gz")


def read_any_references(paths: Sequence[StrPath]) -> References:
    """Read references from files (`test.en.0`, `test.en.1`), or from one file with all of them.

    One file whose name ends in .json or .jsonl holds an array with an array of references for each sentence, or a
    line for each: an array, one text, or an object with `references`. One file with a ||| that stands alone holds
    the references of a sentence in its line.
    """
    if len(paths) == 1 and os.fspath(paths[0]).endswith(_JSON):
        return _read_json(paths[0])
    found = read_references(paths)
    if len(paths) > 1 or not any("|||" in line for line in found.columns[0]):
        return found
    sentences = [tuple(part.strip() for part in _BARS.split(line) if part.strip()) for line in found.columns[0]]
    if all(len(each) == 1 for each in sentences):
        return found
    name = display_name(paths[0])
    for number, each in enumerate(sentences, 1):
        if not each:
            raise FormatError(
                "there is no reference between the |||; every sentence needs one", path=name, line=number
            )
    return _made(sentences, name, f"{name}: references are separated by |||")


def _read_json(path: StrPath) -> References:
    name = display_name(path)
    lines = read_lines(path)
    values: list[tuple[int, Any]]
    try:
        whole = msgspec.json.decode("\n".join(lines))
        if isinstance(whole, list) and (len(lines) > 1 or (whole and isinstance(whole[0], list))):
            values = [(0, value) for value in whole]
        else:
            values = [(1, whole)]
    except (ValueError, RecursionError):
        values = [(at, _parsed(line, name, at)) for at, line in enumerate(lines, 1) if line.strip()]
    sentences = [_texts(value, name, at, number) for number, (at, value) in enumerate(values)]
    return _made(sentences, name, f"{name}: references as JSON")


def _parsed(line: str, name: str, number: int) -> Any:
    try:
        return msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not JSON ({error})", path=name, line=number) from None


def _texts(value: Any, name: str, line: int, sentence: int) -> tuple[str, ...]:
    if isinstance(value, dict):
        value = value.get("references")
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise FormatError(
            f"sentence {sentence}: expected a list of texts, got {str(value)[:40]!r}", path=name, line=line or None
        )
    present = tuple(text.replace("\n", " ") for text in texts if text.strip())
    if not present:
        raise FormatError(f"sentence {sentence} has no reference", path=name, line=line or None)
    return present


def _made(sentences: list[tuple[str, ...]], name: str, note: str) -> References:
    most = max(map(len, sentences), default=0)
    columns = tuple([each[at] if at < len(each) else "" for each in sentences] for at in range(most))
    return References(sentences, (name,) * most, columns, (note,))
