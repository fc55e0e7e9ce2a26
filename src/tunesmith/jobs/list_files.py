"""Candidate lists by the names of their files, in whatever format they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from tunesmith.errors import ConfigError
from tunesmith.io import display_name, open_bytes
from tunesmith.jobs.observer import JobObserver
from tunesmith.metrics import Precomputed, read_scores
from tunesmith.search import CandidateSet, ListFile, ListStream

_BAD_SHOWN = 5


class Lists(NamedTuple):
    """What was read: the lists as one; references, dialect and source sentences where a file had them."""

    candidates: CandidateSet
    references: Sequence[Sequence[str]] | None
    dialect: str | None
    sources: Sequence[str] | None = None


def read_candidates(
    files: Sequence[str],
    scores: Sequence[str],
    dialect: str | None = None,
    metric: Precomputed | None = None,
    *,
    skip_bad: bool = False,
    observer: JobObserver,
) -> Lists:
    """Return all lists as one, each candidate once.

    Files are folders, text in any dialect, or features.dat. scores: a file for each: scores.dat for features.dat,
    or with `metric` a number for each candidate.
    """
    check_pairs(files, scores)
    found: list[CandidateSet] = []
    references: Sequence[Sequence[str]] | None = None
    sources: list[Sequence[str]] = []
    name: str | None = None
    for at, file in enumerate(files):
        spec = dialect
        if scores and metric is None:
            spec = f"moses-dat:scores={scores[at]}"
            _check_blocks(file)
        one = _read_one(file, spec, skip_bad, observer)
        candidates, name = one.candidates, one.dialect
        references = one.references if references is None else references
        if one.sources is not None:
            sources.append(one.sources)
        if metric is not None:
            candidates = with_numbers(candidates, scores[at], metric)
        found.append(candidates)
    merged = found[0] if len(found) == 1 else CandidateSet.merge(found)
    whole = (each for each in sources if len(each) == merged.sentences)
    return Lists(merged, references, name, next(whole, None))


def _read_one(path: str, dialect: str | None, skip_bad: bool, observer: JobObserver) -> ListFile:
    if path != "-" and Path(path).is_dir():
        return ListFile(CandidateSet.load(path), "folder")
    stream, name = ListStream(path, dialect, skip_bad=skip_bad), display_name(path)
    if dialect is None and stream.dialect != "moses":
        observer.note(f"{name}: {stream.dialect} ({stream.reason})")
    return tell_bad_lines(stream.whole(), name, observer.remark)


def tell_bad_lines(part: ListFile, name: str, remark: Callable[[str], None]) -> ListFile:
    """Return the same lists; lines that were left out are named, the first of them."""
    for line, message in part.bad.listed[:_BAD_SHOWN]:
        remark(f"{name}:{line}: left out: {message}")
    if part.bad.count:
        remark(f"{name}: {part.bad.count} lines left out")
    return part


def with_numbers(candidates: CandidateSet, path: str, metric: Precomputed) -> CandidateSet:
    """Return candidates with the scores that were computed for them elsewhere, one on each line."""
    return candidates.with_statistics(metric.statistics(read_scores(path, expected=len(candidates))))


def check_pairs(files: Sequence[str], scores: Sequence[str]) -> None:
    """Raise ConfigError unless every file of lists has its scores, or none has."""
    if scores and len(scores) != len(files):
        raise ConfigError(
            f"{len(files)} files of --candidates and {len(scores)} of --scores; give pairs, in the same order"
        )


def _check_blocks(file: str) -> None:
    if Path(file).is_dir():
        raise ConfigError(f"{file}: is a folder of candidates, which takes no --scores")
    with open_bytes(file) as stream:
        if not stream.read(len("FEATURES_")).startswith(b"FEATURES_"):
            raise ConfigError(
                f"{file}: is not features.dat of Moses; --scores takes the scores.dat that belongs to one, or "
                "a file with a number for each candidate"
            )
