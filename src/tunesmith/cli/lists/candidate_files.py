"""Candidate lists named on the command line, in whatever format they are."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tunesmith.cli.lists.list_streams import open_lists
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.metrics import Precomputed
    from tunesmith.search import CandidateSet, ListFile


class Lists(NamedTuple):
    """What was read: the lists as one, references and dialect where a file had them."""

    candidates: CandidateSet
    references: Sequence[Sequence[str]] | None
    dialect: str | None


def read_one(path: str | None, dialect: str | None, *, skip_bad: bool = False, quiet: bool = False) -> ListFile:
    """A file of lists (standard input for None) or a folder of candidates; how it was read is said."""
    [found] = open_lists(path, dialect, skip_bad=skip_bad, whole=True, quiet=quiet).parts
    return found


def read_candidates(
    files: Sequence[str],
    scores: Sequence[str],
    dialect: str | None = None,
    metric: Precomputed | None = None,
    *,
    skip_bad: bool = False,
    quiet: bool = False,
) -> Lists:
    """All lists as one, each candidate once.

    Files are folders, text in any dialect, or features.dat. scores: a file for each: scores.dat for features.dat,
    or with `metric` a number for each candidate.
    """
    from tunesmith.search import CandidateSet

    _check_pairs(files, scores)
    found: list[CandidateSet] = []
    references: Sequence[Sequence[str]] | None = None
    name: str | None = None
    for at, file in enumerate(files):
        spec = dialect
        if scores and metric is None:
            spec = f"moses-dat:scores={scores[at]}"
            _check_blocks(file)
        one = read_one(file, spec, skip_bad=skip_bad, quiet=quiet)
        candidates, name = one.candidates, one.dialect
        references = one.references if references is None else references
        if metric is not None:
            candidates = with_numbers(candidates, scores[at], metric)
        found.append(candidates)
    return Lists(found[0] if len(found) == 1 else CandidateSet.merge(found), references, name)


def with_numbers(candidates: CandidateSet, path: str, metric: Precomputed) -> CandidateSet:
    """Candidates with the scores that were computed for them elsewhere, one on each line."""
    from tunesmith.metrics import read_scores

    return candidates.with_statistics(metric.statistics(read_scores(path, expected=len(candidates))))


def _check_pairs(files: Sequence[str], scores: Sequence[str]) -> None:
    if scores and len(scores) != len(files):
        raise ConfigError(
            f"{len(files)} files of --candidates and {len(scores)} of --scores; give pairs, in the same order"
        )


def precomputed_metric(
    lists: Sequence[str], scores: Sequence[str], metric: str | None, *, lower_is_better: bool
) -> Precomputed | None:
    """The metric of `--scores`, where these are numbers and not the scores.dat of Moses."""
    from tunesmith.corpus.bitext import expand_paths
    from tunesmith.io import open_bytes
    from tunesmith.metrics import Precomputed, read_scores

    if not scores:
        if metric == "precomputed":
            raise ConfigError("--metric precomputed needs the file of scores: --scores FILE")
        if lower_is_better:
            raise ConfigError("--lower-is-better is about --scores FILE, which was not given")
        return None
    _check_pairs(expand_paths(lists), scores if not any(map(glob.has_magic, scores)) else expand_paths(scores))
    files = expand_paths(scores)
    with open_bytes(files[0]) as stream:
        if stream.read(len("SCORES_")) in (b"SCORES_", b"FEATURE"):
            return None
    if metric not in (None, "precomputed"):
        raise ConfigError(f"--scores FILE holds the scores to tune towards; leave out --metric {metric}")
    largest = max((float(abs(read_scores(path)).max(initial=0.0)) for path in files), default=0.0)
    return Precomputed(lower_is_better=lower_is_better, full_score=1.0 if largest <= 1.5 else 100.0)


def _check_blocks(file: str) -> None:
    if Path(file).is_dir():
        raise ConfigError(f"{file}: is a folder of candidates, which takes no --scores")
    from tunesmith.io import open_bytes

    with open_bytes(file) as stream:
        if not stream.read(len("FEATURES_")).startswith(b"FEATURES_"):
            raise ConfigError(
                f"{file}: is no features.dat of Moses; --scores takes the scores.dat that belongs to one, or "
                "a file with a number for each candidate"
            )
