"""Features of a model: as typed by users, as stored in `system.toml`, and their start weights."""

from __future__ import annotations

from collections.abc import Mapping

from tunesmith.config import FeaturePart, System
from tunesmith.features import SearchFeature, parse_features, split_features
from tunesmith.features import start_weights as weights_of_preset
from tunesmith.features.names import full_name
from tunesmith.features.start import is_dense
from tunesmith.grammar import RuleTable
from tunesmith.weights import Weights

DEFAULT_START = "moses"


def feature_parts(text: str, kind: str = "hiero") -> tuple[FeaturePart, ...]:
    """Parse templates and presets as typed after `--features`, with all settings."""
    return tuple(FeaturePart(spec.name, dict(spec.settings)) for spec in parse_features(text, kind))


def start_weights(system: System, table: RuleTable, preset: str = DEFAULT_START) -> Weights:
    """Return the weights of a preset for the dense features of a model; all others start at 0."""
    dense, across = split_features(part for part in system.features if is_dense(part.template))
    lms = [lm.name for lm in system.lms]
    names = dense.compile(table, rules=range(0), on_demand=True).index  # they do not depend on the rules
    return weights_of_preset(preset, [*names, *lms, *state_names(across, table)], lms=lms)


def state_names(across: Mapping[str, SearchFeature], table: RuleTable) -> list[str]:
    """List the dense features of templates that the search computes, such as `reordering:previous-swap`.

    ConfigError if the table lacks an input of a template.
    """
    return [
        full_name(name, detail) for name, template in across.items() for detail in template.dense_details(table)
    ]
