"""Options that mean the same in every verb. A letter has one meaning everywhere; a test keeps it so."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

from tunesmith.cli.declaring import option


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


OutputFolder = Annotated[Path, option("-o --output", "Folder to write to; made if missing.")]
OutputFile = Annotated[str, option("-o --output", "File to write; - is standard output.")]
Threads = Annotated[int, option("-j --threads", "Threads; results do not depend on it.", min=1, max=10_000)]
Quiet = Annotated[bool, option("-q --quiet", "No messages, only the result.")]
OutputFormat = Annotated[Format, option("-f --format", "Print text for people or JSON.")]
OutputTable = Annotated[TableFormat, option("-f --format", "Print text for people, JSON, or a table to paste.")]
Model = Annotated[Path, option("-m --model FOLDER", "Model directory.", show_default=False)]
WeightsFile = Annotated[str | None, option("-W --weights FILE", "Weights by name.", show_default="the model's")]
FeaturesFrom = Annotated[str | None, option("--features-from FILE", "Python file with templates of yours.")]
Digits = Annotated[int, option("-w --digits", "Digits after the point.", min=0, max=15)]
Seed = Annotated[int, option("--seed", "Seed of every random choice.", min=0)]
References = Annotated[list[str], option(
    "--refs FILE…", "Reference files: all words up to the next option, a quoted glob, or repeated.",
    show_default=False,
)]  # fmt: skip
Lowercase = Annotated[bool, option("--lowercase", "Compare without regard to case.")]
Bootstrap = Annotated[
    int, option("--bootstrap", "Bootstrap resamples; 0 for no confidence interval.", min=0, max=1_000_000)
]
Confidence = Annotated[float, option("--confidence", "Level of confidence intervals.")]
SentenceLevel = Annotated[bool, option("--sentence-level", "One line per sentence, separated by tabs.")]
