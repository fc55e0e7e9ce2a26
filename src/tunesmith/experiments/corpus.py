"""The data of an experiment: a folder laid out as docs/reference/corpus.md says, or the built-in phrasebook."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from tunesmith.corpus.bitext import Bitext, read_bitext, read_references
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.io import read_lines
from tunesmith.io.digest import Digest

SETS = ("dev", "devtest", "test")


@dataclass(frozen=True)
class EvaluationSet:
    """Sentences to translate, and the references of each."""

    lines: list[str]
    references: list[tuple[str, ...]]


@dataclass(frozen=True)
class CorpusFiles:
    """The files of one language pair.

    train.SOURCE and train.TARGET; dev, devtest and test with .SOURCE and .TARGET.0, .TARGET.1 … or .TARGET alone;
    each of them may be compressed and end in .gz.
    dev_references: number of references of dev that are used, the first ones; None for all.
    """

    folder: Path
    source: str
    target: str
    dev_references: int | None = field(default=None, kw_only=True)

    @classmethod
    def find(cls, folder: Path, pair: str | None = None) -> CorpusFiles:
        """Return the pair that the names of the files tell: the side with numbered references is the target.

        pair: such as zh-en, where there is a single reference and the name of the folder does not say it either.
        """
        if not folder.is_dir():
            raise MissingFileError(
                f"{folder}: no such folder; a folder with train, dev, devtest and test is needed"
            )
        languages = sorted(_languages(folder, "train"))
        named = pair or folder.resolve().name
        if len(languages) < 2:
            raise MissingFileError(
                f"{folder}: no parallel text; train.X and train.Y for two languages X and Y are needed, "
                f"there is {_listed(languages)}"
            )
        numbered = [each for each in languages if _numbered(folder, "dev", each)]
        ends = re.fullmatch(rf".*?({'|'.join(map(re.escape, languages))})-({'|'.join(map(re.escape, languages))})",
                            named)  # fmt: skip
        if pair is None and len(numbered) == 1 and len(languages) == 2:
            target = numbered[0]
            source = next(each for each in languages if each != target)
        elif ends is not None and ends[1] != ends[2]:
            source, target = ends[1], ends[2]
        else:
            raise ConfigError(
                f"{folder}: there are {_listed(languages)}, and it is not clear from what to what; "
                "say it with --pair X-Y"
            )
        found = cls(folder, source, target)
        for name in SETS:  # everything that an experiment reads must be there and of equal length
            found.evaluation(name)
        return found

    @property
    def name(self) -> str:
        """What results call the data."""
        return self.folder.resolve().name

    def placed(self, folder: Path) -> CorpusFiles:
        """Return the same where a stage may have written a part of it to `folder`."""
        return self

    def write(self) -> None:
        """Write what is not there as a file yet."""

    def labels(self, path: str, folder: Path) -> str:
        """Return the file of the labels of the training pairs; `folder` is for one that has to be written.

        path: a file with a label for every pair of the training files.
        """
        return path

    @cached_property
    def is_lower_case(self) -> bool:
        """Whether no translation can have upper case: neither training data nor sources and references."""
        lines = self.bitext().target
        for name in SETS:
            found = self.evaluation(name)
            lines = [*lines, *found.lines, *(line for each in found.references for line in each)]
        return all(line == line.lower() for line in lines)

    def side(self, name: str, language: str) -> Path:
        """Return a file of one side, compressed or not."""
        for suffix in ("", ".gz"):
            path = self.folder / f"{name}.{language}{suffix}"
            if path.is_file():
                return path
        raise MissingFileError(f"{self.folder / name}.{language}: no such file, and no .gz of it either")

    def references(self, name: str) -> list[Path]:
        return self.chosen(name, _numbered(self.folder, name, self.target) or [self.side(name, self.target)])

    def chosen(self, name: str, references: list[Path]) -> list[Path]:
        """Return the references of a set that are used."""
        return references[: self.dev_references] if name == "dev" else references

    def with_dev_references(self, count: int) -> CorpusFiles:
        """Return the corpus with the first `count` references of dev; ConfigError where there are fewer."""
        there = len(self.references("dev"))
        if count > there:
            raise ConfigError(f"{self.folder}: dev has {there} references, {count} are to be used")
        return replace(self, dev_references=count)

    def evaluation(self, name: str) -> EvaluationSet:
        path = self.side(name, self.source)
        lines = read_lines(path)
        if not lines:
            raise FormatError("there is no sentence", path=str(path))
        found = read_references(self.references(name), len(lines), str(path))
        return EvaluationSet(lines, found.sentences)

    def bitext(self) -> Bitext:
        return read_bitext(self.side("train", self.source), self.side("train", self.target))

    @cached_property
    def digest(self) -> str:
        """Changes with every byte of every file that is read."""
        digest = Digest()
        files = [self.side("train", self.source), self.side("train", self.target)]
        for name in SETS:
            files += [self.side(name, self.source), *self.references(name)]
        for path in files:
            digest.add(f"{path.name} {path.stat().st_size}\n")
            digest.add(path.read_bytes())
        return digest.hex()


def _languages(folder: Path, name: str) -> set[str]:
    pattern = re.compile(rf"{re.escape(name)}\.([A-Za-z]+)(\.gz)?")
    return {found[1] for path in folder.iterdir() if (found := pattern.fullmatch(path.name)) and found[1] != "gz"}


def _numbered(folder: Path, name: str, language: str) -> list[Path]:
    pattern = re.compile(rf"{re.escape(name)}\.{re.escape(language)}\.([0-9]+)(\.gz)?")
    found = [(int(match[1]), path) for path in folder.iterdir() if (match := pattern.fullmatch(path.name))]
    return [path for _, path in sorted(found)]


def _listed(languages: list[str]) -> str:
    return " and ".join(languages) if languages else "nothing of the kind"
