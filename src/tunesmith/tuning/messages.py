"""Parts of messages: the first of many sentences and features, and the way out for a damaged run."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from tunesmith.features.index import FeatureIndex

RESTART = "start the run again with --restart"
_NAMED = 5


def sentence_numbers(numbers: Iterable[int]) -> str:
    """Format the number of sentences and their numbers, counted from 1."""
    found = [int(number) + 1 for number in numbers]
    shown = ", ".join(map(str, found[:_NAMED])) + (", …" if len(found) > _NAMED else "")
    return f"{len(found)} sentences ({shown})" if len(found) > 1 else f"sentence {shown}"


def feature_names(features: FeatureIndex, ids: NDArray[np.int64]) -> str:
    """Format the names of these features."""
    shown = ", ".join(features.name(int(at)) for at in ids[:_NAMED])
    return shown + (", …" if len(ids) > _NAMED else "")
