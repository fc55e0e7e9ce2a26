"""Text tables of Moses: phrase table, rule table, glue grammar. Words stay as written, `&quot;` included."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import given, one_of
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import FormatError, core_errors
from tunesmith.grammar.extract import SCORES
from tunesmith.grammar.storage import CORE_ARRAYS, new_table, seal
from tunesmith.grammar.table import RuleTable
from tunesmith.io import StrPath, display_name, iter_lines, read_lines, write_lines
from tunesmith.io.arrays import map_file
from tunesmith.signature import Signature

_BATCH = 20_000
_LABEL = re.compile(r"\[[^\[\]\s]+\]$")
_SIDES = 20_000


def read_moses(path: StrPath, output: StrPath, kind: str | None = None) -> RuleTable:
    """Read a phrase or rule table into a new table at `output`, all or nothing.

    kind: `phrase` or `hiero`; None finds it out: lines of rule tables end with a label such as [X] on both sides.
    """
    one_of(("phrase", "hiero"), **given(kind=kind))
    name = display_name(path)
    lines = iter_lines(path)
    first = next(lines, None)
    if first is None:
        raise FormatError("is empty; expected a phrase or rule table", path=name)
    hiero = looks_hierarchical(first) if kind is None else kind == "hiero"
    reader = _core.MosesReader(hiero)
    with new_table(output) as folder, core_errors(name):
        with _as_guessed(kind, hiero):
            reader.add([first])
            while batch := list(islice(lines, _BATCH)):
                reader.add(batch)
        if kind is None and hiero and reader.gaps == 0 and reader.label != "X":
            raise FormatError(
                f"every side ends with [{reader.label}], a label or a word, and there is no gap to tell; "
                "say which with --kind hiero or --kind phrase",
                path=name,
            )
        source, target = reader.write(str(folder))
        Vocabulary(source).save(folder / "source.vocab")
        Vocabulary(target).save(folder / "target.vocab")
        seal(folder, _fields(reader, hiero, _score_names(folder, reader.scores)))
    return RuleTable.open(output)


@contextlib.contextmanager
def _as_guessed(kind: str | None, hiero: bool) -> Iterator[None]:
    """Add to errors of lines that the table may be of the other kind than was guessed."""
    try:
        yield
    except ValueError as error:
        if kind is not None or not hiero or len(error.args) != 2:
            raise
        message, line = error.args
        raise ValueError(
            f"{message}. The first line looks like a rule table; if this is a phrase table, say --kind phrase",
            line,
        ) from None


def sides_of(line: str) -> list[list[str]]:
    """Return the words of the first two fields of a line; fewer where it has no bars."""
    return [field.split() for field in re.split(r"(?:^|\s+)\|\|\|(?:\s+|$)", line)[:2]]


def looks_hierarchical(line: str) -> bool:
    """Return whether both sides have symbols and then a label such as [X]."""
    sides = sides_of(line)
    return len(sides) == 2 and all(len(side) > 1 and _LABEL.match(side[-1]) for side in sides)


def _score_names(folder: Path, scores: int) -> list[str]:
    """Return Moses' four names, and the penalty after them in tables of older versions; otherwise numbers."""
    if scores == len(SCORES):
        return SCORES
    if scores == len(SCORES) + 1:
        last = map_file(folder / "scores", "<f4", None)[scores - 1 :: scores]
        if (last == np.float32(2.718)).all():
            return [*SCORES, "penalty"]
    return [f"score{at}" for at in range(1, scores + 1)]


def _fields(reader: _core.MosesReader, hiero: bool, names: list[str]) -> dict[str, Any]:
    kind = "hiero" if hiero else "phrase"
    return {
        "kind": kind,
        "score_names": names,
        "labels": [],
        "totals": {"rules": len(reader)},
        "moses": {"label": reader.label or "X", "counts": reader.counts, "dropped_fields": reader.dropped},
        "settings": {"imported": "moses"},
        "signature": Signature(kind, {"imported": "moses"}).as_dict(),
    }


