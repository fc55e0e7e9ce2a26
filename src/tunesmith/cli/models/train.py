"""`tunesmith train`: from parallel text to a model directory."""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from tunesmith.cli.console import note, progress, remark
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.models.align import Aligner
from tunesmith.cli.models.extraction_options import RULES, Extraction
from tunesmith.cli.models.raw_text import RawText
from tunesmith.cli.options import DETAILS, THREADS, FeaturesFrom, Quiet, Seed, Threads
from tunesmith.cli.printing import say
from tunesmith.lm.options import parse_size
from tunesmith.training.observer import TrainingObserver

ALIGNMENT, LANGUAGE_MODEL = "Word alignment", "Language model"


@grouped
def train(
    extraction: Extraction,
    output: Annotated[Path, option("-o --output FOLDER", "The model directory.")],
    features: Annotated[
        str, option("--features NAMES", "Feature templates; see: tunesmith features list.")
    ] = "default",
    features_from: FeaturesFrom = None,
    start: Annotated[
        str, option("--start NAME", "Start weights: moses, cherry2012 or green2014.", DETAILS)
    ] = "moses",
    align: Annotated[str | None, option("--align FILE", "Take this word alignment, compute none.")] = None,
    aligner: Aligner = None,
    symmetrize: Annotated[
        str, option("--symmetrize NAME", "How both directions are joined.", ALIGNMENT)
    ] = "grow-diag-final-and",
    lm_text: Annotated[list[str] | None, option("--lm-text FILE…", "More text for the language model.")] = None,
    lm: Annotated[str | None, option("--lm FILE", "Take this language model, estimate none.")] = None,
    more_lms: Annotated[
        list[str] | None,
        option(
            "--more-lm FILE…",
            "Further language models, features lm2, lm3, …; class:FILE is one of classes.",
            LANGUAGE_MODEL,
        ),
    ] = None,
    order: Annotated[int, option("--order", "Length of the longest n-grams.", LANGUAGE_MODEL)] = 5,
    source_classes: Annotated[
        str | None,
        option("--source-classes MAP", "Classes of source words, as tunesmith classes makes them.", DETAILS),
    ] = None,
    target_classes: Annotated[
        str | None, option("--target-classes MAP", "Classes of target words.", DETAILS)
    ] = None,
    by_label: Annotated[
        bool, option("--tables-by-label", "A translation table for each label, joined to one rule set.", RULES)
    ] = False,
    floor: Annotated[float, option("--floor", "Score of a rule in a table that lacks it.", RULES)] = 1e-7,
    indicator: Annotated[
        bool, option("--indicator", "Features that say which tables lack a rule.", RULES)
    ] = False,
    memory: Annotated[
        str, option("--memory SIZE", "Memory of each step, about; beyond it work goes to disk.", DETAILS)
    ] = "4G",
    seed: Seed = 1,
    raw: RawText = RawText(),
    restart: Annotated[
        bool, option("--restart", "Train from the beginning, also where the folder has a model of other text.")
    ] = False,
    dry_run: Annotated[bool, option("--dry-run", "Print what would be done, and why, and exit.")] = False,
    threads: Threads = THREADS,
    quiet: Quiet = False,
) -> None:
    """Train a model directory: word alignment, language model, rules, features.

    Steps that were finished before, from the same files with the same settings, are not done again: interrupted
    or with another setting, the same command resumes there.

    [bold]Examples[/bold]
      tunesmith train --source train.zh --target train.en -o model/
      tunesmith train --source train.zh --target train.en --lm-text news.en.gz --order 4 -o model/
      tunesmith train --source train.zh --target train.en --align train.align --lm news.arpa.gz -o model/
      tunesmith train --source raw.de --target raw.en --tokenize moses --source-language de --truecase -o model/
      tunesmith train --source raw.ja --target raw.en --tokenize sentencepiece:vocab=8000 -o model/
      tunesmith train --kind phrase --source train.zh --target train.en --features medium -o model/
      tunesmith train --kind left-to-right --source train.zh --target train.en -o model/
    """
    from tunesmith.alignment import AlignerOptions
    from tunesmith.alignment.aligner import FALL_BACK, default_model
    from tunesmith.features import features_from as load_features
    from tunesmith.features.presets import preset_reordering
    from tunesmith.grammar import ReorderingOptions
    from tunesmith.lm import LmOptions
    from tunesmith.lm.loading import typed_path
    from tunesmith.training.options import TrainingData, TrainOptions
    from tunesmith.training.start import feature_parts
    from tunesmith.training.train import plan_training, train_model

    limit = parse_size(memory)
    if features_from is not None:
        load_features(features_from)
    chosen = feature_parts(features, extraction.kind.value)
    if extraction.reordering == "none":
        chosen = tuple(part for part in chosen if part.template != "reordering")
    elif extraction.reordering is None and any(part.template == "reordering" for part in chosen):
        wanted = preset_reordering(features) or ReorderingOptions().name
        extraction = dataclasses.replace(extraction, reordering=wanted)
    options = TrainOptions(
        AlignerOptions(aligner or default_model(), None, symmetrize, seed),
        LmOptions(order=order, memory=limit),
        extraction.options(),
        chosen,
        start,
        by_label,
        floor,
        indicator,
        *raw.sides(),
        extraction.kind.value,
    )
    data = TrainingData(
        extraction.source,
        extraction.target,
        align,
        tuple(lm_text or ()),
        extraction.labels,
        lm,
        tuple(map(typed_path, more_lms or ())),
        source_classes,
        target_classes,
    )
    if aligner is None and align is None and options.aligner.model == FALL_BACK:
        remark(
            "sil-thot is not installed: words are aligned by the built-in hmm; eflomal, which is a little better, "
            "comes with pip install 'tunesmith[align]'",
            quiet=quiet,
        )
    if dry_run:
        for step in plan_training(data, output, options):
            say(f"{step.name}\t{'done' if step.why is None else step.why}")
        return
    since = time.perf_counter()
    with Report(quiet=quiet) as report:
        train_model(data, output, options, threads=threads, memory=limit, restart=restart, observer=report)
    note(f"the model is in {output} ({time.perf_counter() - since:.1f} s)", quiet=quiet)


class Report(TrainingObserver):
    """Progress and results of steps, on stderr."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar = contextlib.ExitStack()
        self._show: Callable[[int, int], None] = lambda done, total: None

    def __enter__(self) -> Report:
        return self

    def __exit__(self, *error: object) -> None:
        self._bar.close()

    def started(self, step: str, why: str) -> None:
        self._show = self._bar.enter_context(progress(step, quiet=self._quiet))

    def progress(self, done: int, total: int) -> None:
        self._show(done, total)

    def remark(self, message: str) -> None:
        remark(message, quiet=self._quiet)

    def finished(self, step: str, summary: str, seconds: float) -> None:
        self._bar.close()
        note(f"{step}: {summary} ({seconds:.1f} s)", quiet=self._quiet)

    def skipped(self, step: str) -> None:
        note(f"{step}: done before", quiet=self._quiet)
