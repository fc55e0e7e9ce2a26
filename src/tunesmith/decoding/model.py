"""From a model directory to a decoder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tunesmith.config import WEIGHTS, System, read_system
from tunesmith.decoding.hiero import HieroDecoder
from tunesmith.decoding.options import DecoderOptions
from tunesmith.errors import ConfigError
from tunesmith.features import FeatureMatrix, FeatureSet
from tunesmith.features.base import StateFeature, templates
from tunesmith.grammar import RuleTable
from tunesmith.io import StrPath
from tunesmith.io.arrays import MANIFEST, checksum
from tunesmith.lm import NgramModel
from tunesmith.signature import Signature
from tunesmith.weights import Weights

Tell = Callable[[str], None]


@dataclass(frozen=True)
class TranslationModel:
    """A model directory, opened: everything that is searched with, but no weights chosen yet."""

    folder: Path
    system: System
    table: RuleTable
    language_models: Mapping[str, NgramModel]
    features: FeatureMatrix
    state_features: tuple[str, ...] = ()

    @classmethod
    def open(cls, folder: StrPath, *, threads: int = 1, tell: Tell | None = None) -> TranslationModel:
        """Read `system.toml` and every part it names; the features of all rules are compiled.

        tell: is called with what is read next.
        """
        say = tell or (lambda what: None)
        path = Path(folder)
        system = read_system(path)
        if system.kind != "hiero":
            raise ConfigError(
                f"{path}: is a model of kind {system.kind!r}, for which there is no decoder yet; "
                "train one with: tunesmith train --kind hiero"
            )
        say("rules")
        table = RuleTable.open(path / system.rules)
        if table.kind != system.kind:
            raise ConfigError(
                f"{path}: system.toml says kind {system.kind!r}, but {path / system.rules} has {table.kind} rules; "
                "the parts do not belong together. Train the model again"
            )
        say("features")
        across = tuple(part.template for part in system.features if _across_rules(part.template))
        local = [part for part in system.features if part.template not in across]
        features = FeatureSet.from_parts(local).compile(table, threads=threads)
        say("language models")
        models = {part.name: NgramModel.load(path / part.path) for part in system.lms}
        return cls(path, system, table, models, features, across)

    def start_weights(self) -> Weights:
        """The weights that the directory came with."""
        return Weights.read(self.folder / WEIGHTS)

    def options(self, **changes: int | float | None) -> DecoderOptions:
        """Limits of the search: those of the model, or given here (None leaves the model's)."""
        given = {name: value for name, value in changes.items() if value is not None}
        return DecoderOptions(**{**self.system.decoder, **given})  # type: ignore[arg-type]

    def decoder(self, weights: Weights | None = None, options: DecoderOptions | None = None) -> HieroDecoder:
        """A decoder with these weights; without any, those of the directory."""
        return HieroDecoder(
            self.table,
            self.features,
            self.language_models,
            self.start_weights() if weights is None else weights,
            self.options() if options is None else options,
            state_features=self.state_features,
        )

    @cached_property
    def digests(self) -> dict[str, str]:
        """A checksum of every part: models with equal ones translate alike."""
        parts = {"rules": self.folder / self.system.rules / MANIFEST}
        parts |= {part.name: self.folder / part.path for part in self.system.lms}
        return {name: checksum(path) for name, path in parts.items()}

    def signature(self, options: DecoderOptions) -> Signature:
        """What translations depend on besides weights and input."""
        return Signature(
            self.system.kind,
            {
                **self.digests,
                "features": "+".join(part.template for part in self.system.features),
                "search": {"method": "cube", **options.settings()},
            },
        )


def _across_rules(template: str) -> bool:
    """Whether the features of a template look across rules, so that the search computes them."""
    factory = templates.get(template)
    return isinstance(factory, type) and issubclass(factory, StateFeature)
