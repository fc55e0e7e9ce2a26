"""Leave-one-out counts of the training data of a model directory, for leave-one-out."""

from __future__ import annotations

import contextlib
from pathlib import Path

from tunesmith.alignment import read_alignments
from tunesmith.config import read_system
from tunesmith.corpus.bitext import Bitext, read_bitext
from tunesmith.corpus.text_processing import TextProcessing
from tunesmith.errors import ConfigError, FormatError
from tunesmith.grammar import LeaveOneOutCounts, RuleTable, find_leave_one_out_counts
from tunesmith.grammar.extract import Progress
from tunesmith.io import StrPath
from tunesmith.io.arrays import MANIFEST
from tunesmith.io.digest import file_digest
from tunesmith.io.inside import inside
from tunesmith.io.paths import as_path
from tunesmith.training.steps import STAMPS, read_stamps
from tunesmith.training.train import ALIGNMENT


def leave_one_out_counts_of(
    model: StrPath,
    source: StrPath,
    target: StrPath,
    alignment: StrPath | None,
    folder: StrPath,
    *,
    tokenized: bool = False,
    threads: int = 1,
    progress: Progress | None = None,
) -> LeaveOneOutCounts:
    """Return what each sentence pair of all the training data gave to the rules of a model, one entry a line.

    alignment: Pharaoh format; None takes the one in the model directory, which `tunesmith train` left there.
    tokenized: the text is the tokens of the model already; otherwise it is processed as `tunesmith train` did.
    folder: where they are kept; those that are there already, of the same table, are opened, others replaced.
    """
    home = inside(model)
    system = read_system(home)
    table = RuleTable.open(home / system.rules)
    if (inside(folder) / MANIFEST).exists():
        with contextlib.suppress(ConfigError, FormatError):
            return LeaveOneOutCounts.open(folder, table)
    links = home / ALIGNMENT if alignment is None else alignment
    if alignment is None and not as_path(links).exists():
        raise ConfigError(f"{model}: has no {ALIGNMENT}, so the word alignment of its training data must be named")
    if alignment is None:
        _refuse_changed(home)
    bitext = training_text(home, source, target, tokenized=tokenized)
    return find_leave_one_out_counts(
        table, bitext, read_alignments(links, bitext), folder, threads=threads, progress=progress
    )


def training_text(model: Path, source: StrPath, target: StrPath, *, tokenized: bool = False) -> Bitext:
    """Return the training data of a model directory as tokens.   tokenized: the files have tokens already."""
    system = read_system(model)
    bitext = read_bitext(source, target)
    text = TextProcessing.of(system.source_text, system.target_text, model)
    if tokenized or not text:
        return bitext
    return Bitext(text.sources(bitext.source), [text.target.process(line) for line in bitext.target])


def _refuse_changed(model: Path) -> None:
    """Raise FormatError where the word alignment of a model is not the one that training wrote."""
    stamped = [stamp.get("outputs", {}) for stamp in read_stamps(model / STAMPS).values()]
    written = [outputs[ALIGNMENT] for outputs in stamped if ALIGNMENT in outputs]
    if written and file_digest(model / ALIGNMENT) not in written:
        raise FormatError(
            f"is not what training wrote, by {STAMPS}; it is damaged. Run the same tunesmith train again",
            path=str(model / ALIGNMENT),
        )
