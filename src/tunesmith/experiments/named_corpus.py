"""The data of an experiment by a small TOML file that names the files of each set.

source = "en"
target = "fr"
[train]
source = "../fr-en/train.en.gz"
target = "../fr-en/train.fr.gz"
[dev]
source = "dev.en"
references = ["dev.fr.*"]
[devtest]
from_train = 1000
[test]
source = "test.en"
references = "test.fr"
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tunesmith.corpus.bitext import Bitext, expand_paths, read_bitext
from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.experiments.corpus import SETS, CorpusFiles, EvaluationSet
from tunesmith.io import make_folder, read_lines, write_lines
from tunesmith.io.digest import Digest
from tunesmith.io.toml import read_toml, shown_value, unknown_key

_SEED = 1  # of the pairs that are taken out of the training data


@dataclass(frozen=True)
class NamedSet:
    """Files of one set.   targets: the target side of `train`, references of the others."""

    source: Path
    targets: tuple[Path, ...]


@dataclass(frozen=True)
class NamedCorpus(CorpusFiles):
    """A corpus whose files may be anywhere; sets without files are pairs taken out of the training data.

    folder: where training data without these pairs, and the pairs, are written (`write`).
    sets: files of each set.   taken: how many pairs each of the other sets has.
    """

    sets: Mapping[str, NamedSet] = field(default_factory=dict)
    taken: Mapping[str, int] = field(default_factory=dict)
    label: str = ""

    @classmethod
    def read(cls, path: Path) -> NamedCorpus:
        """Return what a TOML file names; FormatError with its line for what is missing or unknown."""
        return _Reader(path).corpus()

    @property
    def name(self) -> str:
        return self.label

    def placed(self, folder: Path) -> NamedCorpus:
        return dataclasses.replace(self, folder=folder)

    def side(self, name: str, language: str) -> Path:
        if self.taken and (name in self.taken or name == "train"):
            return self.folder / f"{name}.{language}"
        found = self.sets[name]
        return found.source if language == self.source else found.targets[0]

    def references(self, name: str) -> list[Path]:
        found = [self.side(name, self.target)] if name in self.taken else list(self.sets[name].targets)
        return self.chosen(name, found)

    def evaluation(self, name: str) -> EvaluationSet:
        if name not in self.taken:
            return super().evaluation(name)
        pairs = self._parts[name]
        return EvaluationSet(pairs.source, [(line,) for line in pairs.target])

    def bitext(self) -> Bitext:
        return self._parts["train"]

    @cached_property
    def _whole(self) -> Bitext:
        train = self.sets["train"]
        return read_bitext(train.source, train.targets[0])

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """Numbers of the training pairs, and of those of each set that is taken out of them.

        A pair that shares a side with one that is taken is in none of them.
        """
        whole, wanted = self._whole, sum(self.taken.values())
        if wanted >= len(whole):
            raise ConfigError(
                f"{self.sets['train'].source}: has {len(whole)} pairs, {wanted} cannot be taken out of them"
            )
        order = np.random.default_rng(_SEED).permutation(len(whole)).tolist()
        numbers, begin = {}, 0
        for name, count in self.taken.items():
            numbers[name] = sorted(order[begin : begin + count])
            begin += count
        sources = {whole.source[at] for at in order[:wanted]}
        targets = {whole.target[at] for at in order[:wanted]}
        numbers["train"] = [
            at for at in sorted(order[wanted:])
            if whole.source[at] not in sources and whole.target[at] not in targets
        ]  # fmt: skip
        if not numbers["train"]:
            raise ConfigError(
                f"{self.sets['train'].source}: "
                f"every pair shares a side with one of the {wanted} taken out; take fewer"
            )
        return numbers

    @cached_property
    def _parts(self) -> dict[str, Bitext]:
        """Training data, and the sets that are taken out of it."""
        whole = self._whole
        if not self.taken:
            return {"train": whole}
        return {
            name: Bitext([whole.source[at] for at in numbers], [whole.target[at] for at in numbers])
            for name, numbers in self._numbers.items()
        }

    def write(self) -> None:
        for name, pairs in self._parts.items() if self.taken else ():
            make_folder(self.folder)
            write_lines(self.folder / f"{name}.{self.source}", pairs.source)
            write_lines(self.folder / f"{name}.{self.target}", pairs.target)

    def labels(self, path: str, folder: Path) -> str:
        if not self.taken:
            return path
        lines = read_lines(path)
        if len(lines) != len(self._whole):
            raise FormatError(
                f"has {len(lines)} labels, {self.sets['train'].source} has {len(self._whole)} pairs", path=path
            )
        kept = folder / "labels"
        write_lines(kept, [lines[at] for at in self._numbers["train"]])
        return str(kept)

    @cached_property
    def digest(self) -> str:
        digest = Digest()
        for name, each in self.sets.items():
            targets = each.targets if name == "train" else self.references(name)
            for path in (each.source, *targets):
                digest.add(f"{name} {path.name} {path.stat().st_size}\n")
                digest.add(path.read_bytes())
        for name, count in self.taken.items():
            digest.add(f"{name} {count} taken\n")
        return digest.hex()


class _Reader:
    """Reader that takes known keys out of the document; each error has the line."""

    def __init__(self, path: Path) -> None:
        if not path.is_file():
            raise MissingFileError(f"{path}: no such file; a TOML file that names the data is needed")
        self._path, self._document = path, read_toml(path)
        self._tables = dict(self._document.tables)

    def corpus(self) -> NamedCorpus:
        source, target = self._text(self._tables, None, "source"), self._text(self._tables, None, "target")
        if source == target:
            raise self._document.error(f"source and target are both {source!r}", None, "target")
        for key, language in (("source", source), ("target", target)):
            if not language.isalnum():
                raise self._document.error(f"{language!r} is not the name of a language, such as en", None, key)
        train = self._table("train")
        sets = {"train": NamedSet(self._file(train, "train", "source"), (self._file(train, "train", "target"),))}
        self._nothing_else(train, "train", ("source", "target"))
        taken = {}
        for name in SETS:
            table = self._table(name)
            if "from_train" in table:
                taken[name] = self._count(table, name)
            else:
                sets[name] = NamedSet(
                    self._file(table, name, "source"), tuple(self._listed(table, name, "references"))
                )
            self._nothing_else(table, name, ("source", "references", "from_train"))
        self._nothing_else(self._tables, None, ("source", "target", "train", *SETS))
        found = NamedCorpus(self._path.parent, source, target, sets=sets, taken=taken, label=self._path.stem)
        for name in SETS:  # everything that an experiment reads must be there and of equal length
            found.evaluation(name)
        return found

    def _text(self, table: dict[str, Any], name: str | None, key: str) -> str:
        value = table.pop(key, None)
        if not isinstance(value, str) or not value:
            where = "" if name is None else f" in [{name}]"
            seen = "is missing" if value is None else f"= {shown_value(value)}"
            raise self._document.error(f"{key}{where} {seen}; expected a text in quotes", name, key)
        return value

    def _table(self, name: str) -> dict[str, Any]:
        value = self._tables.pop(name, None)
        if not isinstance(value, dict):
            wanted = "source and target" if name == "train" else "source and references, or from_train = PAIRS"
            raise self._document.error(
                f"a table [{name}] is needed, with {wanted}", None if value is None else name
            )
        return dict(value)

    def _file(self, table: dict[str, Any], name: str, key: str) -> Path:
        path = self._path.parent / self._text(table, name, key)
        if not path.is_file():
            raise self._document.error(f"{path}: no such file", name, key)
        return path

    def _listed(self, table: dict[str, Any], name: str, key: str) -> list[Path]:
        """Return a file, a pattern such as dev.en.*, or a list of these."""
        value = table.pop(key, None)
        names = [value] if isinstance(value, str) else value
        if not isinstance(names, list) or not names or not all(isinstance(each, str) and each for each in names):
            seen = "is missing" if value is None else f"= {shown_value(value)}"
            raise self._document.error(f"{key} in [{name}] {seen}; expected a file in quotes or a list", name, key)
        found = [Path(each) for each in expand_paths([str(self._path.parent / each) for each in names])]
        for path in found:
            if not path.is_file():
                raise self._document.error(f"{path}: no such file", name, key)
        return found

    def _count(self, table: dict[str, Any], name: str) -> int:
        value = table.pop("from_train")
        if type(value) is not int or value < 1:
            message = f"from_train must be a number of pairs of at least 1, got {shown_value(value)}"
            raise self._document.error(message, name, "from_train")
        if table:
            message = f"[{name}] has from_train, so it has no files: leave out {', '.join(table)}"
            raise self._document.error(message, name, next(iter(table)))
        return value

    def _nothing_else(self, table: dict[str, Any], name: str | None, known: tuple[str, ...]) -> None:
        for key in table:
            what = "table or key" if name is None else f"key of [{name}]"
            where = key if name is None and isinstance(table[key], dict | list) else name
            raise self._document.error(unknown_key(key, known, what), where, key)
