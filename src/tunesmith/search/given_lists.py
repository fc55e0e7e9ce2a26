"""Candidate arguments of the library: a set, records, or the name of a file or folder."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from tunesmith.checks import kind_of
from tunesmith.errors import WrongTypeError
from tunesmith.io import StrPath
from tunesmith.search.dialects import ListFile
from tunesmith.search.graphs.kbest import read_list
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.records import from_records

GivenCandidates: TypeAlias = CandidateSet | StrPath | Any
"""A set, a file of any dialect, a folder of `CandidateSet.save`, dictionaries, or a table of pandas."""


def candidates_of(given: GivenCandidates, dialect: str | None = None) -> ListFile:
    """Return lists and, if a file has them, their references.   dialect: of a file; detected if not given."""
    if isinstance(given, CandidateSet):
        return ListFile(given)
    if isinstance(given, (str, os.PathLike)):
        if Path(given).is_dir():
            return ListFile(CandidateSet.load(given))
        return read_list(given, dialect)
    if hasattr(given, "to_dict") or _are_records(given):
        return ListFile(from_records(given))
    got = kind_of(given)
    if isinstance(given, (list, tuple)):
        other = next((each for each in given if not isinstance(each, Mapping)), None)
        got = f"a {got} with {kind_of(other)}" if given else f"an empty {got}"
    raise WrongTypeError(
        "candidates must be a CandidateSet, a file of n-best lists, or records (dictionaries, a DataFrame), "
        f"got {got}"
    )


def _are_records(given: object) -> bool:
    return isinstance(given, (list, tuple)) and bool(given) and all(isinstance(each, Mapping) for each in given)
