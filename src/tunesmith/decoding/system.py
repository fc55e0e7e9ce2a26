"""Decoders of model directories."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from tunesmith.config import WEIGHTS, System, read_system
from tunesmith.decoding.hiero import HieroDecoder
from tunesmith.decoding.options import DecoderOptions
from tunesmith.errors import ConfigError
from tunesmith.features import FeatureSet, StateFeature, TemplateSpec
from tunesmith.grammar import RuleTable
from tunesmith.io import StrPath
from tunesmith.lm import NgramModel
from tunesmith.weights import Weights

# Of system.toml, without meaning for hierarchical search: glue joins parts of any length.
_WITHOUT_MEANING = {"glue_span"}


def load_decoder(
    folder: StrPath, weights: StrPath | Weights | None = None, *, threads: int = 1, **options: Any
) -> HieroDecoder:
    """The decoder of a model directory.

    weights: instead of the start weights of the model.   options: of `DecoderOptions`, instead of the model's.
    Names in the weights that no feature has are in `unknown_weights`.
    """
    path = Path(folder)
    system = read_system(path)
    if system.kind != "hiero":
        raise ConfigError(f"{path}: is a model of kind {system.kind!r}; this decoder is for hierarchical ones")
    limits = decoder_options(system, **options)
    table = RuleTable.open(path / system.rules)
    local, across = split_features(system)
    features = local.compile(table, threads=threads)
    models = {lm.name: NgramModel.load(path / lm.path) for lm in system.lms}
    if weights is None:
        weights = path / WEIGHTS
    if not isinstance(weights, Weights):
        weights = Weights.read(weights)
    return HieroDecoder(table, features, models, weights, limits, state_features=across)


def decoder_options(system: System, **options: Any) -> DecoderOptions:
    """The options of a model, with some replaced; None replaces nothing."""
    known = {field.name for field in dataclasses.fields(DecoderOptions)}
    chosen: dict[str, Any] = {key: value for key, value in system.decoder.items() if key not in _WITHOUT_MEANING}
    chosen.update((key, value) for key, value in options.items() if value is not None)
    if unknown := sorted(set(chosen) - known):
        raise ConfigError(f"hierarchical search has no option {unknown[0]!r}; it has {', '.join(sorted(known))}")
    return DecoderOptions(**chosen)


def split_features(system: System) -> tuple[FeatureSet, list[str]]:
    """The templates of the feature matrix, and the names of those that the search computes."""
    specs = []
    for part in system.features:
        settings = {
            key: list(value) if isinstance(value, tuple) else value for key, value in part.settings.items()
        }
        specs.append(TemplateSpec.from_dict({"template": part.template, **settings}))
    across = [spec.name for spec in specs if isinstance(spec.build(), StateFeature)]
    return FeatureSet(spec for spec in specs if spec.name not in across), across
