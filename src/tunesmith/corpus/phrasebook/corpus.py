"""The corpus as data, and its files."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tunesmith.io import make_folder, write_lines
from tunesmith.io.folders import scratch_folder

_REFERENCE_FILE = re.compile(r"(?:dev|devtest|test)\.en\.[0-9]+")


@dataclass(frozen=True)
class Pair:
    """A training sentence pair, tokenised."""

    source: str
    target: str


@dataclass(frozen=True)
class EvalSentence:
    """A source with its real references: all different, none of them in training."""

    source: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class PhrasebookCorpus:
    """Training pairs and three evaluation sets. `noisy` are the indices of mispaired pairs."""

    n_references: int
    train: list[Pair]
    dev: list[EvalSentence]
    devtest: list[EvalSentence]
    test: list[EvalSentence]
    noisy: list[int]

    def evaluation(self) -> dict[str, list[EvalSentence]]:
        """Return the evaluation sets by name, in the order they are written."""
        return {"dev": self.dev, "devtest": self.devtest, "test": self.test}

    def write(self, directory: str | Path) -> list[Path]:
        """Write train.{zh,en} and, for each evaluation set, .zh, .en.0 … and .nrefs.

        A sentence with fewer references than the rest repeats its first; .nrefs has the real
        number, one a line. Returns the paths in the order written.

        The files are complete before the first takes its place, so an interruption while writing
        leaves the folder as it was. Reference files of an earlier corpus that had more are removed;
        whatever else is in the folder stays.
        """
        directory = make_folder(directory)
        files: dict[str, list[str]] = {
            "train.zh": [pair.source for pair in self.train],
            "train.en": [pair.target for pair in self.train],
        }
        for name, sentences in self.evaluation().items():
            files[f"{name}.zh"] = [sentence.source for sentence in sentences]
            for number in range(self.n_references):
                files[f"{name}.en.{number}"] = [
                    s.references[number if number < len(s.references) else 0] for s in sentences
                ]
            files[f"{name}.nrefs"] = [str(len(sentence.references)) for sentence in sentences]
        # Inside the folder: the one place sure to be on its file system, so that a move is a rename.
        with scratch_folder(directory / "phrasebook") as made:
            for file_name, lines in files.items():
                write_lines(made / file_name, lines)
            for file_name in files:
                (made / file_name).replace(directory / file_name)
        for path in directory.iterdir():
            if _REFERENCE_FILE.fullmatch(path.name) and path.name not in files:
                path.unlink()
        return [directory / file_name for file_name in files]
