"""Options that every `tunesmith experiment` has, and what is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import option
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.experiments.corpus import CorpusFiles
    from tunesmith.experiments.settings import Scale

SIZE = "Size"
MODEL = "Model"

Data = Annotated[str | None, option(
    "--data FOLDER|phrasebook", "Corpus with train, dev, devtest and test; or the built-in one."
)]  # fmt: skip
Output = Annotated[Path | None, option("-o --output FOLDER", "For all of it.")]
Pair = Annotated[str | None, option("--pair X-Y", "From what to what.", show_default="found by itself")]
Rows = Annotated[list[str] | None, option("--rows NAME…", "Only these.", show_default="all")]
Tiny = Annotated[bool, option("--tiny", "To see it work: minutes, no meaning.", SIZE)]
ListLength = Annotated[int | None, option("--k", "List length.", SIZE, show_default="100", min=2)]
Order = Annotated[int, option("--order", "Of the language model.", MODEL)]
ListRows = Annotated[bool, option("--list", "Only say which rows there are.")]
DryRun = Annotated[bool, option("--dry-run", "Only say what would be done.")]


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
