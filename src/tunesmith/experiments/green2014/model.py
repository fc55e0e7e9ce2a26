"""Inputs of the rows: word classes, labels of training pairs, and one phrase-based model."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.clustering import ClusteringOptions, cluster
from tunesmith.corpus.selection import FeatureDecay
from tunesmith.corpus.text_files import read_labels
from tunesmith.errors import ConfigError
from tunesmith.experiments.corpus import CorpusFiles
from tunesmith.experiments.green2014.rows import KIND, REORDERING, SELECTED
from tunesmith.experiments.laboratory import MODEL, Laboratory
from tunesmith.experiments.stages import Place, Stage
from tunesmith.grammar import ExtractOptions, PhraseOptions, ReorderingOptions, RuleTable
from tunesmith.io import read_lines, write_lines
from tunesmith.io.digest import Digest
from tunesmith.lm import LmOptions
from tunesmith.settings import settings_of
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import RULES, train_model

SETS = ("dev", "devtest", "test")
CLASSES, LABELS = "classes", "labels"


@dataclass(frozen=True)
class DomainFiles:
    """Labels of the data sets and samples of domains, in the folder of a corpus.

    SET.labels: a label for each line of dev, devtest and test.   in-domain.NAME.SOURCE: text of the domain NAME.
    The label without a sample is the default domain.   train.labels, if there: true labels, to measure selection.
    """

    corpus: CorpusFiles
    samples: dict[str, Path]
    default: str

    @classmethod
    def find(cls, corpus: CorpusFiles | None) -> DomainFiles | None:
        """Find the files in a folder; None without labels."""
        if corpus is None or not (corpus.folder / "dev.labels").is_file():
            return None
        pattern = re.compile(rf"in-domain\.(.+)\.{re.escape(corpus.source)}(\.gz)?")
        samples = {
            found[1]: path
            for path in sorted(corpus.folder.iterdir())
            if (found := pattern.fullmatch(path.name)) is not None
        }
        labels = {label for name in SETS for label in _labels(corpus, name)}
        default = sorted(labels - set(samples))
        if len(default) != 1 or not samples:
            known, there = ", ".join(sorted(labels)), ", ".join(samples) or "none"
            raise ConfigError(
                f"{corpus.folder}: the labels are {known}, samples (in-domain.NAME.{corpus.source}) are there of "
                f"{there}; one label must have no sample: that of the default domain"
            )
        return cls(corpus, samples, default[0])

    @property
    def names(self) -> tuple[str, ...]:
        return (self.default, *self.samples)

    def labels(self, name: str) -> list[str]:
        return _labels(self.corpus, name)

    def label_file(self, name: str) -> str:
        return str(self.corpus.folder / f"{name}.labels")

    def digest(self) -> str:
        digest = Digest()
        for path in [*(self.corpus.folder / f"{name}.labels" for name in SETS), *self.samples.values()]:
            digest.add(f"{path.name}\n")
            digest.add(path.read_bytes())
        return digest.hex()


def _labels(corpus: CorpusFiles, name: str) -> list[str]:
    text = corpus.side(name, corpus.source)
    return read_labels(corpus.folder / f"{name}.labels", len(read_lines(text)), str(text))


def clustering(classes: int, *, full: bool = False) -> ClusteringOptions:
    """Return options of Predictive (digits to one, rare words to `<unk>`) or PredictiveFull (neither)."""
    return ClusteringOptions(classes=classes, passes=10, min_count=1 if full else 5, digits_to_one=not full)


def classes_stage(laboratory: Laboratory, data: Stage, classes: int) -> Stage:
    """Return the stage that learns classes of both sides, and what they cost with the full vocabulary."""

    def run(place: Place) -> dict[str, Any]:
        corpus, found = laboratory.corpus, {}
        for side, language in (("source", corpus.source), ("target", corpus.target)):
            lines = read_lines(corpus.side("train", language))
            for name, full in (("reduced", False), ("full", True)):
                begin = time.process_time()
                learnt = cluster(lines, clustering(classes, full=full), threads=laboratory.threads)
                seconds = time.process_time() - begin
                found[f"{side} {name}"] = {"words": learnt.words, "tokens": learnt.tokens, "seconds": seconds}
                if not full:
                    learnt.classes.save(place.folder / f"{side}.tsv")
        return {"sides": found}

    used = {"classes": settings_of(clustering(classes))}
    return Stage(CLASSES, used, run, (data,), cost=500)


def labels_stage(laboratory: Laboratory, data: Stage, domains: DomainFiles) -> Stage:
    """Return the stage that labels training pairs by feature decay selection; a pair may be of several domains."""

    def run(place: Place) -> dict[str, Any]:
        corpus = laboratory.corpus
        source = corpus.bitext().source
        labels: list[list[str]] = [[] for _ in source]
        truth_file = domains.corpus.folder / "train.labels"
        truth = read_labels(truth_file, len(source), "the training data") if truth_file.is_file() else None
        found = {}
        for name, path in domains.samples.items():
            sample = read_lines(path)
            chosen = FeatureDecay().select(sample, source, SELECTED * len(sample))
            for line in chosen.lines.tolist():
                labels[line].append(name)
            found[name] = {"sample": len(sample), "chosen": len(chosen), **_precision(chosen.lines, truth, name)}
        write_lines(place.folder / LABELS, ["/".join(names) or domains.default for names in labels])
        return {"domains": found}

    return Stage(LABELS, {"domains": domains.digest(), "selected": SELECTED}, run, (data,), cost=500)


def _precision(lines: Any, truth: list[str] | None, name: str) -> dict[str, float]:
    """Return the share of chosen pairs that are of the domain, and of those of the domain that are chosen."""
    if truth is None:
        return {}
    right = sum(truth[line] == name for line in lines.tolist())
    return {"precision": right / max(len(lines), 1), "recall": right / max(truth.count(name), 1)}


def model_stage(laboratory: Laboratory, data: Stage, classes: Stage, labels: Stage | None) -> Stage:
    """Return the stage of alignment, language model, phrases with orientations, classes and labels."""
    settings = laboratory.settings
    options = TrainOptions(
        lm=LmOptions(order=settings.order),
        extract=ExtractOptions(PhraseOptions(), reordering=ReorderingOptions.parse(REORDERING)),
        features=feature_parts("dense-green", KIND),
    )

    def run(place: Place) -> dict[str, Any]:
        corpus = laboratory.corpus
        source, target = (corpus.side("train", language) for language in (corpus.source, corpus.target))
        maps = {side: str(place.of(classes) / f"{side}.tsv") for side in ("source", "target")}
        given = TrainingData(
            source,
            target,
            labels=None if labels is None else str(place.of(labels) / LABELS),
            source_classes=maps["source"],
            target_classes=maps["target"],
        )
        train_model(given, place.folder / MODEL, options, threads=laboratory.threads)
        return {"rules": len(RuleTable.open(place.folder / MODEL / RULES))}

    needs = (data, classes) if labels is None else (data, classes, labels)
    return Stage(MODEL, {"training": settings_of(options)}, run, needs, resumable=True, cost=3000)
