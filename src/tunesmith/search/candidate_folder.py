"""Candidate sets on disk: a folder of memory-mapped arrays, the names of features and words, a manifest."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import StrPath, read_lines, write_lines
from tunesmith.io.arrays import MANIFEST, FolderFormat, Stored, new_folder, read_arrays, seal_arrays, write_array
from tunesmith.search.arrays import TYPES, arrays_of
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists

if TYPE_CHECKING:
    from tunesmith.search.candidates import CandidateSet

FORMAT = FolderFormat("tunesmith candidates", 1, "a candidate set", "make one with: CandidateSet.save")
FEATURES, WORDS, REST = "features.txt", "words.txt", "rest.txt"


def save(candidates: CandidateSet, path: StrPath) -> None:
    """Write all of it, or nothing."""
    with new_folder(path, FORMAT.noun) as folder:
        arrays = arrays_of(candidates)
        for name, array in arrays.items():
            write_array(folder, name, array)
        seal(folder, candidates, {name: (array.dtype.str, array.shape) for name, array in arrays.items()})


def seal(folder: Path, like: CandidateSet, arrays: Mapping[str, Stored]) -> None:
    """Write the names of a set and the manifest beside arrays that are in the folder already."""
    write_lines(folder / FEATURES, like.features)
    for name, lists in ((WORDS, like.words), (REST, like.rest)):
        if lists is not None:
            write_lines(folder / name, lists.vocabulary)
    seal_arrays(folder, FORMAT, {"columns": like.columns}, arrays)


def load(path: StrPath) -> CandidateSet:
    """Open a set; FormatError if it is damaged, unfinished or from a later version."""
    from tunesmith.search.candidates import CandidateSet

    folder = Path(path)
    manifest, arrays = read_arrays(folder, FORMAT, TYPES)
    columns = manifest.get("columns")
    required = ["offsets", "dense_ids", "dense", "sparse_offsets", "sparse_ids", "sparse_values"]
    missing = [name for name in required if name not in arrays]
    missing += [name for name in _texts(arrays) if name not in manifest["files"]]
    if missing or type(columns) is not int or not 0 <= columns < 2**32:
        raise FormatError(
            f"columns and the files {', '.join(missing)} are expected; it is damaged", path=str(folder / MANIFEST)
        )
    try:
        return CandidateSet(
            PlainMatrix(columns, *(arrays[name] for name in required[1:])),
            arrays["offsets"],
            features=read_lines(folder / FEATURES),
            statistics=arrays.get("statistics"),
            words=_words(folder / WORDS, arrays, "word"),
            model_scores=arrays.get("model_scores"),
            rest=_words(folder / REST, arrays, "rest"),
        )
    except (ConfigError, ValueError, TypeError) as error:
        if isinstance(error, FormatError) and error.path is not None:
            raise
        raise FormatError(
            f"the arrays do not fit together ({error}); the set is damaged", path=str(folder)
        ) from None


def _texts(arrays: dict[str, Any]) -> list[str]:
    return [FEATURES, *([WORDS] if "word_ids" in arrays else []), *([REST] if "rest_ids" in arrays else [])]


def _words(path: Path, arrays: dict[str, Any], kind: str) -> WordLists | None:
    if f"{kind}_ids" not in arrays or f"{kind}_offsets" not in arrays:
        return None
    return WordLists(read_lines(path), arrays[f"{kind}_ids"], arrays[f"{kind}_offsets"])
