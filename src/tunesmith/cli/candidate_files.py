"""Candidate lists named on the command line, in whatever format they are."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.search import CandidateSet


def read_candidates(files: Sequence[str], scores: Sequence[str]) -> CandidateSet:
    """All lists as one, each candidate once. Files are folders, n-best text, or features.dat with scores.dat."""
    from tunesmith.io import open_bytes
    from tunesmith.search import CandidateSet
    from tunesmith.search.kbest import read_kbest
    from tunesmith.search.moses_files import read_moses_run

    if scores and len(scores) != len(files):
        raise ConfigError(
            f"{len(files)} files of --candidates and {len(scores)} of --scores; give pairs, in the same order"
        )
    found: list[CandidateSet] = []
    for at, name in enumerate(files):
        if Path(name).is_dir():
            if scores:
                raise ConfigError(f"{name}: is a folder of candidates, which takes no --scores")
            found.append(CandidateSet.load(name))
            continue
        with open_bytes(name) as stream:
            blocks = stream.read(len("FEATURES_TXT_BEGIN")) == b"FEATURES_TXT_BEGIN"
        if blocks:
            found.append(read_moses_run(name, scores[at] if scores else None))
        elif scores:
            raise ConfigError(
                f"{name}: is no features.dat of Moses; --scores takes the scores.dat that belongs to one"
            )
        else:
            found.append(read_kbest(name))
    return found[0] if len(found) == 1 else CandidateSet.merge(found)
