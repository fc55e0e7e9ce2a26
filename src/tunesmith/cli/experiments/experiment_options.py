"""Options that every `tunesmith experiment` has, and what is made of them."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.declaring import option
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.experiments.corpus import CorpusFiles
    from tunesmith.experiments.settings import ExperimentSettings, Scale

SIZE = "Size"
MODEL = "Model"


@dataclass(frozen=True)
class Common:
    """Data, folder and rows of an experiment, and how it is run."""

    data: Annotated[str | None, option(
        "--data FOLDER|TOML|phrasebook", "Corpus with train, dev, devtest and test, or a file that names them."
    )] = None  # fmt: skip
    output: Annotated[Path | None, option("-o --output FOLDER", "Folder of the experiment.")] = None
    pair: Annotated[
        str | None, option("--pair X-Y", "Source and target language.", show_default="from the file names")
    ] = None
    rows: Annotated[list[str], option("--rows NAME…", "Only these rows.", show_default="all")] = field(
        default_factory=list
    )
    tiny: Annotated[bool, option("--tiny", "Try it out in minutes; the scores mean nothing.")] = False
    references: Annotated[int | None, option(
        "--references N", "Use the first N references of dev alone, all of devtest and test.", SIZE,
        show_default="all", min=1,
    )] = None  # fmt: skip
    k: Annotated[int | None, option("--k", "List length.", SIZE, show_default="100", min=2)] = None
    order: Annotated[int, option("--order", "Order of the language model.", MODEL)] = 5
    seed: options.Seed = 1
    list_rows: Annotated[bool, option("--list", "List the rows and exit.")] = False
    dry_run: Annotated[bool, option("--dry-run", "Print what would be done and exit.")] = False
    output_format: options.OutputTable = options.TableFormat.text
    threads: options.Threads = options.THREADS
    quiet: options.Quiet = False

    def place(self) -> tuple[CorpusFiles | None, Path]:
        """Return files of the corpus, None for the phrasebook, and the folder of the experiment."""
        from tunesmith.experiments.corpus import CorpusFiles
        from tunesmith.experiments.named_corpus import NamedCorpus

        if self.data is None or self.output is None:
            raise ConfigError("give the data and a folder for the experiment: --data FOLDER|phrasebook -o FOLDER")
        if self.data == "phrasebook":
            if self.references is not None:
                raise ConfigError("--references is for your own data, not for the phrasebook")
            return None, self.output
        found: CorpusFiles
        if not self.data.endswith(".toml"):
            found = CorpusFiles.find(Path(self.data), self.pair)
        elif self.pair is not None:
            raise ConfigError(f"--pair is for folders; {self.data} says source and target itself")
        else:
            found = NamedCorpus.read(Path(self.data))
        return found if self.references is None else found.with_dev_references(self.references), self.output

    def settings(self, scale: Scale, **sizes: int | None) -> ExperimentSettings:
        """Return settings of this scale, or of the tiny one, with the sizes that were typed; None without any."""
        from tunesmith.corpus.phrasebook import PhrasebookOptions
        from tunesmith.experiments.settings import TINY, TINY_PHRASEBOOK, ExperimentSettings

        changed = {name: size for name, size in {**sizes, "k": self.k}.items() if size is not None}
        return ExperimentSettings(
            dataclasses.replace(TINY if self.tiny else scale, **changed),
            order=self.order,
            seed=self.seed,
            phrasebook=TINY_PHRASEBOOK if self.tiny else PhrasebookOptions(),
        )
