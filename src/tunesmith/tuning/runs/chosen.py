"""Best translations of dev under the weights of each round, on disk: enough to compare runs without decoding.

rounds/03/chosen.tsv     a row for each sentence: its score, the statistics of the metric, the words
dev.jsonl                a row for each sentence: source and references, as far as they are known

    # chosen by tune mira|…
    score   statistics              words
    41.1    6 6 4 2 1 0 6 5 4 3     the cat sat on mat
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tunesmith.errors import FormatError
from tunesmith.io import StrPath, atomic_writer, iter_lines
from tunesmith.io.documents import decode, read_rows, write_rows
from tunesmith.metrics import Metric
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.state import State, decoded
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.pools.base import Floats, Pool
from tunesmith.tuning.runs import directory as run
from tunesmith.tuning.runs.documents import Sentence
from tunesmith.tuning.sources.base import CandidateSource, Labelled

CHOSEN = "chosen.tsv"
_COLUMNS = ("score", "statistics", "words")
_HEAD = "# chosen by "
_WORDS: Any = str | None


@dataclass(frozen=True, eq=False)
class Chosen:
    """One translation of each sentence: sentence score, statistics, and words (None if unknown)."""

    scores: Floats
    statistics: Floats
    texts: Sequence[str | None]

    def __len__(self) -> int:
        return len(self.scores)


def chosen_of(pool: Pool, weights: Floats, metric: Metric, *, threads: int = 1) -> Chosen:
    """Return the best translations under these weights; an empty list has no words and zero statistics."""
    best = pool.best(weights, threads=threads)
    rows = np.zeros((pool.sentences, best.statistics.shape[1]))
    rows[best.sentences] = best.statistics
    scores = np.zeros(pool.sentences)
    scores[best.sentences] = metric.sentence_scores(rows[best.sentences])
    texts: list[str | None] = [None] * pool.sentences
    if best.texts is not None:
        for sentence, text in zip(best.sentences.tolist(), best.texts(), strict=True):
            texts[sentence] = text
    return Chosen(scores, rows, texts)


def write_chosen(folder: Path, state: State, context: Context, signature: str) -> None:
    """Write the best translations under the state's weights from their own decoding, if it is still available."""
    if not context.sources["dev"].fixed and decoded("dev") not in state.pools:
        return
    pool = context.newest(state, "dev")
    chosen = chosen_of(pool, state.weights, context.metric, threads=context.threads)
    with atomic_writer(folder / CHOSEN) as out:
        out.write(f"{_HEAD}{signature}\n" + "\t".join(_COLUMNS) + "\n")
        for score, row, text in zip(chosen.scores.tolist(), chosen.statistics.tolist(), chosen.texts, strict=True):
            numbers = " ".join(repr(int(each) if each.is_integer() else each) for each in row)
            out.write(f"{score!r}\t{numbers}\t{json.dumps(text, ensure_ascii=False)}\n")


def read_chosen(path: StrPath) -> Chosen:
    lines = enumerate(iter_lines(path), start=1)
    _, head = next(lines, (1, ""))
    _, titles = next(lines, (2, ""))
    if not head.startswith(_HEAD) or tuple(titles.split("\t")) != _COLUMNS:
        message = f"expected a line '{_HEAD}…' and one with {', '.join(_COLUMNS)}"
        raise FormatError(message, path=str(path), line=1)
    scores: list[float] = []
    rows: list[list[float]] = []
    texts: list[str | None] = []
    for number, line in lines:
        try:
            score, numbers, text = line.split("\t")
            scores.append(float(score))
            rows.append([float(each) for each in numbers.split(" ")])
            texts.append(decode(text, _WORDS, path, RESTART, number))
            good = len(rows[-1]) == len(rows[0]) and math.isfinite(scores[-1])
        except ValueError:
            good = False
        if not good or not np.all(np.isfinite(rows[-1])):
            raise FormatError("expected score, statistics and words", path=str(path), line=number)
    return Chosen(np.array(scores), np.array(rows), texts)


def write_sentences(folder: Path, source: CandidateSource) -> None:
    """Write source and references of a run's dev data, once; given lists may have neither."""
    path = folder / run.SENTENCES
    lines, references = source.lines, source.references
    labels = source.labels if isinstance(source, Labelled) else None
    if path.exists() or (lines is None and references is None and labels is None):
        return
    write_rows(
        path,
        (
            Sentence(
                None if lines is None else lines[at],
                () if references is None else tuple(references[at]),
                None if labels is None else labels[at],
            )
            for at in range(source.sentences)
        ),
    )


def read_sentences(path: StrPath) -> list[Sentence]:
    return list(read_rows(path, Sentence, RESTART))
