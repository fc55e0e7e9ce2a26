"""Size of an experiment, and data of its model."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tunesmith.checks import at_least, given
from tunesmith.corpus.phrasebook import PhrasebookOptions
from tunesmith.errors import MissingFileError
from tunesmith.io.verify import file_checksum


@dataclass(frozen=True)
class Scale:
    """Settings that determine the running time.

    train_sentences: decoded training sentences, None for all. rounds: passes over them (T). inner_rounds: rounds
        of tuning on dev in each pass (r). dev_rounds: rounds of methods without training data. k: list length.
        reused_k: list length in which reused features are counted. sweep: values tried for each setting chosen on
        devtest.
    seeds: repetitions of random rows.
    """

    train_sentences: int | None = 10_000
    rounds: int = 6
    inner_rounds: int = 5
    dev_rounds: int = 15
    k: int = 100
    reused_k: int = 1000
    sweep: int = 3
    seeds: int = 5

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            at_least(2 if name in ("k", "reused_k") else 1, **given(**{name: value}))


DEFAULT = Scale()
FULL = Scale(train_sentences=None, rounds=15)
TINY = Scale(train_sentences=200, rounds=1, inner_rounds=2, dev_rounds=4, k=20, reused_k=50, sweep=1, seeds=2)
TINY_PHRASEBOOK = PhrasebookOptions(pairs=4000, eval_sentences=100)


@dataclass(frozen=True)
class Extraction:
    """Selection of rules of the model.

    min_count: the least joint count.   top: rules per source side, 0 for all.   significance: the least -log p.
    """

    min_count: float = 0.0
    top: int = 0
    significance: float | None = None


@dataclass(frozen=True)
class PhraseModel:
    """A phrase-based model in place of the hierarchical one.

    What richer feature sets add to one translation table and the language model of the target side: labels: file
    with a label for each training pair; each label gets a translation table, and they are joined. Without labels
    the second table comes from forced decoding.

    more_lms: files of further language models.
    """

    labels: str | None = None
    more_lms: tuple[str, ...] = ()

    def settings(self) -> dict[str, Any]:
        """Return settings of the model; files by their checksums."""
        for name in self._files():
            if not Path(name).is_file():
                raise MissingFileError(f"{name}: no such file")
        return {
            "kind": "phrase",
            "labels": None if self.labels is None else file_checksum(Path(self.labels)),
            "more_lms": [file_checksum(Path(name)) for name in self.more_lms],
        }

    def _files(self) -> list[str]:
        return [*self.more_lms] + ([] if self.labels is None else [self.labels])


@dataclass(frozen=True)
class ExperimentSettings:
    """Size, model and seed of an experiment.

    order: of the language model.
    phrasebook: options of the built-in corpus, if it is the data.   phrases: settings of a phrase-based model;
        None for a hierarchical one.
    """

    scale: Scale = field(default_factory=Scale)
    extraction: Extraction = field(default_factory=Extraction)
    order: int = 5
    seed: int = 1
    phrasebook: PhrasebookOptions = field(default_factory=PhrasebookOptions)
    phrases: PhraseModel | None = None

    @property
    def kind(self) -> str:
        """Kind of the model: `hiero` or `phrase`."""
        return "hiero" if self.phrases is None else "phrase"

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)
