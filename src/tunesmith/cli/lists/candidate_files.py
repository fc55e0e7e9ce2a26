"""Candidate lists named on the command line, in whatever format they are."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tunesmith.cli.lists.list_streams import open_lists
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Precomputed
    from tunesmith.search import ListFile


def read_one(path: str | None, dialect: str | None, *, skip_bad: bool = False, quiet: bool = False) -> ListFile:
    """Return a file of lists (standard input for None) or a folder of candidates; how it was read is said."""
    [found] = open_lists(path, dialect, skip_bad=skip_bad, whole=True, quiet=quiet).parts
    return found


def precomputed_metric(
    lists: Sequence[str], scores: Sequence[str], metric: str | None, *, lower_is_better: bool
) -> Precomputed | None:
    """Return the metric of `--scores`, where these are numbers and not the scores.dat of Moses."""
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.io import open_bytes
    from tunesmith.jobs.list_files import check_pairs
    from tunesmith.metrics import Precomputed, read_scores

    if not scores:
        if metric == "precomputed":
            raise ConfigError("--metric precomputed needs the file of scores: --scores FILE")
        if lower_is_better:
            raise ConfigError("--lower-is-better is about --scores FILE, which was not given")
        return None
    check_pairs(expand_paths(lists), scores if not any(map(glob.has_magic, scores)) else expand_paths(scores))
    files = expand_paths(scores)
    with open_bytes(files[0]) as stream:
        if stream.read(len("SCORES_")) in (b"SCORES_", b"FEATURE"):
            return None
    if metric not in (None, "precomputed"):
        raise ConfigError(f"--scores FILE holds the scores to tune towards; leave out --metric {metric}")
    largest = max((float(abs(read_scores(path)).max(initial=0.0)) for path in files), default=0.0)
    return Precomputed(lower_is_better=lower_is_better, full_score=1.0 if largest <= 1.5 else 100.0)
