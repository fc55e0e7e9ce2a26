"""Options that mean the same in every verb. A letter has one meaning everywhere; a test keeps it so."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


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


OutputFolder = Annotated[Path, typer.Option("-o", "--output", help="Folder to write to; made if missing.")]
OutputFile = Annotated[str, typer.Option("-o", "--output", help="File to write; - is standard output.")]
Threads = Annotated[
    int, typer.Option("-j", "--threads", min=1, max=10_000, help="Threads; results do not depend on it.")
]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="No messages, only the result.")]
OutputFormat = Annotated[Format, typer.Option("-f", "--format", help="Print text for people or JSON.")]
OutputTable = Annotated[
    TableFormat, typer.Option("-f", "--format", help="Print text for people, JSON, or a table to paste.")
]
Model = Annotated[
    Path, typer.Option("-m", "--model", metavar="FOLDER", help="Model directory.", show_default=False)
]
WeightsFile = Annotated[
    str | None,
    typer.Option("-W", "--weights", metavar="FILE", help="Weights by name.", show_default="the model's"),
]
FeaturesFrom = Annotated[
    str | None,
    typer.Option(
        "--features-from", metavar="FILE", help="Python file with templates of yours.", show_default=False
    ),
]
Digits = Annotated[int, typer.Option("-w", "--digits", min=0, max=15, help="Digits after the point.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Seed of every random choice.")]
References = Annotated[
    list[str],
    typer.Option(
        "--refs",
        help="Reference files: all words up to the next option, a quoted glob, or repeated.",
        metavar="FILE…",
        show_default=False,
    ),
]
Lowercase = Annotated[bool, typer.Option("--lowercase", help="Compare without regard to case.")]
Bootstrap = Annotated[
    int,
    typer.Option("--bootstrap", min=0, max=1_000_000, help="Bootstrap resamples; 0 for no confidence interval."),
]
Confidence = Annotated[float, typer.Option("--confidence", help="Level of confidence intervals.")]
SentenceLevel = Annotated[bool, typer.Option("--sentence-level", help="One line per sentence, separated by tabs.")]
