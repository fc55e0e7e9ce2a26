"""Options that mean the same in every verb. A letter has one meaning everywhere; a test keeps it so."""

from __future__ import annotations

import os
from enum import Enum
from pathlib import Path
from typing import Annotated

from tunesmith.cli.declaring import option

DETAILS = "Details"
"""Panel of options that few need; verbs with many options show them with `--help-all`."""


def _processors() -> int:
    """Return the number of usable processors, at most 4: more threads need more memory, so the user decides."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, 4)


THREADS = _processors()
"""The one default of `-j`."""


class Format(str, Enum):
    """How a result is printed."""

    text = "text"
    json = "json"


class TableFormat(str, Enum):
    """How a table is printed."""

    text = "text"
    json = "json"
    markdown = "markdown"


class CorrectionName(str, Enum):
    """Corrections for several comparisons."""

    none = "none"
    holm = "holm"
    bonferroni = "bonferroni"


OutputFolder = Annotated[Path, option("-o --output FOLDER", "Folder to write to; made if missing.")]
OutputFile = Annotated[str, option("-o --output FILE", "File to write; - is standard output.")]
Threads = Annotated[int, option(
    "-j --threads N", "Threads; results are the same.", show_default="processors, at most 4", min=1, max=10_000
)]  # fmt: skip
Quiet = Annotated[bool, option("-q --quiet", "Only the result, and warnings.")]
OutputFormat = Annotated[Format, option("-f --format", "Print text for people or JSON.", DETAILS)]
OutputTable = Annotated[TableFormat, option("-f --format", "Print text for people, JSON, or a table to paste.")]
Model = Annotated[Path, option("-m --model FOLDER", "Model directory.", show_default=False)]
WeightsFile = Annotated[str | None, option("-W --weights FILE", "Weights by name.", show_default="the model's")]
FeaturesFrom = Annotated[
    str | None, option("--features-from FILE", "Python file with your own templates.", DETAILS)
]
Digits = Annotated[int, option("-w --digits N", "Digits after the point.", DETAILS, min=0, max=15)]
Seed = Annotated[int, option("--seed N", "Seed of every random choice.", DETAILS, min=0)]
References = Annotated[list[str], option(
    "--refs FILE…", "Reference files: all words up to the next option, a quoted glob, or repeated.",
    show_default=False,
)]  # fmt: skip
Subwords = Annotated[str | None, option(
    "--subwords NAME", "Pieces that words are cut into, joined for metrics and output: bpe (fa@@ st), "
    "sentencepiece (▁fa st) or none.", DETAILS, show_default="by their marks",
)]  # fmt: skip
Labels = Annotated[
    str | None,
    option("--labels FILE", "Domain of each line; results of each domain follow those of all.", DETAILS),
]
Lowercase = Annotated[bool, option("--lowercase", "Compare without regard to case.", DETAILS)]
Bootstrap = Annotated[
    int,
    option("--bootstrap N", "Bootstrap resamples; 0 for no confidence interval.", DETAILS, min=0, max=1_000_000),
]
Confidence = Annotated[float, option("--confidence", "Level of confidence intervals.", DETAILS)]
SentenceLevel = Annotated[bool, option("--sentence-level", "One line per sentence, separated by tabs.")]
