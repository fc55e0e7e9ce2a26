"""The signature of a tuning run: its settings in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tunesmith.signature import Signature
from tunesmith.tuning.runs.directory import flat


def run_signature(settings: Mapping[str, Any]) -> Signature:
    """Made of what `settings.json` of a run directory holds."""
    fields: dict[str, Any] = {}
    for key in ("loss", "optimizer", "regularizer", "metric"):
        if (part := settings[key]) is not None:
            rest = {name: value for name, value in part.items() if name != "name" and value is not None}
            fields[key] = {"method": part["name"], **rest}
    if "penalised" in settings:
        fields["penalised"] = "+".join(settings["penalised"])
    if "grouping" in settings:
        fields["grouping"] = _grouping_fields(settings["grouping"])
    numbers = {key: settings[key] for key in ("rounds", "interpolation", "start", "seed") if key in settings}
    data = {name: _data_fields(settings[name]) for name in ("dev", "train") if name in settings}
    return Signature(f"tune {settings['recipe']}", {**fields, **numbers, **data})


def _data_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    return {"method": settings["kind"], **{key: value for key, value in settings.items() if key != "kind"}}


_NAMES = ("loss.name", "optimizer.name", "regularizer.name", "partition.name", "name")


def _grouping_fields(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of grouping and of its parts, flat; those that are None say nothing."""
    learner, partition = settings["learner"], settings["partition"]
    parts = {"method": learner["optimizer"]["name"], "partition": partition["name"]}
    if learner["regularizer"] is not None:
        parts["penalty"] = learner["regularizer"]["name"]
    own = {key: value for key, value in settings.items() if key not in ("name", "learner", "partition")}
    every = flat({**own, **learner, "partition": partition})
    rest = {key: value for key, value in every.items() if key not in _NAMES and value is not None}
    listed = {key: "+".join(map(str, value)) for key, value in rest.items() if isinstance(value, list)}
    return {**parts, **rest, **listed}
