"""Which features are penalised and grouped: patterns of their names."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase, translate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.tuning.feature_names import name_of


def columns_named(features: Any, columns: int, patterns: str) -> NDArray[np.int64]:
    """The columns, ascending, whose names fit one of the patterns (`id:* word_pair:*`).

    Features of rules stand together and are millions: a pattern for all of them is not tried on each.
    """
    wanted = np.zeros(columns, dtype=np.bool_)
    rules: range = getattr(features, "rules", range(0))
    for pattern in patterns.split():
        form = re.compile(translate(pattern))
        whole = fnmatchcase("id:", pattern) and pattern.endswith("*")
        if whole:
            wanted[rules.start : rules.stop] = True
        elif not _may_match_rules(pattern):
            whole = True  # none of them
        skipped = rules if whole else range(0)
        for number in (*range(skipped.start), *range(skipped.stop, columns)):
            if not wanted[number] and form.match(name_of(features, number)):
                wanted[number] = True
    found = np.flatnonzero(wanted)
    if not found.size:
        raise ConfigError(
            f"no feature is called {patterns!r}, so there is nothing to group. Rule identities come from the "
            "template id of a model; other sparse features are named by a pattern such as word_pair:*"
        )
    return found


def _may_match_rules(pattern: str) -> bool:
    """Whether a name that begins with `id:` could fit."""
    fixed = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
    return fixed.startswith("id:") or "id:".startswith(fixed)
