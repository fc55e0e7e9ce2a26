"""From a model directory to a decoder."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tunesmith.checks import kind_of
from tunesmith.config import SYSTEM, TEXTS, WEIGHTS, System, read_system
from tunesmith.corpus.text_processing import TextProcessing
from tunesmith.corpus.vocab import SPECIAL
from tunesmith.decoding import hiero, left_to_right, phrase  # noqa: F401 (our decoders register themselves)
from tunesmith.decoding.candidates import ListDecoder
from tunesmith.decoding.decoder import Decoder, decoders
from tunesmith.decoding.options import SearchOptions
from tunesmith.errors import ConfigError, WrongTypeError
from tunesmith.features import FeatureMatrix, SearchFeature, domains_of, split_features
from tunesmith.features.featureset import feature_labels
from tunesmith.features.word_classes import open_rules
from tunesmith.grammar import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.arrays import MANIFEST
from tunesmith.io.inside import inside
from tunesmith.io.verify import file_checksum
from tunesmith.lm import LanguageModel, load_model
from tunesmith.signature import Signature
from tunesmith.weights import Weights

Tell = Callable[[str], None]


@dataclass(frozen=True)
class TranslationModel:
    """A model directory, opened: everything that is searched with, but no weights chosen yet."""

    folder: Path
    system: System
    table: RuleTable
    language_models: Mapping[str, LanguageModel]
    features: FeatureMatrix
    state_features: Mapping[str, SearchFeature] = field(default_factory=dict)

    @classmethod
    def open(cls, folder: StrPath, *, threads: int = 1, tell: Tell | None = None) -> TranslationModel:
        """Read `system.toml` and every part it names.

        The features of hierarchical rules are compiled, scores of phrases are read when they are needed: sentences
        use a large part of the one table and a small part of the other.

        tell: is called with what is read next.
        """
        say = tell or (lambda what: None)
        if not isinstance(folder, (str, os.PathLike)):
            raise WrongTypeError(f"folder must be a model directory, got {kind_of(folder)}")
        path = inside(folder)
        system = read_system(path)
        say("rules")
        table = open_rules(path, system)
        if table.kind != decoder_type(system.kind).kind:
            raise ConfigError(
                f"{path}: system.toml says kind {system.kind!r}, but {path / system.rules} has {table.kind} "
                "rules; the parts do not belong together. Train the model again"
            )
        say("features")
        local, across = split_features(system.features)
        features = local.compile(table, threads=threads, on_demand=True)
        say("language models")
        models = {part.name: load_model(path / part.path) for part in system.lms}
        return cls(path, system, table, models, features, across)

    def start_weights(self) -> Weights:
        """Return the weights that the directory came with."""
        return Weights.read(self.folder / WEIGHTS)

    def options(self, **changes: Any) -> SearchOptions:
        """Return limits of the search: those of the model, some of them replaced; None replaces nothing."""
        kind = decoder_type(self.system.kind).options_type
        known = {field.name for field in dataclasses.fields(kind)}
        chosen: dict[str, Any] = dict(self.system.decoder)
        chosen.update((key, value) for key, value in changes.items() if value is not None)
        if unknown := sorted(set(chosen) - known):
            raise ConfigError(
                f"{kind.adjective} search has no option {unknown[0]!r}; it has {', '.join(sorted(known))}"
            )
        try:
            return kind(**chosen)
        except ConfigError as error:
            if all(value is None for value in changes.values()):  # so the file is to blame
                raise ConfigError(f"{self.folder / SYSTEM}: {error}") from None
            raise

    def decoder(self, weights: Weights | None = None, options: SearchOptions | None = None) -> Decoder:
        """Return the decoder of the model's kind with these weights; without any, those of the directory."""
        found = decoder_type(self.system.kind)(
            self.table,
            self.features,
            self.language_models,
            self.start_weights() if weights is None else weights,
            self.options() if options is None else options,
            state_features=self.state_features,
            domains=domains_of(self.system.features),
        )
        found.signature_of = self.signature
        return found

    def list_decoder(self) -> ListDecoder:
        """Make a decoder of lists with the weights of the directory, for one thread of work."""
        return self.decoder().list_decoder()

    def with_own_names(self, *, threads: int = 1) -> TranslationModel:
        """Return a copy of the model with a feature index of its own, for another tuning.

        Features that are found while decoding get numbers in the order they are met, which must not depend on what
        else is tuned at the time. Without such features it is this very model.
        """
        if not self.state_features and domains_of(self.system.features) is None:
            return self
        features = self.features.with_own_index()
        if features is None:
            local, _ = split_features(self.system.features)
            features = local.compile(self.table, threads=threads, on_demand=True)
        return dataclasses.replace(self, features=features)

    def doubts(self) -> list[str]:
        """Return notes about parts that can be read but hardly belong together.

        A language model that was made of the target side knows nearly all words of the rules; one that knows less
        than half of them speaks another language, or text that was prepared in another way.
        """
        words = self.table.target_vocabulary.words[len(SPECIAL) :]
        found = []
        for part in self.system.lms:
            known = self.language_models[part.name].known_words(words)
            if 2 * known < len(words):
                found.append(
                    f"{self.folder / part.path}: knows {known} of the {len(words)} target words of the rules; "
                    "is it of this language, and of text tokenised alike?"
                )
        return found

    @cached_property
    def text(self) -> TextProcessing:
        """Processing of raw text to the tokens of the decoder, and back; does nothing where the model has none."""
        return TextProcessing.of(self.system.source_text, self.system.target_text, self.folder)

    @cached_property
    def digests(self) -> dict[str, str]:
        """A checksum of every part: models with equal ones translate alike."""
        parts = {"rules": self.folder / self.system.rules / MANIFEST}
        parts |= {part.name: self.folder / part.path for part in self.system.lms}
        for side in TEXTS:
            files = getattr(self.system, side).files()
            parts |= {f"{side}_{key}": self.folder / path for key, path in files.items()}
        parts |= {f"{side}_classes": self.folder / path for side, path in self.system.classes.items()}
        return {name: file_checksum(path) for name, path in parts.items()}

    def signature(self, options: SearchOptions) -> Signature:
        """Return what translations depend on in addition to weights and input."""
        return Signature(
            self.system.kind,
            {
                **self.digests,
                "features": feature_labels(self.system.features),
                **({"text": self.text.settings()} if self.text else {}),
                "search": {"method": options.method, **options.settings()},
            },
        )


def decoder_type(kind: str) -> type[Decoder]:
    """Return the decoder for models of a kind."""
    found = decoders.get(kind)
    assert isinstance(found, type)
    return found


def load_decoder(
    folder: StrPath,
    weights: Weights | Mapping[str, float] | StrPath | None = None,
    *,
    threads: int = 1,
    **options: Any,
) -> Decoder:
    """Return the decoder of a model directory.

    weights: instead of the start weights of the model.   options: of the search, instead of the model's.
    Names in the weights that no feature has are in `unknown_weights`.
    """
    model = TranslationModel.open(folder, threads=threads)
    return model.decoder(None if weights is None else Weights.of(weights), model.options(**options))


def open_list_decoder(folder: StrPath) -> ListDecoder:
    """Open a model directory for a tuner."""
    return TranslationModel.open(folder).list_decoder()
