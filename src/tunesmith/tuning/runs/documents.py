"""Schemas of the JSON files in the folder of a tuning run.

Fields with defaults may be missing: runs of earlier versions lack them.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

import msgspec

from tunesmith.io.documents import Count, Number

KIND: Final = "tunesmith tuning run"

RunPath = Annotated[str, msgspec.Meta(pattern=r"\Arounds/[0-9]+/[A-Za-z0-9][A-Za-z0-9._-]*\Z", max_length=200)]
"""A file or folder of a round, always below the folder of the run."""


class MetricSettings(msgspec.Struct):
    """Settings of the metric with its name."""

    name: str = ""


class RunSettings(msgspec.Struct):
    """Displayed settings of a run."""

    recipe: str = ""
    rounds: Count = 0
    metric: MetricSettings = msgspec.field(default_factory=MetricSettings)


class SettingsDocument(msgspec.Struct):
    """`settings.json`.   settings: everything that the result depends on, without a schema."""

    kind: Literal["tunesmith tuning run"]
    format: Literal[1] = 1
    settings: dict[str, Any] = {}
    signature: dict[str, Any] = {}


class GroupsPosition(msgspec.Struct):
    """The partition of features: files of groups and shares, and the number of groups."""

    groups: RunPath
    size: Count
    shares: RunPath | None


class OptimizerPosition(msgspec.Struct):
    """The state of an optimizer that has not ended.   by_feature: arrays with a value for each weight."""

    weights: RunPath
    value: Number
    details: dict[str, Number]
    arrays: dict[str, RunPath]
    numbers: dict[str, Number]
    by_feature: list[str] = []


class StateDocument(msgspec.Struct, kw_only=True):
    """`state.json`: a position of the run, and the paths of its arrays and pools.

    columns: number of weights.   names: names of features that got their numbers in the run.
    Format 1 called pools lists, earlier versions had one `optimizer`; such a run belongs to another build and is
    read only for display.
    """

    format: Literal[1, 2]
    round: Count
    done: Count
    weights: RunPath
    columns: Count | None = None
    names: RunPath | None = None
    best_weights: RunPath | None
    pools: dict[str, RunPath] = {}
    numbers: dict[str, Number]
    details: dict[str, Number]
    projection: GroupsPosition | None
    arrays: dict[str, RunPath] = {}
    optimizers: dict[str, OptimizerPosition] = {}
    rows: Count
    best: Count | None = None
    finished: str | None
    saved: str = ""
    checksums: dict[str, str] = {}  # checksums of other files of the run; empty in runs of earlier versions


class FailureDocument(msgspec.Struct):
    """`failure.json`: why the run ended."""

    error: str = ""
    message: str = ""
    time: str = ""


class Sentence(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sentence of the development data: a line of `dev.jsonl`.   label: its domain, where there are some."""

    source: str | None
    references: tuple[str, ...]
    label: str | None = None
