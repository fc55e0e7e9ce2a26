"""The signature of a tuning run: its settings in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tunesmith.signature import Signature


def run_signature(settings: Mapping[str, Any], plan: Mapping[str, Any]) -> Signature:
    """Make the signature from the content of `settings.json`.   plan: fields from the planner."""
    fields: dict[str, Any] = {}
    for key in ("loss", "optimizer", "regularizer", "metric"):
        if (part := settings[key]) is not None:
            rest = {name: value for name, value in part.items() if name != "name" and value is not None}
            fields[key] = {"method": part["name"], **rest}
    if "penalised" in settings:
        fields["penalised"] = "+".join(settings["penalised"])
    numbers = {key: settings[key] for key in ("rounds", "interpolation", "start", "seed") if key in settings}
    data = {name: _data_fields(settings[name]) for name in ("dev", "train") if name in settings}
    return Signature(f"tune {settings['recipe']}", {**fields, **plan, **numbers, **data})


def _data_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"method": settings["kind"], **{key: value for key, value in settings.items() if key != "kind"}}
