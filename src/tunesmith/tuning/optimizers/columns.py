"""Which features are penalised and grouped: patterns of their names."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.tuning.feature_names import matching


def columns_named(features: Any, columns: int, patterns: str) -> NDArray[np.int64]:
    """The columns, ascending, whose names fit one of the patterns (`id:* word_pair:*`)."""
    fitting = [matching(features, pattern) for pattern in patterns.split()]
    found = np.unique(np.concatenate([np.empty(0, dtype=np.int64), *fitting]))
    found = found[found < columns]
    if not found.size:
        raise ConfigError(
            f"no feature is called {patterns!r}, so there is nothing to penalise. Rule identities (id:*) come "
            "with tunesmith train --features default,id; other sparse features are named by a pattern, such as "
            "--set 'penalised=word_pair:*'"
        )
    return found
