"""Plain readers of fairseq, sockeye and flat files: twins of cpp/search/{fairseq,sockeye,flat}_lists.cpp."""

from __future__ import annotations

import json
import math
import re
from typing import NamedTuple

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)
_FAIRSEQ = re.compile(r"([A-Z])-(\d{1,18})(?:_\d+)?\t(.*)", re.ASCII | re.DOTALL)
_FLAT = re.compile(r"# n=([1-9]\d{0,8})((?:\t\S+)*)", re.ASCII)


class Row(NamedTuple):
    """A candidate."""

    sentence: int
    words: list[str]
    features: dict[str, float]
    score: float | None
    rest: list[str]


class BadLineError(ValueError):
    """The number of a line that cannot be used."""


def number(text: str) -> float:
    """A finite decimal number, ValueError otherwise."""
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def read_fairseq(text: str) -> list[Row]:
    """Candidates by rising sentence."""
    blocks: list[tuple[int, int, str, dict[str, str]]] = []  # line, sentence, H, the others
    for at, line in enumerate(text.split("\n"), 1):
        found = _FAIRSEQ.match(line)
        if found is None:
            if re.match(r"[HDP]-\d", line, re.ASCII):
                if line[0] == "H" and blocks:  # which ends there and is complete
                    _fairseq_row(*blocks[-1])
                raise BadLineError(at)
            continue
        kind, sentence, rest = found[1], int(found[2]), found[3]
        if kind == "H":
            if blocks:
                _fairseq_row(*blocks[-1])
            try:
                number(rest.partition("\t")[0].strip(" \t"))
            except ValueError:
                raise BadLineError(at) from None
            blocks.append((at, sentence, rest, {}))
        elif kind in "DPA":
            if not blocks or blocks[-1][1] != sentence or kind in blocks[-1][3]:
                raise BadLineError(at)
            blocks[-1][3][kind] = rest.partition("\t")[2] if kind == "D" else rest
    return sorted((_fairseq_row(*block) for block in blocks), key=lambda row: row.sentence)


def _fairseq_row(at: int, sentence: int, hypothesis: str, more: dict[str, str]) -> Row:
    score_text, _, words = hypothesis.partition("\t")
    score = number(score_text.strip(" \t"))
    text = more.get("D", words)
    features, kept = {"score": score}, []
    if text.split() != words.split():
        kept.append(["H=", *words.split()])
    if "P" in more:
        try:
            features["logprob"] = sum(map(number, more["P"].split()))
        except ValueError:
            raise BadLineError(at) from None
        kept.append(["P=", *more["P"].split()])
    if "A" in more:
        kept.append(["A=", *more["A"].split()])
    if "|||" in words.split() or sentence > 1_000_000_000 or not math.isfinite(features.get("logprob", 0.0)):
        raise BadLineError(at)
    return Row(sentence, text.split(), features, score, [word for each in kept for word in ["|||", *each]][1:])


def read_sockeye(text: str) -> list[Row]:
    """Candidates by rising sentence, of lines that are JSON objects with the right types."""
    read = []
    for line in text.split("\n"):
        if line.strip(" \t"):
            value = json.loads(line)
            texts, scores = value.get("translations") or [], value.get("scores") or []
            if not texts and not scores:
                texts, scores = [value["translation"]], [value["score"]]
            read += [(int(value["sentence_id"]), *pair) for pair in zip(texts, scores, strict=True)]
    first = 0 if any(sentence == 0 for sentence, _, _ in read) else 1
    rows = []
    for sentence, translation, score in read:
        values = score if isinstance(score, list) else [score]
        features = {"score" if at == 0 else f"score_{at}": float(each) for at, each in enumerate(values)}
        rows.append(Row(sentence - first, translation.split(), features, float(values[0]), []))
    return sorted(rows, key=lambda row: row.sentence)


def read_flat(text: str, size: int) -> list[Row]:
    """Candidates of a file without one next to it, which has all candidates of its last sentence."""
    rows: list[Row] = []
    names: list[str] | None = None
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    skipped = 0
    for at, line in enumerate(lines, 1):
        if at == 1 and (header := _FLAT.fullmatch(line)):
            size, names, skipped = int(header[1]), header[2].split("\t")[1:], 1
            continue
        words, *columns = line.split("\t")
        try:
            values = [number(column.strip(" \t")) for column in columns]
        except ValueError:
            raise BadLineError(at) from None
        called = [f"column_{place}" for place in range(len(values))] if names is None else names
        if len(called) != len(values) or len(set(called)) != len(called):
            raise BadLineError(at)
        features = dict(zip(called, values, strict=True))
        score = features.pop("model_score", None)
        if rows and (score is None) != (rows[0].score is None):
            raise BadLineError(at)
        rows.append(Row((at - 1 - skipped) // size, words.split(), features, score, []))
    return rows
