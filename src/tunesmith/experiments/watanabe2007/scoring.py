"""Statistics of both metrics, of translations that are there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from tunesmith.experiments.corpus import EvaluationSet
from tunesmith.experiments.stages import Place
from tunesmith.experiments.tuning_work import keep_statistics, read_statistics
from tunesmith.experiments.watanabe2007.results import CLOSED, METRICS, OPEN, Statistics
from tunesmith.experiments.watanabe2007.rows import Row
from tunesmith.io import read_lines


def nist_of(place: Place, given: Mapping[str, EvaluationSet], threads: int) -> dict[str, float]:
    """Return NIST of the translations that `judge` wrote; its statistics are kept next to them."""
    metric, scores = METRICS["NIST"], {}
    for name, each in given.items():
        output = read_lines(place.folder / f"{name}.out")
        rows = metric.prepare(each.references).statistics(output, np.arange(len(output)), threads=threads)
        scores[name] = keep_statistics(place.folder, f"{name}.nist", np.asarray(rows, dtype=np.float64), metric)
    return scores


def statistics_of(row: Row, folders: Sequence[Path]) -> Statistics:
    """Return statistics of all folds together.   folders: where they are scored."""
    files = {"BLEU": "{}", "NIST": "{}.nist"}
    return {
        data: {
            metric: np.concatenate([read_statistics(folder, name.format(data)) for folder in folders])
            for metric, name in files.items()
        }
        for data in (CLOSED[row.folds], OPEN[row.folds])
    }
