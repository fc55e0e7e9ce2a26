"""Candidate sets on disk: a folder of memory-mapped arrays, the names of features and words, a manifest."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import StrPath, read_lines, write_lines
from tunesmith.io.arrays import MANIFEST, FolderFormat, new_folder, read_arrays, seal_arrays, write_array
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists

if TYPE_CHECKING:
    from tunesmith.search.candidates import CandidateSet

FORMAT = FolderFormat("tunesmith candidates", 1, "a candidate set", "make one with: tunesmith candidates convert")
FEATURES, VOCABULARY = "features.txt", "words.txt"
_VALUES = "<f4/<f8"
TYPES = {
    "offsets": "<i8:1",
    "dense_ids": "<u4:1",
    "dense": f"{_VALUES}:2",
    "sparse_offsets": "<i8:1",
    "sparse_ids": "<u4:1",
    "sparse_values": f"{_VALUES}:1",
    "word_ids": "<u4:1",
    "word_offsets": "<i8:1",
    "statistics": "<i4/<f8:2",
    "model_scores": "<f8:1",
}


def save(candidates: CandidateSet, path: StrPath) -> None:
    """Write all of it, or nothing."""
    with new_folder(path, FORMAT.noun) as folder:
        arrays = arrays_of(candidates)
        for name, array in arrays.items():
            write_array(folder, name, array)
        seal(folder, candidates, arrays)


def arrays_of(candidates: CandidateSet) -> dict[str, NDArray[Any]]:
    """Every array of the set by the name of its file."""
    matrix = candidates.matrix
    if not isinstance(matrix, PlainMatrix):
        raise ConfigError(f"a {type(matrix).__name__} cannot be saved")
    arrays = {"offsets": candidates.offsets, **matrix.arrays()}
    if candidates.words is not None:
        arrays |= candidates.words.arrays()
    if candidates.statistics is not None:
        arrays["statistics"] = candidates.statistics
    if candidates.model_scores is not None:
        arrays["model_scores"] = candidates.model_scores
    return arrays


def seal(folder: Path, candidates: CandidateSet, arrays: dict[str, NDArray[Any]]) -> None:
    """Write the names and the manifest beside arrays that are in the folder already."""
    write_lines(folder / FEATURES, candidates.features)
    if candidates.words is not None:
        write_lines(folder / VOCABULARY, candidates.words.vocabulary)
    fields = {"candidates": len(candidates), "sentences": candidates.sentences, "columns": candidates.columns}
    seal_arrays(folder, FORMAT, fields, arrays)


def load(path: StrPath) -> CandidateSet:
    """Open a set; FormatError if it is damaged, unfinished or from a later version."""
    from tunesmith.search.candidates import CandidateSet

    folder = Path(path)
    manifest, arrays = read_arrays(folder, FORMAT, TYPES)
    columns = manifest.get("columns")
    required = ["offsets", "dense_ids", "dense", "sparse_offsets", "sparse_ids", "sparse_values"]
    missing = [name for name in [*required, FEATURES] if name not in manifest["files"]]
    if missing or type(columns) is not int or not 0 <= columns < 2**32:
        raise FormatError(
            f"columns and the files {', '.join(missing)} are expected; it is damaged", path=str(folder / MANIFEST)
        )
    try:
        words = None
        if "word_ids" in arrays and "word_offsets" in arrays:
            words = WordLists(read_lines(folder / VOCABULARY), arrays["word_ids"], arrays["word_offsets"])
        matrix = PlainMatrix(columns, *(arrays[name] for name in required[1:]))
        return CandidateSet(
            matrix,
            arrays["offsets"],
            features=read_lines(folder / FEATURES),
            statistics=arrays.get("statistics"),
            words=words,
            model_scores=arrays.get("model_scores"),
        )
    except (ConfigError, ValueError, TypeError) as error:
        raise FormatError(f"the arrays do not fit together ({error}); the set is damaged", path=str(folder)) from None
