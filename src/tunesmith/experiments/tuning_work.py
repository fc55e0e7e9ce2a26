"""Work of stages of repeated tunings: tune in a folder, and evaluate the weights on other data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tunesmith.corpus.subwords import join_line, join_references, join_sources
from tunesmith.decoding import Decoder
from tunesmith.decoding.work.kinds import translations
from tunesmith.experiments.corpus import EvaluationSet
from tunesmith.experiments.stages import AGAIN, Place, verify_file
from tunesmith.io import atomic_bytes, write_lines
from tunesmith.io.npy import read_npy, save_array
from tunesmith.metrics import Metric
from tunesmith.metrics.base import Floats
from tunesmith.settings import settings_of
from tunesmith.tuning import Recipe, Tuner
from tunesmith.tuning.loop.history import History, Round
from tunesmith.tuning.loop.observer import Observer as TuningObserver

METRIC: dict[str, Any] = {"metric": "bleu", "metric_settings": {"lowercase": True}}
"""Metric of experiments, as in a `RecipeSpec`."""


class TuningNotes(TuningObserver):
    """Observer that reports rounds as lines of an experiment.   name: of the run, if several run in parallel."""

    def __init__(self, place: Place, name: str = "") -> None:
        self._place, self._before = place, f"{name}: " if name else ""

    def resumed(self, history: History, number: int, step: str) -> None:
        self.note(f"resumes at round {number}, {step}")

    def round(self, row: Round, history: History) -> None:
        self.note(f"round {row.round}: dev {row.score:.2f}, {row.active} active ({row.seconds:.1f} s)")

    def note(self, text: str) -> None:
        self._place.observer.note(f"{self._before}{text}")


def recipe_settings(recipe: Recipe) -> dict[str, Any]:
    """Return all settings of a recipe with its defaults, as JSON values."""
    parts = {"loss": recipe.loss, "optimizer": recipe.optimizer, "regularizer": recipe.regularizer,
             "plan": recipe.plan}  # fmt: skip
    return {
        "name": recipe.name,
        **{name: settings_of(part) for name, part in parts.items()},
        "metric": {"name": recipe.metric.label, **recipe.metric.settings()},
        "k": recipe.k,
        "penalised": list(recipe.penalised),
    }


def outcome(tuner: Tuner, sentences: int) -> dict[str, Any]:
    """Return the stored result of a finished run.   sentences: that it was tuned on."""
    history, best = tuner.history_, tuner.history_.best
    assert best is not None
    return {
        "tune": best.score,
        "best_round": best.round,
        "rounds": history[-1].round,
        "active": best.active,
        "sentences": sentences,
        "reason": tuner.reason_,
        "signature": str(tuner.signature_),
    }


def judge(
    place: Place,
    decoder: Decoder,
    sets: Mapping[str, EvaluationSet],
    metric: Metric,
    *,
    subwords: str | None = None,
    threads: int,
) -> dict[str, float]:
    """Translate data sets with the decoder's weights; stores outputs and metric statistics in the folder.

    subwords: kind of pieces to join, None for that of the model.
    """
    kind = decoder.subwords if subwords is None else subwords
    scores = {}
    for name, given in sets.items():
        output = [join_line(each, kind) for each in translations(decoder, given.lines, threads=threads)]
        references, _ = join_references(given.references, kind)
        lines = join_sources(given.lines, subwords) if metric.needs_source else given.lines
        prepared = metric.prepare_for(references, lines)
        rows = prepared.statistics(output, np.arange(len(output)), threads=threads)
        write_lines(place.folder / f"{name}.out", output)
        scores[name] = keep_statistics(place.folder, name, np.asarray(rows, dtype=np.float64), metric)
    return scores


def keep_statistics(folder: Path, name: str, rows: Floats, metric: Metric) -> float:
    """Write the statistics of a data set and return their score."""
    with atomic_bytes(folder / f"{name}.npy") as out:
        save_array(out, rows)
    return float(metric.score(rows.sum(axis=0)))


def read_statistics(folder: Path, name: str) -> Floats:
    """Read statistics written by `keep_statistics`; FormatError if damaged."""
    verify_file(folder, f"{name}.npy")
    return read_npy(folder / f"{name}.npy", AGAIN, kinds="f", dimensions=2).astype(np.float64, copy=False)
