"""Models of the experiment: word classes, left-to-right and hierarchical rules; all evaluation data as one."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tunesmith.clustering.options import ClusteringOptions
from tunesmith.clustering.training import cluster
from tunesmith.corpus.text_files import TextFiles
from tunesmith.experiments.corpus import EvaluationSet
from tunesmith.experiments.laboratory import MODEL, Laboratory
from tunesmith.experiments.stages import Place, Stage
from tunesmith.experiments.watanabe2007.rows import DENSE, DOCUMENT
from tunesmith.grammar import ExtractOptions, RuleTable
from tunesmith.grammar.options import HieroOptions
from tunesmith.io import read_lines, write_lines
from tunesmith.lm import LmOptions
from tunesmith.settings import settings_of
from tunesmith.training.observer import TrainingObserver
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import ALIGNMENT, train_model

CLASSES = 50
"""Word classes of each language, as in the paper."""
FOLDS = 2
SETS = ("dev", "devtest", "test")
_SOURCE, _REFERENCE = "all.source", "all.reference"


def class_stage(laboratory: Laboratory, data: Stage) -> Stage:
    """Return the stage of word classes of both sides of the training data."""
    options = ClusteringOptions(classes=CLASSES)

    def run(place: Place) -> dict[str, Any]:
        corpus, found = laboratory.corpus, {}
        for side, language in (("source", corpus.source), ("target", corpus.target)):
            learnt = cluster(read_lines(corpus.side("train", language)), options, threads=laboratory.threads)
            learnt.classes.save(place.folder / f"{side}.tsv")
            found[side] = learnt.words
        return found

    return Stage("classes", {"options": settings_of(options)}, run, (data,), cost=500)


def model_options(search: str, order: int) -> TrainOptions:
    """Return training options of the model of a search."""
    rules = HieroOptions.left_to_right() if search == "left-to-right" else HieroOptions()
    return TrainOptions(
        lm=LmOptions(order=order),
        extract=ExtractOptions(rules),
        features=feature_parts(DENSE),
        search=search,
    )


def model_stage(laboratory: Laboratory, search: str, data: Stage, classes: Stage, aligned: Stage | None) -> Stage:
    """Return the model of a search, in the folder `model-SEARCH`.

    aligned: another one, whose alignment is taken.
    """
    options = model_options(search, laboratory.settings.order)

    def run(place: Place) -> dict[str, Any]:
        corpus = laboratory.corpus
        alignment = None if aligned is None else str(place.of(aligned) / MODEL / ALIGNMENT)
        source, target = (corpus.side("train", language) for language in (corpus.source, corpus.target))
        of_source, of_target = (str(place.of(classes) / f"{side}.tsv") for side in ("source", "target"))
        given = TrainingData(source, target, alignment, source_classes=of_source, target_classes=of_target)

        class Tell(TrainingObserver):
            def finished(self, step: str, summary: str, seconds: float) -> None:
                place.observer.note(f"{step}: {summary} ({seconds:.1f} s)")

        train_model(given, place.folder / MODEL, options, threads=laboratory.threads, observer=Tell())
        return {"rules": len(RuleTable.open(place.folder / MODEL / "rules")), "pairs": len(corpus.bitext())}

    needs = (data, classes, *(() if aligned is None else (aligned,)))
    settings = {"training": settings_of(options), "search": search}
    return Stage(f"model-{search}", settings, run, needs, resumable=True, cost=3000)


def pooled_stage(laboratory: Laboratory, data: Stage) -> Stage:
    """Return all evaluation data in one text (dev, devtest, test), for Table 4."""

    def run(place: Place) -> dict[str, Any]:
        found = [laboratory.sentences(name) for name in SETS]
        lines = [line for each in found for line in each.lines]
        references = [of_line for each in found for of_line in each.references]
        write_lines(place.folder / _SOURCE, lines)
        for at in range(min(map(len, references))):
            write_lines(place.folder / f"{_REFERENCE}.{at}", [of_line[at] for of_line in references])
        return {"lines": len(lines), "references": min(map(len, references))}

    return Stage("pooled", {"sets": list(SETS)}, run, (data,))


def pooled_files(folder: Path, result: Mapping[str, Any]) -> TextFiles:
    """Return the files of `pooled_stage`."""
    references = tuple(os.fspath(folder / f"{_REFERENCE}.{at}") for at in range(result["references"]))
    return TextFiles(os.fspath(folder / _SOURCE), references)


def fold(lines: int, number: int) -> tuple[int, ...]:
    """Return sentences of a fold: documents go to the folds in turn, so that none is divided."""
    return tuple(at for at in range(lines) if at // DOCUMENT % FOLDS == number)


def part_of(given: EvaluationSet, sentences: tuple[int, ...]) -> EvaluationSet:
    """Return some sentences of a text."""
    return EvaluationSet([given.lines[at] for at in sentences], [given.references[at] for at in sentences])
