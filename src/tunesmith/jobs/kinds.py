"""Import of all kinds of work, for processes that receive descriptions."""

from __future__ import annotations

from collections.abc import Sequence

import tunesmith.decoding.work.kinds
import tunesmith.decoding.work.listing
import tunesmith.execution.verbs
import tunesmith.jobs.tuning
import tunesmith.tuning.sums.learning
import tunesmith.tuning.sums.parts  # noqa: F401 (kinds register themselves)
from tunesmith.execution import kinds


def all_kinds() -> Sequence[str]:
    """Import all kinds and return their names."""
    return kinds.names()
