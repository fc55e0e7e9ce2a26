"""Lists in files, and lists of an external decoder, as descriptions that can travel."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from tunesmith.corpus.bitext import expand_paths
from tunesmith.corpus.text_files import TextFiles, read_labels
from tunesmith.errors import ConfigError
from tunesmith.features.domains import Domains
from tunesmith.io import read_lines
from tunesmith.jobs.list_files import read_candidates
from tunesmith.jobs.opening import MakeSources, Opening, Sources, absolute
from tunesmith.jobs.texts import read_reference_files
from tunesmith.metrics import Precomputed
from tunesmith.search import CandidateSet
from tunesmith.search.lists.common import Common
from tunesmith.search.lists.labelled import with_copies
from tunesmith.settings import parse_settings, read_settings
from tunesmith.tuning import FileSource
from tunesmith.tuning.sources.command import CommandSource, DecoderCommand
from tunesmith.tuning.sources.server import ServerSource


class Listed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="lists"):
    """Lists to tune on, and perhaps lists of training data, with the same features.

    scores: for each file its scores.dat, or a number for each candidate where the metric is `precomputed`.
    source, train_source: source sentences of both, for metrics that look at them; None for those that lists carry.
    labels, train_labels: files with the domain of each sentence; features then have copies for domains.
    domains: settings of the template `domains`, such as `templates=lm,default=news`; without any, all features
    have copies in all domains.
    """

    candidates: tuple[str, ...]
    scores: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    train_candidates: tuple[str, ...] = ()
    train_references: tuple[str, ...] = ()
    dialect: str | None = None
    skip_bad: bool = False
    subwords: str | None = None
    source: str | None = None
    train_source: str | None = None
    labels: str | None = None
    train_labels: str | None = None
    domains: str = ""

    gives = ("lists",)
    missing_train = "--train-candidates FILE…"

    def has_train(self) -> bool:
        return bool(self.train_candidates)

    def sealed(self) -> Listed:
        """Return the same with absolute names; the run directory keeps digests of lists, and refuses others."""
        names = {
            name: tuple(str(Path(path).resolve()) for path in expand_paths(files))
            for name in ("candidates", "scores", "references", "train_candidates", "train_references")
            if (files := getattr(self, name))
        }
        texts = {
            name: absolute(getattr(self, name)) for name in ("source", "train_source", "labels", "train_labels")
        }
        return msgspec.structs.replace(self, **texts, **names)

    def open(self, given: Opening) -> MakeSources:
        """Read the lists; they are the same at every call of the result."""
        lists, texts, carried = self._read(self.candidates, self.scores, self.references, given)
        labels = None if self.labels is None else read_labels(self.labels, lists.sentences, "--candidates")
        lists = self._with_copies(lists, labels)
        lines = carried if self.source is None else self.source
        if not self.train_candidates:
            sources = Sources(FileSource(lists, texts, subwords=self.subwords, sources=lines, labels=labels))
        else:
            train_lists, train_texts, train_lines = self._read(
                self.train_candidates,
                (),
                self.train_references,
                given,
                "lists of training data",
                "--train-refs FILE",
            )
            if self.train_labels is not None:
                of_train = read_labels(self.train_labels, train_lists.sentences, "--train-candidates")
                train_lists = self._with_copies(train_lists, of_train)
            train_lines = train_lines if self.train_source is None else read_lines(self.train_source)
            if train_lines is None and train_texts is not None and given.metric.needs_source:
                raise ConfigError(
                    f"{given.metric.label} looks at source sentences, which the lists of training data do not "
                    "have: give --train-source FILE"
                )
            common = Common([lists, train_lists])
            sources = Sources(
                FileSource(common.fit(lists), texts, subwords=self.subwords, sources=lines, labels=labels),
                FileSource(common.fit(train_lists), train_texts, subwords=self.subwords, sources=train_lines),
            )
        return lambda k: sources

    def _with_copies(self, lists: CandidateSet, labels: Sequence[str] | None) -> CandidateSet:
        """Return the lists with copies of features for the domains of their sentences, where there are labels."""
        if labels is None:
            return lists
        settings = read_settings(Domains, dict(parse_settings(self.domains)), "--domains")
        return with_copies(lists, labels, Domains(**settings))

    def _read(
        self,
        files: Sequence[str],
        scores: Sequence[str],
        references: Sequence[str],
        given: Opening,
        what: str = "lists",
        option: str = "--refs FILE… (or --scores FILE…, a number for each candidate)",
    ) -> tuple[CandidateSet, Any, Sequence[str] | None]:
        """Return lists, references and sources. References of the lists are taken where no others are given.

        what, option: in a message where there are none.
        """
        lists = read_candidates(
            expand_paths(files), expand_paths(scores), self.dialect,
            given.metric if isinstance(given.metric, Precomputed) else None,
            skip_bad=self.skip_bad, observer=given.observer,
        )  # fmt: skip
        found = lists.candidates
        given.observer.note(
            f"{len(found)} different candidates of {found.sentences} sentences, {found.columns} features"
        )
        if not references:
            if found.statistics is None and lists.references is None:
                raise ConfigError(f"{what} need references: {option}")
            return found, None if found.statistics is not None else lists.references, lists.sources
        if found.statistics is not None:
            raise ConfigError("these lists carry statistics of a metric already; leave out --refs or --scores")
        texts = read_reference_files(references, files, given.observer.remark).sentences
        return found, texts, lists.sources


class Commanded(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="command"):
    """The lists of an external decoder, run as a command (see `DecoderCommand`)."""

    command: str
    config: str
    dev: TextFiles
    dialect: str | None = None
    time_limit: float | None = None
    subwords: str | None = None
    serves: bool = False

    gives = ("lists",)
    missing_train = "--train FILE"

    def has_train(self) -> bool:
        return False

    def sealed(self) -> Commanded:
        """Return the same with absolute names, and a digest of the text."""
        return msgspec.structs.replace(self, config=str(Path(self.config).resolve()), dev=self.dev.sealed())

    def open(self, given: Opening) -> MakeSources:
        """Read the text and the configuration."""
        decoder = DecoderCommand(self.command, Path(self.config), self.dialect, self.time_limit, self.serves)
        references = read_reference_files(self.dev.references, [self.dev.source], given.observer.remark).sentences
        source = Path(self.dev.source)
        kind = ServerSource if decoder.serves else CommandSource
        return lambda k: Sources(kind(decoder, source, references, k, subwords=self.subwords))
