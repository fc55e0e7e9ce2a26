"""Options that every `tunesmith experiment` has, and what is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.experiments.corpus import CorpusFiles
    from tunesmith.experiments.settings import Scale

SIZE = "Size"
MODEL = "Model"

Data = Annotated[
    str | None,
    typer.Option("--data", metavar="FOLDER|phrasebook", show_default=False,
                 help="Corpus with train, dev, devtest and test; or the built-in one."),
]  # fmt: skip
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FOLDER", show_default=False, help="For all of it.")
]
Pair = Annotated[
    str | None,
    typer.Option("--pair", metavar="X-Y", show_default="found by itself", help="From what to what."),
]
Rows = Annotated[list[str] | None, typer.Option("--rows", metavar="NAME…", show_default="all", help="Only these.")]
Tiny = Annotated[bool, typer.Option("--tiny", rich_help_panel=SIZE, help="To see it work: minutes, no meaning.")]
ListLength = Annotated[
    int | None, typer.Option("--k", min=2, rich_help_panel=SIZE, show_default="100", help="List length.")
]
Order = Annotated[int, typer.Option("--order", rich_help_panel=MODEL, help="Of the language model.")]
ListRows = Annotated[bool, typer.Option("--list", help="Only say which rows there are.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")]


def given_data(data: str | None, output: Path | None, pair: str | None) -> tuple[CorpusFiles | None, Path]:
    """Files of the corpus, None for the phrasebook, and the folder of the experiment."""
    from tunesmith.experiments.corpus import CorpusFiles

    if data is None or output is None:
        raise ConfigError("give the data and a folder for the experiment: --data FOLDER|phrasebook -o FOLDER")
    return None if data == "phrasebook" else CorpusFiles.find(Path(data), pair), output


def resized(scale: Scale, sizes: Mapping[str, int | None]) -> Scale:
    """The scale with the sizes that were typed; None where nothing was."""
    import dataclasses

    return dataclasses.replace(scale, **{name: size for name, size in sizes.items() if size is not None})
