"""Cross-validation of a tuner on lists: every sentence is judged by weights that were tuned on other sentences."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.evaluation.compare import Comparison, compare
from tunesmith.evaluation.settings import Resampling
from tunesmith.io import StrPath, write_lines
from tunesmith.io.documents import write_document
from tunesmith.io.inside import Inside, inside
from tunesmith.metrics.base import Floats
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.signature import Signature
from tunesmith.tuning import FileSource, Tuner
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.pools.gains import best_of_each
from tunesmith.tuning.runs.directory import LOCK, is_locked, is_run, remove_run
from tunesmith.tuning.sources.base import Start, prepared_for
from tunesmith.tuning.tuner import start_vector

RESULT, OUTPUT = "cross-validation.json", "heldout.out"


@dataclass(frozen=True)
class FoldScore:
    """One fold: what weights tuned on the others choose there, and what the start weights do."""

    fold: int
    sentences: int
    score: float
    start_score: float


@dataclass(frozen=True)
class CrossValidation:
    """Folds, and the output of all of them together against that of the start weights.

    comparison: both outputs with intervals and p-values.   texts: the pooled output, None for lists without words.
    """

    folds: tuple[FoldScore, ...]
    comparison: Comparison
    texts: tuple[str, ...] | None
    signature: Signature

    @property
    def mean(self) -> float:
        """Mean of the scores of the folds."""
        return float(np.mean([fold.score for fold in self.folds]))

    @property
    def deviation(self) -> float:
        """Standard deviation of the scores of the folds (n - 1)."""
        return float(np.std([fold.score for fold in self.folds], ddof=1))

    @property
    def score(self) -> float:
        """Score of the pooled output."""
        return self.comparison.systems[1].score

    @property
    def start_score(self) -> float:
        """Score of the output of the start weights, or of the first candidates without start weights."""
        return self.comparison.systems[0].score

    @property
    def p_value(self) -> float:
        """P-value of the hypothesis that pooled output and start output are equally good (randomisation)."""
        tests = self.comparison.systems[1].tests
        assert tests is not None
        assert tests.p_randomization is not None
        return tests.p_randomization

    def as_dict(self) -> dict[str, Any]:
        return {
            "folds": [vars(fold) for fold in self.folds],
            "mean": self.mean,
            "deviation": self.deviation,
            "score": self.score,
            "start_score": self.start_score,
            "p_value": self.p_value,
            "comparison": self.comparison.as_dict(),
            "signature": self.signature.as_dict(),
        }


def folds_of(sentences: int, folds: int, seed: int) -> NDArray[np.int64]:
    """Return the fold of every sentence, from 0: sizes differ by at most one, and the seed says who goes where."""
    at_least(2, folds=folds)
    if folds > sentences:
        raise ConfigError(f"{folds} folds of {sentences} sentences: at least one sentence for each is needed")
    fold = np.arange(sentences) % folds
    return np.random.default_rng([seed, folds]).permutation(fold)


def cross_validate(
    tuner: Tuner,
    candidates: FileSource | CandidateSet,
    folds: int = 5,
    *,
    train: FileSource | None = None,
    start: Start | None = None,
    output: StrPath | None = None,
    restart: bool = False,
    resampling: Resampling | None = None,
    threads: int = 1,
    observer: Observer | None = None,
) -> CrossValidation:
    """Tune on all folds but one and judge on that one, for each of them; the tuner itself learns nothing.

    candidates: lists with references, or with statistics of the tuner's metric.
    output: a folder with a run directory for each fold, which resumes like any other; with `restart` what
        another cross-validation left there is removed first.
    """
    source = candidates if isinstance(candidates, FileSource) else FileSource(candidates)
    fold_of = folds_of(source.sentences, folds, tuner.seed)
    folder = None if output is None else _folder(output, restart=restart)
    lists = source.candidates(np.zeros(0))
    if source.references is not None:
        lists = lists.with_statistics(prepared_for(tuner.metric, source), threads=threads)
    watcher = Observer() if observer is None else observer
    settings = tuner.settings(source, train=train, start=start)
    before = _chosen(lists, start_vector(start, source, Observer()), threads)
    after = np.full(source.sentences, -1, dtype=np.int64)
    rows: list[FoldScore] = []
    for number in range(folds):
        own = fold_of == number
        each = copy.copy(tuner)
        watcher.note(f"fold {number + 1} of {folds}: {int(own.sum())} sentences")
        each.fit(
            source.subset(np.flatnonzero(~own).tolist()),
            train=train,
            start=start,
            output=None if folder is None else folder / f"fold-{number + 1}",
            restart=restart,
            threads=threads,
            observer=observer,
        )
        chosen = _chosen(lists, lists.features.vector(each.weights_)[0], threads)
        after[own] = chosen[own]
        scores = [float(tuner.metric.score(_rows(lists, at[own]).sum(axis=0))) for at in (after, before)]
        rows.append(FoldScore(number + 1, int(own.sum()), *scores))
    found = _compared(tuner, lists, before, after, rows, settings, resampling)
    if folder is not None:
        write_document(folder / RESULT, found.as_dict())
        if found.texts is not None:
            write_lines(folder / OUTPUT, found.texts)
    return found


def _compared(
    tuner: Tuner,
    lists: CandidateSet,
    before: NDArray[np.int64],
    after: NDArray[np.int64],
    rows: list[FoldScore],
    settings: dict[str, Any],
    resampling: Resampling | None,
) -> CrossValidation:
    from tunesmith.tuning.runs.signature import run_signature

    resampling = resampling or Resampling(seed=tuner.seed)
    signature = run_signature(settings, {"folds": len(rows)})
    systems = {"start": _rows(lists, before), "held-out": _rows(lists, after)}
    name = Signature(tuner.metric.label, tuner.metric.settings())
    comparison = compare(tuner.metric, systems, name.extended(folds=len(rows)), resampling)
    texts = None
    if lists.words is not None:
        texts = tuple("" if at < 0 else lists.text(at) for at in after.tolist())
    return CrossValidation(tuple(rows), comparison, texts, signature)


def _chosen(lists: CandidateSet, weights: Floats, threads: int) -> NDArray[np.int64]:
    """Return the best candidate of each sentence, -1 where there is none."""
    vector = np.zeros(lists.columns)
    vector[: len(weights)] = weights[: lists.columns]
    best = best_of_each(lists.scores(vector, threads=threads), lists.offsets)
    found = np.full(lists.sentences, -1, dtype=np.int64)
    found[lists.sentence_of[best]] = best
    return found


def _rows(lists: CandidateSet, chosen: NDArray[np.int64]) -> Floats:
    """Return statistics of these candidates; none for a sentence without."""
    assert lists.statistics is not None
    rows = np.zeros((len(chosen), lists.statistics.shape[1]))
    rows[chosen >= 0] = lists.statistics[chosen[chosen >= 0]]
    return rows


def _folder(output: StrPath, *, restart: bool) -> Path:
    folder = Path(output)
    if is_run(folder):
        raise ConfigError(f"{folder}: is the directory of one run; give another folder for cross-validation")
    folder.mkdir(parents=True, exist_ok=True)
    home = inside(folder)
    if restart:
        _remove_folds(home)
    return home


def _remove_folds(folder: Inside) -> None:
    """Remove the runs and results of a cross-validation, which may have had more folds; nothing else."""
    folds = [each for each in folder.glob("fold-*") if each.name[5:].isdecimal() and is_run(each)]
    for fold in folds:
        if is_locked(fold):
            raise ConfigError(f"{fold}: another process is at work in this run; wait for it, or end it")
    for name in (RESULT, OUTPUT):
        (folder / name).unlink(missing_ok=True)
    for fold in folds:
        remove_run(fold)
        (fold / LOCK).unlink(missing_ok=True)
        if not any(fold.iterdir()):
            fold.remove_tree()
