"""Context of opening the data of a job, and the resulting sources."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tunesmith.decoding.work.open_models import Models
from tunesmith.execution import Executor
from tunesmith.jobs.observer import JobObserver
from tunesmith.metrics import Metric
from tunesmith.tuning import CandidateSource
from tunesmith.tuning.sources.density import Density


class Sources(NamedTuple):
    """Sources of one tuning run; decoders hold weights, so every run has its own."""

    dev: CandidateSource
    train: CandidateSource | None = None


MakeSources = Callable[[int], Sources]
"""Function from a list length to new sources of dev and of training data."""


@dataclass(frozen=True)
class Opening:
    """Context of opening data.

    executor: decodes in place of threads of this process.
    fitting: adds over the data for optimizers. graphs: search graphs are tuned on, pruned so; None for n-best
        lists.
    """

    metric: Metric
    stack: contextlib.ExitStack
    models: Models = field(default_factory=Models)
    observer: JobObserver = field(default_factory=JobObserver)
    executor: Executor | None = None
    threads: int = 1
    graphs: Density | None = None
    fitting: Executor | None = None


def absolute(path: str | None) -> str | None:
    return None if path is None else str(Path(path).resolve())
