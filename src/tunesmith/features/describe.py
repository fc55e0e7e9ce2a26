"""What templates there are, and what they fire, for users and JSON."""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.features.base import templates
from tunesmith.features.featureset import FeatureSet
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.features.names import template_of
from tunesmith.features.specs import TemplateSpec, parse_features
from tunesmith.grammar import RuleTable
from tunesmith.weights import Weights


def list_templates() -> list[dict[str, Any]]:
    """Return every template: name, scope, default settings, and the first line of what it says about itself."""
    found = []
    familiar = [spec.name for spec in parse_features("default,id,big,extended")]
    known = templates.names()
    for name in sorted(known, key=(familiar + [name for name in known if name not in familiar]).index):
        try:
            factory = templates.get(name)
        except ConfigError as error:  # of a package that does not work; the others are listed all the same
            found.append({"template": name, "scope": "?", "settings": {}, "about": str(error)})
            continue
        settings: dict[str, Any] = {}
        if dataclasses.is_dataclass(factory):
            settings = {
                key: value for key, value in TemplateSpec(name).typed().as_dict().items() if key != "template"
            }
        about = (factory.__doc__ or "").strip().splitlines() or [""]
        found.append(
            {"template": name, "scope": getattr(factory, "scope", ""), "settings": settings, "about": about[0]}
        )
    return found


def describe_matrix(matrix: FeatureMatrix, chosen: FeatureSet, table: RuleTable, top: int = 0) -> dict[str, Any]:
    """Count per template: features, features that fire, how often (values that are not zero), in how many rows.

    top: also the features that fire in most rules. Rules of no table (glue, unknown words) count as rules here.
    """
    firing = matrix.native.firing_rows()
    names = [matrix.index.name(column) for column in range(len(firing))]
    features: Counter[str] = Counter()
    active: Counter[str] = Counter()
    fired: Counter[str] = Counter()
    for name, rules in zip(names, firing.tolist(), strict=True):
        template = template_of(name)
        features[template] += 1
        active[template] += rules > 0
        fired[template] += rules
    if len(matrix.id_columns):
        features["id"] = active["id"] = fired["id"] = len(matrix.id_columns)
    order = np.argsort(-firing.astype(np.int64), kind="stable")[:top]
    return {
        "rules": len(table),
        "rules_before_filtering": table.unfiltered_rules,
        "features": matrix.columns,
        "megabytes": matrix.native.bytes / 1e6,
        "templates": [
            {
                "template": name,
                "features": features[name],
                "firing": active[name],
                "fired": fired[name],
                "rules": rules_that_fire(matrix, name, names),
            }
            for name in chosen.templates
        ],
        "top": [{"name": names[at], "rules": int(firing[at])} for at in order.tolist()],
        "signature": chosen.signature().as_dict(),
    }


def rules_that_fire(matrix: FeatureMatrix, template: str, names: list[str]) -> int:
    """Count rows where at least one feature of the template is not zero."""
    if template == "id":
        return len(matrix.id_columns)
    mine = np.array([template_of(name) == template for name in names], dtype=np.uint8)
    return matrix.native.rows_firing(mine)


def named_features(matrix: FeatureMatrix, row: int, weights: Weights | None = None) -> dict[str, Any]:
    """Return the features of a rule by name; with weights also the weight of each, what it adds, and the sum."""
    values = matrix.named_row(row)
    if weights is None:
        return {"features": {name: {"value": value} for name, value in values.items()}}
    features = {
        name: {"value": value, "weight": weights.get(name), "adds": weights.get(name) * value + 0.0}
        for name, value in values.items()
    }
    return {"features": features, "score": sum(numbers["adds"] for numbers in features.values())}