def moses_blocks(table: RuleTable, *, escape: bool = False, values: NDArray[Any] | None = None) -> Iterator[str]:
    """Yield the table as text, many lines at once, in its own order.

    values: rows to write in place of the scores.
    escape: write `& | < > ' " [ ]` inside words as `&amp;`, `&#124;` and so on, as Moses' tokeniser does.
    """
    moses = table.manifest.get("moses", {})
    style = _core.MosesStyle()
    style.hiero = table.kind == "hiero"
    style.scores = len(table.score_names) if values is None else values.shape[1]
    style.counts = int(moses.get("counts", 3))
    style.label = str(moses.get("label", "X"))
    style.escape = escape
    arrays = {name: table.array(name).reshape(-1) for name in CORE_ARRAYS}
    if values is not None:
        arrays["scores"] = np.ascontiguousarray(values, dtype=np.float32).reshape(-1)
    source, target = table.source_vocabulary.native, table.target_vocabulary.native
    for begin in range(0, table.source_sides, _SIDES):
        end = min(begin + _SIDES, table.source_sides)
        with core_errors(str(table.folder)):
            text = _core.format_moses(arrays, source, target, style, begin, end)
        yield text


def write_moses(table: RuleTable, path: StrPath, *, escape: bool = False) -> None:
    """Write a Moses table (gzip if the name ends in .gz), all or nothing."""
    blocks = moses_blocks(table, escape=escape)
    write_lines(path, (line for block in blocks for line in block.removesuffix("\n").split("\n")))


@dataclass(frozen=True)
class GlueRule:
    """A rule of the glue grammar: symbols of both sides as written, label of the target side, scores.

    `<s>` opens a sentence, `[X][S] [X][X]` appends one more part, `</s>` closes it.
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    label: str
    scores: tuple[float, ...]
    links: tuple[tuple[int, int], ...]

    def __str__(self) -> str:
        scores = " ".join(f"{score:.6g}" for score in self.scores)
        links = " ".join(f"{s}-{t}" for s, t in self.links)
        return (
            f"{' '.join(self.source)} [X] ||| {' '.join(self.target)} [{self.label}] ||| {scores} ||| {links} "
            "||| 0 ||| |||"
        )


GLUE = (
    GlueRule(("<s>",), ("<s>",), "S", (1.0,), ((0, 0),)),
    GlueRule(("[X][S]", "</s>"), ("[X][S]", "</s>"), "S", (1.0,), ((0, 0), (1, 1))),
    GlueRule(("[X][S]", "[X][X]"), ("[X][S]", "[X][X]"), "S", (2.718,), ((0, 0), (1, 1))),
)
"""Monotone concatenation, the last score being the glue penalty."""


def write_glue(path: StrPath, rules: tuple[GlueRule, ...] = GLUE) -> None:
    write_lines(path, map(str, rules))


def read_glue(path: StrPath) -> tuple[GlueRule, ...]:
    """Read a glue grammar; FormatError with `path:line` for anything else."""
    name = display_name(path)
    rules = []
    for number, line in enumerate(read_lines(path), 1):
        try:
            rules.append(_parse_glue(line))
        except ValueError as error:
            raise FormatError(f"{error}; expected a line of a glue grammar", path=name, line=number) from None
    return tuple(rules)


def _parse_glue(line: str) -> GlueRule:
    fields = [field.split() for field in re.split(r"(?:^|\s+)\|\|\|(?:\s+|$)", line)]
    if len(fields) < 4:
        raise ValueError(f"there are {len(fields)} fields")
    source, target, scores, links = fields[:4]
    for side in (source, target):
        if len(side) < 2 or not _LABEL.match(side[-1]):
            raise ValueError("a side does not end with a label such as [X]")
    try:
        numbers = tuple(float(score) for score in scores)
    except ValueError:
        raise ValueError(f"the scores {' '.join(scores)!r} are not numbers") from None
    pairs = []
    for link in links:
        if not (found := re.fullmatch(r"(\d{1,3})-(\d{1,3})", link)):
            raise ValueError(f"{link!r} is not a link")
        pair = (int(found[1]), int(found[2]))
        if pair[0] >= len(source) - 1 or pair[1] >= len(target) - 1:
            raise ValueError(f"the link {link} points outside the rule")
        pairs.append(pair)
    return GlueRule(tuple(source[:-1]), tuple(target[:-1]), target[-1][1:-1], numbers, tuple(pairs))
